#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The schema refuses what it should, describes all that fathom writes, and agrees with the sources."""

import copy
import re
import sys
import unittest

import check_runs

RICH = check_runs.load(check_runs.ROOT / "tests/golden/rich.json")
CHECK = check_runs.validator()


def source(path):
    return (check_runs.ROOT / path).read_text(encoding="utf-8")


class Schema(unittest.TestCase):
    def changed(self, change):
        run = copy.deepcopy(RICH)
        change(run)
        return run

    def refused(self, change):
        self.assertFalse(CHECK.is_valid(self.changed(change)))

    def test_the_rich_run_is_valid(self):
        self.assertEqual([], [error.message for error in CHECK.iter_errors(RICH)])
        self.assertEqual([], list(check_runs.cross_references(RICH)))

    def test_members_may_be_added(self):
        self.assertTrue(CHECK.is_valid(self.changed(lambda run: run.update(moon=1))))
        self.assertTrue(CHECK.is_valid(
            self.changed(lambda run: run["results"][0]["metrics"][0].update(mode=3))))

    def test_the_same_again_is_found_wrong_again(self):
        for _ in range(2):
            self.refused(lambda run: run["results"][0]["metrics"][0].update(n=1.5))
            self.refused(lambda run: run["results"][0]["metrics"][0].update(median=True))

    def test_another_schema_is_refused(self):
        self.refused(lambda run: run.update(schema="fathom-run/2"))

    def test_missing_members_are_refused(self):
        for name in ("schema", "status", "tool", "devices", "benchmarks", "results", "findings"):
            self.refused(lambda run, name=name: run.pop(name))
        for name in ("key", "benchmark", "version", "device", "case", "verdict", "metrics"):
            self.refused(lambda run, name=name: run["results"][0].pop(name))

    def test_scaled_units_are_refused(self):
        self.refused(lambda run: run["results"][0]["metrics"][0].update(unit="us"))
        self.refused(lambda run: run["devices"][0]["limits"]["core_count"].update(unit="GB/s"))

    def test_a_flag_without_a_reason_is_refused(self):
        self.refused(lambda run: run["results"][0].update(verdict="suspect"))
        self.refused(lambda run: run["results"][3].update(reasons=[]))

    def test_wrong_types_are_refused(self):
        self.refused(lambda run: run["results"][0]["metrics"][0].update(median="fast"))
        self.refused(lambda run: run["results"][0]["metrics"][0].update(ci95=[1]))
        self.refused(lambda run: run["results"][0]["case"].update(path=["vector"]))
        self.refused(lambda run: run.update(started="yesterday"))

    def test_names_that_lead_nowhere_are_found(self):
        run = self.changed(lambda run: run["results"][0].update(device="vulkan:7"))
        self.assertIn("vulkan:7", next(check_runs.cross_references(run)))
        run = self.changed(lambda run: run["results"][0].update(version=4))
        self.assertIn("of that version", next(check_runs.cross_references(run)))
        run = self.changed(lambda run: run["results"][0]["metrics"][0].update(median=1e9))
        self.assertIn("outside its interval", next(check_runs.cross_references(run)))

    def test_units_are_those_of_the_table(self):
        table = re.findall(r'X\(\w+, "([^"]+)"\)', source("src/results/units.h"))
        self.assertEqual(table, CHECK.schema["$defs"]["unit"]["enum"])

    def test_the_version_is_that_of_the_header(self):
        version = re.search(r'RUN_SCHEMA "([^"]+)"', source("src/results/results.h")).group(1)
        self.assertEqual(version, CHECK.schema["properties"]["schema"]["const"])
        self.assertEqual(version, CHECK.schema["title"])

    def test_every_member_that_is_written_is_described(self):
        self.assertEqual([], list(undescribed(RICH, CHECK.schema, "$")))


def undescribed(value, schema, path):
    """The paths of members that the schema does not name."""
    if "$ref" in schema:
        schema = CHECK.schema["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if isinstance(value, dict):
        for name, member in value.items():
            inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            if inner is None:
                yield f"{path}.{name}"
            else:
                yield from undescribed(member, inner, f"{path}.{name}")
    elif isinstance(value, list):
        for i, element in enumerate(value):
            yield from undescribed(element, schema.get("items", {}), f"{path}[{i}]")


if __name__ == "__main__":
    sys.exit(unittest.main())
