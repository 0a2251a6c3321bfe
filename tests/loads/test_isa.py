#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""AMD code of the kernels of `loads`, from RADV's null device, which needs no card: the inner loop
of every case holds as many loads of its kind and width as the case claims, none combined and none
removed. The loop of the control holds none.

    test_isa.py PRINT_ISA FAMILY COMPILED
    COMPILED: the build's folder of kernels in PTX
    77 = no such null device, or a Mesa whose code nobody has looked at
"""

import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

SKIP = 77
TESTED_MESA = b"22.3.6"
IN_FLIGHT = 8  # LOADS_FLIGHT in loads.h
WIDTHS = {1: "dword", 2: "dwordx2", 3: "dwordx3", 4: "dwordx4"}
ACCESS = re.compile(r"^\s+((?:s_)?(?:buffer|tbuffer|global|flat|scratch|image|ds|s)_"
                    r"(?:load|sample|gather|atomic|store|read|write)\w*|ds_add_u32)\s+([^;\n]*)", re.M)
WRITES = {"store": "buffer_store_{0}", "atomic": "buffer_atomic_add", "sharedstore": "ds_write_b{1}",
          "sharedatomic": "ds_add_u32"}
# Loads of descriptors, in the loop or before it, are not measured.
DESCRIPTORS = {"s_load_dwordx4", "s_load_dwordx8"}

BY_ADDRESS = ("raw", "natural", "aligned8", "rawrw")

KERNELS = {}


def is_tested_mesa():
    """True if Mesa has the tested version, which is in the driver that the loader's file names."""
    path = pathlib.Path(os.environ.get("VK_DRIVER_FILES", "none"))
    if not path.is_file():
        return False
    name = json.loads(path.read_text())["ICD"]["library_path"]
    places = [pathlib.Path(name), *pathlib.Path("/usr/lib").glob(f"*/{name}")]
    return any(TESTED_MESA in place.read_bytes() for place in places if place.is_file())


def read_kernels(print_isa, family):
    if not is_tested_mesa():
        print(f"no RADV, or another Mesa than {TESTED_MESA.decode()}, whose code was not looked at")
        sys.exit(SKIP)
    done = subprocess.run([print_isa, family, "loads_"], capture_output=True, text=True, timeout=200)
    if done.returncode == SKIP:
        print(done.stdout, done.stderr)
        sys.exit(SKIP)
    if done.returncode != 0:
        sys.exit(f"print_isa: {done.stderr}")
    for part in re.split(r"^== ", done.stdout, flags=re.M)[1:]:
        name, text = part.split("\n", 1)
        KERNELS[name] = text


def loop_of(text):
    """The accesses of the innermost loop that has most of them."""
    blocks = re.split(r"^(BB\d+):", text, flags=re.M)
    labels, bodies = blocks[1::2], blocks[2::2]
    loops = {(labels.index(target), end) for end, body in enumerate(bodies)
             for target in re.findall(r"s_c?branch\w*\s+(BB\d+)\b", body) if labels.index(target) <= end}
    inner = [(begin, end) for begin, end in loops
             if not any(begin <= b and e <= end for b, e in loops if (b, e) != (begin, end))]
    counts = [collections.Counter(match[1] for match in ACCESS.finditer("".join(bodies[begin:end + 1])))
              for begin, end in inner]
    return max(counts, key=lambda count: sum(count.values()), default=collections.Counter())


