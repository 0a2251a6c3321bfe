#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Who may not measure: foreign hosts and origins; a missing or wrong token; messages that are too
large, too slow, too many or not valid. Each gets its status or a closed socket, and has no effect:
no worker starts, and a client with the token measures afterwards."""

import json
import os
import random
import struct
import time

import fathom
import live

TIMES = 10000
MEASURE = {"type": "measure", "id": 1, "device": "fake:0", "benchmark": "sum"}
BYTES_MAX = 256 * 1024


class Security(live.Case):
    def setUp(self):
        super().setUp()
        self.server = self.serve()

    def assert_no_effect(self):
        self.assertEqual([], self.server.workers())
        tab = self.server.open()
        tab.measure(9, "sum")
        self.assertEqual(9, tab.receive("done")["id"])
        tab.close()

    def test_host_must_be_a_loopback_name(self):
        port = self.server.port
        for host in (f"127.0.0.1:{port}", "localhost", f"LOCALHOST:{port}", "[::1]:80", "127.0.0.1:1"):
            self.assertEqual(200, self.server.get(Host=host)[0], host)
        for host in ("example.com", f"example.com:{port}", "127.0.0.1.example.com", "localhost.",
                     "127.0.0.1@example.com", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:123456", "",
                     "192.168.0.1", "0.0.0.0"):
            answer = self.server.get(Host=host)
            self.assertEqual(403, answer[0], host)
            self.assertNotIn(b"<script", answer[2])
        raw = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"
        self.assertEqual(403, self.server.ask(raw)[0])

    def test_origin_must_be_the_host(self):
        port = self.server.port
        for origin in ("http://example.com", f"https://127.0.0.1:{port}", "null", "",
                       f"http://localhost:{port}", "http://127.0.0.1", f"http://127.0.0.1:{port}/"):
            self.assertEqual(403, self.server.tab(origin=origin).status, origin)
        self.assertEqual(403, self.server.tab(host="example.com").status)
        self.assertEqual(101, self.server.tab(host="localhost:1").status)
        self.assert_no_effect()

    def test_other_requests(self):
        for path, status in (("/live", 426), ("/etc/passwd", 404), ("/../../etc/passwd", 404),
                             ("/%2e%2e/etc/passwd", 404), ("/index.html", 404)):
            self.assertEqual(status, self.server.get(path)[0], path)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            self.assertEqual(405, self.server.get(method=method)[0], method)
        answer = self.server.get(method="POST", Content_Length=BYTES_MAX + 1)
        self.assertEqual(413, answer[0])
        answer = self.server.get(Origin="http://example.com")
        self.assertNotIn("access-control-allow-origin", answer[1])
        long = self.server.get("/" + "a" * (1 << 17))
        self.assertIn(long and long[0], (None, 400, 413, 414))

    def test_token(self):
        wrong = [self.server.token[:-1], self.server.token + "0", self.server.token[::-1], "", 0, None]
        for token in wrong:
            tab = self.server.tab()
            tab.send({"type": "hello", "token": token})
            try:
                tab.send(MEASURE)
            except live.Closed:
                pass
            self.assertTrue(tab.is_closed(), token)
        for first in (MEASURE, {"type": "cancel"}, {}, [], "hello"):
            tab = self.server.tab()
            tab.send(first)
            self.assertTrue(tab.is_closed(), first)
        self.assert_no_effect()

    def test_who_is_silent_is_closed(self):
        tab, began = self.server.tab(), time.monotonic()
        self.assertTrue(tab.is_closed())
        self.assertLess(4.9, time.monotonic() - began)
        with self.server.connect() as slow:  # half a request
            slow.sendall(b"GET / HTTP/1.1\r\nHost: loc")
            answer = live.read_answer(slow)
            self.assertIn(answer and answer[0], (None, 400, 408))
        self.assert_no_effect()

    def test_too_large_and_malformed_frames(self):
        for data in (live.frame(b"x" * (BYTES_MAX + 1)),
                     live.frame(b"x" * BYTES_MAX, last=False) + live.frame(b"xx", live.CONTINUES),
                     live.frame(b"x", live.BINARY), live.frame(b"x", live.CONTINUES),
                     live.frame(b"{", last=False) + live.frame(b"}"),
                     live.frame(b"x", announced=1 << 62), bytes([0xf1, 0x80]) + bytes(4)):
            tab = self.server.open()
            try:
                tab.send_bytes(data)
            except live.Closed:
                pass
            self.assertTrue(tab.is_closed())
        self.assert_no_effect()

    def test_too_many_messages(self):
        tab = self.server.open()
        try:
            for _ in range(5000):
                tab.send({"type": "cancel"})
        except live.Closed:
            pass
        self.assertTrue(tab.is_closed())
        self.assert_no_effect()

    def test_too_many_tabs(self):
        tabs = [self.server.open() for _ in range(8)]
        self.assertEqual(503, self.server.tab().status)
        tabs[0].close()
        self.wait_until(lambda: self.server.tab().status == 101)

    def test_message_in_pieces(self):
        tab, data = self.server.open(), json.dumps(MEASURE).encode()
        for i, byte in enumerate(data):
            tab.send_bytes(live.frame(bytes([byte]), live.TEXT if i == 0 else live.CONTINUES,
                                      i == len(data) - 1))
        self.assertEqual(1, tab.receive("done")["id"])


class Noise(live.Case):
    """10,000 broken messages and requests (tests/fuzz/fuzz_live.c sends more, without a socket)."""

    def mutate(self, data):
        data = bytearray(data)
        for _ in range(self.random.randint(1, 8)):
            at = self.random.randrange(len(data) + 1)
            action = self.random.randrange(3)
            if action == 0:
                data[at:at + self.random.randint(0, 9)] = b""
            elif action == 1:
                data[at:at] = self.random.choice(WORDS)
            elif at < len(data):
                data[at] = self.random.randrange(256)
        return bytes(data)

    def send_messages(self, count):
        """Sends broken messages until the server closes the socket. Returns how many."""
        tab = self.server.open()
        sent = 0
        try:
            while sent < min(count, 200):
                data = self.mutate(json.dumps(self.random.choice(MESSAGES)).encode())
                tab.send_bytes(live.frame(data) if self.random.random() < 0.9
                               else self.mutate(live.frame(data)))
                sent += 1
        except live.Closed:
            pass
        tab.close()
        return max(sent, 1)

    def send_request(self):
        with self.server.connect() as raw:
            raw.settimeout(0.001)
            try:
                raw.sendall(self.mutate(self.random.choice(REQUESTS)))
                raw.recv(1 << 16)
            except OSError:
                pass

    def test_broken_messages(self):
        self.server, self.random = self.serve(), random.Random(20)
        left = TIMES
        while left > 0:
            self.send_request()
            left -= 1 + self.send_messages(left)
            self.assertIsNone(self.server.process.poll())
        self.wait_until(lambda: self.server.get() and self.server.get()[0] == 200)
        self.wait_until(lambda: self.server.tab().status == 101)
        tab = self.server.open()
        tab.measure(3, "sum")
        self.assertEqual(3, tab.receive("done")["id"])


MESSAGES = ({**MEASURE, "set": {"bytes": "4KiB..1MiB/2"}, "continuous": True},
            {**MEASURE, "benchmark": "chase", "set": {"order": "forward", "hops": "9"}},
            {**MEASURE, "scenario": {"workloads": [{"name": "A"}]}}, {"type": "cancel"},
            {"type": "hello", "token": "0" * 32})
WORDS = (b'"', b"{", b"}", b"[", b"]", b":", b",", b"\\", b"\\u0000", b"-1", b"1e999", b"null",
         b"true", b"\xff\xfe", b"\x00", b"a" * 300, b"[" * 3000, b"../../etc/passwd", b"max", b"..",
         struct.pack(">Q", (1 << 64) - 1))
REQUESTS = (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /live HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
            b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: " + live.KEY.encode() + b"\r\n\r\n",
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")


if __name__ == "__main__":
    fathom.main()
