#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom map` on a real driver, and on a machine whose levels are known."""

import json
import os
import sys

import fathom

REAL = os.environ["FATHOM_REAL"]


def cpu_device():
    """The id of a Vulkan device that is this host's processors; None if there is none."""
    for device in json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]:
        if device["kind"] == "cpu" and device["id"].startswith("vulkan"):
            return device["id"]
    return None


def metric(result, name):
    return next((one for one in result["metrics"] if one["name"] == name), None)


class Map(fathom.Case):
    @classmethod
    def setUpClass(cls):
        cls.device = cpu_device()

    def measure(self, device):
        """Maps a device. Returns the screen, the results of `map`, and the levels of vector loads."""
        path = self.path("map.json")
        # With a fixed seed a simulated machine always gives the same figures.
        done, seconds = fathom.cpu_seconds("map", "-d", device, "--seed", "1", "-o", path,
                                           binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        if not fathom.is_sanitized():
            self.assertLess(seconds, 110)  # processor time: 55 s on two cores
        # The progress has no percentage, because the number of cases grows during a map.
        self.assertRegex(done.progress, r"^fathom: measuring latency on [a-z]+:0\n")
        document = self.read_run(path)
        self.assertEqual("complete", document["status"])
        found = {one["key"]: one for one in document["results"] if one["benchmark"] == "map"}
        return done.out, found, [one for one in found.values() if one["case"]["what"] == "level"
                                 and one["case"]["path"] == "vector"]

    def assert_hierarchy(self, found, levels):
        """Checks that the number of levels is that of the results, or is unknown and says so."""
        for result in levels:
            if not metric(result, "size"):
                self.assertIn("unknown: ", result["details"]["size"])
        hierarchy = found["map/what=hierarchy/path=vector"]
        if hierarchy["verdict"] == "skipped":
            self.assertEqual(["unknown"], fathom.reason_codes(hierarchy))
        elif metric(hierarchy, "levels"):
            self.assertEqual(len(levels), metric(hierarchy, "levels")["median"])
        else:
            self.assertIn("unknown: at least ", hierarchy["details"]["levels"])

    def test_on_a_driver_what_was_found_and_what_is_unknown_agree(self):
        if fathom.is_sampled():
            self.skipTest("test_counters.py maps a model with the sanitizer, test_lavapipe.py runs on a "
                          "driver")
        # How many levels are seen depends on other work on this host; the tests of model GPUs check
        # that they are right.
        out, found, levels = self.measure(self.device)
        self.assert_hierarchy(found, levels)
        self.assertIn("memory as vector loads see it", out)
        self.assertIn("Unknown", out)

    def test_no_level_contradicts_the_caches_of_a_machine(self):
        if fathom.is_sanitized():
            self.skipTest("test_counters.py maps a machine with the sanitizer")
        machine, given = self.folder / "machine.json", fathom.smaller_machine()
        machine.write_text(json.dumps(given), encoding="utf-8")
        caches = [one["capacity_bytes"] for one in given["levels"]]
        _, found, levels = self.measure(f"model:{machine}")
        self.assert_hierarchy(found, levels)
        self.assertEqual(len(caches), len(levels))
        for cache, result in zip(caches, levels):
            low, high = metric(result, "size")["ci95"]
            self.assertLessEqual(low, cache)
            self.assertGreaterEqual(high, cache)

    def test_of_settings_it_takes_clocks_alone(self):
        for setting, words in (("bytes=4KiB", ["clock=LIST"]),
                               ("latency.clock=1200,1500", ["clock=LIST"]),
                               ("clock=1200", ["at least 5 % apart"]),
                               ("clock=1500,1510", ["at least 5 % apart"]),
                               ("clock=0,1500", ["1 to 100000 MHz"]),
                               ("clock=1.2,1.5", ["--set clock=1.2: expected", "whole number"])):
            with self.subTest(setting):
                self.assert_one_line_error(fathom.run("map", "--set", setting, binary=REAL), 2,
                                           "--set", *words)

    def test_it_is_no_benchmark_of_run(self):
        done = fathom.run("run", "map", "-d", self.device, binary=REAL)
        self.assert_one_line_error(done, 2, "run map", "fathom map")


if __name__ == "__main__":
    if not cpu_device():
        print("skipped: no CPU that stands in for a GPU here")
        sys.exit(77)
    fathom.main()
