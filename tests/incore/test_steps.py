#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each loop of the incore kernels holds exactly the steps that the host counts, and almost nothing
else. The test reads PTX (from the .cl, for CUDA) and AMD code of the .comp from RADV's null device.

    test_steps.py KERNELS PRINT_ISA KERNELS.TXT    KERNELS: the build's folder of compiled kernels
"""

import collections
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "isa"))
from test_loads import Instruction, loops_of, parse_ptx, parse_radv # pylint: disable=wrong-import-position

BLOCK, PEAK_STEPS = 64, 1024

# Operation → PTX instruction of a step, how many of them; AMD instruction of a step, how many
# instructions (None: a sequence), how many of this one (else one).
STEPS = {
    "fp32_fma": (r"fma\.rn\.f32", 1, r"v_fma(c|_)\w*f32\w*", 1),
    "fp32_add": (r"add(\.rn)?\.f32", 1, r"v_add_f32\w*", 1),
    "fp32_mul": (r"mul(\.rn)?\.f32", 1, r"v_mul_f32\w*", 1),
    "fp32_div": (r"div\.rn\.f32", 1, r"v_rcp_f32\w*", 2),
    "fp32_sqrt": (r"sqrt\.rn\.f32", 1, r"v_sqrt_f32\w*", 1),
    "fp32_add_rcp": (r"rcp\.approx\.ftz\.f32", 2, r"v_rcp_f32\w*", 2),
    "fp32_rsqrt": (r"rsqrt\.approx\.ftz\.f32", 1, r"v_rsq_f32\w*", 1),
    "fp32_exp2": (r"ex2\.approx\.ftz\.f32", 2, r"v_exp_f32\w*", 1),
    "fp32_sin": (r"(sin|cos)\.approx\.ftz\.f32", 1, r"v_(sin|cos)_f32\w*", None),
    "fp64_fma": (r"fma\.rn\.f64", 1, r"v_fma_f64\w*", 1),
    "fp64_add": (r"add(\.rn)?\.f64", 1, r"v_add_f64\w*", 1),
    "fp64_mul": (r"mul(\.rn)?\.f64", 1, r"v_mul_f64\w*", 1),
    "fp64_div": (r"div\.rn\.f64", 1, r"v_cvt_f32_f64\w*", None),
    "fp64_sqrt": (r"sqrt\.rn\.f64", 1, r"v_cvt_f32_f64\w*", None),
    "fp16_fma": (r"fma\.rn\.f16", 1, r"v_fma(c|_)\w*f16\w*", 1),
    "fp16x2_fma": (r"fma\.rn\.f16x2", 1, r"v_pk_fma\w*_f16\w*", 1),
    "fp16x2_dot": (r"fma\.rn\.f16", None, r"v_(fma(c|_)|mad_)\w*f16\w*", None),
    "int8_dot4": (r"dp4a\.u32\.u32", 1, r"v_dot4c?_u32_u8\w*", 2),
    "fp32_int32_mixed": (r"fma\.rn\.f32", 2, r"v_fma(c|_)\w*f32\w*", 2),
    "subgroup_shuffle": (r"shfl\.sync\.bfly\.b32", 1, r"ds_bpermute_b32", None, 3),
    "subgroup_vote": (r"vote\.sync\.ballot\.b32", 4, r"v_cmp_\w*", None),
    "subgroup_min": (r"redux\.sync\.min\.u32", 2, r"v_readlane_b32\w*", None, 2),
    "barrier_32": (r"(bar|barrier)\.sync", 1, r"s_barrier", 1),
    "barrier_256": (r"(bar|barrier)\.sync", 1, r"s_barrier", 1),
    "barrier_1024": (r"(bar|barrier)\.sync", 1, r"s_barrier", 1),
    "fp16_matrix": (r"wmma\.mma\.sync\.aligned\.row\.col\.m16n16k16\.f32\.f32", 1, "", None),
    "fp16_mma": (r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.f16\.f16\.f32", 1, "", None),
    "bf16_mma": (r"mma\.sync\.aligned\.m16n8k16\.row\.col\.f32\.bf16\.bf16\.f32", 1, "", None),
    "e4m3_mma": (r"mma\.sync\.aligned\.m16n8k32\.row\.col\.f32\.e4m3\.e4m3\.f32", 4, "", None),
    "fp16_wgmma": (r"wgmma\.mma_async\.sync\.aligned\.m64n256k16\.f32\.f16\.f16", 1, "", None),
    "bf16_wgmma": (r"wgmma\.mma_async\.sync\.aligned\.m64n256k16\.f32\.bf16\.bf16", 1, "", None),
    "fp8_wgmma": (r"wgmma\.mma_async\.sync\.aligned\.m64n256k32\.f32\.e4m3\.e4m3", 1, "", None),
    "int32_add": (r"add\.[su]32", 1, r"v_add_(nc_)?u32\w*", 1),
    "int32_mul": (r"mul\.lo\.[su]32", 1, r"v_mul_lo_u32\w*", 1),
    "int32_mad": (r"mad\.lo\.[su]32", 1, r"v_mul_lo_u32\w*", 2),
    "int32_div": (r"div\.u32", 1, r"v_rcp_\w*f32\w*", None),
    "int32_shift": (r"(shl\.b32|shr\.u32)", 1, r"v_(lshl|lshr)rev_b32\w*", 1),
    "int32_popcount": (r"popc\.b32", 1, r"v_bcnt_u32_b32\w*", 1),
    "int64_add": (r"add\.[su]64", 1, r"v_add_co_u32\w*", None),
    "int64_mul": (r"mul\.lo\.[su]64", 1, r"v_mul_hi_u32\w*", None),
}


def unfold(text):
    """Writes equal lines out that RADV's listing only counts."""
    lines = []
    for line in text.splitlines():
        again = re.match(r"\s*\(then repeated (\d+) times\)", line)
        lines += [lines[-1]] * int(again[1]) if again else [line]
    return "\n".join(lines)


