#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The loops of the roofline kernels hold 16, 4 and 1 steps of every chain in PTX and almost nothing
else, and a thread reads 128 bytes in eight loads.

    test_steps.py KERNELS    KERNELS: the build's folder of compiled kernels
"""

import collections
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "isa"))
from test_loads import Instruction, loops_of, parse_ptx # pylint: disable=wrong-import-position

# (instruction of a step, chains of a thread)
KERNELS = {"roofline_fp32": ("fma.rn.f32", 32), "roofline_fp64": ("fma.rn.f64", 16),
           "roofline_fp16x2": ("fma.rn.f16x2", 32)}
OTHERS = 5 # instructions of a loop beside its steps: count, compare, branch


def names_in(items):
    return collections.Counter(one.name for one in items if isinstance(one, Instruction))


class Steps(unittest.TestCase):
    folder = pathlib.Path()

    def test_loops_hold_the_steps_that_are_counted(self):
        for kernel, (step, chains) in KERNELS.items():
            items = parse_ptx((self.folder / f"{kernel}.ptx").read_text())
            loops = [names_in(loop) for loop in loops_of(items)[0]]
            self.assertEqual([chains, 4 * chains, 16 * chains],
                             sorted(names[step] for names in loops), kernel)
            for names in loops:
                self.assertLessEqual(sum(names.values()) - names[step], OTHERS, kernel)

    def test_a_thread_reads_eight_times_sixteen_bytes(self):
        for kernel in KERNELS:
            names = names_in(parse_ptx((self.folder / f"{kernel}.ptx").read_text()))
            loads = {name: often for name, often in names.items() if name.startswith("ld.global")}
            self.assertEqual([8], list(loads.values()), kernel)
            self.assertRegex(list(loads)[0], r"v4\.[fu]32|v2\.[fu]64", kernel)


if __name__ == "__main__":
    Steps.folder = pathlib.Path(sys.argv[1])
    unittest.main(argv=sys.argv[:1], verbosity=2)
