#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs, maps and preempt are ended at random moments, after their start or after their first
result, by signals that can be caught and by SIGKILL. If there is a file, it is whole and valid. No
process is left, and the next run removes leftover files. FATHOM_LONG: 200 times."""

import os
import pathlib
import random
import signal
import time

import fathom

MACHINE = str(fathom.ROOT / "tests/model/machines/two.json")
REAL = os.environ["FATHOM_REAL"]
TIMES = 200 if "FATHOM_LONG" in os.environ else 21
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)

# The commands to end, and the seconds that each takes on an idle machine, from before its first
# line until after its last result.
COMMANDS = (
    (("run", "--preset", "quick"), {"fake": "slow=3"}, 0.8),
    (("map", "-d", "model:" + MACHINE), {"binary": REAL}, 6),
    (("run", "preempt", "--preset", "quick", "-d", "vulkan"), {"binary": REAL}, 6))


def session_of(status):
    """The session of a process, whose `status` is a path in /proc; None if the process has ended."""
    try:
        state, *numbers = status.read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in "ZX" else int(numbers[2])


def is_session_left(session):
    return any(session_of(path) == session for path in pathlib.Path("/proc").glob("[0-9]*/stat"))


class Kills(fathom.Case):
    def end(self, command, number, has_begun, moment_s):
        arguments, options, _ = command
        path = self.path("run.json")
        pathlib.Path(path).unlink(missing_ok=True)
        process = fathom.start(*arguments, "-o", path, start_new_session=True, **options)
        while has_begun and process.poll() is None and not os.path.exists(path):
            time.sleep(0.001)
        time.sleep(moment_s)
        fathom.kill(process, number)
        out, err = process.communicate(timeout=fathom.TIMEOUT_S)
        document = self.read_run(path) if os.path.exists(path) else {"status": None}
        self.assertNotIn("Sanitizer", out + err)
        self.assertIn(process.returncode, (0, 1, 3, 130, -number), err)
        if process.returncode == 130:
            self.assertEqual("interrupted", document["status"])
        elif process.returncode == -number:
            # A signal that can be caught kills the process only before or after a run.
            wanted = (None, "complete") if number != signal.SIGKILL else (None, "complete", "running")
            self.assertIn(document["status"], wanted)
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while is_session_left(process.pid) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(is_session_left(process.pid))
        return process.returncode, document["status"]

    def test_at_random_moments(self):
        moments, seen = random.Random(16), {}
        for i in range(TIMES):
            command, number = COMMANDS[i % 3], SIGNALS[i // 3 % 3]
            has_begun = i // 9 % 2 == 1  # then the run has a file, however slow a busy machine is
            moment_s = moments.uniform(0, command[2] / (4 if has_begun else 1))
            with self.subTest(command=command[0], number=number, moment_s=moment_s):
                end = self.end(command, number, has_begun, moment_s)
                seen[end] = seen.get(end, 0) + 1
        print(f"{TIMES} times; exit status and status of the file:", seen)
        # Some runs were ended in the middle: their files are there.
        self.assertTrue({"running", "interrupted"} & {status for _, status in seen})
        done = fathom.run("run", "sum", "--preset", "quick", "-o", self.path("run.json"))
        self.assertEqual(0, done.status, done.err)
        self.assertEqual(["run.json"], os.listdir(self.folder))


if __name__ == "__main__":
    fathom.main()
