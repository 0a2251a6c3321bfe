#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Every plan is as in plans.txt: how many cases, which, and in which order; or the code of the
error that refuses the values.

    test_plans.py PLAN_LISTS ROOT

After a change on purpose: PLAN_LISTS ROOT > tests/plans/plans.txt. PLAN_LISTS ROOT DEVICE BENCHMARK
prints the cases themselves, to compare them with the former ones."""

import difflib
import pathlib
import subprocess
import sys

program, root = sys.argv[1:]
made = subprocess.run([program, root], check=True, capture_output=True, text=True).stdout
kept = pathlib.Path(root, "tests/plans/plans.txt").read_text(encoding="utf-8")
if kept.count("\n") < 1000:
    sys.exit("plans.txt is not whole")
changes = list(difflib.unified_diff(kept.splitlines(), made.splitlines(), "plans.txt", "made", "", "", 0, ""))
print("\n".join(changes))
sys.exit(1 if changes else 0)
