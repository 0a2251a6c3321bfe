#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""clang-tidy, as .clang-tidy says, on every C file that the build compiles, with clang's own
warnings: the gate compiles with clang only what its tests need. .clang-tidy is written for VERSION;
others know other checks, so they skip (exit 77). Unless --deep, the analyzer takes at most NODES
steps through a function. Of 44,278 basic blocks in src/ it reaches 43,261; with four times as many
steps 51 more, in 1.4 times the processor time."""

import argparse
import concurrent.futures
import json
import os
import re
import subprocess
import sys

import tree

VERSION = 14
NODES = 2000
FILES_A_CALL = 8

# The database may be gcc's, whose warning options clang need not know.
EXTRA = ("--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wreserved-identifier", "--quiet",
         "--warnings-as-errors=*")
SHALLOW = tuple(f"--extra-arg={word}" for word in ("-Xclang", "-analyzer-config", "-Xclang",
                                                   f"mode=shallow,max-nodes={NODES}"))


def tidy(build, deep, paths):
    done = subprocess.run(["clang-tidy", "-p", build, *EXTRA, *(() if deep else SHALLOW), *paths],
                          capture_output=True, text=True, check=False)
    if done.returncode and len(paths) > 1:
        # What is true of a file, clang-tidy also finds if the call has no other file.
        alone = [tidy(build, deep, [path]) for path in paths]
        return max(code for code, _ in alone), "\n".join(text for code, text in alone if code)
    return done.returncode, done.stdout + ("" if done.stdout else done.stderr)


# In the second file of a call, clang-tidy 14 takes va_lists for uninitialised, and rarely finds a
# va_list in a file that has none.
def has_va_list(path):
    with open(path, encoding="utf-8") as stream:
        return "va_list" in stream.read()


def calls(paths):
    """The files of each call, several because a start takes a fifth of the time of a file."""
    several = [path for path in paths if not has_va_list(path)]
    yield from ([path] for path in paths if has_va_list(path))
    yield from (several[i:i + FILES_A_CALL] for i in range(0, len(several), FILES_A_CALL))


def compiled(root, build, only):
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as stream:
        paths = {os.path.realpath(os.path.join(entry["directory"], entry["file"]))
                 for entry in json.load(stream)}
    ours = tuple(os.path.join(os.path.realpath(root), folder) + os.sep
                 for folder in ("src", "tests", "tools"))
    return sorted(path for path in paths
                  if path.startswith(ours) and path.endswith(".c") and re.search(only, path))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tree.add_root(parser)
    parser.add_argument("--build", required=True, help="build folder with compile_commands.json")
    parser.add_argument("--deep", action="store_true", help="let the analyzer follow every path")
    parser.add_argument("--only", default="", help="only files whose path matches this")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    found = re.search(r"version (\d+)", subprocess.run(["clang-tidy", "--version"], check=True,
                                                       capture_output=True, text=True).stdout)
    if int(found.group(1)) != VERSION:
        print(f"skipped: clang-tidy is {found.group(1)}, .clang-tidy is for {VERSION}")
        sys.exit(77)
    paths = compiled(arguments.root, arguments.build, arguments.only)
    findings = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for code, text in pool.map(lambda some: tidy(arguments.build, arguments.deep, some),
                                   calls(paths)):
            if code:
                findings.append(text.strip())
    tree.finish(len(paths), findings)


if __name__ == "__main__":
    main()
