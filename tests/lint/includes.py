#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Who may include whom: files of a floor of src/ include only files of lower floors."""

import re

import tree

# Folder → folders that it may include besides itself. docs/ARCHITECTURE.md has the same table.
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

# The sub-folders of these folders may include files of the folder itself, but not of one another.
ISLANDS = ("gpu", "bench")

# The lowest floor of the kernel languages: kernels of any folder may include it, C may not.
KERNEL_PRELUDE = "bench/prelude"

# Libraries that only these folders may include.
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
    """The reason why `source` may not include `target` (both relative to src/); None if it may."""
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
