#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The worker process. It stays between measurements; it is started again when it dies, hangs or
loses its device; without a page it is idle; a cancel ends its visit within a second. FATHOM_LONG: a
minute of continuous measuring does not change the memory of server and worker."""

import os
import signal
import sys
import time
import unittest

import fathom
import live

LONG = "FATHOM_LONG" in os.environ
REAL = os.environ["FATHOM_REAL"]
MACHINE = str(fathom.ROOT / "tests/model/machines/two.json")


def resident_kib(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


@unittest.skipIf(LONG, "the short tests ran before")
class Worker(live.Case):
    def test_worker_stays_between_measurements(self):
        server = self.serve()
        tab, passing = server.open(), []
        for number in (1, 2):
            tab.measure(number, "sum", set={"bytes": f"{4 * number}KiB"})
            tab.receive("done", passing=passing)
        one = server.workers()
        tab.measure(3, "chase")
        self.assertEqual("complete", tab.receive("done", passing=passing)["status"])
        self.assertEqual((1, one), (len(one), server.workers()))
        self.assertEqual(1, len([message for message in passing if message["type"] == "status"]))

    def test_worker_that_is_killed(self):
        server = self.serve(fake="slow=1")
        tab, passing = server.open(), []
        tab.measure(1, "sum", continuous=True)
        tab.receive("result")
        killed = server.workers()
        os.kill(killed[0], signal.SIGKILL)
        error = tab.receive("error")
        self.assertIn("fake:0 was lost: the worker process died: it was killed by signal 9",
                      error["message"])
        self.assertIn("its worker is started again", error["message"])
        self.assertEqual(1, error["id"])
        done = tab.receive("done", passing=passing)  # from the next frame, by another worker
        self.assertEqual(1, done["id"])
        self.assertIn("ok", {one["result"]["verdict"] for one in passing if one["type"] == "result"})
        self.assertNotEqual(killed, server.workers())

    def broken(self, event, *arguments):
        """Measures once, with a GPU that breaks once. Returns every message until `done`."""
        once = self.path("once")
        server = self.serve(*arguments, fake=f"{event},once={once}")
        tab, passing = server.open(), []
        tab.measure(1, "sum")
        done = tab.receive("done", passing=passing)
        self.assertTrue(os.path.exists(once))
        return done, [one["message"] for one in passing if one["type"] == "error"]

    def test_measurement_is_made_again(self):
        for event, part in (("crash=30", "the worker process died"), ("lose=30", "lost"),
                            ("timeout=30", "fake:0 was lost")):
            with self.subTest(event=event):
                done, errors = self.broken(event)
                self.assertEqual(1, len(errors), errors)
                self.assertIn(part, errors[0])
                self.assertEqual("complete", done["status"])
                self.assertNotIn("failed", {one["verdict"] for one in done["run"]["results"]})
                os.unlink(self.path("once"))

    def test_device_that_hangs(self):
        done, errors = self.broken("hang=30", "--silence-limit", "2")
        self.assertEqual(1, len(errors), errors)
        self.assertIn("fake:0 was lost: no answer for 2 s", errors[0])
        self.assertNotIn("failed", {one["verdict"] for one in done["run"]["results"]})

    def test_device_that_always_breaks(self):
        server = self.serve(fake="crash=30")
        tab, passing = server.open(), []
        tab.measure(1, "sum", continuous=True)
        done = tab.receive("done", passing=passing)
        self.assertIn("run", done)  # this was the last frame, although nobody cancelled
        self.assertIn("failed", {one["verdict"] for one in done["run"]["results"]})
        self.assertLessEqual(3, len([one for one in passing if one["type"] == "error"]))

    def test_cancel_of_a_visit_that_hangs(self):
        # an hour of silence: only the cancel ends the visit
        server = self.serve("--silence-limit", "3600", fake=f"hang=30,once={self.path('once')}")
        tab = server.open()
        tab.measure(1, "sum")
        self.wait_until(lambda: os.path.exists(self.path("once")))
        began = time.monotonic()
        tab.send({"type": "cancel"})
        done = tab.receive("done")
        self.assertEqual("interrupted", done["status"])
        self.assertLess(0.6, time.monotonic() - began)  # the visit got time to end
        tab.measure(2, "sum")
        done = tab.receive("done", "error")
        self.assertEqual((2, "complete"), (done["id"], done["status"]))

    def test_last_page_that_closes_ends_the_measuring(self):
        log = self.path("log")
        server = self.serve(fake=f"slow=1,log={log}")
        one, other = server.open(), server.open()
        one.measure(1, "sum", continuous=True)
        other.receive("result")
        one.close()
        other.receive("done")  # another page still listens
        other.receive("done")
        other.close()

        def is_idle():
            before = os.path.getsize(log)
            time.sleep(0.5)
            return os.path.getsize(log) == before
        self.wait_until(is_idle)
        self.assertEqual(1, len(server.workers()))
        again = server.open()
        again.measure(2, "sum")
        self.assertEqual(2, again.receive("done")["id"])

    def test_no_process_is_left(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            server = live.Server(fake="slow=3")
            tab = server.open()
            tab.measure(1, "sum", continuous=True)
            tab.receive("result")
            workers = server.workers()
            self.assertEqual(1, len(workers))
            status, _, err = server.end(number)
            self.assertEqual(-9 if number == signal.SIGKILL else 130, status, err)
            self.wait_until(lambda: not os.path.exists(f"/proc/{workers[0]}"))

    def test_model_device(self):
        tab = self.serve("-d", "model:" + MACHINE, binary=REAL).open()
        tab.measure(1, "latency", set={"bytes": "4KiB,8KiB", "path": "vector"})
        done = tab.receive("done", "error")
        self.assertEqual("complete", done["status"])
        self.assertEqual({"ok"}, {one["verdict"] for one in done["run"]["results"]})


@unittest.skipUnless(LONG, "takes a minute")
class Minute(live.Case):
    def test_memory_does_not_grow(self):
        server = self.serve()
        tab = server.open()
        tab.measure(1, "sum", continuous=True)
        began, before, frames = time.monotonic(), None, 0
        while time.monotonic() < began + 70:
            tab.receive("done")
            frames += 1
            if before is None and time.monotonic() > began + 10:
                before = resident_kib(server.process.pid), resident_kib(server.workers()[0])
        after = resident_kib(server.process.pid), resident_kib(server.workers()[0])
        print(f"{frames} frames: server {before[0]} to {after[0]} KiB, worker {before[1]} to "
              f"{after[1]} KiB", file=sys.stderr)
        self.assertLess(100, frames)
        for one, other in zip(before, after):
            self.assertLess(other, 1.05 * one + 512)


if __name__ == "__main__":
    fathom.main()
