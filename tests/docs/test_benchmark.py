#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""test_benchmark.py FATHOM FOLDER: the page's benchmark is listed, measured and verified on the
software GPU of each API, and its sources are formatted as clang-format does it."""

import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False)


def measure(fathom, device):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        done = run(fathom, "run", "-d", device, "--preset", "quick", "-o", path)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(path, encoding="utf-8") as stream:
            return json.load(stream)


def main():
    fathom, folder = sys.argv[1:]
    sources = [os.path.join(folder, name) for name in ("atomics.c", "test_device.c")]
    style = "--style=file:" + os.path.join(ROOT, ".clang-format")
    done = run("clang-format", "--dry-run", "--Werror", style, *sources)
    assert done.returncode == 0, done.stderr

    listing = run(fathom, "list", "atomics").stdout
    assert "slots" in listing and "Atomic additions a second" in listing, listing

    devices = [device["id"] for device in json.loads(run(fathom, "devices", "--json").stdout)["devices"]]
    for device in devices:
        results = measure(fathom, device)["results"]
        assert len(results) == 2, results
        for result in results:
            assert result["verdict"] in ("ok", "suspect"), result
            assert result["metrics"][0]["median"] > 0, result
        print(f"{device}: {len(results)} cases")
    if not devices:
        print("skipped: no device")
        sys.exit(77)


if __name__ == "__main__":
    main()
