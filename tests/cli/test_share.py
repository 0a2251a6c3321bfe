#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""`fathom share`: writes a small run file without names, which every command can read."""

import gzip
import json
import os
import pathlib
import re
import shutil

import fathom

REAL = os.environ["FATHOM_REAL"]
REFERENCE = fathom.ROOT / "reference"
MOST_BYTES = 30000
# Committed runs, each of all benchmarks on one device with one preset, and a map.
RUNS = ("h200-vulkan-all.json", "h200-cuda-all.json", "h200-vulkan-standard-3.json",
        "h200-cuda-standard-2.json", "h200-opencl-standard.json", "h200-vulkan-map.json",
        "lavapipe-quick.json")
UUID = re.compile(r"[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-")
PCI = re.compile(r"[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]\b")
PATH = re.compile(r"(?<![\w)])/")


def load(path):
    data = pathlib.Path(path).read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def texts(node):
    """All texts in a document."""
    if isinstance(node, str):
        yield node
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from texts(child)


def private_run():
    """A run with something private in each text that comes from its machine."""
    run = load(REFERENCE / "h200-vulkan-map.json")
    run["command"] = ["/home/alice/fathom", "run", "-d", "GPU-c0ffee", "-o", "/srv/acme/run.json"]
    run["host"].update(hostname="acme-node-17", kernel="Linux 6.1-acme", user="alice")
    run["devices"][0].update(uuid="c0ffee00" * 4, pci="0000:1b:00.0", serial="1650723001234")
    for result in run["results"]:
        result["reasons"].append({"code": "shared-device", "text": "alice's job 4711 (acme-train) ran"})
        result["details"]["clock domain"] = "unknown: /sys/bus/pci/devices/0000:1b:00.0 is read-only"
        result["details"]["serial"] = "unknown: (/dev/acme0)"
        result["kernel"] = {"hash": "1", "source": "/home/alice/latency.comp"}
    run["results"][0]["case"]["path"] = "acme-schedule.json"
    run["results"][2]["case"]["path"] = '{"name":"acme schedule","workloads":[]}'
    run["findings"].append({"code": "level", "text": "see /home/alice/acme.log", "device": "vulkan:0",
                            "keys": [run["results"][1]["key"]]})
    run["findings"].append({"code": "level", "text": "acme-node-17 is fast", "keys": []})
    return run


