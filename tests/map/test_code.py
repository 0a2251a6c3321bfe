#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The compiled straight-line code: one instruction for each multiply-add and one branch after each
stretch of them, once in the whole kernel. The test reads PTX (from the .cl, for CUDA) and AMD code
of the .comp from RADV's null device: instructions have the 8 bytes that METHOD.md states.

    test_code.py KERNELS PRINT_ISA    KERNELS: the build's folder of compiled kernels
"""

import os
import pathlib
import re
import subprocess
import sys
import unittest

STRETCHES = [64] * 32 + [128] * 16 + [256] * 16 + [512] * 16 + [1024] * 16
STEPS = {"1k": 16, "8k": 64, "32k": 96}
OTHERS_MOST = 1 # besides the steps of a stretch and its branch: one comparison


def stretches_of(lines, step, branch):
    """(constants of steps, number of other instructions) of each stretch with steps."""
    found, constants, others = [], [], 0
    for line in lines:
        one = re.match(step, line)
        if one:
            constants.append(one[1])
        elif re.match(branch, line):
            if constants:
                found.append((constants, others))
            constants, others = [], 0
        else:
            others += 1
    return found


class Code(unittest.TestCase):
    kernels, print_isa, radv = pathlib.Path(), "", "none"

    def check(self, kernel, found):
        whole = [one for one in found if len(one[0]) >= STRETCHES[0] // 2] # else it begins chains
        self.assertEqual(STRETCHES[:STEPS[kernel]], [len(constants) for constants, _ in whole])
        # The first and the last stretch also have the instructions that begin and end a lap.
        self.assertLessEqual(max(others for _, others in whole[1:-1]), OTHERS_MOST)
        in_order = [constant for constants, _ in whole for constant in constants]
        self.assertEqual(len(set(in_order)), min(len(in_order), 1021))
        self.assertTrue(all(a != b for a, b in zip(whole, whole[1:])))

    def test_ptx_is_the_code_that_is_counted(self):
        for kernel in STEPS:
            text = (self.kernels / f"map_code_{kernel}.ptx").read_text()
            self.assertIn('.pragma "nounroll"', text)
            lines = [line.strip() for line in text.splitlines() if line.startswith("\t")]
            lines = [line for line in lines if not line.startswith((".", "//"))]
            step = r"fma\.rn\.f32.*, 0f([0-9A-F]{8});"
            self.check(kernel, stretches_of(lines, step, r"(@%p\d+ )?bra"))

    def amd_lines(self, family, kernel):
        done = subprocess.run(
            [self.print_isa, family, f"map_code_{kernel}"], capture_output=True, text=True,
            check=False, env={**os.environ, "RADV_FORCE_FAMILY": family,
                              "VK_DRIVER_FILES": self.radv, "VK_ICD_FILENAMES": self.radv})
        if done.returncode == 77:
            self.skipTest(f"no null device of {family}")
        self.assertEqual(0, done.returncode, done.stderr)
        return [line.strip() for line in done.stdout.splitlines() if line.startswith("\t")]

    def test_amd_code_is_too_with_8_bytes_an_instruction(self):
        # GCN's multiply-add rounds twice, but is also one instruction.
        for family, name in (("navi21", "v_fmaak_f32"), ("vega10", "v_madak_f32")):
            step = name + r" v\d+, v\d+, v\d+, 0x\w+ *; \w{8} (\w{8})$"
            for kernel in ("1k", "8k"):
                lines = self.amd_lines(family, kernel)
                self.check(kernel, stretches_of(lines, step, "s_cbranch"))


if __name__ == "__main__":
    Code.kernels, Code.print_isa = pathlib.Path(sys.argv[1]), sys.argv[2]
    Code.radv = os.environ.get("RADV_ICD", "none")
    unittest.main(argv=sys.argv[:1], verbosity=2)