def count_loops(items, step):
    """For each innermost loop with steps: how many steps, and how many other instructions."""
    found = []
    for loop in loops_of(items)[0]:
        names = collections.Counter(one.name for one in loop if isinstance(one, Instruction))
        steps = sum(n for name, n in names.items() if re.fullmatch(step, name))
        if steps >= BLOCK // 2: # otherwise it is another loop
            found.append((steps, sum(names.values()) - steps))
    return found


class Steps(unittest.TestCase):
    kernels, print_isa, listed, radv = pathlib.Path(), "", pathlib.Path(), "none"

    def setUp(self):
        self.maxDiff = None
        self.wanted = {} # kernel → its operation, and the steps of each loop
        for line in self.listed.read_text().splitlines():
            words = line.split()
            if not words or words[0] == "#":
                continue
            name, peak = words[0], words[0].endswith("_peak")
            defines = dict(word.split("=") for word in words if "=" in word)
            operation = name.removeprefix("incore_").removesuffix("_peak").removesuffix("_odd")
            steps = PEAK_STEPS if "-DPEAK" in defines else BLOCK * int(defines.get("-DLENGTH", 1))
            steps = 32 if words[1] == "wgmma" else steps
            loops = [steps] if peak or "barrier" in name else [steps] * 4
            if "-DODD" in words: # whole rounds of two steps a chain
                loops = [steps // BLOCK * (BLOCK // (2 * n) * 2 * n) for n in (3, 5, 6, 7)]
            self.wanted[name] = (operation, loops)
        self.assertEqual({name for name, _ in self.wanted.values()}, set(STEPS))

    def check(self, name, items, step, instructions, times=1):
        wanted = sorted(steps * times for steps in self.wanted[name][1])
        found = sorted(count_loops(items, step))
        more = 3 if "add" in name else 0 # the loop's own counter may use the same instruction
        if len(found) != len(wanted) or \
           any(not steps <= n <= steps + more for (n, _), steps in zip(found, wanted)):
            return [f"{name}: loops of {found} (steps, others), wanted {wanted}"]
        if instructions is None:
            return []
        wrong = []
        for (_, others), steps in zip(found, wanted):
            most = (instructions - 1) * steps + steps // 16 + 10 # the loop's own, and copies
            if others > most:
                wrong.append(f"{name}: {others} other instructions in a loop of {steps} steps, "
                             f"wanted at most {most}")
        return wrong

    def test_ptx_has_the_steps_that_are_counted(self):
        wrong = []
        for name, (operation, _) in self.wanted.items():
            text = (self.kernels / f"{name}.ptx").read_text()
            self.assertIn('.pragma "nounroll"', text, name) # else NVIDIA's driver unrolls it
            step, instructions = STEPS[operation][:2]
            wrong += self.check(name, parse_ptx(text), step, instructions)
        self.assertEqual([], wrong)

    def test_amd_code_of_the_other_source_has_them_too(self):
        done = subprocess.run(
            [self.print_isa, "navi21", "incore_"], capture_output=True, text=True, check=False,
            env={**os.environ, "RADV_FORCE_FAMILY": "navi21", "VK_DRIVER_FILES": self.radv,
                 "VK_ICD_FILENAMES": self.radv})
        if done.returncode == 77:
            self.skipTest("no null device of navi21")
        self.assertEqual(0, done.returncode, done.stderr)
        wrong = []
        for text in done.stdout.split("== ")[1:]:
            name, code = text.split("\n", 1)
            if name == "incore_barrier_32":
                continue # one wave alone has nothing to wait for
            step, instructions, *times = STEPS[self.wanted[name][0]][2:]
            wrong += self.check(name, parse_radv(unfold(code)), step, instructions, *times)
        self.assertEqual([], wrong)


if __name__ == "__main__":
    Steps.kernels, Steps.print_isa, Steps.listed = (pathlib.Path(sys.argv[1]), sys.argv[2],
                                                    pathlib.Path(sys.argv[3]))
    Steps.radv = os.environ.get("RADV_ICD", "none")
    unittest.main(argv=sys.argv[:1], verbosity=2)