class Share(fathom.Case):
    def shared(self, source, *arguments):
        path = self.path("shared.json.gz")
        done = fathom.run("share", str(source), "-o", path, *arguments, binary=REAL)
        self.assertEqual((0, ""), (done.status, done.err))
        return path

    def test_reference_runs_are_small_and_anonymous(self):
        for name in RUNS:
            with self.subTest(run=name):
                path = self.shared(REFERENCE / name)
                self.assertLessEqual(os.path.getsize(path), MOST_BYTES)
                whole, small = load(REFERENCE / name), load(path)
                self.assertEqual([], small["command"])
                self.assertLessEqual(set(small["host"]), {"os", "architecture", "cpu", "cpu_threads"})
                for device in small["devices"]:
                    self.assertNotIn("uuid", device)
                    self.assertNotIn("pci", device)
                for text in texts(small):
                    for pattern in (UUID, PCI, PATH):
                        self.assertIsNone(pattern.search(text), text)
                for device in whole["devices"]:
                    self.assertNotIn(device.get("uuid", "?"), json.dumps(small))

    def test_nothing_private_is_left(self):
        path = self.path("private.json")
        pathlib.Path(path).write_text(json.dumps(private_run()), encoding="utf-8")
        for text in texts(load(self.shared(path))):
            for word in ("alice", "acme", "c0ffee", "1b:00", "16507", "4711", "/home", "/sys", "/dev"):
                self.assertNotIn(word, text)

    def test_it_keeps_the_figures(self):
        for name in RUNS[:4]:
            with self.subTest(run=name):
                whole, small = load(REFERENCE / name), load(self.shared(REFERENCE / name))
                known, kept = fathom.by_key(whole), fathom.by_key(small)
                for key, result in kept.items():
                    for mine, theirs in zip(result["metrics"], known[key]["metrics"]):
                        self.assertEqual(theirs["name"], mine["name"])
                        if "median" in theirs:
                            self.assertAlmostEqual(theirs["median"], mine["median"],
                                                   delta=6e-4 * abs(theirs["median"]))
                counts = {}
                for (_, key) in kept:
                    counts[key.split("/")[0]] = counts.get(key.split("/")[0], 0) + 1
                measured = {benchmark["name"] for benchmark in whole["benchmarks"]
                            if any(result["benchmark"] == benchmark["name"] and result["metrics"]
                                   for result in whole["results"])}
                self.assertEqual(measured, set(counts), "each benchmark has a figure")
                self.assertGreater(counts["latency"], 300) # all curves are there
                self.assertGreater(counts["bandwidth"], 30)
                peak = max(result["metrics"][0]["median"] for result in whole["results"] if
                           result["key"].startswith("incore/scope=device/op=fp32-fma") and result["metrics"])
                shared = max(result["metrics"][0]["median"] for result in small["results"] if
                             result["key"].startswith("incore/scope=device/op=fp32-fma"))
                self.assertAlmostEqual(1, shared / peak, delta=6e-4)

    def test_a_map_is_whole(self):
        self.assertEqual({result["key"] for result in load(REFERENCE / "h200-vulkan-map.json")["results"]
                          if result["metrics"]},
                         {result["key"] for result in
                          load(self.shared(REFERENCE / "h200-vulkan-map.json"))["results"]})

    def test_every_command_reads_it(self):
        whole = str(REFERENCE / "h200-vulkan-standard-3.json")
        path = self.shared(whole)
        plain = self.path("plain.json")
        self.assertEqual(0, fathom.run("share", whole, "-o", plain, binary=REAL).status)
        self.assertEqual(self.read_run(plain), load(path))
        self.assertIn("NVIDIA H200", fathom.run("show", path, binary=REAL).out)
        compared = fathom.run("compare", whole, path, "--json", binary=REAL)
        self.assertEqual(0, compared.status, compared.out + compared.err)
        counts = json.loads(compared.out)["counts"]
        self.assertGreater(counts["same"], 500)
        for word in ("faster", "slower", "card", "clock", "added", "broken", "refused"):
            self.assertEqual(0, counts.get(word, 0), word)
        page = fathom.run("report", path, "-o", self.path("page.html"), binary=REAL)
        if "not in this build" not in page.err:
            self.assertEqual((0, ""), (page.status, page.err))
        again = self.path("again.json.gz")
        self.assertEqual(0, fathom.run("share", path, "-o", again, binary=REAL).status)
        self.assertEqual(load(path), load(again), "a shared file can be shared")

    def test_the_name_says_what_was_measured_and_replaces_nothing(self):
        whole = str(REFERENCE / "h200-vulkan-standard-3.json")
        done = fathom.run("share", whole, binary=REAL, cwd=self.folder)
        self.assertEqual(["nvidia-h200-vulkan-standard.json.gz"], os.listdir(self.folder))
        self.assertIn("nvidia-h200-vulkan-standard.json.gz: ", done.out)
        self.assert_one_line_error(fathom.run("share", whole, binary=REAL, cwd=self.folder), 2,
                                   "exists", "-o")

    def test_a_run_that_names_no_device_is_shared(self):
        run = load(fathom.ROOT / "tests/golden/demo.json")
        run["devices"] = []
        pathlib.Path(self.path("run.json")).write_text(json.dumps(run), encoding="utf-8")
        done = fathom.run("share", "run.json", binary=REAL, cwd=self.folder)
        self.assertEqual((0, ""), (done.status, done.err))
        self.assertIn("gpu-standard.json.gz", os.listdir(self.folder))

    def test_mistakes_are_one_line_and_write_nothing(self):
        run = self.path("run.json")
        shutil.copy(REFERENCE / "h200-x2-cuda-peers.json", run)
        before = pathlib.Path(run).read_bytes()
        empty = self.path("empty.json")
        nothing = load(run)
        nothing["results"] = []
        pathlib.Path(empty).write_text(json.dumps(nothing), encoding="utf-8")
        for arguments, parts in (([], ["RUN.json"]), ([run, "-o", run], ["replace", "another name"]),
                                 ([empty, "-o", "x.gz"], ["empty.json", "no figures"]),
                                 ([run, "-o", "/nonexistent/a"], ["create its folder first"])):
            with self.subTest(arguments=arguments):
                self.assert_one_line_error(
                    fathom.run("share", *arguments, binary=REAL, cwd=self.folder), 2, *parts)
        self.assertEqual(before, pathlib.Path(run).read_bytes())
        self.assertEqual(["empty.json", "run.json"], sorted(os.listdir(self.folder)))


if __name__ == "__main__":
    fathom.main()
