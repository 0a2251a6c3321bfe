#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The real program on a real driver. A CPU that serves as a GPU is enough."""

import contextlib
import json
import os
import shutil
import sys
import threading
import xml.etree.ElementTree

import fathom

REAL = os.environ["FATHOM_REAL"]


def has_device():
    return bool(json.loads(fathom.run("devices", "--json", binary=REAL).out)["devices"])


def serve_counters(path, stopped):
    """Gives each reader of a named pipe the next counters of a thread."""
    ns = 0
    while not stopped.is_set():
        pipe = os.open(path, os.O_WRONLY)  # this waits for a reader
        ns += 10**9
        with contextlib.suppress(BrokenPipeError):  # the former reader had not yet closed the pipe
            os.write(pipe, f"{ns} {ns} 1\n".encode("ascii"))
        os.close(pipe)


class Quick(fathom.Case):
    def test_the_quick_preset_measures_and_verifies_within_its_time(self):
        path = self.path("run.json")
        done, seconds = fathom.cpu_seconds("run", "latency", "bandwidth", "--preset", "quick", "-o",
                                           path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        document = self.read_run(path)
        self.assertEqual("complete", document["status"])
        measured = [one for one in document["results"] if one["verdict"] in ("ok", "suspect")]
        self.assertGreater(len(measured), 20)
        self.assertTrue(all(one["metrics"] for one in measured))
        self.assertLess(seconds, 80)  # processor time: 40 s on two cores
        print(f"{len(measured)} cases in {seconds:.1f} s of processors", file=sys.stderr)

    def test_a_value_out_of_reach_is_skipped_with_the_reason(self):
        path = self.path("run.json")
        done = fathom.run("run", "bandwidth", "--preset", "quick", "--set", "bytes=16KiB,8TiB", "-o",
                          path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        verdicts = {one["verdict"] for one in self.read_run(path)["results"]}
        self.assertIn("skipped", verdicts)
        self.assertNotIn("failed", verdicts)

    def test_other_work_on_the_processors_is_seen(self):
        # Given a host whose counters say, each time they are read, that the worker's threads ran as
        # long as they waited, when a case is measured, then its result is not trusted.
        task, stopped = self.folder / "host/proc/self/task/1", threading.Event()
        task.mkdir(parents=True)
        shutil.copy(fathom.ROOT / "tests/fakes/quiet_host/proc/stat", self.folder / "host/proc")
        os.mkfifo(task / "schedstat")
        server = threading.Thread(target=serve_counters, args=(task / "schedstat", stopped))
        server.start()
        path = self.path("run.json")
        done = fathom.run("run", "bandwidth", "--preset", "quick", "--set", "bytes=16KiB", "-o",
                          path, binary=REAL, FATHOM_HOST_ROOT=str(self.folder / "host"))
        stopped.set()
        os.close(os.open(task / "schedstat", os.O_RDONLY | os.O_NONBLOCK))  # ends the server's wait
        server.join()
        self.assertEqual(0, done.status, done.err + done.out)
        measured = [one for one in self.read_run(path)["results"] if one["metrics"]]
        self.assertGreater(len(measured), 0)
        for result in measured:
            self.assertEqual("suspect", result["verdict"])
            self.assertIn({"code": "shared-device",
                           "text": "other work took 50 % of the device's time"},
                          result["reasons"])

    def test_a_hog_in_a_process_of_its_own_meets_its_victim(self):
        path = self.path("run.json")
        done = fathom.run("run", "preempt", "--preset", "quick", "--set", "setting=processes",
                          "--set", "hog=big-dispatch", "--set", "priority=medium", "--set",
                          "samples=4", "-o", path,
                          binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        (result,) = self.read_run(path)["results"]
        self.assertIn("hog", result["details"])
        (entered,) = [one for one in result["series"] if one["name"] == "entered"]
        self.assertGreaterEqual(sum(entered["data"][0]), 4, entered)

    def test_an_application_in_a_process_of_its_own_meets_hog_and_compositor(self):
        path = self.path("run.json")
        done = fathom.run("run", "preempt", "--preset", "quick", "--set", "setting=processes",
                          "--set", "hog=big-dispatch", "--set", "actors=three", "--set",
                          "samples=4", "-o", path, binary=REAL)
        self.assertEqual(0, done.status, done.err + done.out)
        document = self.read_run(path)
        (result,) = document["results"]
        self.assertEqual("preempt/hog=big-dispatch/setting=processes/priority=medium/actors=three",
                         result["key"])
        seen = {metric["name"]: metric["median"] for metric in result["metrics"]}
        for name in ("frames", "app_frames"):  # both processes sent their answers
            self.assertLessEqual(0, seen[name])
            self.assertLessEqual(seen[name], 90)
        self.assertIn("three processes", result["details"]["queues"])
        self.assertIn("8 dispatches", result["details"]["application"])
        (finding,) = [one for one in document["findings"] if one["code"] == "preempt-actors"]
        self.assertIn("big dispatches", finding["text"])
        self.assertEqual([result["key"]], finding["keys"])

    def test_a_scenario_of_ones_own_runs_and_a_wrong_one_says_where(self):
        path, scenario = self.path("run.json"), self.path("mine.json")
        for after, status in ((["A"], 0), (["B"], 2)):
            with open(scenario, "w", encoding="utf-8") as file:
                json.dump({"workloads": [{"name": "A"}, {"name": "B", "after": after}]}, file)
            done = fathom.run("run", "overlap", "--preset", "quick", "--set",
                              "scenario=" + scenario, "-o", path, "--trace", self.path("trace"),
                              "--svg", self.path("svg"), binary=REAL)
            self.assertEqual(status, done.status, done.err + done.out)
        with open(self.path("trace"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        self.assertEqual(1, len([one for one in events if one["ph"] == "s"]))
        root = xml.etree.ElementTree.parse(self.path("svg")).getroot()
        self.assertIn("B: ", "".join(root.itertext()))
        self.assertIn("mine.json: workloads[1].after: B waits for itself", done.err)


if __name__ == "__main__":
    if not has_device():
        print("skipped: no Vulkan, CUDA or OpenCL device here")
        sys.exit(77)
    fathom.main()
