# SPDX-License-Identifier: MIT
"""Shared by the tests of the command line: running fathom-fake, and looking at what it wrote."""

import importlib.util
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = os.environ["FATHOM_BINARY"]
TIMEOUT_S = 1800  # only for a run that hangs: a sanitizer's build on a busy machine takes minutes

# A card whose map takes a second of processor time.
SMALL_CARD = {
    "name": "small", "cores": 2, "core_clock_hz": 2e9, "memory_bytes": 16 << 20,
    "levels": [{"capacity_bytes": 4096, "line_bytes": 64, "ways": 4, "latency_cycles": 40,
                "shared": "core", "sets": "plain", "replacement": "lru",
                "bandwidth": {"core_bytes_per_cycle": 64, "chip_bytes_per_cycle": 128}}],
    "memory": {"latency_cycles": 400, "bandwidth": {"chip_bytes_per_cycle": 60}},
    "launch_ns": 4000, "clock_step_ns": 10, "noise": {"relative": 0.003, "seed": 7}}


def smaller_machine():
    """tests/model/machines/two.json with caches of 8 and 256 KiB. It is as complicated, but its map
    takes less than half of the time. The test model_map_two maps the machine itself."""
    machine = json.loads((ROOT / "tests/model/machines/two.json").read_text(encoding="utf-8"))
    for level, capacity in zip(machine["levels"], (8 << 10, 256 << 10), strict=True):
        level["capacity_bytes"] = machine["last_cache_bytes"] = capacity
    return machine | {"cores": 2, "memory_bytes": 32 << 20}


def environment(fake="", **more):
    """The environment of a run: the script of the fake GPU, and no variables of the caller's
    fathom. There is no home, so no run is kept there; the host is one without other work, so a busy
    machine changes no verdict."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith("FATHOM_") and name not in ("HOME", "XDG_STATE_HOME")}
    return {**clean, "FATHOM_FAKE": fake, "FATHOM_HOST_ROOT": str(ROOT / "tests/fakes/quiet_host"),
            **more}


class Outcome:
    """The outcome of a run. If a busy machine keeps drivers from answering for 2 s, a line says so:
    it is in `waited`. Lines that name the next benchmark are in `progress`. `err` has neither."""

    NOTICE = "fathom: note: waiting for the drivers of "
    PROGRESS = "fathom: measuring "

    def __init__(self, done):
        self.status, self.out = done.returncode, done.stdout
        lines = done.stderr.splitlines(keepends=True)
        self.waited = "".join(line for line in lines if line.startswith(self.NOTICE))
        self.progress = "".join(line for line in lines if line.startswith(self.PROGRESS))
        self.err = "".join(line for line in lines
                           if not line.startswith((self.NOTICE, self.PROGRESS)))


def run(*arguments, fake="", binary=BINARY, cwd=None, **more):
    return Outcome(subprocess.run([binary, *arguments], env=environment(fake, **more), cwd=cwd,
                                  capture_output=True, text=True, timeout=TIMEOUT_S, check=False))


def is_sanitized():
    """True if a sanitizer replaces malloc, and takes memory of its own."""
    return any(name in pathlib.Path(BINARY).read_bytes() for name in (b"__asan_init",
                                                                     b"__tsan_init"))


def is_sampled():
    """True if a few of many cases are enough: with a sanitizer, if the others are other numbers for
    the same lines of code. All cases run without a sanitizer, and in check-long."""
    return is_sanitized() and "FATHOM_LONG" not in os.environ


def cpu_seconds(*arguments, **options):
    """As run(), with the processor time of all processes of the run. It hardly depends on what else
    runs on the machine, so a test may limit it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run(*arguments, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def start(*arguments, fake="", binary=BINARY, variables=None, **options):
    """As run(), but does not wait for the end."""
    return subprocess.Popen([binary, *arguments], env=environment(fake, **variables or {}), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def load_checker():
    """tests/schema/check_runs.py as a module; None if python3-jsonschema is missing."""
    spec = importlib.util.spec_from_file_location("check_runs",
                                                  ROOT / "tests/schema/check_runs.py")
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SystemExit:
        return None
    return module


CHECKER = load_checker()


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fathom-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def assert_one_line_error(self, outcome, status, *parts):
        """Checks the exit status, and that one line `fathom: …` on stderr has all parts."""
        self.assertEqual(status, outcome.status, outcome.err)
        lines = outcome.err.splitlines()
        self.assertEqual(1, len(lines), outcome.err)
        self.assertTrue(lines[0].startswith("fathom: "), lines[0])
        for part in parts:
            self.assertIn(part, lines[0])

    def assert_no_report_of_sanitizers(self, outcome):
        for word in ("Sanitizer", "runtime error", "detected memory leaks"):
            self.assertNotIn(word, outcome.err)

    def read_run(self, path):
        """Returns the run file, after checking that it is valid."""
        if CHECKER:
            self.assertEqual([], CHECKER.problems(path, CHECKER.validator()))
        return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


def by_key(document):
    return {(result["device"], result["key"]): result for result in document["results"]}


def reason_codes(result):
    return [reason["code"] for reason in result["reasons"]]


def kill(process, number=signal.SIGKILL):
    if process.poll() is None:
        process.send_signal(number)


def has_signal(status, mask, number):
    """True if the signal is in this mask (SigBlk: blocked, ShdPnd: pending) of a process or thread,
    whose `status` is a path in /proc; also if it has ended."""
    try:
        lines = status.read_text(encoding="ascii").splitlines()
    except OSError:
        return True
    signals = [line.split()[1] for line in lines if line.startswith(mask + ":")]
    return bool(signals) and bool(int(signals[0], 16) & 1 << number - 1)


def is_pending(process, number):
    """True if the signal was sent to the process and is not yet handled."""
    return process.poll() is None and has_signal(pathlib.Path(f"/proc/{process.pid}/status"),
                                                 "ShdPnd", number)


def stopped_in(process):
    """The id of the process, or of its child, that the script stopped (stop=N); None if none is
    stopped."""
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = status.read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
        except OSError:  # the process has ended
            continue
        number = int(status.parent.name)
        if state == "T" and process.pid in (number, int(parent)):
            return number
    return None


def wait_until_stopped(process):
    """Waits for stop=N, and returns the id of the stopped process; fails if the run ends before."""
    deadline = time.monotonic() + TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        number = stopped_in(process)
        if number:
            return number
        time.sleep(0.005)
    raise AssertionError("nothing was stopped: " + str(process.communicate()))


def wait_until_watching(process):
    """Waits until the run watches for signals (all of its threads block them), or has ended. True
    if it watches."""
    deadline = time.monotonic() + TIMEOUT_S
    while process.poll() is None and time.monotonic() < deadline:
        threads = list(pathlib.Path(f"/proc/{process.pid}/task").glob("*/status"))
        if threads and all(has_signal(thread, "SigBlk", signal.SIGINT) for thread in threads):
            return True
        time.sleep(0.001)
    return False


def main():
    unittest.main(verbosity=2)
