#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two logical devices on lavapipe run at the same time, since each has its own threads; with one
thread (LP_NUM_THREADS=1) they never do. `preempt` must tell the two apart by how its victim got in:
20 runs of each did so.

test_two_devices.py FATHOM; exit 77 if there is no lavapipe, or only one processor."""
import json
import os
import subprocess
import sys
import tempfile

ATTEMPTS = 8  # a machine busy with other work may run one device after the other


def entered(fathom, threads):
    """How often the victim got in in each way, over all visits. Empty if a busy machine stopped the
    software GPU between the halves of a stamp, which is then 2^32 ns off."""
    environment = dict(os.environ)
    environment.pop("LP_NUM_THREADS", None)
    if threads:
        environment["LP_NUM_THREADS"] = str(threads)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "run.json")
        command = [fathom, "run", "preempt", "-d", "vulkan:0", "--preset", "quick", "-o", path]
        command += ["--set", "hog=big-dispatch", "--set", "setting=devices"]
        # The run waits for every victim: on a busy machine, open arrivals may get no answer.
        command += ["--set", "priority=medium", "--set", "arrivals=closed"]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        if done.returncode == 3:
            sys.exit(77)
        if done.returncode == 1 and "ended before it began" in done.stdout:
            return {}
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        with open(path, encoding="utf-8") as file:
            run = json.load(file)
    if "llvmpipe" not in run["devices"][0]["name"]:
        sys.exit(77)
    for series in run["results"][0]["series"]:
        if series["name"] == "entered":
            data = series["data"]
            row = data[0] if isinstance(data[0], list) else data
            return dict(zip(series["columns"], row))
    sys.exit(f"{path}: no series 'entered'")


def main():
    fathom = sys.argv[1]
    if len(os.sched_getaffinity(0)) < 2:
        sys.exit(77)
    ways = {}
    for _ in range(ATTEMPTS):
        ways = ways or entered(fathom, 1)
    print("one thread:", ways)
    beside = [way for way in ("co-resident", "mid-shader", "in turns") if ways.get(way)]
    if beside or not sum(ways.values()):
        sys.exit(f"with one thread the victim cannot be beside the hog: {ways}")
    for _ in range(ATTEMPTS):
        ways = entered(fathom, None)
        print("threads of its own:", ways)
        if ways.get("co-resident"):
            return
    sys.exit(f"two devices never ran at once: {ways}")


if __name__ == "__main__":
    main()
