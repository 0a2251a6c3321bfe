#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""There are no mutable globals: object files hold nothing in writable sections."""

import argparse
import re
import subprocess

import tree

# Exception: volk keeps Vulkan's global entry points, one for a process, by design.
ALLOWED_OBJECTS = re.compile(r"volk\.c\.o")

OBJECT = re.compile(r"^(\S+):\s+file format")
SYMBOL = re.compile(r"^[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+(?:\.\w+ )?(\S+)$")


def is_mutable(section):
    """.data.rel.ro holds constants with addresses in them, which are read-only after loading."""
    return bool(re.match(r"\.(data|bss|tdata|tbss)\b|\*COM\*", section)) \
        and not section.startswith(".data.rel.ro")


def check(listing):
    """(objects seen, findings) from the output of objdump -t."""
    seen, findings, member = 0, [], ""
    for line in listing.splitlines():
        if found := OBJECT.match(line):
            member = found.group(1)
            seen += 1
        elif (found := SYMBOL.match(line)) and not ALLOWED_OBJECTS.search(member):
            section, name = found.groups()
            if is_mutable(section) and name != section:
                findings.append(f"{member}: {name} in {section}: keep state in a struct")
    return seen, findings


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", help="libfathom_core.a")
    library = parser.parse_args().library
    listing = subprocess.run(["objdump", "-t", library], check=True, capture_output=True,
                             text=True).stdout
    tree.finish(*check(listing))


if __name__ == "__main__":
    main()
