#!/bin/sh
# SPDX-License-Identifier: MIT
# driver.sh FOLDER: fetches a Vulkan driver that traces rays, for tests: lavapipe of
# bookworm-backports, because Debian 12's own is too old. It is unpacked into FOLDER, and
# FOLDER/icd.json names it. apt's lists are in FOLDER, too: nothing of the system changes.
# Exit: 0 it is there · 77 it cannot be had (with FATHOM_NO_SKIP in the environment: 1)
set -eu
folder=$1
package=mesa-vulkan-drivers

skip() {
    echo "skipped: no driver that traces rays: $1"
    [ -n "${FATHOM_NO_SKIP-}" ] && exit 1
    exit 77
}

apt() {
    apt-get -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null \
        -o Dir::State::Lists="$folder/lists" -o Dir::Cache="$folder/cache" -o Debug::NoLocking=1 \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=3 "$@"
}

[ -s "$folder/icd.json" ] && exit 0
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "this is no Debian"
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
cd "$folder"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
http://deb.debian.org/debian bookworm-backports main" >sources.list
apt update || skip "apt-get update failed (above)"
apt download "$package/bookworm-backports" || skip "apt-get download failed (above)"
dpkg -x "$package"_*.deb root
library=$(find "$folder/root" -name libvulkan_lvp.so)
[ -n "$library" ] || skip "$package has no libvulkan_lvp.so"
printf '{"file_format_version": "1.0.0",\n "ICD": {"api_version": "1.3.0", "library_path": "%s"}}\n' \
    "$library" >icd.json
