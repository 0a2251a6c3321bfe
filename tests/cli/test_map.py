#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom map` on a real driver; on a CPU that stands in for a GPU the truth is known."""

import json
import os
import subprocess
import sys
import time

import fathom

REAL = os.environ["FATHOM_REAL"]


def cpu_device():
    """The id of a Vulkan device that is this host's processors; None where there is none."""
    for device in json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]:
        if device["kind"] == "cpu" and device["id"].startswith("vulkan"):
            return device["id"]
    return None


def caches():
    """Sizes of the data caches as the C library states them, ascending."""
    done = subprocess.run(["getconf", "-a"], capture_output=True, text=True, check=True)
    sizes = dict(line.split() for line in done.stdout.splitlines() if len(line.split()) == 2)
    names = ("LEVEL1_DCACHE_SIZE", "LEVEL2_CACHE_SIZE", "LEVEL3_CACHE_SIZE", "LEVEL4_CACHE_SIZE")
    return sorted(size for size in (int(sizes.get(name, 0)) for name in names) if size > 0)


def metric(result, name):
    return next((one for one in result["metrics"] if one["name"] == name), None)


class Map(fathom.Case):
    @classmethod
    def setUpClass(cls):
        cls.device = cpu_device()

    def measure(self):
        path = self.path("map.json")
        begin = time.monotonic()
        done = fathom.run("map", "-d", self.device, "-o", path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        self.assertLess(time.monotonic() - begin, 55)  # 20 on an idle machine with two cores
        return done, self.read_run(path)

    def assert_a_cache(self, result):
        """A level ends where a cache of this machine does: with 4 KiB pages, and others at work
        in it, that is from half of the cache on."""
        size = metric(result, "size")
        low, high = size["ci95"]
        self.assertTrue(any(0.5 * cache <= high and low <= 1.1 * cache for cache in caches()),
                        (result["key"], size, caches()))

    def test_no_level_contradicts_the_caches_of_the_cpu(self):
        done, document = self.measure()
        self.assertEqual("complete", document["status"])
        found = [one for one in document["results"] if one["benchmark"] == "map"]
        levels = [one for one in found if one["case"]["what"] == "level"
                  and one["case"]["path"] == "vector"]
        self.assertLessEqual(len(levels), len(caches()))
        for result in levels:
            if metric(result, "size"):
                self.assert_a_cache(result)
            else:  # larger than the largest region
                self.assertIn("unknown: more than ", result["details"]["size"])
        hierarchy = fathom.by_key(document)[(self.device, "map/what=hierarchy/path=vector")]
        if hierarchy["verdict"] == "skipped":
            self.assertEqual(["unknown"], fathom.reason_codes(hierarchy))
        elif metric(hierarchy, "levels"):
            self.assertEqual(len(levels), metric(hierarchy, "levels")["median"])
        else:
            self.assertIn("unknown: at least ", hierarchy["details"]["levels"])
        self.assertIn("memory as vector loads see it", done.out)
        self.assertIn("Unknown", done.out)

    def test_of_settings_it_takes_clocks_alone(self):
        for setting, words in (("bytes=4KiB", ["clock=LIST"]),
                               ("latency.clock=1200,1500", ["clock=LIST"]),
                               ("clock=1200", ["at least 5 % apart"]),
                               ("clock=1500,1510", ["at least 5 % apart"]),
                               ("clock=0,1500", ["1 to 100000 MHz"]),
                               ("clock=1.2,1.5", ["clock=1.2,1.5", "whole number"])):
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
