#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every header can be included alone, first, and twice, and its guard is its path. One compiler is
enough: tidy.py reports clang's warnings of headers."""

import argparse
import os
import re
import subprocess

import tree

# These lists are expanded by a macro of the file that includes them.
LISTS = ("src/bench/list.h",)
FLAGS = ("-std=c11", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
         "-Wundef", "-Werror", "-D_POSIX_C_SOURCE=200809L", "-DVK_NO_PROTOTYPES", "-x", "c", "-")


def check_guard(file):
    guard = re.sub(r"\W", "_", re.sub(r"^(src|tests)/", "", file.path)).upper()
    if f"#ifndef {guard}\n#define {guard}\n" not in file.text:
        yield f"{file.path}: guard is not {guard}"


def check_compiles(root, compiler, header):
    source = f'#include "{header}"\n#include "{header}"\nextern int nothing;\n'
    include = [f"-I{os.path.join(root, folder)}" for folder in ("src", "tests")]
    done = subprocess.run([compiler, *include, *FLAGS], input=source, capture_output=True,
                          text=True, check=False)
    if done.returncode:
        yield f"{header}: does not compile alone with {compiler}:\n{done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tree.add_root(parser)
    parser.add_argument("--cc", default="cc", help="the compiler")
    arguments = parser.parse_args()
    headers = [file for file in tree.files(arguments.root, folders=("src", "tests"),
                                           endings=(".h",)) if file.path not in LISTS]
    findings = []
    for file in headers:
        findings += check_guard(file)
        findings += check_compiles(arguments.root, arguments.cc,
                                   re.sub(r"^(src|tests)/", "", file.path))
    tree.finish(len(headers), findings)


if __name__ == "__main__":
    main()
