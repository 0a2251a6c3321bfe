#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Documents agree with the tree: files that they name exist, links lead somewhere, the include
table of docs/ARCHITECTURE.md is that of includes.py, and each code of a result's reason is
explained."""

import os
import re

import includes
import tree

LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
# A path like `gpu/gpu.h`, `tools/setup.sh` or `docs/` has a slash and no blanks; names in capitals
# (NAME.c, X.c) are placeholders.
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*/[\w.-]*)`")
PLACEHOLDER = re.compile(r"(?:[A-Z]{2,}|\bX)(?:\.(?!md)|_|/|$)")
ROW = re.compile(r"^\| `(\w+)/` \| [^|]+ \| ([^|]*)\|$", re.M)

# visit_flag(visit, "throttled", …): the first string is the code.
CODE = re.compile(r'\b(?:visit_flag|visit_retake|visit_remark|result_flag|end_entry)\([^;{"]*"([a-z][a-z-]*)"')
CODES = "docs/METHODOLOGY.md"


def check_links(root, file):
    for match in LINK.finditer(file.text):
        target = match.group(1)
        if "://" in target or target.startswith("mailto:"):
            continue
        path = os.path.join(root, os.path.dirname(file.path), target)
        if not os.path.exists(path):
            yield f"{file.path}:{tree.line_of(file.text, match.start())}: no file {target}"


def check_paths(root, file):
    for match in PATH.finditer(file.text):
        path = match.group(1)
        if PLACEHOLDER.search(path) or path.startswith(("build", "./")):
            continue
        if path.rstrip("/") in includes.MAY_INCLUDE: # a floor may be documented before it exists
            continue
        bases = ("", "src", "src/bench", os.path.dirname(file.path))
        if not any(os.path.exists(os.path.join(root, base, path)) for base in bases):
            yield f"{file.path}:{tree.line_of(file.text, match.start())}: no file {path}"


def check_table(file):
    table = {}
    for floor, allowed in ROW.findall(file.text):
        table.setdefault(floor, set(allowed.split())) # only the first table with this floor counts
    for floor, allowed in includes.MAY_INCLUDE.items():
        if floor != "cli" and table.get(floor) != set(allowed):
            yield f"{file.path}: {floor}/ may include {' '.join(allowed) or 'nothing'}"


def check_codes(root, general):
    """Codes must be in the general table, or in the METHOD.md of the benchmark that gives them."""
    seen = 0
    for file in tree.files(root, folders=("src",), endings=(".c",)):
        method = os.path.join(root, os.path.dirname(file.path), "METHOD.md")
        own = ""
        if os.path.exists(method):
            with open(method, encoding="utf-8") as stream:
                own = stream.read()
        for match in CODE.finditer(file.text):
            code = match.group(1)
            seen += 1
            if f"`{code}`" not in general.text + own:
                yield (f"{file.path}:{tree.line_of(file.text, match.start())}: the code {code} "
                       f"stands neither in {CODES} nor in a METHOD.md beside")
    if not seen: # if the functions that add a reason were renamed, this check would find nothing
        yield "src: no call adds a reason with a code; mend CODE in tests/lint/docs.py"


def main():
    root = tree.root_from_arguments(__doc__)
    documents = [tree.File(root, name) for name in sorted(os.listdir(root)) if name.endswith(".md")]
    documents += tree.files(root, folders=("docs", "reference", "src"), endings=(".md",))
    findings = []
    for file in documents:
        findings += check_links(root, file)
        findings += check_paths(root, file)
        if file.path == "docs/ARCHITECTURE.md":
            findings += check_table(file)
        if file.path == CODES:
            findings += check_codes(root, file)
    tree.finish(len(documents), findings)


if __name__ == "__main__":
    main()
