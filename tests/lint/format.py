#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Sources are formatted as clang-format does it; lines of kernels and of all texts end cleanly."""

import os
import re
import subprocess

import tree


def check_clang_format(root, sources):
    paths = [os.path.join(root, file.path) for file in sources]
    done = subprocess.run(["clang-format", "--dry-run", "--Werror", *paths], capture_output=True,
                          text=True, check=False)
    lines = sorted(set(re.findall(r"^(.*?:\d+):\d+: error", done.stderr, re.M)))
    if done.returncode and not lines:
        lines = [done.stderr]
    return [f"{os.path.relpath(line, root)}: run clang-format -i" for line in lines]


def check_text(file):
    for number, line in enumerate(file.text.split("\n"), 1):
        if line != line.rstrip():
            yield f"{file.path}:{number}: blanks at the end of the line"
        if "\t" in line and not file.path.endswith((".txt", ".cmake")):
            yield f"{file.path}:{number}: a tab"
    if not file.text.endswith("\n") or file.text.endswith("\n\n"):
        yield f"{file.path}: does not end with one newline"


def main():
    root = tree.root_from_arguments(__doc__)
    formatted = list(tree.files(root, endings=tree.C_SOURCES))
    text = formatted + list(tree.files(
        root, folders=("src", "tests", "tools", "cmake", "docs", "web"),
        endings=tree.KERNEL_SOURCES + (".py", ".sh", ".md", ".ts", ".cmake", "kernels.txt",
                                       "CMakeLists.txt")))
    findings = check_clang_format(root, formatted)
    for file in text:
        findings += check_text(file)
    tree.finish(len(text), findings)


if __name__ == "__main__":
    main()
