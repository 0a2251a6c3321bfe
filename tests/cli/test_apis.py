#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One chip through two real APIs: the host's processors by lavapipe and by PoCL."""

import json
import os
import re
import sys

import fathom

REAL = os.environ["FATHOM_REAL"]
CHEAP = ["--set", "latency.path=vector,shared", "--set", "latency.chain=index",
         "--set", "latency.order=random", "--set", "latency.bytes=4KiB,16KiB",
         "--set", "bandwidth.op=read", "--set", "bandwidth.path=global",
         "--set", "bandwidth.bytes=16KiB,32KiB"]
# Like "   6.555 ns   4.679 ±0.071   1.401 ns  vector 4 KiB": Vulkan, ratio, OpenCL, the case
VALUE = r" +[0-9.]+ (ns|[GMT]B/s)"
ROW = VALUE + r" +[0-9.]+( ±[0-9.]+)?" + VALUE + r"  \w+ \d+ KiB"


def processors():
    """The id of the CPU device of each API."""
    devices = json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]
    return {one["id"].split(":")[0]: one["id"] for one in devices if one["kind"] == "cpu"}


def main_metric(result):
    return result["metrics"][0]


def has_interval(*metrics):
    """True if the ratio of these has an interval: on a busy machine a value may be near 0."""
    return all(metric["ci95"][0] > 0 for metric in metrics)


def are_apart(one, other):
    ratio = one["median"] / other["median"]
    disjoint = one["ci95"][1] < other["ci95"][0] or other["ci95"][1] < one["ci95"][0]
    return disjoint and not 0.97 <= ratio <= 1.03


class Apis(fathom.Case):
    @classmethod
    def setUpClass(cls):
        cls.there = processors()

    def measure(self, *arguments):
        path = self.path("run.json")
        done = fathom.run("run", "latency", "bandwidth", "--preset", "quick", "--tables", *CHEAP, *arguments,
                          "-o", path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        return done, self.read_run(path)

    def test_api_all_measures_every_case_through_each(self):
        done, document = self.measure("-d", self.there["vulkan"], "--api", "all")
        results = fathom.by_key(document)
        keys = {key for _, key in results}
        self.assertGreaterEqual(len(keys), 8)
        for key in keys:
            for device in self.there.values():
                self.assertIn(results[device, key]["verdict"], ("ok", "suspect"), (device, key))

        self.assertIn("through 2 APIs", done.out)
        self.assertIn(f"case (ratios to {self.there['opencl']})", done.out)
        self.assertIn(f"{self.there['vulkan']} ÷ {self.there['opencl']}:", done.out)
        rows = list(filter(None, (re.fullmatch(ROW, line) for line in done.out.splitlines())))
        pairs = [pair for key in keys
                 for pair in zip(*(results[self.there[api], key]["metrics"]
                                   for api in ("vulkan", "opencl")))]
        self.assertEqual(len(pairs), len(rows), done.out)
        self.assertEqual(sum(has_interval(*pair) for pair in pairs),
                         sum(bool(row[2]) for row in rows), done.out)

        apart = {key for key in keys
                 if are_apart(*(main_metric(results[self.there[api], key])
                                for api in ("vulkan", "opencl")))}
        gaps = [one for one in document["findings"] if one["code"] == "api-gap"]
        told = {key for one in gaps for key in one["keys"]}
        self.assertLessEqual(apart, told)
        for one in gaps:
            self.assertIn("÷", one["text"])
            self.assertIn(one["text"][:40], " ".join(done.out.split()))

    def test_without_it_each_chip_is_measured_once(self):
        _, document = self.measure("-d", "all")
        self.assertEqual([self.there["vulkan"]], [one["id"] for one in document["devices"]
                                                  if one["kind"] == "cpu"])

    def test_results_behind_layers_are_suspect(self):
        path = self.path("layers.json")
        done = fathom.run("run", "latency", "--preset", "quick", "-d", self.there["opencl"], "--set",
                          "path=vector", "--set", "bytes=4KiB", "-o", path, binary=REAL, OPENCL_LAYERS="x.so")
        self.assertEqual(0, done.status, done.err)
        results = [one for one in self.read_run(path)["results"] if one["verdict"] != "skipped"]
        self.assertGreater(len(results), 0)
        for one in results:
            self.assertEqual("suspect", one["verdict"], one["key"])
            self.assertEqual(["OPENCL_LAYERS=x.so is set: layers may intercept the driver's functions"],
                             [each["text"] for each in one["reasons"] if each["code"] == "altered"])


if __name__ == "__main__":
    if not {"vulkan", "opencl"} <= processors().keys():
        print("skipped: the host's processors are not reached by Vulkan and OpenCL both")
        sys.exit(77)
    fathom.main()
