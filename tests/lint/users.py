#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A header of src/ is included by two files besides the .c of its name, or by a test. What only one
file uses belongs in that file."""

import argparse
import os

import includes
import tree

# These lists are expanded by a macro of the file that includes them.
LISTS = ("bench/list.h",)


def check(root):
    """(number of headers, headers with too few users)."""
    files = list(tree.files(root, folders=("src", "tests")))
    users = {file.path[len("src/"):]: set() for file in files
             if file.path.startswith("src/") and file.path.endswith(".h")}
    for file in files:
        for match in includes.INCLUDE.finditer(file.text):
            header = match.group(1)
            if header in users and file.path != f"src/{os.path.splitext(header)[0]}.c":
                users[header].add(file.path)
    return len(users), [header for header, paths in sorted(users.items()) if header not in LISTS
                        and len(paths) < 2 and not any(path.startswith("tests/") for path in paths)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    tree.add_root(parser)
    arguments = parser.parse_args()
    checked, found = check(arguments.root)
    tree.finish(checked, [f"{header}: one file includes it, and no test" for header in found])


if __name__ == "__main__":
    main()
