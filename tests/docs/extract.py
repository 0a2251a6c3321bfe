#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""extract.py PAGE FOLDER: writes the code blocks of a page that have a file name, ```c NAME, into
the folder. A file is written only if its text changed."""

import os
import re
import sys

BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.M | re.S)


def main():
    page, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(page, encoding="utf-8") as stream:
        blocks = BLOCK.findall(stream.read())
    for name, text in blocks:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as stream:
                if stream.read() == text:
                    continue
        with open(path, "w", encoding="utf-8") as stream:
            stream.write(text)
    if not blocks:
        sys.exit(f"{page}: no code block with a file name")


if __name__ == "__main__":
    main()
