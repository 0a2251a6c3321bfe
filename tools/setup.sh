#!/bin/sh
# SPDX-License-Identifier: MIT
# `tools/setup.sh MODE [--ask]` installs what is missing. MODE is one of
#   build   what compiles fathom
#   run     and a Vulkan driver (Mesa's, if the machine has none), and npm for the report page:
#           if npm cannot be installed, fathom does without
#   check   and what every test needs; but the tests of rays fetch a newer lavapipe themselves,
#           into the build folder (tests/rays/driver.sh)
# It looks for commands, versions and files, not for packages. It first says what is missing and how
# large that is, then installs it (apt-get, as root or through sudo). --ask installs nothing.
# Exit: 0 all is there · 1 something is missing; stderr names it and the command to type.
set -u
export LC_ALL=C

mode=${1-}
ask=${2-}
case $mode in
build | run | check) ;;
*)
    echo "usage: tools/setup.sh build|run|check [--ask]" >&2
    exit 2
    ;;
esac

temporary=$(mktemp -d) || exit 1
trap 'rm -rf "$temporary"' EXIT

# ------------------------------------------------------------------ questions

has() { command -v "$1" >/dev/null 2>&1; }

# at_least WANTED FOUND: compares versions by their first two numbers.
at_least() {
    awk -v wanted="$1" -v found="$2" 'BEGIN {
        split(wanted, w, "."); split(found, f, ".")
        exit !(f[1] + 0 > w[1] + 0 || (f[1] + 0 == w[1] + 0 && f[2] + 0 >= w[2] + 0)) }'
}

version_of() { "$@" 2>/dev/null | grep -o '[0-9][0-9]*\.[0-9][0-9.]*' | head -n 1; }
command_at_least() { has "$2" && at_least "$1" "$(version_of "$2" --version)"; }

# compiles COMPILER FLAGS…: true if the program on stdin compiles and links.
compiles() {
    has "$1" && cat >"$temporary/probe.c" &&
        "$@" -o "$temporary/probe" "$temporary/probe.c" >/dev/null 2>&1
}

c_compiles() { echo '#include <stdio.h>
int main(void) { return puts("") < 0; }' | compiles "${CC:-cc}" "$@"; }
c_includes() { printf '#define VK_NO_PROTOTYPES\n#include <%s>\nint main(void) { return 0; }\n' "$1" |
    compiles "${CC:-cc}"; }
# Headers of Vulkan 1.3 with the extensions that Debian 12's have.
vulkan_headers() { echo '#include <vulkan/vulkan_core.h>
int main(void) { return VK_HEADER_VERSION_COMPLETE < VK_MAKE_API_VERSION(0, 1, 3, 239); }' |
    compiles "${CC:-cc}" && "$temporary/probe"; }
zlib() { has pkg-config && pkg-config --exists zlib; }
jansson() { has pkg-config && pkg-config --atleast-version=2.13 jansson; }
cmocka() { has pkg-config && pkg-config --atleast-version=1.1.5 cmocka; }
# True if clang compiles OpenCL C to PTX, as cmake/Kernels.cmake needs it.
clang_ptx() { echo 'kernel void probe(global int *p) { *p = 1; }' >"$temporary/probe.cl" &&
    has clang && clang -x cl -cl-std=CL2.0 --target=nvptx64-nvidia-cuda -S \
        -o "$temporary/probe.ptx" "$temporary/probe.cl" >/dev/null 2>&1; }
clang_fuzzer() { echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long n);
int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n ? 0 : 0; }' |
    compiles clang -fsanitize=fuzzer,address,undefined; }

library() { for folder in /sbin /usr/sbin; do
    [ -x $folder/ldconfig ] && $folder/ldconfig -p 2>/dev/null | grep -q "$1" && return 0
done; return 1; }
# file_in PATTERN FOLDER…
file_in() {
    pattern=$1
    shift
    for folder; do
        for file in "$folder"/$pattern; do [ -e "$file" ] && return 0; done
    done
    return 1
}
vulkan_driver() { [ -n "${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-}" ] ||
    file_in '*.json' /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d \
        "${XDG_DATA_HOME:-$HOME/.local/share}/vulkan/icd.d"; }
vulkan_icd() { file_in "$1" /usr/share/vulkan/icd.d /etc/vulkan/icd.d; }
vulkan_layer() { file_in "$1" /usr/share/vulkan/explicit_layer.d /etc/vulkan/explicit_layer.d; }
opencl_icd() { file_in "$1" /etc/OpenCL/vendors; }
browser() { [ -n "${CHROMIUM-}" ] || has chromium-headless-shell || has chromium ||
    has chromium-browser || has google-chrome; }
slurm() { has srun && file_in slurmd /usr/sbin /usr/bin && file_in slurmctld /usr/sbin /usr/bin; }
python_module() { [ -x /usr/bin/python3 ] && /usr/bin/python3 -c "import $1" 2>/dev/null; }

# ------------------------------------------------------------------ what is needed

# need NAME PACKAGES QUESTION…: lists the name and the packages as missing if the question fails.
missing_names=
missing_packages=
need() {
    name=$1
    packages=$2
    shift 2
    "$@" </dev/null && return
    missing_names="$missing_names${missing_names:+, }$name"
    for package in $packages; do
        case " $missing_packages " in
        *" $package "*) ;;
        *) missing_packages="$missing_packages${missing_packages:+ }$package" ;;
        esac
    done
}

