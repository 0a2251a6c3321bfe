#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The two sources of a kernel, GLSL and OpenCL C, make the same accesses in the measured loop: as
many loads, stores and atomics of the same width. The test reads PTX (from the .cl, for CUDA), AMD
code of the .cl by llvm-objdump, and AMD code of the .comp from RADV's null device, if any.
FATHOM_LONG: also AMD code for a chip that RADV's null device is not asked for.

    test_loads.py KERNELS PRINT_ISA PREFIX…    KERNELS: the build's folder of compiled kernels
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

# RADV's name of a chip → clang's name of a chip of the same family.
FAMILIES = {"vega10": "gfx900", "navi21": "gfx1030"}
CHIPS = [*FAMILIES.values(), *(["gfx90a"] if "FATHOM_LONG" in os.environ else [])]
WORDS = {"dword": 4, "dwordx2": 8, "dwordx3": 12, "dwordx4": 16, "dwordx8": 32,
         "b32": 4, "b64": 8, "b96": 12, "b128": 16}

Instruction = collections.namedtuple("Instruction", "name operands target")


# ---------------------------------------------------------------- texts into instructions

def parse_ptx(text):
    """Returns labels as texts, and instructions."""
    items = []
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        label = re.fullmatch(r"([\w$]+):", line)
        branch = re.match(r"(?:@!?%p\d+\s+)?bra(?:\.uni)?\s+([\w$]+);", line)
        plain = re.match(r"(?:@!?%p\d+\s+)?([a-z][\w.]*)\s*(.*);", line)
        if label:
            items.append(label[1])
        elif branch:
            items.append(Instruction("bra", "", branch[1]))
        elif plain and not line.startswith("."):
            items.append(Instruction(plain[1], plain[2], None))
    return items


def parse_radv(text):
    items = []
    for line in text.splitlines():
        label = re.match(r"(BB\d+):", line)
        plain = re.match(r"\s+([a-z]\w+)\s*([^;]*)", line)
        if label:
            items.append(label[1])
        elif plain:
            target = re.search(r"\bBB\d+\b", plain[2]) if "branch" in plain[1] else None
            items.append(Instruction(plain[1], plain[2], target[0] if target else None))
    return items


def parse_objdump(text):
    """Labels are addresses in the kernel: each instruction has its own before it."""
    items = []
    for line in text.splitlines():
        plain = re.match(r"\s+([a-z]\w+)(.*?)// ([0-9A-F]{12}):", line)
        if not plain:
            continue
        target = re.search(r"<[^>+]+(?:\+0x([0-9a-f]+))?>", line) if "branch" in plain[1] else None
        items.append(f"{int(plain[3], 16):x}")
        items.append(Instruction(plain[1], plain[2], (target[1] or "0") if target else None))
    return items


# ---------------------------------------------------------------- the loop, and what it does

def loops_of(items):
    """(innermost loops, all loops). A loop: from a backward branch's target to that branch."""
    places = {item: i for i, item in enumerate(items) if isinstance(item, str)}
    loops = {(places[item.target], i) for i, item in enumerate(items)
             if isinstance(item, Instruction) and places.get(item.target, i) < i}
    inner = [(begin, end) for begin, end in loops
             if not any(begin <= b and e <= end for b, e in loops if (b, e) != (begin, end))]
    return [[items[begin:end] for begin, end in some] for some in (inner, loops)]


def ptx_access(one):
    """(verb, bytes, how often); None for an instruction that touches no memory."""
    parts = one.name.split(".")
    if parts[0] == "tex":
        return "texel", None, 1
    verb = {"ld": "load", "ldu": "load", "st": "store", "atom": "atomic", "red": "atomic"}.get(parts[0])
    if not verb or "param" in parts or "local" in parts:
        return None
    vector = next((int(part[1]) for part in parts if part in ("v2", "v4")), 1)
    return verb, vector * int(re.sub(r"\D", "", parts[-1])) // 8, 1


def amd_access(one):
    name = one.name
    if name.startswith("image_") or "_load_format" in name:
        return "texel", None, 1
    pair = re.fullmatch(r"ds_(read|write)2(st64)?_b(32|64)", name)
    if pair:
        first, second = (re.search(rf"offset{i}:(\d+)", one.operands) for i in (0, 1))
        side_by_side = (int(second[1]) if second else 0) == (int(first[1]) if first else 0) + 1
        one_access = side_by_side and not pair[2]
        verb = "load" if pair[1] == "read" else "store"
        return verb, int(pair[3]) // 8 * (2 if one_access else 1), 1 if one_access else 2
    atomic = re.fullmatch(r"(?:global|flat|buffer)_atomic_add(_x2)?|ds_add_rtn_u32", name)
    if atomic:
        return "atomic", 8 if atomic[1] else 4, 1
    access = re.fullmatch(r"(global|flat|buffer|scratch|s|s_buffer|ds)_(load|store|read|write)_(\w+)",
                          name)
    if not access or access[3] not in WORDS:
        return None
    verb = {"read": "load", "write": "store"}.get(access[2], access[2])
    return ("scalar load" if access[1][0] == "s" and access[1] != "scratch" else verb,
            WORDS[access[3]], 1)


