#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A benchmark can be deleted: its folder, its line in bench/list.h, its folder of tests and its
places in docs. On a copy of the tree without two benchmarks, all C sources still compile
(-fsyntax-only), nothing names the two, and includes.py and banned.py find nothing."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tree

HERE = os.path.dirname(os.path.abspath(__file__))
DELETED = ("occupancy", "strides")
FLAGS = ("-std=c11", "-fsyntax-only", "-Wall", "-Werror", "-D_POSIX_C_SOURCE=200809L",
         "-DVK_NO_PROTOTYPES", "-DTESTS_DIR=\"\"")
CHECKS = ("includes.py", "banned.py")
FILES_A_CALL = 16


def delete(root, name):
    for folder in ("src/bench", "tests"):
        shutil.rmtree(os.path.join(root, folder, name))
    path = os.path.join(root, "src/bench/list.h")
    with open(path, encoding="utf-8") as stream:
        lines = stream.readlines()
    kept = [line for line in lines if line.strip() != f"BENCHMARK({name})"]
    if len(kept) != len(lines) - 1:
        sys.exit(f"src/bench/list.h has no line BENCHMARK({name})")
    with open(path, "w", encoding="utf-8") as stream:
        stream.writelines(kept)


def check_names(file, names):
    """Names of deleted benchmarks that the sources and the build still have."""
    for match in re.finditer(rf"\bbench_({names})\b|\b(?:bench|tests)/({names})/", file.text):
        yield f"{file.path}:{tree.line_of(file.text, match.start())}: {match.group()} is deleted"


def check_compiles(root, compiler, paths):
    done = subprocess.run([compiler, *FLAGS, "-Isrc", "-Itests", *paths], cwd=root,
                          capture_output=True, text=True, check=False)
    return [done.stderr] if done.returncode else []


def check_copy(root, compiler):
    files = list(tree.files(root, folders=("src", "tests"), endings=(".c", ".h", ".txt")))
    names = "|".join(DELETED)
    findings = [finding for file in files for finding in check_names(file, names)]
    sources = [file.path for file in files
               if file.path.startswith("src/") and file.path.endswith(".c")]
    calls = [sources[i:i + FILES_A_CALL] for i in range(0, len(sources), FILES_A_CALL)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for found in pool.map(lambda call: check_compiles(root, compiler, call), calls):
            findings += found
    for name in CHECKS:
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, name), "--root", root],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            findings.append(name + ":\n" + done.stdout + done.stderr)
    return len(sources), findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tree.add_root(parser)
    parser.add_argument("--cc", default="cc", help="the compiler")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name in ("src", "tests"):
            shutil.copytree(os.path.join(arguments.root, name), os.path.join(folder, name),
                            ignore=shutil.ignore_patterns("node_modules", "__pycache__"))
        for name in DELETED:
            delete(folder, name)
        tree.finish(*check_copy(folder, arguments.cc))


if __name__ == "__main__":
    main()
