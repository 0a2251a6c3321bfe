#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Each request for memory fails once. The command then ends with a clear line and exit 2, or
succeeds as if nothing had happened. No file is incomplete, and an earlier file stays. With a
sanitizer there is also no error at the end of a command, and no leak. check-long lets every request
fail, the gate the first of each place (of each chain of callers), because later ones pass through
the same code. Without a sanitizer it adds one request in fifty. A map makes 100,000 requests: a
seeded choice of them fails."""

import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import unittest

import fathom

PRELOAD = os.environ["FATHOM_FAILING_MALLOC"]
GOLDEN = fathom.ROOT / "tests/golden"
LONG = "FATHOM_LONG" in os.environ
STEP = 1 if LONG else 50


class Memory(fathom.Case):
    def setUp(self):
        super().setUp()
        if b"__tsan_init" in pathlib.Path(fathom.BINARY).read_bytes():
            self.skipTest("ThreadSanitizer replaces malloc itself")

    def command(self, *arguments, binary=fathom.BINARY, **variables):
        # The preloaded library stands before the sanitizer's own, and passes the requests on to it.
        options = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        return fathom.Outcome(subprocess.run(
            [binary, *arguments],
            env=fathom.environment(LD_PRELOAD=PRELOAD, ASAN_OPTIONS=options, **variables),
            capture_output=True, text=True, timeout=fathom.TIMEOUT_S, check=False))

    def requests_of(self, *arguments, **options):
        count = self.path("count")
        done = self.command(*arguments, COUNTED_MALLOCS=count, **options)
        self.assertIn(done.status, (0, 1), done.err)
        return done, int(pathlib.Path(count).read_text(encoding="ascii"))

    def places_of(self, *arguments):
        """The numbers of the requests that are the first of their place, in any process."""
        path = self.path("places")
        self.command(*arguments, PLACES_OF_MALLOCS=path)
        numbers = set(map(int, pathlib.Path(path).read_text(encoding="ascii").split()))
        os.remove(path)
        self.assertGreater(len(numbers), 20)
        return numbers

    def sweep(self, *arguments, check=lambda done: None):
        """Runs the command once for each request that is to fail. If the command succeeds all the
        same, `check` looks at what it left."""
        wanted, count = self.requests_of(*arguments)
        self.assertGreater(count, 20)
        ended = 0
        spread = () if fathom.is_sampled() else range(1, count + 1, STEP)
        for number in sorted(self.places_of(*arguments).union(spread)):
            with self.subTest(command=arguments[0], number=number):
                done = self.command(*arguments, FAILING_MALLOC=str(number))
                self.assert_no_report_of_sanitizers(done)
                if done.status == wanted.status:
                    check(done)
                    continue
                ended += 1
                self.assert_ended(done)
        self.assertGreater(ended, 0)

    def assert_ended(self, done):
        self.assertIn(done.status, (1, 2, 3), f"{done.status} {done.err}")
        self.assertRegex(done.err + done.out, "memory|temporarily unavailable")
        self.assertLessEqual(len(done.err.splitlines()), 2, done.err)

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
        is_whole(None)  # the earlier page survived all failures

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

    def test_map(self):
        if fathom.is_sampled():
            self.skipTest("a map takes three seconds with a sanitizer: in check-long only")
        machine = self.folder / "machine.json"
        machine.write_text(json.dumps(fathom.SMALL_CARD), encoding="ascii")

        def arguments(name):
            return "map", "-d", f"model:{machine}", "-o", self.path(name)

        def measure(number):
            return number, self.command(*arguments(f"{number}.json"), binary=os.environ["FATHOM_REAL"],
                                        FAILING_MALLOC=str(number))

        _, count = self.requests_of(*arguments("whole.json"), binary=os.environ["FATHOM_REAL"])
        chosen = random.Random(1)
        numbers = list(range(1, 200, 1 if LONG else 20))
        # Each order of magnitude is as likely, because a map makes most requests at its end.
        numbers += [int(200 * (count / 200) ** chosen.random()) for _ in range(500 if LONG else 10)]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outcomes = list(pool.map(measure, numbers))
        for number, done in outcomes:
            with self.subTest(number=number):
                self.assert_no_report_of_sanitizers(done)
                path = self.path(f"{number}.json")
                document = self.read_run(path) if os.path.exists(path) else {"status": "none"}
                if done.status == 0:
                    self.assertEqual("complete", document["status"])
                else:
                    self.assert_ended(done)
        self.assertLess(0, sum(done.status == 2 for _, done in outcomes))


if __name__ == "__main__":
    fathom.main()
