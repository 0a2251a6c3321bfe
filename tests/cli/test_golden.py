#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Whole runs on the fake GPU against run files that a person has read. After a change on purpose:
test_golden.py --update, then read the difference."""

import json
import os
import sys

import fathom

GOLDEN = fathom.ROOT / "tests/golden"
RUNS = {
    "fake_quick": (["--preset", "quick", "--seed", "1", "-d", "all", "--api", "all"], ""),
    "fake_failing": (["--preset", "quick", "--seed", "1", "--no-isolate", "--set",
                      "sum.bytes=4KiB,1GiB", "--set", "chase.bytes=4KiB,8KiB,16KiB"],
                     "fail=100,wrong=48,memory=150"),
}


def normalise(document, path):
    """Replaces what differs from machine to machine."""
    document["tool"] = {"version": "0.0.0", "commit": "0000000", "build": "golden"}
    document["started"] = "2026-01-01T00:00:00Z"
    document["host"] = {"os": "golden"}
    name = os.path.basename(path)
    document["command"] = ["RUN.json" if word == name else word for word in document["command"]]
    document["command"][0] = "fathom"
    return document


class Golden(fathom.Case):
    def measured(self, name):
        arguments, fake = RUNS[name]
        path = self.path("run.json")
        done = fathom.run("run", *arguments, "-o", path, fake=fake)
        self.assert_no_report_of_sanitizers(done)
        return normalise(self.read_run(path), path)

    def test_runs_are_as_they_were(self):
        for name in RUNS:
            with self.subTest(run=name):
                golden = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
                self.maxDiff = 4000
                self.assertEqual(rounded(golden), rounded(self.measured(name)))


def rounded(value):
    """Rounds to twelve digits: the last ones may differ between compilers."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return value


def update():
    case = Golden()
    for name in RUNS:
        case.setUp()
        document = case.measured(name)
        case.doCleanups()
        # Written as fathom does: one device, benchmark or result a line.
        lines = [f'{json.dumps(key)}:{spread(value)}' for key, value in document.items()]
        (GOLDEN / f"{name}.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def spread(value):
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(one, **compact) for one in value) + "]"
    return json.dumps(value, **compact)


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        fathom.main()
