# SPDX-License-Identifier: MIT
"""Shared by the checks of the sources: the files of the tree, C without its comments, and how a
check ends. Each check is a script of its own: `check.py [--root DIR]`. Its exit status is 1 with
one line per finding (FILE:LINE: what). It needs only Python's standard library."""

import argparse
import os
import re
import sys

SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__", "reference"}
C_SOURCES = (".c", ".h")
KERNEL_SOURCES = (".comp", ".vert", ".frag", ".glsl", ".cl", ".clh")


class File:
    """A text file of the tree; `path` is relative to the root, with forward slashes."""

    def __init__(self, root, path):
        self.path = path
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as stream:
            self.text = stream.read()

    def lines(self):
        return self.text.splitlines()

    def code(self):
        """The text without comments and without the content of string and character constants. Line
        numbers stay."""
        return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                      lambda match: blank(match.group()), self.text, flags=re.S)


def blank(text):
    if text[0] in "\"'":
        return text[0] * 2
    return "\n" * text.count("\n") or " "


def files(root, folders=("src", "tests", "tools", "cmake"), endings=C_SOURCES + KERNEL_SOURCES):
    """Files below these folders (relative to the root) with these endings, in a stable order."""
    for folder in folders:
        for at, below, names in sorted(os.walk(os.path.join(root, folder))):
            below[:] = [name for name in below
                        if name not in SKIPPED_FOLDERS and not name.startswith("build")]
            for name in sorted(names):
                if name.endswith(endings):
                    yield File(root, os.path.relpath(os.path.join(at, name), root))


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def root_from_arguments(description):
    """The root, for checks without other arguments."""
    parser = argparse.ArgumentParser(description=description)
    add_root(parser)
    return parser.parse_args().root


def add_root(parser):
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(here)),
                        help="the tree to check (default: this one)")


def finish(checked, findings, warnings=()):
    """Prints warnings and findings, and ends. The exit status is 1 if there is a finding, or if
    nothing was checked: then the check itself is broken."""
    for text in warnings:
        print("warning: " + text)
    for text in findings:
        print(text)
    if not checked:
        print("nothing was checked: wrong --root?")
    print(f"{checked} checked, {len(findings)} findings, {len(warnings)} warnings")
    sys.exit(1 if findings or not checked else 0)
