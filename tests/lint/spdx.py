#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every source names its licence in its first line (the second, after #!)."""

import os

import tree

LINE = "SPDX-License-Identifier: MIT"
ENDINGS = tree.C_SOURCES + tree.KERNEL_SOURCES + (".py", ".sh", ".ts", ".cmake", "CMakeLists.txt",
                                                  ".S", ".ptx")


def check(file):
    head = file.lines()[:2]
    if head and head[0].startswith("#!"):
        head = head[1:]
    if not head or LINE not in head[0]:
        yield f"{file.path}:1: no line {LINE}"


def main():
    root = tree.root_from_arguments(__doc__)
    sources = list(tree.files(root, folders=("src", "tests", "tools", "cmake", "web"),
                              endings=ENDINGS))
    sources += [tree.File(root, name) for name in ("Makefile", "CMakeLists.txt", ".ci/run")
                if os.path.exists(os.path.join(root, name))]
    tree.finish(len(sources), [finding for file in sources for finding in check(file)])


if __name__ == "__main__":
    main()
