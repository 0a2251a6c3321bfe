#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/RESULTS.md is what tools/results.py makes of reference/ and docs/targets.json."""

import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("results", ROOT / "tools/results.py")
RESULTS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(RESULTS)

ROW = {"quantity": "reads", "key": "k", "metric": "m", "unit": "GB/s", "scale": 1e9, "source": "a",
       "target": {"cuda": [2, None]}}


def run_with(*medians, verdict="ok"):
    metrics = [{"name": "m", "median": median} for median in medians]
    return {"by_key": {"k": {"verdict": verdict, "metrics": metrics}}, "findings": []}


class Results(unittest.TestCase):
    def test_the_committed_page_is_what_the_tool_makes(self):
        self.assertEqual(RESULTS.page(), RESULTS.PAGE.read_text(encoding="utf-8"),
                         "run tools/results.py")

    def test_every_quantity_was_measured_and_every_target_has_a_source(self):
        targets = RESULTS.load(ROOT / "docs/targets.json")
        page = RESULTS.page()
        for row in targets["rows"]:
            self.assertIn(f"| {row['quantity']} |", page)
            if "target" in row:
                self.assertIn(row["source"], targets["sources"], row["quantity"])

    def test_runs_that_miss_the_target_are_not_counted(self):
        line = RESULTS.line(ROW, "cuda", [run_with(1e9), run_with(3e9)])
        self.assertEqual("| reads | GB/s | ≥ 2 (a) | 1–3 | 1 of 2 runs |", line)

    def test_another_api_has_no_target(self):
        line = RESULTS.line(ROW, "vulkan", [run_with(1e9)])
        self.assertEqual("| reads | GB/s | – | 1 | 1 run |", line)

    def test_a_suspect_run_is_marked(self):
        line = RESULTS.line(ROW, "cuda", [run_with(2e9), run_with(2e9, verdict="suspect")])
        self.assertEqual("| reads | GB/s | ≥ 2 (a) | 2 *suspect* | 2 of 2 runs |", line)

    def test_a_quantity_that_no_run_has_is_left_out(self):
        self.assertIsNone(RESULTS.line(ROW, "cuda", [run_with()]))


if __name__ == "__main__":
    unittest.main()
