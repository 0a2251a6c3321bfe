#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Devices and drivers that fail in every way: each time a clear reason in a valid file, the right
exit status, no crash of fathom, and everything else is measured."""

import os
import pathlib
import signal
import subprocess
import time
import unittest

import fathom

QUICK = ("run", "--preset", "quick", "--seed", "3")
SMALL = QUICK + ("--set", "bytes=4KiB")  # two cases of the fake benchmarks


class Failing(fathom.Case):
    def measure(self, fake, *arguments, command=QUICK, **more):
        path = self.path("run.json")
        done = fathom.run(*command, "-o", path, *arguments, fake=fake, **more)
        self.assert_no_report_of_sanitizers(done)
        return done, self.read_run(path)

    def failed(self, document):
        return [one for one in document["results"] if one["verdict"] == "failed"]

    def assert_one_failed(self, fake, text, *arguments):
        """Checks that one case failed, with this text and no number, and the others did not."""
        done, document = self.measure(fake, *arguments)
        self.assertEqual(1, done.status, done.err)
        self.assertEqual("complete", document["status"])
        failed = self.failed(document)
        self.assertEqual(1, len(failed), document["results"])
        self.assertIn(text, failed[0]["reasons"][0]["text"])
        self.assertEqual([], failed[0]["metrics"])
        others = [one["verdict"] for one in document["results"] if one is not failed[0]]
        self.assertEqual(["ok"] * 3, others)
        return failed[0]


class EveryCall(Failing):
    """Call number N fails, for every N up to the number of calls of a run."""

    def calls(self):
        log = self.path("calls")
        done = fathom.run(*SMALL, "--no-isolate", fake=f"log={log}")
        self.assertEqual(0, done.status)
        with open(log, encoding="utf-8") as file:
            return sum(1 for line in file if line != "load\n")

    def every(self, event, *arguments, first=1, step=1):
        calls = self.calls()
        self.assertGreater(calls, 100)
        for number in range(first, calls + 1, step):
            yield number, self.measure(f"{event}={number}", *arguments, command=SMALL)

    def test_fails(self):
        for number, (done, document) in self.every("fail", "--no-isolate"):
            self.assertEqual(1, done.status, number)
            texts = [one["reasons"][0]["text"] for one in self.failed(document)]
            self.assertEqual(1, len(texts))
            self.assertIn(f"call {number} fails", texts[0])

    def test_runs_out_of_memory(self):
        for number, (done, document) in self.every("memory", "--no-isolate", first=2, step=3):
            self.assertEqual(0, done.status, number)
            skipped = [one for one in document["results"] if one["verdict"] == "skipped"]
            self.assertEqual(1, len(skipped))
            self.assertEqual("out-of-memory", skipped[0]["reasons"][0]["code"])

    def test_a_device_that_memory_is_lacking_for_is_opened_once(self):
        log = self.path("calls")  # opening the device is the first call
        done, document = self.measure(f"memory=1,log={log}")
        self.assertEqual(3, done.status, done.err)
        reasons = {(one["verdict"], one["reasons"][0]["code"], one["reasons"][0]["text"])
                   for one in document["results"]}
        self.assertEqual({("skipped", "out-of-memory",
                           "cannot open fake:0: fake device_open: out of device memory")}, reasons)
        self.assertEqual(4, len(document["results"]))
        with open(log, encoding="utf-8") as file:
            self.assertEqual(1, file.read().count("device_open"))

    def test_loses_the_device_in_this_process(self):
        for number, (done, document) in self.every("lose", "--no-isolate", step=3):
            self.assertEqual(1, done.status, number)
            self.assertTrue(self.failed(document), number)

    def test_fails_in_a_worker(self):
        for number, (done, document) in self.every("fail", step=11):
            self.assertEqual(1, done.status)
            self.assertIn(f"call {number} fails", self.failed(document)[0]["reasons"][0]["text"])


class Workers(Failing):
    """A fault happens once, in the first worker that makes this call; the next worker works."""

    def once(self, event):
        return f"{event},once={self.path('happened')}"

    def test_a_crash_costs_one_case(self):
        failed = self.assert_one_failed(self.once("crash=60"), "signal 9")
        self.assertIn("fake driver: assertion failed in", failed["reasons"][0]["text"])

    def test_a_crash_names_the_file_in_which_it_happened(self):
        self.assert_one_failed(self.once("fault=60"), "signal 11 (Segmentation fault) in "
                               + pathlib.Path(fathom.BINARY).name)

    def test_a_crash_is_known_where_the_caller_ignores_the_ends_of_its_children(self):
        path = self.path("run.json")
        process = fathom.start(*QUICK, "-o", path, fake=self.once("crash=60"),
                               preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        process.communicate(timeout=fathom.TIMEOUT_S)
        (failed,) = self.failed(self.read_run(path))
        self.assertIn("it was killed by signal 9", failed["reasons"][0]["text"])

    def test_a_hang_costs_one_case_and_is_ended(self):
        # A worker that gets no processor time is silent as well, but not for 10 s.
        self.assert_one_failed(self.once("hang=60"), "no answer for 10 s", "--silence-limit", "10")

    def test_a_lost_device_costs_one_case(self):
        self.assert_one_failed(self.once("lose=60"), "the device is lost")

    def test_a_timeout_costs_one_case(self):
        self.assert_one_failed(self.once("timeout=60"), "nothing happened in time")

    def test_garbage_on_the_channel_costs_one_case(self):
        self.assert_one_failed(self.once("garbage=60"), "not a message of the worker protocol")

    def test_half_a_message_costs_one_case(self):
        self.assert_one_failed(self.once("half=60"), "the worker process died")

    def test_a_wrong_result_is_failed_and_no_number(self):
        failed = self.assert_one_failed(self.once("wrong=32"), "instead of")
        self.assertEqual("mismatch", failed["reasons"][0]["code"])

    def test_a_message_of_the_validation_is_failed(self):
        self.assert_one_failed(self.once("complain=60"), "VUID-fake")

    def test_a_driver_that_always_crashes_ends_after_three_workers(self):
        for event in ("crash=5", "lose=5", "half=5", "garbage=5"):
            with self.subTest(event=event):
                log = self.path(event)
                done, document = self.measure(f"{event},log={log}")
                self.assertEqual(1, done.status)
                self.assertEqual(["failed"] * 4,
                                 [one["verdict"] for one in document["results"]])
                given_up = [one for one in document["results"]
                            if fathom.reason_codes(one) == ["device-given-up"]]
                self.assertGreaterEqual(len(given_up), 1)
                self.assertIn("3 workers lost in a row", given_up[0]["reasons"][0]["text"])
                with open(log, encoding="utf-8") as file:
                    self.assertEqual(3, file.read().count("device_open"))

    def test_one_bad_device_does_not_keep_the_next_from_being_measured(self):
        # The second device cannot run chase; its own worker measures both cases of sum.
        once = self.path("happened")
        done, document = self.measure(f"lose=5,once={once}", "sum", "-d", "all")
        self.assertEqual(1, done.status)
        self.assertEqual({"fake:0", "fake:1"}, {one["device"] for one in document["results"]})
        self.assertEqual(1, len(self.failed(document)))


class Loading(Failing):
    """The APIs `fake` and `mirror` are loaded in processes of their own."""

    def test_a_driver_that_crashes_while_it_is_loaded_leaves_the_others(self):
        done, document = self.measure("doomed=1", "-d", "mirror")
        self.assertEqual(0, done.status, done.err)
        self.assertEqual({"ok"}, {one["verdict"] for one in document["results"]})

    def test_a_process_that_cannot_be_started_is_not_called_a_fault_of_the_driver(self):
        done = subprocess.run(["sh", "-c", 'ulimit -n 8; exec "$0" devices', fathom.BINARY],
                              env=fathom.environment(), capture_output=True, text=True,
                              timeout=fathom.TIMEOUT_S, check=False)
        self.assertIn("cannot start /proc/self/exe: Too many open files", done.stdout)
        self.assertIn("ulimit -n", done.stdout)
        self.assertNotIn("driver", done.stdout)

    def test_a_driver_that_needs_the_crashing_one_is_loaded_again_without_it(self):
        for fake in ("shy=1", "shy=1,doomed=1"):
            done, document = self.measure(fake, "-d", "mirror", "sum",
                                          GLIBC_TUNABLES="glibc.malloc.check=0")
            self.assertEqual(0, done.status, done.err)
            self.assertEqual({"ok"}, {one["verdict"] for one in document["results"]})

    def test_a_worker_finds_its_device_where_the_driver_lists_it_elsewhere(self):
        turned = f"turn=1,once={self.path('happened')}"  # chase cannot run on fake:1
        done, document = self.measure(turned, "-d", "fake:0", "chase")
        self.assertEqual(0, done.status, done.err)
        self.assertEqual({"ok"}, {one["verdict"] for one in document["results"]})


class Locale(Failing):
    """A driver that takes over the user's locale, in which numbers have a decimal comma."""

    def setUp(self):
        super().setUp()
        if fathom.is_sanitized():
            self.skipTest("a sanitizer wants to be the first library")
        made = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8",
                               self.path("de_DE.UTF-8")], capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("this machine cannot make a German locale")

    def test_numbers_keep_their_point(self):
        done, document = self.measure("", LOCPATH=str(self.folder), LC_ALL="de_DE.UTF-8",
                                      LD_PRELOAD=os.environ["FATHOM_GERMAN_DRIVER"])
        self.assertEqual(0, done.status, done.err)
        self.assertEqual(["ok"] * 4, [one["verdict"] for one in document["results"]])


class Orphans(Failing):
    def processes(self, token):
        """The ids of processes that have the token in their environment."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if token.encode() in file.read():
                        found.append(int(pid))
            except OSError:
                continue
        return found

    def wait_for(self, condition):
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while time.monotonic() < deadline:
            if condition():
                return True
            time.sleep(0.02)
        return False

    def test_a_killed_parent_takes_its_worker_with_it(self):
        token, log = f"orphan={self.folder.name}", pathlib.Path(self.path("calls"))
        process = fathom.start(*QUICK, fake=f"hang=30,log={log},{token}")
        # Given a worker that hangs in its thirtieth call (a process also logs when it is loaded).
        self.assertTrue(self.wait_for(lambda: log.exists() and len(log.read_text().splitlines()) >= 32))
        self.assertEqual(2, len(self.processes(token)))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        self.assertTrue(self.wait_for(lambda: not self.processes(token)))

    def test_nobody_is_left_after_a_run(self):
        token = f"orphan={self.folder.name}"
        fathom.run(*QUICK, fake=f"half=30,{token}")
        self.assertEqual([], self.processes(token))


if __name__ == "__main__":
    unittest.main(verbosity=2)
