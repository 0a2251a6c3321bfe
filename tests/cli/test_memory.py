#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each request for memory fails once, in turn: the command ends with a clear line and exit 2, or
succeeds as if nothing had happened; no file is incomplete, and a former one stays."""

import os
import pathlib
import subprocess
import unittest

import fathom

PRELOAD = os.environ["FATHOM_FAILING_MALLOC"]
GOLDEN = fathom.ROOT / "tests/golden"


class Memory(fathom.Case):
    def setUp(self):
        super().setUp()
        program = pathlib.Path(fathom.BINARY).read_bytes()
        if b"__asan_init" in program or b"__tsan_init" in program:
            self.skipTest("a sanitizer replaces malloc itself")

    def command(self, *arguments, **variables):
        return fathom.Outcome(subprocess.run(
            [fathom.BINARY, *arguments], env=fathom.environment(LD_PRELOAD=PRELOAD, **variables),
            capture_output=True, text=True, timeout=fathom.TIMEOUT_S, check=False))

    def requests_of(self, *arguments):
        count = self.path("count")
        done = self.command(*arguments, COUNTED_MALLOCS=count)
        self.assertIn(done.status, (0, 1), done.err)
        return done, int(pathlib.Path(count).read_text(encoding="ascii"))

    def sweep(self, *arguments, check=lambda done: None):
        """Runs the command once for each request that fails; `check` looks at what it left where
        it says that it succeeded."""
        wanted, count = self.requests_of(*arguments)
        self.assertGreater(count, 20)
        ended = 0
        for number in range(1, count + 1):
            with self.subTest(command=arguments[0], number=number):
                done = self.command(*arguments, FAILING_MALLOC=str(number))
                if done.status == wanted.status:
                    check(done)
                    continue
                ended += 1
                self.assertIn(done.status, (1, 2, 3), f"{done.status} {done.err}")
                self.assertRegex(done.err + done.out, "memory|temporarily unavailable")
                self.assertLessEqual(len(done.err.splitlines()), 2, done.err)
        self.assertGreater(ended, 0)

    def test_devices(self):
        good = self.command("devices").out
        self.sweep("devices", check=lambda done: self.assertEqual(good, done.out))

    def test_compare(self):
        pair = str(GOLDEN / "fake_quick.json"), str(GOLDEN / "fake_failing.json")
        good = self.command("compare", *pair).out
        self.sweep("compare", *pair, check=lambda done: self.assertEqual(good, done.out))

    def test_report(self):
        page, run = self.path("report.html"), str(GOLDEN / "rich.json")
        self.command("report", run, "-o", page)
        good = pathlib.Path(page).read_bytes()

        def is_whole(_done):
            self.assertEqual(good, pathlib.Path(page).read_bytes())
        self.sweep("report", run, "-o", page, check=is_whole)
        is_whole(None)  # the former page survived all failures

    def test_run(self):
        path = self.path("run.json")
        for isolation in ((), ("--no-isolate",)):
            def is_whole(_done):
                document = self.read_run(path)
                self.assertEqual("complete", document["status"])
                self.assertEqual(2, len(document["results"]))
            self.sweep("run", "sum", "--preset", "quick", "--seed", "3", "-o", path, *isolation,
                       check=is_whole)
            self.read_run(path)


if __name__ == "__main__":
    fathom.main()
