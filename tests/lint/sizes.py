#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files and functions stay small enough to read: limits of their lines."""

import tree

FILE_WARN, FILE_FAIL = 500, 800
FUNCTION_WARN, FUNCTION_FAIL = 60, 100


def functions(file):
    """(first line, lines) of each function. clang-format puts only the braces of functions, and of
    nothing else after a parenthesis, into the first column."""
    lines = file.lines()
    start = 0
    for number, line in enumerate(lines, 1):
        if line == "{":
            start = number
        elif line == "}" and start:
            yield start, number - start + 1
            start = 0


def check(file):
    """(text, True if it is a failure) for each excess."""
    count = len(file.lines())
    if count > FILE_WARN:
        yield f"{file.path}: {count} lines", count > FILE_FAIL
    if file.path.endswith((".c", ".h")):
        for line, length in functions(file):
            if length > FUNCTION_WARN:
                yield f"{file.path}:{line}: function of {length} lines", length > FUNCTION_FAIL


def main():
    root = tree.root_from_arguments(__doc__)
    endings = tree.C_SOURCES + tree.KERNEL_SOURCES + (".py", ".sh", ".ts", ".cmake")
    sources = list(tree.files(root, folders=("src", "tests", "tools", "cmake", "web"),
                              endings=endings))
    found = [item for file in sources for item in check(file)]
    tree.finish(len(sources), [text for text, fails in found if fails],
                [text for text, fails in found if not fails])


if __name__ == "__main__":
    main()
