#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Pictures for README.md and docs/READING.md, made by fathom: tools/pictures.sh [BUILD]. Draws the
# report of reference runs in a browser and saves into docs/pictures/, light and dark, its first screen
# as PNG and charts as SVG. Needs a browser, and in BUILD the packages of the tests of the report page
# (tests/web).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${1:-build}
packages=$PWD/$build/tests/web/packages
[ -d "$packages" ] || { echo "pictures: first: ctest --test-dir $build -R web_packages" >&2; exit 1; }
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-headless-shell || command -v google-chrome)}
page=$(mktemp --suffix=.html)
trap 'rm -f "$page"' EXIT
mkdir -p docs/pictures

# picture RUN NAME [TITLE]: the chart of that title, or the first screen.
picture() {
    local run=$1 name=$2
    shift 2
    "$build/fathom" report "$run" -o "$page"
    CHROMIUM=$CHROMIUM PACKAGES=$packages node tools/picture.mjs "$page" "docs/pictures/$name" "$@"
}

picture reference/h200-vulkan-all.json report
picture reference/h200-vulkan-all.json latency "Latency by working set"
picture reference/h200-vulkan-quick.json loads "Times as fast as Buffer<RGBA8>.Load random, as bars"
picture reference/h200-vulkan-quick.json overlap "scenario=default · barrier=memory · place=before: timeline"