def expected(kind, width, uniform):
    """Instruction → how many one load of a published kind takes. Scalar units load what is uniform."""
    if kind in ("typed", "typedrw"):
        return {"buffer_load_format_" + "xyzw"[:width]: 1}
    if kind in ("texture", "texturerw", "row"):
        return {"image_load": 1}
    if kind in ("sampled", "trilinear", "array", "volume", "cube", "levels", "stretched", "mip"):
        return {"image_sample": 1}
    if kind == "gather":
        return {"image_gather4": 1}
    if (kind, width) == ("sharedstore", 1):
        return {"ds_write2_b32": 0.5}
    if kind in WRITES:
        return {WRITES[kind].format(WIDTHS[width], 32 * width): 1}
    if kind == "shared":  # two loads in one instruction, each with its own address
        return {"ds_read_b128": 1} if width == 4 else {f"ds_read2_b{32 * width}": 0.5}
    if kind in ("half", "bytes") and not uniform and width == 1:
        return {"buffer_load_ushort" if kind == "half" else "buffer_load_ubyte": 1}
    if kind in ("half", "bytes"):
        width = max(width // (2 if kind == "half" else 4), 1)
    if kind == "pushed":
        return {"s_load_dword": 1}
    if uniform and kind in ("structured", "bound") and width == 3:
        return {"s_buffer_load_dwordx4": 1}
    if uniform and kind in BY_ADDRESS and kind != "rawrw":
        return {"s_load_dwordx2": 1, "s_load_dword": 1} if width == 3 else {"s_load_" + WIDTHS[width]: 1}
    if uniform and kind != "rawrw": # the scalar unit does not load what may be written
        return {"s_buffer_load_" + WIDTHS[width]: 1}
    way = "global" if kind in BY_ADDRESS else "buffer"
    return {f"{way}_load_{WIDTHS[width]}": 1}


def measured(name, counts, uniform):
    """Counts without loads of descriptors; all forms of a sample count as one."""
    kind = name.split("_")[1]
    seen = collections.Counter()
    for access, count in counts.items():
        if access in DESCRIPTORS and not (uniform and kind in BY_ADDRESS):
            continue
        form = re.match(r"image_(?:sample|gather4)", access)
        seen[form[0] if form else access] += count
    return dict(seen)


class Loads(unittest.TestCase):
    def test_every_kernel_is_there(self):
        self.assertGreaterEqual(len(KERNELS), 90)

    def test_the_loop_holds_the_loads_that_it_claims(self):
        for name, text in KERNELS.items():
            match = re.fullmatch(r"loads_([a-z]+8?)_(\d)[un]?_(uniform|varying)_(peak|original)", name)
            if not match or match[1] in ("broadcast", "shuffle"):
                continue
            kind, width, uniform = match[1], int(match[2]), match[3] == "uniform"
            times = IN_FLIGHT if match[4] == "peak" else 1
            wanted = {access: times * n for access, n in expected(kind, width, uniform).items()}
            with self.subTest(name):
                self.assertEqual(measured(name, loop_of(text), uniform), wanted)

    def test_what_the_run_file_would_say_is_the_same(self):
        for name, text in KERNELS.items():
            said = re.search(r"^; loop: (.*)$", text, re.M)[1]
            counts = {access: int(count) for count, access in re.findall(r"(\d+) × (\w+)", said)}
            loop = loop_of(text)
            others = any(not access.startswith("s_load") for access in loop)
            with self.subTest(name):
                self.assertEqual(counts, {access: count for access, count in loop.items()
                                          if not re.search("store|write|atomic|ds_add", access)
                                          and (not others or access not in DESCRIPTORS)})

    def test_the_control_loads_nothing_in_its_loop(self):
        controls = [name for name in KERNELS if name.startswith("loads_control_")]
        self.assertTrue(controls)
        for name in controls:
            with self.subTest(name):
                self.assertEqual(loop_of(KERNELS[name]), {})

    def test_the_control_of_the_peak_form_adds_every_value(self):
        for name, text in KERNELS.items():
            match = re.fullmatch(r"loads_control_[a-z]+_(\d)_peak", name)
            if not match:
                continue
            adds = len(re.findall(r"^\s+v_(?:pk_)?add_f32", text, re.M))
            with self.subTest(name):
                self.assertGreaterEqual(adds, IN_FLIGHT * int(match[1]))


PTX = {"constant": "ld.const.v4.f32", "typed": "tex.1d.v4.{word}.s32", "texture": "tex.2d.v4.{word}.s32",
       "sampled": "tex.2d.v4.f32.f32", "storage": "ld.global.{vector}f32", "shared": "ld.shared.{vector}f32",
       "natural": "ld.global.nc.{vector}f32", "structured": "ld.global.nc.{vector}f32",
       "long": "ld.global.nc.v2.f32", "bytes": "ld.global.nc.{vector}u8", "pushed": "ld.param.f32",
       "row": "tex.1d.v4.f32.f32", "gather": "tld4.r.2d.v4.f32.f32", "trilinear": "tex.level.2d.v4.f32.f32",
       "levels": "tex.level.2d.v4.f32.f32", "mip": "tex.level.2d.v4.f32.f32",
       "stretched": "tex.grad.2d.v4.f32.f32", "array": "tex.a2d.v4.f32.f32", "volume": "tex.3d.v4.f32.f32",
       "cube": "tex.cube.v4.f32.f32", "texturerw": "suld.b.2d.{vector}b32.trap", "store": "st.global.{vector}u32", "atomic": "atom.global.add.u32",
       "sharedstore": "st.shared.{vector}u32", "sharedatomic": "atom.shared.add.u32"}


def ptx_expected(kind, width, integer):
    """No vectors if the alignment is unknown; read-only data may have a path of their own."""
    if kind in ("raw", "bound") or (kind, width) == ("structured", 3):
        return {"ld.global.nc.f32": width}
    if kind == "rawrw":
        return {"ld.global.f32": width}
    if kind == "aligned8":
        return {"ld.global.nc.v2.f32": 2}
    if kind == "half":
        return {{1: "ld.global.nc.u16", 2: "ld.global.nc.u32", 4: "ld.global.nc.v4.u16"}[width]: 1}
    vector = {1: "", 2: "v2.", 4: "v4."}[width]
    return {PTX[kind].format(word="u32" if integer else "f32", vector=vector): 1}


class Ptx(unittest.TestCase):
    """The code that CUDA's driver gets."""
    def test_the_loop_holds_the_loads_that_it_claims(self):
        files = sorted(COMPILED.glob("loads_*.ptx"))
        self.assertGreaterEqual(len(files), 56)
        for path in files:
            loop = re.search(r'^(\S+):\s*\n\s*\.pragma "nounroll";(.*?)bra\.uni\s+\1;', path.read_text(),
                             re.M | re.S)
            _, kind, width, *_ = path.stem.split("_")
            if kind in ("broadcast", "shuffle"): # one load serves the whole subgroup
                continue
            with self.subTest(path.stem):
                self.assertTrue(loop)
                found = collections.Counter(re.findall(r"^\s+((?:ld|tex|tld4|suld|st|atom)\.\S+)", loop[2], re.M))
                wanted = {} if kind == "control" else ptx_expected(kind, int(width[0]), "u" in width)
                self.assertEqual(found, {load: IN_FLIGHT * n for load, n in wanted.items()})


if __name__ == "__main__":
    read_kernels(sys.argv[1], sys.argv[2])
    COMPILED = pathlib.Path(sys.argv[3])
    unittest.main(argv=sys.argv[:1])