def accesses(items, classify):
    """For each verb: its most frequent width, and how often, in the loop with most of these
    accesses. Empty if no loop touches memory."""
    def count(some):
        found = collections.Counter()
        for one in some:
            access = classify(one) if isinstance(one, Instruction) else None
            if access:
                found[access[:2]] += access[2]
        return found

    busiest = {}
    for loops in loops_of(items):
        busiest = busiest or max(map(count, loops), default={},
                                 key=lambda found: max(found.values(), default=0))
    result = {}
    for (verb, width), often in busiest.items():
        if often > result.get(verb, (None, 0))[1]:
            result[verb] = (width, often)
    # Scalar loads also fetch descriptors. They are the kernel's own only if no others are there.
    scalar = result.pop("scalar load", None)
    if scalar and not result.keys() & {"load", "texel"}:
        result["load"] = scalar
    return result


# ---------------------------------------------------------------- the test

def goes_past_the_core(one):
    """False for a load that the core's own cache would serve and keep. On RDNA clang has no name
    for a load that bypasses all caches: there `slc` alone means that the data are not kept."""
    return ".cg." in one.name or re.search(r"\b[gs]lc\b", one.operands) is not None


class Loads(unittest.TestCase):
    kernels, print_isa, prefixes = pathlib.Path(), "", []
    objdump = shutil.which("llvm-objdump") or shutil.which("llvm-objdump-14")
    radv = ""

    def setUp(self):
        self.ptx = {}
        for prefix in self.prefixes:
            for path in sorted(self.kernels.glob(f"{prefix}*.ptx")):
                found = accesses(parse_ptx(path.read_text()), ptx_access)
                if found: # the control has no loads, and kernels that build chains are not measured
                    self.ptx[path.stem] = found
        self.assertTrue(self.ptx)
        self.maxDiff = None

    def compare(self, seen, what):
        """Checks instructions by kernel against PTX. A single additional load is that of a
        descriptor, in kernels that only write."""
        wrong = []
        for name, items in seen.items():
            wanted, found = self.ptx[name], accesses(items, amd_access)
            extra = {verb: one for verb, one in found.items() if verb not in wanted and one[1] > 1}
            same = {verb: found.get(verb) for verb in wanted}
            # A stencil needs only some numbers of its outer vectors: compilers may load only those.
            if (same != wanted or extra) and not re.match(r"stream_once_[35]pt_", name):
                wrong.append(f"{name}: {what} has {found}, PTX has {wanted}")
            if not self.bypasses(name, items, amd_access):
                wrong.append(f"{name}: {what} may be served by the core's cache")
        self.assertEqual([], wrong)

    def bypasses(self, name, items, classify):
        """True if loads bypass the core's cache exactly in the kernels whose names say so."""
        wanted = re.match(r"bandwidth_(part|pass)_", name) is not None
        loads = [one for one in items if isinstance(one, Instruction) and one.name[:2] not in ("s_", "ds")
                 and (classify(one) or [""])[0] == "load" and ".shared" not in one.name]
        return not loads or not name.startswith("bandwidth_") or all(
            goes_past_the_core(one) == wanted for one in loads)

    def test_every_kernel_touches_memory_as_its_name_says(self):
        for name, found in self.ptx.items():
            text = (self.kernels / f"{name}.ptx").read_text()
            self.assertTrue(self.bypasses(name, parse_ptx(text), ptx_access), name)
            if not re.match(r"bandwidth_(fill|check)|latency_awake", name): # these are not measured
                self.assertIn('.pragma "nounroll"', text, name) # else NVIDIA's driver unrolls it
            width = re.match(r"bandwidth_(?:loop|part|pass)_(?:float|double)_(\d+)_\w+_\d+x(\d+)", name)
            if width:
                self.assertEqual((int(width[1]), int(width[2])), found["load"], name)
            elif re.match(r"latency_(vector|scalar|shared|constant)_", name):
                self.assertEqual(32, found["load"][1], name)

    def test_amd_code_of_the_same_source_loads_the_same(self):
        if not self.objdump:
            self.skipTest("no llvm-objdump")
        for chip in CHIPS:
            # Clang alone has no image instructions: it makes calls of them.
            names = [name for name, found in self.ptx.items() if "texel" not in found]
            done = subprocess.run([self.objdump, "-d", *(f"amd/{name}.{chip}.o" for name in names)],
                                  cwd=self.kernels, capture_output=True, text=True, check=True)
            texts = re.split(r"^\S+:\s+file format .*$", done.stdout, flags=re.MULTILINE)[1:]
            self.assertEqual(len(names), len(texts))
            seen = dict(zip(names, map(parse_objdump, texts)))
            with self.subTest(chip=chip):
                self.compare(seen, f"{chip} code of the .cl")

    def test_the_other_source_loads_the_same(self):
        for family in FAMILIES:
            for prefix in self.prefixes:
                done = subprocess.run(
                    [self.print_isa, family, prefix], capture_output=True, text=True, check=False,
                    env={**os.environ, "RADV_FORCE_FAMILY": family, "VK_DRIVER_FILES": self.radv,
                         "VK_ICD_FILENAMES": self.radv})
                if done.returncode == 77:
                    self.skipTest(f"no null device of {family}")
                self.assertEqual(0, done.returncode, done.stderr)
                texts = dict(text.split("\n", 1) for text in done.stdout.split("== ")[1:])
                with self.subTest(family=family, prefix=prefix):
                    self.compare({name: parse_radv(text) for name, text in texts.items()
                                  if name in self.ptx}, f"{family} code of the .comp")


if __name__ == "__main__":
    Loads.kernels, Loads.print_isa = pathlib.Path(sys.argv[1]), sys.argv[2]
    Loads.prefixes = sys.argv[3:]
    Loads.radv = os.environ.get("RADV_ICD", "none")
    unittest.main(argv=sys.argv[:1], verbosity=2)