# wish: as need, for things that fathom can do without if they cannot be installed.
wished=
wish() {
    wished="$wished $2"
    need "$@"
}

is_wished() { case " $wished " in *" $1 "*) ;; *) return 1 ;; esac; }

only_wishes() { for package in $missing_packages; do is_wished "$package" || return 1; done; }

# Drops the wishes from the missing packages; fails if that changes nothing or leaves nothing.
drop_wishes() {
    all=$missing_packages
    missing_packages=
    for package in $all; do
        is_wished "$package" || missing_packages="$missing_packages${missing_packages:+ }$package"
    done
    [ -n "$missing_packages" ] && [ "$missing_packages" != "$all" ]
}

ask_all() {
    missing_names=
    missing_packages=
    need "make" make has make
    need "cmake 3.25" cmake command_at_least 3.25 cmake
    need "ninja" ninja-build has ninja
    need "a C compiler" "gcc libc6-dev" c_compiles -lm
    need "pkg-config" pkgconf has pkg-config
    need "jansson 2.13 (JSON)" libjansson-dev jansson
    need "zlib" zlib1g-dev zlib
    need "civetweb (the server of the live page)" libcivetweb-dev c_includes civetweb.h
    need "Vulkan headers 1.3.239" libvulkan-dev vulkan_headers
    need "volk (Vulkan's entry points)" libvulkan-volk-dev c_includes volk.h
    need "OpenCL headers" opencl-c-headers c_includes CL/cl.h
    need "glslc (GLSL to SPIR-V)" glslc has glslc
    need "clang 14 (OpenCL C to PTX)" clang clang_ptx
    [ "$mode" = build ] && return
    need "the Vulkan loader" libvulkan1 library libvulkan.so.1
    need "a Vulkan driver" mesa-vulkan-drivers vulkan_driver
    if [ "$mode" = run ]; then
        wish "npm (the report page)" npm has npm
        return
    fi
    need "npm (the report page)" npm has npm
    need "git" git has git
    need "a browser (tests of the report page)" chromium-headless-shell browser
    need "cmocka 1.1.5 (unit tests)" libcmocka-dev cmocka
    need "binutils" binutils has objdump
    need "clang's sanitizers and fuzzer" libclang-rt-dev clang_fuzzer
    need "clang-format" clang-format has clang-format
    need "clang-tidy" clang-tidy has clang-tidy
    need "spirv-val" spirv-tools has spirv-val
    need "lavapipe (a Vulkan device in software)" mesa-vulkan-drivers vulkan_icd 'lvp_icd*.json'
    need "Vulkan's validation layer" vulkan-validationlayers vulkan_layer \
        'VkLayer_khronos_validation.json'
    need "an OpenCL loader" ocl-icd-libopencl1 library libOpenCL.so.1
    need "PoCL (an OpenCL device in software)" pocl-opencl-icd opencl_icd 'pocl*.icd'
    wish "mpirun (tests of parallel checks)" openmpi-bin has mpirun
    wish "Slurm (likewise)" "slurmctld slurmd slurm-client" slurm
    need "python 3.9" python3 command_at_least 3.9 /usr/bin/python3
    need "python's jsonschema" python3-jsonschema python_module jsonschema
}

# ------------------------------------------------------------------ installing
# (Lists of packages are unquoted on purpose: each is several words.)

fail() {
    echo "fathom: $1" >&2
    if only_wishes; then
        echo "fathom: going on without: $missing_names" >&2
        exit 0
    fi
    exit 1
}

install_line="apt-get install --no-install-recommends"

has_candidates() { for package in $missing_packages; do
    apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [^(]' || return 1
done; }

# Prints how much apt would download; needs no root.
# shellcheck disable=SC2086
print_cost() {
    apt-get install --print-uris -qq --no-install-recommends $missing_packages 2>/dev/null |
        awk 'NF >= 3 { files++; bytes += $3 }
             END { printf "  %d packages, %.0f MB to download\n", files, bytes / 1e6 }'
}

# shellcheck disable=SC2086
install() {
    DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -q --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o Dpkg::Use-Pty=0 $missing_packages
}

update() { $as_root apt-get update -q -o Acquire::Retries=3; }

ask_all
[ -z "$missing_packages" ] && exit 0

echo "fathom: missing to $mode: $missing_names"
has apt-get ||
    fail "no apt-get here; install by your system's own means (Debian names: $missing_packages)"
[ "$ask" = --ask ] && fail "to install: sudo $install_line $missing_packages"

as_root=
if [ "$(id -u)" != 0 ]; then
    # Without a terminal sudo cannot ask for a password.
    if has sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        as_root="sudo env DEBIAN_FRONTEND=noninteractive"
    else
        fail "needs root; type: sudo $install_line $missing_packages"
    fi
fi

has_candidates || update || fail "apt-get update failed (above)"
has_candidates || fail "this system's package lists lack some of: $missing_packages"
echo "fathom: installing $missing_packages"
# shellcheck disable=SC2086
print_cost
# Old package lists may name files that are gone: update them and try once more.
install </dev/null || { update && install </dev/null; } || { drop_wishes && install </dev/null; } ||
    fail "apt-get install failed (above)"

ask_all
[ -z "$missing_packages" ] || fail "still missing after the installation: $missing_names"
echo "fathom: set-up for $mode is complete"
