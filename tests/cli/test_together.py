#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Several devices at the same time: the host's processors through lavapipe and through PoCL."""

import json
import os
import pathlib
import signal
import sys
import time

import fathom

REAL = os.environ["FATHOM_REAL"]
CASES = ["--set", "roofline.type=fp32", "--set", "roofline.intensity=1,4"]


def processors():
    devices = json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"]
    return {one["id"].split(":")[0]: one["id"] for one in devices if one["kind"] == "cpu"}


def workers_of(process, device):
    """The ids of the run's processes that measure on this device."""
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            parent = pathlib.Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
            words = pathlib.Path(f"/proc/{number}/cmdline").read_text(encoding="utf-8").split("\0")
        except OSError:  # the process has ended
            continue
        # Before a child becomes a worker, it is a copy of fathom, whose arguments name all devices.
        is_child = int(parent.rpartition(")")[2].split()[1]) == process.pid
        own = None
        if {"__worker", "-d"} <= set(words):
            own = words[words.index("-d") + 1].partition("=")[0]
        if is_child and own == device:
            yield int(number)


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
            share = result["sensors"]["common_time"]["value"]
            self.assertTrue(0 <= share <= 1, share)
            # On a busy host a worker may wait for a processor; then the result has to say so.
            if share < 0.5:
                self.assertIn("apart", fathom.reason_codes(result), share)

    def test_one_chip_through_two_apis_is_measured_one_after_the_other(self):
        for result in self.measure().values():
            self.assertNotIn("with", result["case"])
            self.assertNotIn("common_time", result.get("sensors", {}))

    def test_in_one_process_nothing_is_at_the_same_time(self):
        for result in self.measure("--set", "roofline.together=yes", "--no-isolate").values():
            self.assertNotIn("with", result["case"])

    def measure_killing(self, victim, *devices):
        """Runs two benchmarks, of which only one measures the devices together, and kills every
        worker of the victim as soon as it is there."""
        path = self.path("run.json")
        process = fathom.start("run", "roofline", "incore", "--preset", "quick", "-d", devices[0],
                               "-d", devices[1], "--set", "roofline.together=yes", "--set",
                               "roofline.type=fp32", "--set", "roofline.intensity=1,2,4,8",
                               "--set", "incore.op=fp32-fma", "-o", path, binary=REAL)
        while process.poll() is None:
            for worker in workers_of(process, victim):
                try:
                    os.kill(worker, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.005)
        _, err = process.communicate()
        self.assertEqual(1, process.returncode, err)
        return self.read_run(path)["results"]

    def test_a_device_that_dies_fails_its_own_cases_alone(self):
        one, other = self.there.values()
        for victim, devices in ((other, (one, other)), (one, (one, other))):
            with self.subTest(victim=victim, devices=devices):
                results = self.measure_killing(victim, *devices)
                healthy = [it for it in results if it["device"] != victim]
                dead = [it for it in results if it["device"] == victim]
                self.assertEqual({"roofline", "incore"}, {it["benchmark"] for it in healthy})
                self.assertEqual(len(healthy), len(dead))
                self.assertNotIn("failed", {it["verdict"] for it in healthy}, healthy)
                given_up = [it for it in dead if "device-given-up" in fathom.reason_codes(it)]
                self.assertGreater(len(given_up), 0)
                for it in given_up:
                    self.assertIn(f"{victim} was given up", it["reasons"][0]["text"])

    def test_a_second_signal_waits_for_none_of_the_workers(self):
        # Both workers hang in a visit that they make together.
        devices = [word for one in self.there.values() for word in ("-d", one)]
        process = fathom.start("run", "roofline", "--preset", "quick", *devices, *CASES, "--set",
                               "roofline.together=yes", binary=REAL)
        workers = []
        while process.poll() is None and len(workers) < 2:
            workers = [it for one in self.there.values() for it in workers_of(process, one)]
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        process.send_signal(signal.SIGINT)
        while fathom.is_pending(process, signal.SIGINT): # two pending signals would count as one
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual(130, process.returncode)


if __name__ == "__main__":
    if len(processors()) < 2:
        print("the host's processors are not there through two APIs", file=sys.stderr)
        sys.exit(77)
    fathom.main()
