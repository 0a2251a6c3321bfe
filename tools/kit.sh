#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Packs two relocatable folders in build-kit/, and a tarball of each, for a machine with nothing but a GPU
# driver: fathom itself, and its GPU tests. Checks which libraries and which glibc they need, and that
# fathom starts from another folder.
# FATHOM_KERNELS_FROM, FATHOM_WEB_FROM, FATHOM_CORE_FROM: the folders kernels/, web/ and
# CMakeFiles/fathom_core.dir of another build, to use instead of building them again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build="build-kit"
# Libraries that every system with glibc has. No others may be needed.
allowed='^(libc|libm|libdl|libpthread|librt|ld-linux-x86-64|ld-linux-aarch64)\.so\.[0-9]+$'

cmake -S . -B $build -G Ninja -DCMAKE_BUILD_TYPE=Release -DFATHOM_KIT=ON -DFATHOM_TESTS=ON \
    -DFATHOM_KERNELS_FROM="${FATHOM_KERNELS_FROM-}" -DFATHOM_WEB_FROM="${FATHOM_WEB_FROM-}" \
    -DFATHOM_CORE_FROM="${FATHOM_CORE_FROM-}" --log-level=WARNING
cmake --build $build --target kit_programs
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' $build/CMakeCache.txt)
commit=$(sed -n 's/.*\.commit = "\(.*\)".*/\1/p' $build/version.c)
platform=linux-$(uname -m)

# Clusters with RHEL 9 and its relatives have this version.
glibc_newest=2.34

# Lists programs, and the libraries that they load or open.
programs_in() { find "$1" -type f \( -perm -u+x ! -name run -o -name '*.so*' \); }

# Prints the newest version of glibc that the files in a folder need.
glibc_of() {
    programs_in "$1" | xargs objdump -T | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1 |
        sed 's/GLIBC_//'
}

# check_needs FOLDER: refuses a needed library that is neither on every machine nor in lib/.
check_needs() {
    local program library
    for program in $(programs_in "$1"); do
        for library in $(objdump -p "$program" | awk '/NEEDED/ { print $2 }'); do
            [[ $library =~ $allowed || -e $1/lib/$library ]] ||
                { echo "kit: $program needs $library, which is not in the kit" >&2; exit 1; }
        done
    done
}

# check_hardened PROGRAM: every symbol must be bound before main, in a table that is then read-only; the
# stack and C library functions that write to a buffer must be guarded.
check_hardened() {
    local dynamic symbols
    dynamic=$(readelf --dynamic --program-headers --wide "$1")
    symbols=$(objdump -T "$1")
    for sign in 'Elf file type is DYN' GNU_RELRO BIND_NOW; do
        [[ $dynamic == *$sign* ]] || { echo "kit: $1 is not hardened: no $sign" >&2; exit 1; }
    done
    for sign in __stack_chk_fail _chk; do
        [[ $symbols == *$sign* ]] || { echo "kit: $1 is not hardened: no $sign" >&2; exit 1; }
    done
}

# check_glibc FOLDER: refuses programs that need a newer glibc than we promise.
check_glibc() {
    local needed
    needed=$(glibc_of "$1")
    [ "$(printf '%s\n' "$needed" $glibc_newest | sort -V | tail -n 1)" = $glibc_newest ] ||
        { echo "kit: $1 needs glibc $needed, newer than $glibc_newest" >&2; exit 1; }
}

# pack COMPONENT NAME LEVEL: makes a folder and a tarball (gzip -LEVEL). README.txt comes from stdin.
pack() {
    local folder=$build/$2-$version-$platform
    rm -rf "$folder" "$folder.tar.gz"
    cmake --install $build --component "$1" --prefix "$folder" --strip >/dev/null
    check_needs "$folder"
    check_glibc "$folder"
    sed "s/@GLIBC@/$(glibc_of "$folder")/; s/@VERSION@/$version/; s/@COMMIT@/$commit/" \
        >"$folder/README.txt"
    tar -C $build --sort=name --owner=0 --group=0 --numeric-owner -I "gzip -$3" -cf "$folder.tar.gz" \
        "$(basename "$folder")"
    echo "$folder.tar.gz: $(du -h "$folder.tar.gz" | cut -f 1), needs glibc $(glibc_of "$folder")"
}

pack kit fathom 6 <<'END'
fathom @VERSION@ (@COMMIT@): measures what this machine's GPU really does.

    ./fathom devices        what there is to measure
    ./fathom run            measure it; ./fathom --help says more

Needs a GPU driver and glibc @GLIBC@ or newer; nothing to install, the folder may stand anywhere.
lib/libvulkan.so.1 is used where the system has no Vulkan loader, lib/libcivetweb.so.1 by
`fathom serve` where the system has no civetweb. licenses/ holds the terms of what
is linked in.
END
# Fast compression, because this is 400 MB and few fetch it: a sixth larger, in a third of the time.
pack kit_tests fathom-tests 1 <<'END'
fathom @VERSION@ (@COMMIT@): its tests that need a GPU.

    ./run                   every test; TESTS lists them, *.log says what each said

Needs a GPU driver and glibc @GLIBC@ or newer; nothing to install.
END

check_hardened "$build/fathom-$version-$platform/fathom"

# fathom must start from any folder, with an empty environment.
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
tar -C "$elsewhere" -xzf "$build/fathom-$version-$platform.tar.gz"
fathom=$elsewhere/fathom-$version-$platform/fathom
reference=$elsewhere/fathom-$version-$platform/reference/h200-vulkan-all.json
(
    cd /
    env -i "$fathom" --version
    env -i "$fathom" compare --reference "$reference" >/dev/null
    [ ! -s "$OLDPWD/$build/web/page.html" ] ||
        env -i "$fathom" report "$reference" -o "$elsewhere/report.html"
)
