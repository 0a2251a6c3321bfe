#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Ctrl-C, SIGTERM and SIGHUP at any moment: a valid file that holds what was measured, exit 130."""

import fcntl
import os
import pathlib
import random
import signal
import subprocess
import termios
import time
import unittest
import unittest.mock

import fathom

TIMES = 20

# A run is stopped at this call of the fake driver while the signal is sent. So the signal comes in
# the middle of the run, however busy the machine is: in the second of twenty visits.
STOP = "stop=30"


class Interrupted(fathom.Case):
    def outcome(self, process, path):
        """Waits for the end of a run. Returns its outcome and its run file, or None without a file."""
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        document = self.read_run(path) if os.path.exists(path) else None
        outcome = fathom.Outcome(unittest.mock.Mock(returncode=process.returncode, stdout=out,
                                                    stderr=err))
        self.assert_no_report_of_sanitizers(outcome)
        return outcome, document

    def interrupt(self, *arguments, number=signal.SIGINT, group=False):
        """Sends the signal to the run, or to its whole process group, in the middle of a visit."""
        path = self.path("run.json")
        process = fathom.start("run", "--preset", "quick", "--tables", "-o", path, *arguments,
                               fake=STOP,
                               start_new_session=True)
        stopped = fathom.wait_until_stopped(process)
        if group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        os.kill(stopped, signal.SIGCONT)
        return self.outcome(process, path)

    def test_at_random_moments_the_file_is_valid(self):
        moments = random.Random(1)
        path = self.path("run.json")
        for i in range(TIMES):
            if os.path.exists(path):
                os.remove(path)
            number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[i % 3]
            process = fathom.start("run", "--preset", "quick", "-o", path, fake="slow=3")
            if i % 2:
                fathom.wait_until_watching(process)
            time.sleep(moments.uniform(0.0, 0.35))
            fathom.kill(process, number)
            done, document = self.outcome(process, path)
            if done.status == -number:  # before or after the run: like any program
                self.assertIn(document and document["status"], (None, "complete"))
            elif done.status == 0:  # after the run's end
                self.assertEqual("complete", document["status"])
            else:
                self.assert_interrupted(done, document)

    def assert_interrupted(self, done, document):
        self.assertEqual(130, done.status, done.err)
        self.assertEqual("interrupted", document["status"])
        # On a busy machine the visit may last so long that a line says so.
        lines = [line for line in done.err.splitlines() if "waiting for" not in line]
        self.assertEqual(1, len(lines), done.err)
        self.assertIn("what was measured is in", lines[0])

    def test_each_signal_in_the_middle_ends_the_run(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                self.assert_interrupted(*self.interrupt(number=number))

    def test_a_signal_that_was_ignored_at_the_start_changes_nothing(self):
        # As under nohup (SIGHUP), and in the background of a script (SIGINT, SIGQUIT).
        for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            with self.subTest(number=number):
                before = signal.signal(number, signal.SIG_IGN)
                try:
                    done, document = self.interrupt(number=number)
                finally:
                    signal.signal(number, before)
                self.assertEqual(0, done.status, done.err)
                self.assertEqual("complete", document["status"])

    def test_cases_say_how_far_they_came(self):
        done, document = self.interrupt()
        self.assertEqual(130, done.status)
        self.assertLess(len(document["results"]), 4)  # chase did not begin
        self.assertGreater(len(document["results"]), 0)
        for result in document["results"]:
            self.assertEqual("suspect", result["verdict"])
            self.assertIn("interrupted", fathom.reason_codes(result))
        self.assertIn("Read bandwidth", done.out)

    def wait_for_calls(self, log):
        """Waits until the worker has made its sixtieth call, which hangs (hang=60)."""
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while time.monotonic() < deadline:  # calls, and "load" by each process
            if log.exists() and len(log.read_text(encoding="utf-8").splitlines()) >= 62:
                return
            time.sleep(0.01)
        self.fail("the driver did not hang")

    def test_a_second_signal_does_not_wait_for_a_hanging_driver(self):
        path, log = self.path("run.json"), pathlib.Path(self.path("calls"))
        process = fathom.start("run", "--preset", "quick", "-o", path, fake=f"hang=60,log={log}")
        self.wait_for_calls(log)
        process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while fathom.is_pending(process, signal.SIGINT) and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        done, document = self.outcome(process, path)
        self.assertEqual(130, done.status)
        self.assertEqual("interrupted", document["status"])

    def test_after_one_signal_a_hanging_driver_gets_seconds_and_the_run_says_so(self):
        path, log = self.path("run.json"), pathlib.Path(self.path("calls"))
        process = fathom.start("run", "--preset", "quick", "-o", path, fake=f"hang=60,log={log}")
        self.wait_for_calls(log)
        process.send_signal(signal.SIGINT)
        done, document = self.outcome(process, path)
        self.assertEqual(130, done.status)
        self.assertEqual("interrupted", document["status"])
        self.assertRegex(done.err.splitlines()[0],
                         "waiting for fake:0 to end its work, at most .* a second Ctrl-C")

    def test_a_signal_to_the_whole_group_costs_no_case(self):
        # A terminal (SIGINT) and a service manager (SIGTERM) send the signal to the worker, too.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            done, document = self.interrupt(number=number, group=True)
            self.assertEqual(130, done.status)
            self.assertEqual({"suspect"}, {result["verdict"] for result in document["results"]})

    def test_a_driver_that_hangs_while_it_is_loaded_keeps_no_signal_from_ending_the_run(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number=number):
                log, path = self.path(f"calls-{number}"), self.path("run.json")
                process = fathom.start("run", "-o", path, fake=f"stuck=1,log={log}")
                deadline = time.monotonic() + fathom.TIMEOUT_S
                while not os.path.exists(log) and time.monotonic() < deadline:
                    time.sleep(0.01)
                process.send_signal(number)
                try:
                    process.communicate(timeout=fathom.TIMEOUT_S)
                finally:
                    fathom.kill(process)
                self.assertEqual(-number, process.returncode)
                self.assertFalse(os.path.exists(path))

    def test_a_reader_that_does_not_read_does_not_hold_the_run(self):
        path = self.path("run.json")
        ends = os.pipe()
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
        process = subprocess.Popen([fathom.BINARY, "run", "--preset", "quick", "-o", path],
                                   env=fathom.environment(), stdout=ends[1],
                                   stderr=subprocess.PIPE, text=True)
        os.close(ends[1])
        waiting = bytearray(4)
        while process.poll() is None and not any(waiting):  # its output fills the pipe
            fcntl.ioctl(ends[0], termios.FIONREAD, waiting)
        # The first signal ends the run. The second one ends the wait for the reader of its tables.
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            while fathom.is_pending(process, signal.SIGINT):
                time.sleep(0.01)
        _, err = process.communicate(timeout=fathom.TIMEOUT_S)
        os.close(ends[0])
        self.assertEqual(130, process.returncode, err)
        self.read_run(path)

    def test_without_isolation_too(self):
        done, document = self.interrupt("--no-isolate")
        self.assertEqual(130, done.status)
        self.assertEqual("interrupted", document["status"])

    def test_the_file_is_there_while_the_run_goes_on(self):
        path = self.path("run.json")
        process = fathom.start("run", "--preset", "quick", "-o", path, fake="slow=100")
        deadline = time.monotonic() + fathom.TIMEOUT_S
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
