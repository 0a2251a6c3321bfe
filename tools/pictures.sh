#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# tools/pictures.sh [BUILD]: makes the pictures of README.md and docs/READING.md. It opens reports of
# reference runs in a browser and saves, light and dark, the first screen as PNG and charts as SVG into
# docs/pictures/. It needs a browser, and in BUILD the packages for the tests of the report page
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

# picture RUN NAME [TITLE]: saves the chart with that title, or the first screen.
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
