#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh types|packages|NAME WORK PAGE FATHOM MAKE_TRACE: type-checks web/, installs the packages of the
# tests, or runs NAME.test.mjs in a browser. WORK is a folder of the build; PAGE is where the build made
# the page and its packages.
set -eu
what=$1 work=$2 page=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

skip() {
    echo "skipped: $1"
    [ -n "${FATHOM_NO_SKIP-}" ] && exit 1
    exit 77
}

command -v npm >/dev/null && command -v node >/dev/null || skip "no npm (apt-get install npm)"
[ -s "$page/page.html" ] || skip "no report page in this build: $(cat "$page/reason.txt")"

if [ "$what" = types ]; then
    [ -d "$page/source/node_modules" ] || skip "the page comes from another build"
    exec node "$page/source/node_modules/typescript/bin/tsc" -p "$page/source"
fi

# chromium-headless-shell has no windows, and takes two thirds of the processor time.
CHROMIUM=${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium ||
    command -v chromium-browser || command -v google-chrome || true)}
[ -n "$CHROMIUM" ] || skip "no browser (apt-get install chromium-headless-shell, or set CHROMIUM)"

# The packages are installed again only if the lock file changed.
packages=$work/packages
if [ "$what" = packages ]; then
    mkdir -p "$packages"
    ! cmp -s "$here/package-lock.json" "$packages/installed" || exit 0
    cp "$here/package.json" "$here/package-lock.json" "$packages/"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
        --fetch-retries=1) || skip "npm ci failed (above)"
    cp "$here/package-lock.json" "$packages/installed"
    exit 0
fi
[ -s "$packages/installed" ] || skip "no packages (web_packages says why)"
mkdir -p "$work/$what"
export CHROMIUM FATHOM="$4" MAKE_TRACE="$5" WORK="$work/$what" PACKAGES="$packages" \
    PAGE="$page/page.html"
exec node --test "$here/$what.test.mjs"
