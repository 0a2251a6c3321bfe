# SPDX-License-Identifier: MIT
"""Shared by the tests of `fathom check`: a model of a GPU, and a check of it."""

import copy
import json
import os
import pathlib
import time
import unittest.mock

import fathom

HEALTHY, SLOW, USAGE, NO_DEVICE, BROKEN, UNKNOWN, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130

MODEL = {
    "name": "a model to check", "cores": 8, "core_clock_hz": 1.5e9, "memory_bytes": 1 << 27,
    "last_cache_bytes": 1 << 22,
    "levels": [
        {"capacity_bytes": 1 << 15, "line_bytes": 128, "ways": 4, "latency_cycles": 32,
         "shared": "core", "bandwidth": {"core_bytes_per_cycle": 64, "chip_bytes_per_cycle": 512}},
        {"capacity_bytes": 1 << 22, "line_bytes": 128, "ways": 16, "latency_cycles": 200,
         "shared": "chip", "bandwidth": {"core_bytes_per_cycle": 32, "chip_bytes_per_cycle": 256}}],
    "memory": {"latency_cycles": 600,
               "bandwidth": {"core_bytes_per_cycle": 20, "chip_bytes_per_cycle": 64}},
    "clock_step_ns": 32, "noise": {"relative": 0.003, "seed": 1}}


def children(process, command=b"__check"):
    """The ids of the processes that measure the devices."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text(encoding="utf-8").rpartition(")")[2].split()[1])
            words = (stat.parent / "cmdline").read_bytes().split(b"\0")
        except OSError:  # the process has ended
            continue
        if parent == process.pid and command in words:
            found.append(int(stat.parent.name))
    return found


def wait_until(condition):
    """Waits until the condition returns something true, and returns that."""
    deadline = time.monotonic() + fathom.TIMEOUT_S
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("waited in vain")


def wait_for_child(process, command=b"__check"):
    return wait_until(lambda: children(process, command))[0]


def holds_lock_file(process):
    """True if the process has opened the file of the lock: it then holds the lock or waits for it."""
    for link in pathlib.Path(f"/proc/{process.pid}/fd").glob("*"):
        try:
            if "fathom-check-" in os.readlink(link):
                return True
        except OSError:  # the file was closed
            continue
    return False


class Checks(fathom.Case):
    healthy = b""  # the file of a check of the healthy model, after the first such check

    def setUp(self):
        super().setUp()
        # Keeps the lock of the host's checks in this folder: no other test holds it.
        self.enterContext(unittest.mock.patch.dict(os.environ, TMPDIR=str(self.folder)))

    def model(self, name, **changes):
        path = self.path(name)
        model = copy.deepcopy(MODEL)
        model.update(changes)
        pathlib.Path(path).write_text(json.dumps(model), encoding="utf-8")
        return "model:" + path

    def slower_memory(self, share):
        memory = copy.deepcopy(MODEL["memory"])
        memory["bandwidth"]["chip_bytes_per_cycle"] *= share
        return self.model("slower.json", memory=memory, noise={"relative": 0.003, "seed": 2})

    def check(self, status, *arguments, **variables):
        """Runs a check. Returns the checks in its file, and the outcome."""
        path = self.path("check.json")
        done = fathom.run("check", "-o", path, *arguments, **variables)
        self.assertEqual(status, done.status, done.out + done.err)
        self.run_file = self.read_run(path)
        return self.run_file["checks"], done

    def expectation(self):
        """The path of a check file of the healthy model, which is measured once for all tests."""
        if not Checks.healthy:
            self.check(UNKNOWN, "-d", self.model("healthy.json"))
            Checks.healthy = pathlib.Path(self.path("check.json")).read_bytes()
            os.remove(self.path("check.json"))
        pathlib.Path(self.path("own.json")).write_bytes(Checks.healthy)
        return self.path("own.json")
