#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/RESULTS.md, reference/index.json, the list in reference/README.md and src/analysis/spread.c
are as tools/results.py makes them from reference/ and docs/targets.json."""

import gzip
import importlib.util
import json
import math
import pathlib
import tempfile
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


def run_of(card, values, cycles=(), model="GPU", verdict="ok"):
    """A run of one card, with a latency for each of the values, and also in cycles."""
    def metrics(at):
        yield {"name": "time", "unit": "ns", "better": "lower", "median": values[at]}
        if cycles:
            yield {"name": "cycles", "unit": "cycle", "better": "lower", "median": cycles[at]}
    return ("", "cuda", {
        "preset": "standard", "tool": {"commit": "c"},
        "devices": [{"id": "cuda:0", "name": model, "uuid": card}],
        "benchmarks": [{"name": "b", "version": 2, "metrics": [{"name": "cycles", "cycles_of": "time"}]}],
        "results": [{"device": "cuda:0", "benchmark": "b", "version": 2, "key": f"b/{i}",
                     "verdict": verdict, "metrics": list(metrics(i))} for i in range(len(values))]})


class Spreads(unittest.TestCase):
    def test_the_committed_table_is_what_the_tool_makes(self):
        self.assertEqual(RESULTS.spread_text(RESULTS.reference_runs()),
                         RESULTS.TABLE.read_text(encoding="utf-8"), "run tools/results.py")

    def test_students_quantile_is_that_of_the_tables(self):
        for freedom, quantile in ((1, 63.657), (2, 9.9248), (3, 5.8409), (10, 3.1693), (30, 2.7500)):
            self.assertAlmostEqual(1, RESULTS.student(0.99, freedom) / quantile, delta=1e-3)

    def test_less_than_three_cards_say_nothing(self):
        runs = [run_of("a", [100]), run_of("b", [104]), run_of("b", [103])]
        self.assertEqual({}, RESULTS.spreads(runs))
        others = [run_of("c", [100], model="Other"), run_of("c", [104], verdict="suspect")]
        self.assertEqual({}, RESULTS.spreads(runs + others))

    def test_three_cards_bound_widely_and_more_cards_of_any_model_narrow_it(self):
        three = [run_of(card, [100 * math.exp(at)]) for card, at in zip("abc", (-0.01, 0, 0.01))]
        most, cards, models, figures = RESULTS.spreads(three)["b", "ns"]
        self.assertEqual((3, 1, 1), (cards, models, figures))
        self.assertAlmostEqual(math.exp(9.9248 * math.sqrt(2) * 0.01) - 1, most, delta=1e-4)
        again = [run_of(card, [7 * math.exp(at)], model="Other")
                 for card, at in zip("xyz", (-0.01, 0, 0.01))]
        pooled, cards, models, _ = RESULTS.spreads(three + again)["b", "ns"]
        self.assertEqual((6, 2), (cards, models))
        self.assertLess(pooled, most / 1.5)

    def test_what_the_clock_explains_is_no_spread(self):
        runs = [run_of(card, [time], [99]) for card, time in zip("abc", (50, 100, 200))]
        self.assertEqual(0, RESULTS.spreads(runs)["b", "ns"][0])


class Index(unittest.TestCase):
    def test_the_committed_index_has_what_the_files_say(self):
        self.assertEqual(RESULTS.index_text(RESULTS.load(RESULTS.INDEX), RESULTS.INDEX.parent),
                         RESULTS.INDEX.read_text(encoding="utf-8"), "run tools/results.py")

    def test_the_list_of_files_names_each_of_them(self):
        text = RESULTS.README.read_text(encoding="utf-8")
        self.assertEqual(RESULTS.readme_text(text), text, "run tools/results.py")
        for one in RESULTS.load(RESULTS.INDEX)["runs"]:
            self.assertIn(f"| {one['file']} |", text)

    def test_an_entry_is_for_the_model_and_the_api_of_its_run(self):
        for one in RESULTS.load(RESULTS.INDEX)["runs"]:
            if not one.get("published"):
                for device in RESULTS.load(RESULTS.INDEX.parent / one["file"])["devices"]:
                    self.assertIn(one["match"], device["name"])
                    self.assertEqual(one["api"], device["id"].split(":")[0])

    def test_a_run_may_be_gzipped(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "run.json.gz"
            path.write_bytes(gzip.compress(json.dumps(run_of("a", [1])[2]).encode()))
            index = {"runs": [{"file": "run.json.gz", "match": "GPU", "api": "cuda"},
                              {"file": "p.json", "published": True}]}
            made = json.loads(RESULTS.index_text(index, pathlib.Path(folder)))["runs"]
        self.assertEqual({"file": "run.json.gz", "match": "GPU", "api": "cuda", "preset": "standard",
                          "uuids": ["a"], "commit": "c", "benchmarks": {"b": 2}}, made[0])
        self.assertEqual(index["runs"][1], made[1])


class Results(unittest.TestCase):
    def test_the_committed_page_is_what_the_tool_makes(self):
        self.assertEqual(RESULTS.page(), RESULTS.PAGE.read_text(encoding="utf-8"),
                         "run tools/results.py")

    def test_every_quantity_was_measured_and_every_target_has_a_source(self):
        targets = RESULTS.load(ROOT / "docs/targets.json")
        page = RESULTS.page()
        for row in targets["rows"] + targets["rays"]["rows"]:
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

    def test_rays_of_each_card_stand_side_by_side_by_the_newest_version(self):
        def run(card, version, time, verdict="ok"):
            metrics = [{"name": "crossing", "median": time}]
            return {"devices": [{"name": card}],
                    "results": [{"key": "rays/k", "benchmark": "rays", "version": version,
                                 "verdict": verdict, "metrics": metrics},
                                {"key": "other/k", "benchmark": "other", "version": 9,
                                 "verdict": "ok", "metrics": metrics}]}
        rows = [{"quantity": "time", "key": "rays/k", "metric": "crossing", "unit": "ps",
                 "scale": 1e-3, "beside": "353 a test"},
                {"quantity": "missing", "key": "rays/none", "metric": "crossing", "unit": "ps", "scale": 1e-3}]
        table = RESULTS.ray_table({"beside": "frame", "rows": rows},
                                  [run("A", 1, 7), run("A", 2, 0.002), run("A", 2, 0.003),
                                   run("B", 1, 0.005, "suspect"),
                                   {"devices": [{"name": "no rays"}], "results": []}])
        self.assertEqual(["| quantity | unit | frame | A, version 2 | B, version 1 |",
                          "| --- | --- | --- | --- | --- |",
                          "| time | ps | 353 a test | 2–3 | 5 *suspect* |",
                          "| missing | ps | – | – | – |"], table.splitlines())

    def test_a_quantity_that_no_run_has_is_left_out(self):
        self.assertIsNone(RESULTS.line(ROW, "cuda", [run_with()]))


if __name__ == "__main__":
    unittest.main()
