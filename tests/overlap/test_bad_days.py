#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Overlap and preempt when something goes wrong, with the whole program on the software GPU.

test_bad_days.py FATHOM; exit 77 if there is no device."""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

FATHOM = os.path.realpath(sys.argv.pop(1))
END_S = 600  # after this time, a program that was told to end hangs

WRONG = {
    "a cycle": (
        '{"name": "A", "after": ["B"]}, {"name": "B", "after": ["A"]}',
        "workloads[0].after",
        "waits for itself",
    ),
    "an unknown queue": (
        '{"name": "A", "queue": "async"}',
        "workloads[0].queue",
        "'async' is not known",
    ),
    "a negative size": ('{"name": "A", "groups": -4}', "workloads[0].groups", ""),
    "a dependency on nothing": (
        '{"name": "A"}, {"name": "B", "after": ["Z"]}',
        "workloads[1].after[0]",
        "there is no workload 'Z'",
    ),
}


def run(*args, **kwargs):
    return subprocess.run(
        [FATHOM, "run", *args], capture_output=True, text=True, check=False, timeout=END_S, **kwargs
    )


def beside_alive(parents):
    """Processes of this program that are hogs of one of `parents`, or whose parent is gone."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                parent = int(file.read().rsplit(")", 1)[1].split()[1])
            ours = os.readlink(f"/proc/{pid}/exe") == FATHOM
        except OSError:
            continue
        if ours and b"__beside" in words and (parent in parents or parent == 1):
            found.add(int(pid))
    return found


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def wait_until(condition):
    end = time.monotonic() + END_S
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


class BadDays(unittest.TestCase):
    def test_wrong_scenarios_are_usage_errors_with_their_place(self):
        for what, (workloads, place, reason) in WRONG.items():
            with self.subTest(what), tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "mine.json")
                with open(path, "w", encoding="utf-8") as file:
                    file.write('{"workloads": [%s]}' % workloads)
                done = run("overlap", "-d", "vulkan:0", "--set", f"scenario={path}")
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("mine.json", done.stderr)
                self.assertIn(place, done.stderr)
                self.assertIn(reason, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_a_scenario_that_is_not_there_is_said(self):
        done = run("overlap", "-d", "vulkan:0", "--set", "scenario=/nonexistent/mine.json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("/nonexistent/mine.json", done.stderr)

    def end_by(self, number, expected):
        """Ends a run by a signal while a frame waits behind a hold that is never released. Its
        worker is stopped there, so no time-out of its own ends it."""
        args = [FATHOM, "run", "overlap", "-d", "vulkan:0", "--set", "scenario=default"]
        args += ["--silence-limit", "3600"]
        with tempfile.TemporaryDirectory() as folder:
            held = os.path.join(folder, "held")
            layer = {"VK_INSTANCE_LAYERS": "VK_LAYER_FATHOM_faults",
                     "VK_LAYER_PATH": os.environ["FATHOM_LAYERS"], "FATHOM_LAYER_HELD": held}
            child = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                     env={**os.environ, **layer})
            self.addCleanup(child.wait)
            self.addCleanup(child.kill)
            self.assertTrue(wait_until(lambda: os.path.exists(held)))
            workers = children_of(child.pid)
            self.assertTrue(workers)
            for worker in workers:
                os.kill(worker, signal.SIGSTOP)
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=END_S), expected)
        self.assertTrue(
            wait_until(lambda: not any(os.path.exists(f"/proc/{worker}") for worker in workers))
        )

    def test_an_interrupt_ends_it_though_work_is_held(self):
        self.end_by(signal.SIGINT, 130)

    def test_its_death_leaves_no_worker_behind(self):
        self.end_by(signal.SIGKILL, -signal.SIGKILL)

    def test_the_hog_dies_with_its_parent(self):
        args = [FATHOM, "run", "preempt", "-d", "vulkan:0", "--preset", "standard"]
        args += ["--set", "setting=processes", "--set", "hog=big-dispatch"]
        args += ["--set", "priority=medium"]
        with subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as child:
            hogs = set()

            def hog_is_there():
                hogs.update(beside_alive(children_of(child.pid)))
                return hogs

            self.assertTrue(wait_until(hog_is_there), "no hog was started")
            child.kill()
            child.wait(timeout=END_S)
        self.assertTrue(
            wait_until(lambda: not any(os.path.exists(f"/proc/{hog}") for hog in hogs)),
            "the hog lives on",
        )

    def lengths_of_hogs(self):
        """How many milliseconds a submission of each hog takes alone."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.json")
            done = run(
                "preempt", "-d", "vulkan:0", "--preset", "quick", "-o", path,
                "--set", "hog=baseline,many-dispatches,big-dispatch,slow-shader",
                "--set", "priority=medium",
            )
            if done.returncode == 1 and "ended before it began" in done.stdout:
                return [float("inf")]  # stopped between a stamp's two halves
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)["results"]
            texts = [result["details"]["hog-alone"].split() for result in results]
            scale = {"us": 1e-3, "µs": 1e-3, "ms": 1, "s": 1e3}
            self.assertEqual(len(texts), 4)
            return [float(text[0]) * scale[text[1]] for text in texts]

    def test_no_submission_lasts_a_second(self):
        """The hogs are sized to 20 ms on a CPU. A busy machine may stretch one run of them fifty
        times, but not every run."""
        longest = []
        while len(longest) < 5 and not (longest and longest[-1] < 1000):
            longest.append(max(self.lengths_of_hogs()))
        self.assertLess(longest[-1], 1000, longest)


if __name__ == "__main__":
    if run("overlap", "-d", "vulkan:0", "--preset", "quick", "--set", "scenario=three").returncode == 3:
        sys.exit(77)
    unittest.main()
