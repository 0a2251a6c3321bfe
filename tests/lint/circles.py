#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Files have no circles: if A.c uses a function or table of B.c, B.c does not use A.c, neither
itself nor through other files. The symbols of the object files show who uses what.

    circles.py OBJECTS SOURCES    OBJECTS: the build's …/fathom_core.dir/src, made from SOURCES: src/
"""

import argparse
import os
import subprocess
import sys

import tree


def objects_in(folder, sources):
    """Objects whose source exists: a build keeps objects of removed sources."""
    for at, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(at, name)
            source = os.path.join(sources, os.path.relpath(path, folder))[:-len(".o")]
            if name.endswith(".c.o") and os.path.exists(source):
                yield path


def read_symbols(folder, sources):
    """{unit: units that it uses}. A unit is the path of a .c without ".c"."""
    objects = list(objects_in(folder, sources))
    uses = {os.path.relpath(path, folder)[:-len(".c.o")]: set() for path in objects}
    if not objects:
        return uses
    owner, wanted = {}, []
    for line in subprocess.run(["nm", "-A", "-P", "-g", *objects], check=True, capture_output=True,
                               text=True).stdout.splitlines():
        path, symbol = line.split(": ", 1)
        unit = os.path.relpath(path, folder)[:-len(".c.o")]
        name, kind = symbol.split()[:2]
        if kind == "U":
            wanted.append((unit, name))
        else:
            owner[name] = unit
    for unit, name in wanted:
        if owner.get(name, unit) != unit:
            uses[unit].add(owner[name])
    return uses


def circles(uses):
    """Lists of units that use each other in a circle, sorted (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(unit):
        number[unit] = low[unit] = len(number)
        stack.append(unit)
        for other in sorted(uses[unit]):
            if other not in number:
                visit(other)
            if other in stack:
                low[unit] = min(low[unit], low[other])
        if low[unit] == number[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for unit in sorted(uses):
        if unit not in number:
            visit(unit)
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("objects")
    parser.add_argument("sources")
    arguments = parser.parse_args()
    sys.setrecursionlimit(10000)
    uses = read_symbols(arguments.objects, arguments.sources)
    tree.finish(len(uses), [" ".join(circle) + ": a circle of files" for circle in circles(uses)])


if __name__ == "__main__":
    main()
