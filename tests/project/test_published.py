#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""reference/published: tools/published.py makes these run files from the figures, and they say so."""

import importlib.util
import json
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPEC = importlib.util.spec_from_file_location("published", ROOT / "tools/published.py")
PUBLISHED = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(PUBLISHED)


class Published(unittest.TestCase):
    def test_files_are_what_the_tool_makes(self):
        for name, make in PUBLISHED.FILES.items():
            file = ROOT / "reference/published" / f"{name}.json"
            self.assertEqual(PUBLISHED.text_of(make()), file.read_text(encoding="utf-8"), name)

    def test_none_can_be_taken_for_a_measurement(self):
        for make in PUBLISHED.FILES.values():
            run = make()
            self.assertIn("github.", run["host"]["source"])
            for result in run["results"]:
                self.assertEqual(0, result["version"])  # compare refuses it
                self.assertEqual(["published"], [one["code"] for one in result["reasons"]])
                self.assertTrue(all("ci95" not in metric for metric in result["metrics"]))

    def test_all_published_figures_are_there(self):
        counts = {name: len(make()["results"]) for name, make in PUBLISHED.FILES.items()}
        self.assertEqual(12 * 84 + 2 * 138, counts["perftest"])  # two GPUs also have samplers
        self.assertEqual(21 + 12 + 3 + 144, counts["gpu-benches"])
        self.assertEqual(2 * 32 * 6, counts["gpu-stream"])
        self.assertEqual(3 + 3, counts["preemption"])  # of two GPUs, only the hogs with a figure

    def test_the_index_marks_them(self):
        index = json.loads((ROOT / "reference/index.json").read_text(encoding="utf-8"))
        marked = {run["file"] for run in index["runs"] if run.get("published")}
        self.assertEqual({f"published/{name}.json" for name in PUBLISHED.FILES}, marked)


if __name__ == "__main__":
    unittest.main()
