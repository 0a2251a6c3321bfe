#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Several devices at the same time: the host's processors by lavapipe and by PoCL, side by side."""

import json
import os
import sys

import fathom

REAL = os.environ["FATHOM_REAL"]
CASES = ["--set", "roofline.type=fp32", "--set", "roofline.intensity=1,4"]


def processors():
    devices = json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]
    return {one["id"].split(":")[0]: one["id"] for one in devices if one["kind"] == "cpu"}


class Together(fathom.Case):
    @classmethod
    def setUpClass(cls):
        cls.there = processors()

    def measure(self, *arguments):
        path = self.path("run.json")
        devices = [word for one in self.there.values() for word in ("-d", one)]
        done = fathom.run("run", "roofline", "--preset", "quick", *devices, *CASES, *arguments, "-o",
                          path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        return fathom.by_key(self.read_run(path))

    def test_cases_in_common_are_measured_in_the_same_time_and_say_so(self):
        results = self.measure("--set", "roofline.together=yes")
        self.assertEqual(4, len(results))
        for (device, key), result in results.items():
            others = [one for one in self.there.values() if one != device]
            self.assertEqual(others[0], result["case"]["with"], key)
            self.assertGreater(len(result["metrics"]), 0)
            # What both do at once: half of the time, even where two cores are shared with others.
            self.assertGreater(result["sensors"]["common_time"]["value"], 0.3, (device, key))
            self.assertLessEqual(result["sensors"]["common_time"]["value"], 1)

    def test_one_chip_through_two_apis_is_measured_one_after_the_other(self):
        for result in self.measure().values():
            self.assertNotIn("with", result["case"])
            self.assertNotIn("common_time", result.get("sensors", {}))

    def test_in_one_process_nothing_is_at_the_same_time(self):
        for result in self.measure("--set", "roofline.together=yes", "--no-isolate").values():
            self.assertNotIn("with", result["case"])


if __name__ == "__main__":
    if len(processors()) < 2:
        print("the host's processors are not there through two APIs", file=sys.stderr)
        sys.exit(77)
    fathom.main()
