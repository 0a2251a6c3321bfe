#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What a page asks for and gets: welcome, measurements and their results, errors, tabs."""

import json
import os
import pathlib
import subprocess

import fathom
import live

REAL = os.environ["FATHOM_REAL"]


class Messages(live.Case):
    def test_page_is_live(self):
        server = self.serve()
        status, headers, body = server.get()
        self.assertEqual(200, status)
        self.assertIn(b'id="runs">{"live": true, "version": "', body)
        self.assertNotIn(server.token.encode(), body)
        policy = headers["content-security-policy"]
        self.assertIn("default-src 'none'", policy)
        self.assertIn(f"connect-src ws://127.0.0.1:{server.port}", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertIn(policy.removesuffix("; frame-ancestors 'none'").encode(), body)

    def test_welcome_names_what_can_be_measured(self):
        welcome = self.serve().open().welcome
        self.assertEqual(["fake:0", "fake:1", "mirror:0"],
                         sorted(device["id"] for device in welcome["devices"]))
        self.assertLess(0, welcome["devices"][0]["limits"]["memory_bytes"]["value"])
        listed = json.loads(fathom.run("list", "--json").out)["benchmarks"]
        self.assertEqual(listed, welcome["benchmarks"])

    def test_devices_are_those_of_d(self):
        welcome = self.serve("-d", "fake:1").open().welcome
        self.assertEqual(["fake:1"], [device["id"] for device in welcome["devices"]])

    def test_measurement_is_a_run(self):
        tab, passing = self.serve().open(), []
        tab.measure(7, "sum", set={"bytes": "4KiB,8KiB"})
        done = tab.receive("done", passing=passing)
        started = [message for message in passing if message["type"] == "started"]
        results = [message for message in passing if message["type"] == "result"]
        self.assertEqual([{"type": "started", "id": 7, "cases": len(done["run"]["results"])}], started)
        # Every case is sent after its first visit; its last message is as in the run.
        self.assertIn("unfinished", fathom.reason_codes(results[0]["result"]))
        last = {message["result"]["key"]: message["result"] for message in results}
        self.assertEqual({result["key"]: result for result in done["run"]["results"]}, last)
        self.assertEqual({7}, {message["id"] for message in results + [done]})
        self.assertEqual(("complete", 0), (done["status"], done["frame"]))
        self.assertEqual(done["run"]["findings"], done["findings"])
        with open(self.path("run.json"), "w", encoding="utf-8") as file:
            json.dump(done["run"], file)
        self.read_run(self.path("run.json"))
        self.assertEqual(0, fathom.run("show", self.path("run.json")).status)

    def test_errors_are_one_line_and_harmless(self):
        tab = self.serve().open()
        for wrong, part in (({"benchmark": "sun"}, "no benchmark 'sun'"),
                            ({"device": "fake:9"}, "no device 'fake:9'"),
                            ({"set": {"byte": "1"}}, "no parameter 'byte'"),
                            ({"set": {"bytes": "many"}}, "bytes=many"),
                            ({"set": {"bytes": 7}}, "set.bytes"),
                            ({"set": []}, "set"),
                            ({"scenario": {}}, "sum has no scenarios"),
                            ({"continuous": 1}, "must be true or false"),
                            ({"id": -1}, "id")):
            with self.subTest(wrong=wrong):
                tab.send({"type": "measure", "id": 3, "benchmark": "sum", "device": "fake:0", **wrong})
                error = tab.receive("error")
                self.assertIn(part, error["message"])
                self.assertNotIn("\n", error["message"])
        tab.measure(4, "sum")
        self.assertEqual(4, tab.receive("done", "error")["id"])

    def test_continuous_frames_until_cancel(self):
        tab, passing = self.serve().open(), []
        tab.measure(1, "sum", continuous=True)
        frames = [tab.receive("done", passing=passing) for _ in range(3)]
        self.assertEqual([0, 1, 2], [done["frame"] for done in frames])
        self.assertEqual([], [done for done in frames if "run" in done])
        tab.send({"type": "cancel"})
        done = tab.receive("done")
        while "run" not in done:
            done = tab.receive("done")
        self.assertEqual("complete", done["run"]["status"])
        self.assertEqual(1, len([one for one in passing if one["type"] == "started"]))

    def test_last_measurement_wins_and_tabs_see_the_same(self):
        server = self.serve()
        one, other = server.open(), server.open()
        one.measure(1, "sum", continuous=True)
        one.receive("result")
        other.receive("result")
        other.measure(2, "sum")
        seen = [tab.receive("done") for tab in (one, other)]
        while seen[0]["id"] == 1:
            seen[0] = one.receive("done")
        while seen[1]["id"] == 1:
            seen[1] = other.receive("done")
        self.assertEqual(seen[0], seen[1])
        self.assertEqual(2, seen[0]["id"])

    def test_browser_is_led_by_a_private_page(self):
        # A fake browser notes what it gets. Its arguments are public, so they hold no token.
        seen = self.path("seen")
        browser = self.folder / "xdg-open"
        browser.write_text(f'#!/bin/sh\n(stat -c %a "${{1%/*}}"; echo "$1"; cat "$1") >{seen}.new\n'
                           f"mv {seen}.new {seen}\n", encoding="utf-8")
        browser.chmod(0o755)
        server = live.Server("--open", variables={"PATH": f"{self.folder}:{os.environ['PATH']}",
                                                  "XDG_RUNTIME_DIR": str(self.folder)})
        self.wait_until(lambda: os.path.exists(seen))
        mode, page, content = pathlib.Path(seen).read_text(encoding="utf-8").splitlines()
        self.assertEqual("700", mode)
        self.assertIn(f'content="0;url={server.url}"', content)
        self.assertNotIn(server.token, page)
        self.assertTrue(os.path.exists(page))
        self.end(server)
        self.assertFalse(os.path.exists(os.path.dirname(page)))

    def test_port_that_is_taken(self):
        server = self.serve()
        done = fathom.run("serve", "--port", str(server.port))
        self.assert_one_line_error(done, 2, f"127.0.0.1:{server.port}", "--port")
        self.assert_one_line_error(fathom.run("serve", "--port", "65536"), 2, "--port 65536")

    def test_address_that_cannot_be_printed(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([fathom.BINARY, "serve"], stdout=full, stderr=subprocess.PIPE,
                                  env=fathom.environment(), text=True, timeout=fathom.TIMEOUT_S,
                                  check=False)
        self.assertEqual((2, "fathom: cannot write to the standard output: No space left on device\n"),
                         (done.returncode, done.stderr))

    def test_library_that_is_missing(self):
        (self.folder / "libcivetweb.so.1").write_bytes(b"")  # found first, but not a library
        done = fathom.run("serve", LD_LIBRARY_PATH=str(self.folder))
        self.assert_one_line_error(done, 2, "civetweb", "libcivetweb1")


def skip_without_vulkan(case):
    devices = fathom.run("devices", "--json", binary=REAL)
    if not any(one["api"] == "vulkan" for one in json.loads(devices.out)["devices"]):
        case.skipTest("no Vulkan device")


class Overlap(live.Case):
    """The real benchmark on a Vulkan device; lavapipe is enough."""

    def setUp(self):
        super().setUp()
        skip_without_vulkan(self)
        self.tab = self.serve("-d", "vulkan", binary=REAL).open()

    def test_scenarios_of_ones_own(self):
        published = self.tab.welcome["scenarios"]
        self.assertLessEqual({"default", "no-barriers", "three", "three-split", "high-priority"},
                             {one["name"] for one in published})
        own = next(one["scenario"] for one in published if one["name"] == "three")
        own["name"], own["workloads"][1]["groups"] = "my own", 2
        self.tab.measure(1, "overlap", scenario=own, set={"barrier": "memory"})
        result = self.tab.receive("result", "error")["result"]
        self.assertEqual(own, json.loads(result["case"]["scenario"]))
        lines = next(series for series in result["series"] if series["name"] == "timeline")
        self.assertEqual(3, len(lines["data"]))
        done = self.tab.receive("done")
        self.assertEqual("complete", done["status"])
        self.assertTrue([one for one in done["findings"] if "(my own, memory)" in one["text"]])
        # The run records the scenario, so that it can be measured again.
        with open(self.path("run.json"), "w", encoding="utf-8") as file:
            json.dump(done["run"], file)
        self.read_run(self.path("run.json"))
        again = fathom.run("run", "overlap", "--preset", "quick", "-d", "vulkan", "-o",
                           self.path("again.json"), "--set", "scenario=" + result["case"]["scenario"],
                           "--set", "barrier=memory", binary=REAL)
        self.assertIn(again.status, (0, 1), again.err)
        self.assertEqual([result["key"]],
                         [one["key"] for one in self.read_run(self.path("again.json"))["results"]])

    def test_scenario_that_is_wrong(self):
        own = {"workloads": [{"name": "A", "groups": 257}]}
        self.tab.measure(1, "overlap", scenario=own)
        self.assertIn("workloads[0].groups: must be 1 to 256",
                      self.tab.receive("error", "result")["message"])

    def test_files_cannot_be_named(self):
        path = self.path("own.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"workloads": [{"name": "A"}]}, file)
        for name in (path, "FILE", "own.json", "default," + path):
            self.tab.measure(1, "overlap", set={"scenario": name})
            self.assertIn("no file can be named", self.tab.receive("error", "result")["message"])


class StableClock(live.Case):
    """A scenario that asks for a stable clock. Only RADV's driver grants one: a layer makes the
    device report RADV as its driver, and offers RADV's profiling lock."""

    RADV = {"VK_LAYER_PATH": os.environ["FATHOM_LAYERS"], "FATHOM_LAYER_DRIVER": "radv",
            "VK_INSTANCE_LAYERS": "VK_LAYER_FATHOM_counters"}

    def measure(self, **variables):
        """What the result says of the clock: its detail, and the text of its reason."""
        skip_without_vulkan(self)
        own = {"name": "steady", "clock": "stable", "workloads": [{"name": "A"}]}
        tab = self.serve("-d", "vulkan", binary=REAL, variables=variables).open()
        tab.measure(1, "overlap", scenario=own, set={"barrier": "none"})
        result = tab.receive("result", "error")["result"]
        self.assertEqual(own, json.loads(result["case"]["scenario"]))
        tab.receive("done")
        why = [one["text"] for one in result["reasons"] if one["code"] == "clock-refused"]
        self.assertEqual(result["verdict"] == "suspect", bool(result["reasons"]))
        return result["details"]["stable-clock"], " ".join(why)

    def test_without_one(self):
        detail, why = self.measure()
        self.assertIn("not available", detail)
        self.assertIn("has no stable clock", why)

    def test_granted(self):
        # The layer complains if the device is closed before the lock is released.
        log = self.folder / "complaints"
        self.addCleanup(lambda: self.assertFalse(log.exists()))
        detail, why = self.measure(**self.RADV, FATHOM_LAYER_LOG=str(log))
        self.assertIn("granted", detail)
        self.assertEqual("", why)

    def test_refused(self):
        detail, why = self.measure(**self.RADV, FATHOM_LAYER_LOCK="no")
        self.assertIn("not available", detail)
        self.assertIn("refuses the profiling lock", why)


if __name__ == "__main__":
    fathom.main()
