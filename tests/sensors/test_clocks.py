#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom map --set clock=LIST`, from its command line to the calls of NVML. A CPU serves as the
GPU; a double of NVML takes it for its card, and writes down what is set. No test sets the clock of
a real card."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

FATHOM = os.environ["FATHOM_REAL"]
FIRST_NAMESPACE = "pid:[4026531836]"


def has_vulkan():
    done = subprocess.run([FATHOM, "devices"], capture_output=True, text=True, check=False)
    return "vulkan:0" in done.stdout


class Clocks(unittest.TestCase):
    def setUp(self):
        if os.readlink("/proc/self/ns/pid") != FIRST_NAMESPACE:
            self.skipTest("in a container nothing is set")
        if not has_vulkan():
            self.skipTest("no Vulkan device stands in")
        folder = tempfile.TemporaryDirectory(prefix="fathom-clocks-")
        self.addCleanup(folder.cleanup)
        self.log = pathlib.Path(folder.name) / "log"

    def start(self, wrong=""):
        environment = dict(os.environ, NVML_DOUBLE_ANY="1", NVML_DOUBLE_LOG=str(self.log))
        environment.pop("NVML_DOUBLE", None)
        if wrong:
            environment["NVML_DOUBLE"] = wrong
        return subprocess.Popen([FATHOM, "map", "-d", "vulkan:0", "--set", "clock=1200,1500"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, env=environment)

    def calls(self):
        """The calls so far, without the name of the caller."""
        if not self.log.exists():
            return []
        return [line.split(" by ")[0] for line in self.log.read_text().splitlines()]

    def await_calls(self, count):
        end = time.monotonic() + 240
        while len(self.calls()) < count and time.monotonic() < end:
            time.sleep(0.02)
        self.assertGreaterEqual(len(self.calls()), count, self.calls())

    def assert_refused(self, wrong, *words):
        process = self.start(wrong)
        said = process.communicate(timeout=240)[1]
        self.assertEqual(3, process.returncode, said)
        lines = [line for line in said.splitlines() if not line.startswith("fathom: note:")]
        self.assertEqual(1, len(lines), said)
        for word in ("--set clock", *words):
            self.assertIn(word, lines[0])

    def test_a_card_in_parts_is_refused_and_never_touched(self):
        self.assert_refused("mig", "MIG", "leave clock out")
        self.assertEqual([], self.calls())

    def test_a_card_that_others_use_is_refused_and_never_touched(self):
        self.assert_refused("1", "process 1 ", "end it first")
        self.assertEqual([], self.calls())

    def test_without_permission_nothing_is_measured(self):
        self.assert_refused("permission", "Insufficient Permissions", "root")
        self.assertEqual(["lock 1200 1200"], self.calls())  # refused, so nothing is restored

    def test_what_is_permitted_is_tried_first_and_given_back_after_an_interrupt(self):
        process = self.start()
        self.await_calls(2)
        self.assertEqual(["lock 1200 1200", "reset"], self.calls())
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=240)
        self.assertEqual(130, process.returncode)
        self.assertEqual(["lock 1200 1200", "reset"], self.calls())


if __name__ == "__main__":
    unittest.main()
