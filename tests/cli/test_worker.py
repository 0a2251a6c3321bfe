#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The worker process, driven by the test itself: orders, garbage, incomplete lines, the end."""

import json
import socket
import subprocess
import unittest

import fathom

ORDER = {"benchmark": "sum", "version": 1, "index": 0, "case": {"bytes": "4096"}, "samples": 4,
         "sample_ns": 1000000, "timeout_ns": 1000000000, "round": 0}


class Worker(fathom.Case):
    def setUp(self):
        super().setUp()
        self.ours, theirs = socket.socketpair()
        self.ours.settimeout(fathom.TIMEOUT_S)
        self.process = subprocess.Popen([fathom.BINARY, "__worker", "-d", "fake:0"], stdin=theirs,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env=fathom.environment(), text=True)
        theirs.close()
        self.lines = self.ours.makefile("rb")

    def tearDown(self):
        self.lines.close()
        self.ours.close()
        fathom.kill(self.process)
        self.process.communicate()

    def say(self, line):
        self.ours.sendall(line if isinstance(line, bytes) else line.encode() + b"\n")

    def order(self, **changes):
        self.say(json.dumps({"visit": {**ORDER, **changes}}))
        return json.loads(self.lines.readline())

    def end(self):
        """Closes the channel. Returns the worker's exit status and what it printed."""
        self.ours.shutdown(socket.SHUT_WR)
        out, err = self.process.communicate(timeout=fathom.TIMEOUT_S)
        return self.process.returncode, out, err

    def test_an_order_is_answered_with_a_visit(self):
        visit = self.order()["visit"]
        self.assertEqual(4, len(visit["metrics"][0]["values"]))
        self.assertEqual([{"name": "shape", "text": "4 dispatches"}], visit["details"])
        self.assertEqual((0, "", ""), self.end())

    def test_the_end_of_the_channel_is_the_end_of_the_worker(self):
        self.assertEqual((0, "", ""), self.end())

    def test_half_a_line_is_no_order(self):
        self.say(b'{"visit":{"benchmark":"sum"')
        self.assertEqual((0, "", ""), self.end())

    def test_garbage_is_refused_and_the_worker_goes_on(self):
        for line in ("", "no json", "{", "[]", "{}", "null", "7", '{"visit":[]}', '{"visit":{}}',
                     '{"visit":{"benchmark":7}}', "\x00", "{\"visit\":\x80}", "[" * 5000,
                     '{"visit":{},"visit":{}}'):
            with self.subTest(line=line[:40]):
                self.say(line)
                failure = json.loads(self.lines.readline())["failure"]
                self.assertEqual("internal", failure["code"])
                self.assertTrue(failure["message"])
        self.assertIn("visit", self.order())
        self.assertEqual((0, "", ""), self.end())

    def test_orders_that_this_binary_cannot_carry_out_are_refused(self):
        for changes, part in (({"benchmark": "sun"}, "no such benchmark"),
                              ({"version": 2}, "another version"),
                              ({"case": {"size": "1"}}, "does not have"),
                              ({"case": {"bytes": "many"}}, "not a value"),
                              ({"case": {"bytes": 4096}}, "expected a string"),
                              ({"case": 7}, "expected an object"),
                              ({"index": -1}, "whole number"),
                              ({"samples": 1 << 40}, "too large"),
                              ({"samples": 0.5}, "whole number")):
            with self.subTest(changes=changes):
                failure = self.order(**changes)["failure"]
                self.assertIn(part, failure["message"])

    def test_failures_have_their_code(self):
        failure = self.order(case={"bytes": str(1 << 40)})["failure"]
        self.assertEqual("unsupported", failure["code"])

    def test_an_endless_order_ends_the_worker(self):
        try:
            self.say(b"x" * (4 << 20))
        except (BrokenPipeError, ConnectionResetError):
            pass
        self.assertEqual(0, self.process.wait(timeout=fathom.TIMEOUT_S))

    def test_a_device_that_is_not_there_is_the_answer_to_every_order(self):
        ours, theirs = socket.socketpair()
        process = subprocess.Popen([fathom.BINARY, "__worker", "-d", "fake:9"], stdin=theirs,
                                   env=fathom.environment())
        theirs.close()
        with ours, ours.makefile("rb") as lines:
            for _ in range(2):
                ours.sendall(json.dumps({"visit": ORDER}).encode() + b"\n")
                failure = json.loads(lines.readline())["failure"]
                self.assertEqual("no-device", failure["code"])
                self.assertIn("fake:9", failure["message"])
        self.assertEqual(0, process.wait(timeout=fathom.TIMEOUT_S))


if __name__ == "__main__":
    unittest.main(verbosity=2)
