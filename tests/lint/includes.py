#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Who may include whom: arrows between the floors of src/ point down only."""

import re

import tree

# Folder → folders it may include besides itself. docs/ARCHITECTURE.md draws the same table.
MAY_INCLUDE = {
    "base": (),
    "math": ("base",),
    "results": ("math", "base"),
    "analysis": ("results", "math", "base"),
    "report": ("analysis", "results", "math", "base"),
    "sensors": ("base",),
    "gpu": ("base",),
    "measure": ("gpu", "sensors", "math", "results", "base"),
    "bench": ("measure", "analysis", "gpu", "math", "results", "base"),
    "map": ("bench", "measure", "gpu", "analysis", "results", "math", "base"),
    "suite": ("bench", "measure", "gpu", "sensors", "report", "analysis", "results", "math",
              "base"),
    "serve": ("suite", "bench", "measure", "gpu", "report", "analysis", "results", "math", "base"),
    "cli": ("serve", "suite", "map", "bench", "measure", "gpu", "sensors", "report", "analysis", "results",
            "math", "base"),
}

# Folders with sub-folders that know only what is common to them, never one another.
ISLANDS = ("gpu", "bench")

# The kernel languages' own ground floor: kernels of any folder may include it, C may not.
KERNEL_PRELUDE = "bench/prelude"

# Libraries that only these folders may see.
LIBRARIES = {
    r"volk\.h|vulkan/.*|vk_.*": ("gpu/vulkan",),
    r"jansson\.h": ("results", "gpu/model"),
    r"zlib\.h": ("report", "results"),
    r"CL/.*": ("gpu/opencl",),
    r"civetweb\.h": ("serve",),
    r"cuda.*|nvml.*|hip/.*": (),
    r"dlfcn\.h|spawn\.h|sys/wait\.h": ("base",),
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+(?:"([^"]+)"|<([^>]+)>)', re.M)


def folder_of(path):
    """gpu/vulkan/batch.c → ("gpu", "vulkan"); gpu/gpu.h → ("gpu", "")."""
    parts = path.split("/")
    floor = parts[0]
    return floor, parts[1] if floor in ISLANDS and len(parts) > 2 else ""


def refuse_own(source, target):
    """Why `source` may not include `target` (both relative to src/); None where it may."""
    if "/" not in target or target.startswith("."):
        return 'is not written "folder/file.h" from src/'
    is_kernel = source.endswith(tree.KERNEL_SOURCES)
    if target.startswith(KERNEL_PRELUDE + "/"):
        in_prelude = source.startswith(KERNEL_PRELUDE + "/")
        return None if is_kernel or in_prelude else "is for kernels only"
    (floor, island), (to_floor, to_island) = folder_of(source), folder_of(target)
    if to_floor not in MAY_INCLUDE:
        return f"{to_floor}/ is no floor of src/"
    if floor not in MAY_INCLUDE:
        return f"{floor}/ has no line in the include table"
    if floor != to_floor and to_floor not in MAY_INCLUDE[floor]:
        return f"{floor}/ may not include {to_floor}/"
    if to_island and (floor, island) != (to_floor, to_island):
        return f"only {to_floor}/{to_island}/ may see its inside"
    return None


def refuse_library(source, header):
    for pattern, allowed in LIBRARIES.items():
        if re.fullmatch(pattern, header) and not source.startswith(
                tuple(folder + "/" for folder in allowed)):
            return "belongs behind " + (" ".join(allowed) or "own declarations")
    return None


def check(file):
    source = file.path[len("src/"):]
    for match in INCLUDE.finditer(file.text):
        own, library = match.groups()
        why = refuse_own(source, own) if own else refuse_library(source, library)
        if why:
            line = tree.line_of(file.text, match.start())
            yield f"{file.path}:{line}: {own or library}: {why}"


def main():
    root = tree.root_from_arguments(__doc__)
    sources = list(tree.files(root, folders=("src",)))
    tree.finish(len(sources), [finding for file in sources for finding in check(file)])


if __name__ == "__main__":
    main()
