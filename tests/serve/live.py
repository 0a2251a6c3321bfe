# SPDX-License-Identifier: MIT
"""A client of `fathom serve`: HTTP requests, and a web socket (RFC 6455) for its messages."""

import base64
import json
import os
import signal
import socket
import struct
import time

import fathom

TEXT, CONTINUES, BINARY, CLOSE, PING, PONG = 1, 0, 2, 8, 9, 10
LAST = 0x80
KEY = base64.b64encode(bytes(16)).decode()


class Closed(Exception):
    """The server closed the socket."""


def frame(data, code=TEXT, last=True, announced=None):
    """A masked frame. `announced`: the length in its head, if not the true one."""
    count = len(data) if announced is None else announced
    head = bytes([(LAST if last else 0) | code])
    if count < 126:
        head += bytes([0x80 | count])
    elif count < 1 << 16:
        head += bytes([0x80 | 126]) + struct.pack(">H", count)
    else:
        head += bytes([0x80 | 127]) + struct.pack(">Q", count)
    return head + bytes(4) + data  # a mask of zeros does not change the data


class Server:
    """A running `fathom serve`."""

    def __init__(self, *arguments, fake="", **more):
        self.tabs = []
        self.process = fathom.start("serve", *arguments, fake=fake, **more)
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("http://127.0.0.1:"):
            raise AssertionError(f"no address: {self.url!r} {self.process.communicate()}")
        address, self.token = self.url.split("/#token=")
        self.port = int(address.rpartition(":")[2])

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=fathom.TIMEOUT_S)

    def ask(self, head, body=b""):
        """Sends a raw request. Returns the status, the headers in lower case, and the body; None if
        the server closed the socket without an answer."""
        with self.connect() as raw:
            raw.sendall(head + body)
            return read_answer(raw)

    def get(self, path="/", method="GET", **headers):
        headers = {"Host": f"127.0.0.1:{self.port}", **headers}
        lines = [f"{method} {path} HTTP/1.1"] + [f"{name.replace('_', '-')}: {value}"
                                                 for name, value in headers.items() if value]
        return self.ask("\r\n".join(lines + ["", ""]).encode())

    def tab(self, **more):
        """A web socket on which nothing was said yet."""
        tab = Tab(self, **more)
        self.tabs.append(tab)
        return tab

    def open(self, **more):
        """A tab that has said hello and was welcomed."""
        tab = self.tab(**more)
        tab.send({"type": "hello", "token": self.token})
        tab.welcome = tab.receive("welcome")
        return tab

    def end(self, number=signal.SIGINT):
        for tab in self.tabs:
            tab.close()
        fathom.kill(self.process, number)
        out, err = self.process.communicate(timeout=fathom.TIMEOUT_S)
        return self.process.returncode, out, err

    def workers(self):
        """The ids of the server's worker processes."""
        found = []
        for path in os.listdir("/proc"):
            try:
                with open(f"/proc/{path}/stat", encoding="utf-8") as file:
                    state, parent = file.read().rpartition(")")[2].split()[:2]
                with open(f"/proc/{path}/cmdline", "rb") as file:
                    command = file.read()
            except (OSError, ValueError):
                continue
            if int(parent) == self.process.pid and state != "Z" and b"__worker" in command:
                found.append(int(path))
        return found


def read_answer(raw):
    received = b""
    try:
        while b"\r\n\r\n" not in received:
            piece = raw.recv(1 << 16)
            if not piece:
                return None
            received += piece
    except ConnectionError:
        return None
    head, _, body = received.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers.get("content-length", 0)):
        piece = raw.recv(1 << 16)
        if not piece:
            break
        body += piece
    return int(first.split()[1]), headers, body


class Tab:
    """The web socket of a page."""

    def __init__(self, server, host=None, origin=None):
        host = host or f"127.0.0.1:{server.port}"
        self.raw, self.received = server.connect(), b""
        self.raw.sendall((f"GET /live HTTP/1.1\r\nHost: {host}\r\n"
                          f"Origin: {'http://' + host if origin is None else origin}\r\n"
                          "Upgrade: websocket\r\nConnection: Upgrade\r\n"
                          f"Sec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13\r\n\r\n").encode())
        while b"\r\n\r\n" not in self.received:
            self.pull()
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def pull(self):
        try:
            piece = self.raw.recv(1 << 16)
        except ConnectionError as error:
            raise Closed from error
        if not piece:
            raise Closed
        self.received += piece

    def take(self, count):
        while len(self.received) < count:
            self.pull()
        taken, self.received = self.received[:count], self.received[count:]
        return taken

    def send_bytes(self, data):
        try:
            self.raw.sendall(data)
        except ConnectionError as error:
            raise Closed from error

    def send(self, message):
        self.send_bytes(frame(json.dumps(message).encode()))

    def next(self):
        """The next message; answers pings."""
        while True:
            first, second = self.take(2)
            count = second & 127
            if count == 126:
                count, = struct.unpack(">H", self.take(2))
            elif count == 127:
                count, = struct.unpack(">Q", self.take(8))
            data, code = self.take(count), first & 15
            if code == PING:
                self.send_bytes(frame(b"", PONG))
            elif code == CLOSE:
                raise Closed
            elif code == TEXT:
                return json.loads(data)

    def receive(self, *kinds, passing=None):
        """The next message of one of these types. Earlier messages go to `passing`."""
        while True:
            message = self.next()
            if message["type"] in kinds:
                return message
            if passing is not None:
                passing.append(message)

    def measure(self, number, benchmark, device=None, **more):
        self.send({"type": "measure", "id": number, "benchmark": benchmark,
                   "device": device or self.welcome["devices"][0]["id"], **more})

    def is_closed(self):
        """Waits until the server closes the socket, which it must."""
        try:
            while True:
                self.next()
        except Closed:
            return True

    def close(self):
        self.raw.close()


class Case(fathom.Case):
    def serve(self, *arguments, **more):
        server = Server(*arguments, **more)
        self.addCleanup(self.end, server)
        return server

    def end(self, server):
        status, _, err = server.end()
        self.assertNotIn("Sanitizer", err)
        self.assertEqual(130, status, err)

    def wait_until(self, condition):
        deadline = time.monotonic() + fathom.TIMEOUT_S
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
