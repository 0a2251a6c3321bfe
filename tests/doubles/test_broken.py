#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Devices, run and map with drivers that break while they are loaded or listed (broken.c): each
time there is a clear reason for that API, and the machine's other API is listed and measured.
FATHOM_LONG: each fault at each place, with each command, in each API."""

import concurrent.futures
import itertools
import json
import os
import signal
import sys
import time
import unittest

import fathom

FOLDER = os.environ["BROKEN_FOLDER"]
MACHINE = str(fathom.ROOT / "tests/model/machines/two.json")
APIS = {"vulkan": "libvulkan.so.1", "cuda": "libcuda.so.1", "opencl": "libOpenCL.so.1"}
PLACES = ("constructor", "create", "enumerate", "query")
# What the user reads if a driver does this.
ENDS = {"crash": "driver crashed while loading: signal 11 (Segmentation fault) in ",
        "abort": "driver crashed while loading: signal 6 (Aborted)",
        "exit": "driver ended the process while loading (exit status 0)",
        "garbage": "driver disturbs the process that loads it: ",
        "endless": "driver disturbs the process that loads it: no end of its answer",
        "hang": "driver did not answer within "}
# Impossible values, the APIs that can report them, and what the user reads.
ABSURD = {"devices": ("vulkan cuda opencl", "driver reports "),
          "memory": ("vulkan cuda opencl", "driver reports memory_bytes = 18446744073709551615"),
          "align": ("vulkan cuda opencl", "_align_bytes = 48, which cannot be true"),
          "units": ("vulkan cuda opencl", "driver reports "),
          "heaps": ("vulkan", "driver reports memory_bytes"),
          "queues": ("vulkan", "none of its queues can compute"),
          "features": ("vulkan", "its driver lacks the feature hostQueryReset, which Vulkan 1.3"),
          "bits": ("vulkan", "time stamps of 1 bits"),
          "period": ("vulkan opencl", "time stamps whose unit is no positive number"),
          "nan": ("vulkan", "time stamps whose unit is no positive number"),
          "negative": ("vulkan opencl", "driver reports ")}


def broken(api, fault):
    """The environment in which the driver of this API is the broken one."""
    return {"BROKEN": fault, "LD_LIBRARY_PATH": os.path.join(FOLDER, "broken_" + api)}


def other(api):
    """A device of another API, whose driver is not broken."""
    return "opencl:0" if api == "vulkan" else "vulkan:0"


def at_every_place(*faults):
    return [(api, f"{fault}@{place}", fault)
            for api, fault, place in itertools.product(APIS, faults, PLACES)]


def together(function, cases, threads):
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, cases))


def at_every_hang(function):
    """Calls function(api, fault, limit) for each driver that hangs, all at once, because they
    mostly wait. If the machine is so busy that the other API is given up as well, the function
    returns False and is called again with more time."""
    def try_limits(case):
        return any(function(*case[:2], str(limit_s)) for limit_s in (5, 20, 80))

    cases = at_every_place("hang")
    return dict(zip(cases, together(try_limits, cases, len(cases))))


class Broken(fathom.Case):
    def list(self, api, fault, *arguments):
        done = fathom.run("devices", "--json", *arguments, **broken(api, fault))
        self.assertIn(done.status, (0, 3), done.err)
        return done, json.loads(done.out)

    def assert_absent(self, api, listed, text):
        """The API has no device, for one reason, which holds the text; the other API has one."""
        ids = [one["id"] for one in listed["devices"]]
        self.assertIn(other(api), ids)
        self.assertNotIn(api + ":0", ids)
        reasons = [one["reason"] for one in listed["absences"] if one["api"] == api]
        self.assertEqual(1, len([one for one in reasons if text in one]), reasons)

    def measure_other(self, api, fault, *arguments):
        """Measures the other API. Outputs have no folder, which a broken driver might change."""
        name = f"{api}-{fault}.json"
        done = fathom.run("run", "latency", "--preset", "quick", "--set", "path=vector", "--set",
                          "bytes=4KiB", "-d", other(api), "-o", name, *arguments,
                          cwd=self.folder, **broken(api, fault))
        return done, self.path(name)

    def assert_other_is_measured(self, cases):
        outcomes = together(lambda case: self.measure_other(*case[:2]), cases, 4)
        for case, (done, path) in zip(cases, outcomes):
            with self.subTest(case=case):
                self.assertEqual(0, done.status, done.err)
                self.assertNotIn("BABBLE", done.out + done.err)
                (result,) = self.read_run(path)["results"]
                self.assertIn(result["verdict"], ("ok", "suspect"))

    def assert_map_measures(self, api, fault, limit="30"):
        """Interrupts a map beside the broken driver as soon as its file has a result. False if it
        found no device."""
        path = self.path(f"map-{api}-{fault}-{limit}.json")
        process = fathom.start("map", "-d", "model:" + MACHINE, "-o", path, "--silence-limit", limit,
                               variables=broken(api, fault))
        self.addCleanup(fathom.kill, process)
        while process.poll() is None and not (os.path.exists(path) and
                                              self.read_run(path)["results"]):
            time.sleep(0.05)
        fathom.kill(process, signal.SIGTERM)
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        if process.returncode == 3:
            return False
        self.assertEqual(130, process.returncode, err)
        self.assertNotIn("BABBLE", out + err)
        self.assertEqual("interrupted", self.read_run(path)["status"])
        return True


class Devices(Broken):
    def test_the_doubles_are_devices_where_nothing_breaks(self):
        for api in APIS:
            self.assertIn(api + ":0", [one["id"] for one in self.list(api, "none")[1]["devices"]])

    def test_a_driver_that_ends_its_process_is_absent_with_the_reason(self):
        for api, fault, kind in at_every_place("crash", "abort", "exit", "garbage",
                                                "endless"):
            with self.subTest(api=api, fault=fault):
                done, listed = self.list(api, fault)
                self.assert_absent(api, listed,
                                   ENDS[kind] + (APIS[api] if kind == "crash" else ""))
                self.assertEqual("", done.err)

    def test_a_driver_that_hangs_is_given_up_and_the_wait_is_announced(self):
        def look(api, fault, limit):
            done, listed = self.list(api, fault, "--silence-limit", limit)
            if other(api) not in [one["id"] for one in listed["devices"]]:
                return False
            self.assert_absent(api, listed, ENDS["hang"] + limit + " s while loading")
            self.assertIn(api, done.waited)
            self.assertEqual(1, done.waited.count("\n"))
            return True

        self.assertEqual({True}, set(at_every_hang(look).values()))

    def test_what_a_driver_prints_is_not_seen(self):
        for api, fault, _ in at_every_place("babble"):
            with self.subTest(api=api, fault=fault):
                done, listed = self.list(api, fault)
                self.assertEqual("", done.err)
                self.assertIn(api + ":0", [one["id"] for one in listed["devices"]])

    def test_values_that_cannot_be_true_are_refused(self):
        for fault, (apis, text) in ABSURD.items():
            for api in apis.split():
                with self.subTest(api=api, fault=fault):
                    self.assert_absent(api, self.list(api, fault)[1], text)

    def test_a_driver_without_a_device_is_absent_with_a_reason(self):
        for api in APIS:
            with self.subTest(api=api):
                self.assert_absent(api, self.list(api, "absent")[1], "")

    def test_lists_that_grow_between_two_calls_are_read_as_far_as_there_was_room(self):
        self.assertIn("vulkan:0", [one["id"] for one in self.list("vulkan", "grow")[1]["devices"]])

    def test_names_are_printable_on_the_screen_and_the_same_in_json(self):
        for api in APIS:
            with self.subTest(api=api):
                screen = fathom.run("devices", **broken(api, "names")).out
                (name,) = [one["name"] for one in self.list(api, "names")[1]["devices"]
                           if one["id"] == api + ":0"]
                self.assertIn("\\x1b[2J\\x1b]0;owned\\x07 \ufffd\ufffd Bad\\x0aName \\u202eGPU", name)
                self.assertIn(name + "\n", screen)
                self.assertTrue(all(one >= " " or one == "\n" for one in screen))


class Measuring(Broken):
    def test_the_other_api_is_measured(self):
        cases = at_every_place("crash", "abort", "exit", "garbage", "babble", "chdir")
        cases = cases[::1 if "FATHOM_LONG" in os.environ else 5]
        self.assert_other_is_measured(cases + [(api, fault) for api in APIS
                                               for fault in ("memory", "names")])

    def test_the_other_api_is_measured_beside_a_driver_that_hangs(self):
        def look(api, fault, limit):
            done, path = self.measure_other(api, fault, "--silence-limit", limit)
            return done.status == 0 and self.read_run(path)["status"] == "complete"

        self.assertEqual({True}, set(at_every_hang(look).values()))

    def test_a_process_beside_the_worker_finds_its_device_too(self):
        """`preempt` starts a process for its hog, which looks for its device as a worker does."""
        for api, fault in (("cuda", "crash@create"), ("opencl", "exit@enumerate")):
            path = self.path(f"beside-{api}.json")
            done = fathom.run("run", "preempt", "--preset", "quick", "-d", "vulkan:0", "--set",
                              "setting=processes", "--set", "hog=baseline", "--set",
                              "priority=medium", "-o", path, **broken(api, fault))
            self.assertEqual(0, done.status, done.err)
            (result,) = self.read_run(path)["results"]
            self.assertIn(result["verdict"], ("ok", "suspect"))

    def test_a_device_that_was_named_is_refused_with_the_reason(self):
        for api in APIS:
            done = fathom.run("run", "-d", api, **broken(api, "crash@create"))
            self.assert_one_line_error(done, 3, "driver crashed while loading", APIS[api])

    def test_a_driver_that_breaks_as_it_is_unloaded_changes_nothing(self):
        """`run` on the broken driver itself: its device cannot be opened, so its case fails; how the
        worker ends afterwards makes no difference."""
        seen = {}
        for fault in ("none", "crash@destructor", "abort@destructor", "exit@destructor"):
            for api in APIS:
                path = self.path("run.json")
                done = fathom.run("run", "latency", "--preset", "quick", "--set", "path=scalar",
                                  "--set", "bytes=4KiB", "-d", api, "-o", path,
                                  **broken(api, fault))
                document = self.read_run(path)
                outcome = (done.status, document["status"],
                           [(one["verdict"], one["reasons"]) for one in document["results"]])
                self.assertEqual(seen.setdefault(api, outcome), outcome, fault)

    def test_nor_does_it_in_the_process_itself(self):
        for kind, api in itertools.product(("crash", "abort", "exit", "hang"), APIS):
            with self.subTest(kind=kind, api=api):
                done, path = self.measure_other(api, kind + "@destructor", "--no-isolate")
                self.assertEqual((0, ""), (done.status, done.err))
                self.assertEqual("complete", self.read_run(path)["status"])

    def test_values_that_cannot_be_true_are_refused_by_run_and_map(self):
        cases = [(api, fault) for fault, (apis, _) in ABSURD.items() for api in apis.split()]

        def refused(case):
            return [fathom.run(command, "-d", case[0] + ":0", "-o", self.path("none.json"),
                               **broken(*case)) for command in ("run", "map")]

        for (api, fault), outcomes in zip(cases, together(refused, cases, 4)):
            for done in outcomes:
                with self.subTest(api=api, fault=fault):
                    self.assert_one_line_error(done, 3, ABSURD[fault][1])
        self.assertFalse(os.path.exists(self.path("none.json")))

    def test_map_measures_beside_a_driver_that_breaks(self):
        cases = at_every_place("crash", "abort", "exit", "garbage", "babble", "chdir")[::5]
        outcomes = together(lambda case: self.assert_map_measures(*case[:2]), cases, 4)
        self.assertEqual({True}, set(outcomes))

    def test_map_measures_beside_a_driver_that_hangs(self):
        self.assertEqual({True}, set(at_every_hang(self.assert_map_measures).values()))

    def test_map_goes_on_beside_a_broken_driver(self):
        card = self.folder / "small.json"
        card.write_text(json.dumps(fathom.SMALL_CARD), encoding="ascii")

        def measure(case):
            path = self.path(case[0] + ".json")
            return path, fathom.run("map", "-d", f"model:{card}", "-o", path, **broken(*case))

        cases = list(zip(APIS, ("crash@constructor", "exit@create", "abort@query")))
        for path, done in together(measure, cases, len(cases)):
            self.assertEqual(0, done.status, done.err)
            self.assertEqual("complete", self.read_run(path)["status"])


@unittest.skipUnless("FATHOM_LONG" in os.environ, "in check-long")
class Table(Broken):
    FAULTS = ("crash", "hang", "exit", "abort", "babble", "chdir", "garbage")

    def devices(self, api, fault, limit):
        done, listed = self.list(api, fault, "--silence-limit", limit)
        return (done.status, done.err) == (0, "") and other(api) in [
            one["id"] for one in listed["devices"]]

    def run_other(self, api, fault, limit):
        done, path = self.measure_other(api, fault, "--silence-limit", limit)
        return done.status == 0 and self.read_run(path)["status"] == "complete" and (
            "BABBLE" not in done.out + done.err)

    def ends(self, case):
        """Returns what went wrong; nothing if the other API was listed or measured. A machine that
        is so busy that the other API is given up, too, gets more time."""
        command, api, fault = case
        try:
            return any(command(self, api, fault, limit) for limit in ("10", "160")) or "no device"
        except (AssertionError, ValueError, OSError) as error:
            return str(error)

    def test_each_fault_at_each_place_with_each_command_in_each_api(self):
        faults = [(api, f"{fault}@{place}") for api, fault, place in
                  itertools.product(APIS, self.FAULTS, (*PLACES, "destructor"))]
        faults += [(api, fault) for fault, (apis, _) in ABSURD.items() for api in apis.split()]
        faults += [(api, "names") for api in APIS]
        commands = (Table.devices, Table.run_other, Table.assert_map_measures)
        cases = [(command, *fault) for command in commands for fault in faults]
        outcomes = together(self.ends, cases, 6)
        wrong = [(case[0].__name__, *case[1:], outcome)
                 for case, outcome in zip(cases, outcomes) if outcome is not True]
        print(f"{len(cases) - len(wrong)} of {len(cases)} combinations end as they should")
        self.assertEqual([], wrong)


if __name__ == "__main__":
    there = {one["id"] for one in
             json.loads(fathom.run("devices", "--json").out)["devices"]}
    if not {"vulkan:0", "opencl:0"} <= there:
        print("no device of Vulkan and OpenCL to measure beside the broken drivers")
        sys.exit(77)
    fathom.main()
