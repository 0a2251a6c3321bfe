#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ctrl-C, SIGTERM and SIGHUP at any moment: a valid file that holds what was measured, exit 130."""

import os
import random
import signal
import time
import unittest
import unittest.mock

import fathom

TIMES = 20


class Interrupted(fathom.Case):
    def interrupt(self, after_s, *arguments, fake="slow=3", number=signal.SIGINT, again_s=None,
                  watching=True):
        """Runs, sends the signal (and another one) `after_s` from when the run watches for it, or
        from its start; the outcome and the run file, None where there is none."""
        path = self.path("run.json")
        if os.path.exists(path):
            os.remove(path)
        process = fathom.start("run", "--preset", "quick", "-o", path, *arguments, fake=fake)
        if watching:
            self.assertTrue(fathom.wait_until_watching(process))
        time.sleep(after_s)
        fathom.kill(process, number)
        if again_s is not None:
            time.sleep(again_s)
            fathom.kill(process, number)
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        document = self.read_run(path) if os.path.exists(path) else None
        outcome = fathom.Outcome(unittest.mock.Mock(returncode=process.returncode, stdout=out,
                                                    stderr=err))
        self.assert_no_report_of_sanitizers(outcome)
        return outcome, document

    def test_at_random_moments_the_file_is_valid(self):
        moments = random.Random(1)
        statuses = set()
        for i in range(TIMES):
            after_s = moments.uniform(0.0, 0.35)
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
            done, document = self.interrupt(after_s, number=number, watching=i % 2)
            statuses.add(done.status)
            if done.status == -number:  # before the run began or after its end: like any program
                self.assertIn(document and document["status"], (None, "complete"))
            elif done.status == 0:  # after its end
                self.assertEqual("complete", document["status"])
            else:
                self.assertEqual(130, done.status, done.err)
                self.assertEqual("interrupted", document["status"])
                self.assertEqual(1, len(done.err.splitlines()))
                self.assertIn("what was measured is in", done.err)
        self.assertIn(130, statuses)

    def test_under_nohup_a_hangup_changes_nothing(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            done, document = self.interrupt(0.1, number=signal.SIGHUP)
        finally:
            signal.signal(signal.SIGHUP, before)
        self.assertEqual(0, done.status, done.err)
        self.assertEqual("complete", document["status"])

    def test_cases_say_how_far_they_came(self):
        done, document = self.interrupt(0.5, fake="slow=40")
        self.assertEqual(130, done.status)
        self.assertLess(len(document["results"]), 4)  # chase had not begun
        self.assertGreater(len(document["results"]), 0)
        for result in document["results"]:
            self.assertEqual("suspect", result["verdict"])
            self.assertIn("interrupted", fathom.reason_codes(result))
        self.assertIn("Read bandwidth", done.out)

    def test_a_second_signal_does_not_wait_for_a_hanging_driver(self):
        begin = time.monotonic()
        done, document = self.interrupt(0.3, fake="hang=60", again_s=0.2)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertEqual(130, done.status)
        self.assertEqual("interrupted", document["status"])

    def test_a_signal_to_the_whole_group_costs_no_case(self):
        # What a terminal (SIGINT) and a service manager (SIGTERM) do: the worker gets it as well.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            path = self.path("run.json")
            process = fathom.start("run", "--preset", "quick", "-o", path, fake="slow=20",
                                   start_new_session=True)
            self.assertTrue(fathom.wait_until_watching(process))
            time.sleep(0.3)
            os.killpg(process.pid, number)
            process.communicate(timeout=fathom.TIMEOUT_S)
            self.assertEqual(130, process.returncode)
            verdicts = {result["verdict"] for result in self.read_run(path)["results"]}
            self.assertEqual({"suspect"}, verdicts)

    def test_a_driver_that_hangs_while_it_is_loaded_keeps_no_signal_from_ending_the_run(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                log, path = self.path(f"calls-{number}"), self.path("run.json")
                process = fathom.start("run", "-o", path, fake=f"stuck=1,log={log}")
                deadline = time.monotonic() + 20
                while not os.path.exists(log) and time.monotonic() < deadline:
                    time.sleep(0.01)
                process.send_signal(number)
                try:
                    process.communicate(timeout=10)
                finally:
                    fathom.kill(process)
                self.assertEqual(-number, process.returncode)
                self.assertFalse(os.path.exists(path))

    def test_without_isolation_too(self):
        done, document = self.interrupt(0.25, "--no-isolate")
        self.assertEqual(130, done.status)
        self.assertEqual("interrupted", document["status"])

    def test_the_file_is_there_while_the_run_goes_on(self):
        path = self.path("run.json")
        process = fathom.start("run", "--preset", "quick", "-o", path, fake="slow=30")
        deadline = time.monotonic() + 20
        while not os.path.exists(path) and time.monotonic() < deadline:
            time.sleep(0.05)
        document = self.read_run(path)
        self.assertEqual("running", document["status"])
        self.assertTrue(document["results"])
        fathom.kill(process, signal.SIGTERM)
        process.communicate(timeout=fathom.TIMEOUT_S)
        self.assertEqual("interrupted", self.read_run(path)["status"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
