#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks traces by the rules of Perfetto's importer of Chrome's JSON.

check_trace.py TRACE.json…           checks files
check_trace.py --fathom FATHOM       makes one with a scenario of its own, on the software GPU,
                                     and checks that what waits has its arrows
"""
import json
import os
import subprocess
import sys
import tempfile

NUMBER = (int, float)

SCENARIO = {
    "name": "two producers",
    "workloads": [
        {"name": "A", "groups": 1, "iterations": 8},
        {"name": "B", "groups": 1, "iterations": 8, "queue": "compute"},
        {"name": "C", "groups": 1, "iterations": 8, "after": ["A", "B"]},
    ],
}


def fail(path, event, why):
    sys.exit(f"{path}: {why}: {json.dumps(event)}")


def check_common(path, event):
    if event.get("ph") not in ("X", "M", "s", "f", "C"):
        fail(path, event, "unknown phase")
    if not isinstance(event.get("name"), str) or not event["name"]:
        fail(path, event, "no name")
    for member in ("pid", "tid"):
        if type(event.get(member)) is not int:
            fail(path, event, f"{member} is no integer")
    if not isinstance(event.get("ts"), NUMBER) or event["ts"] <= 0:
        fail(path, event, "ts is no number above 0")
    if event["ph"] == "X" and not (isinstance(event.get("dur"), NUMBER) and event["dur"] >= 0):
        fail(path, event, "dur is no number from 0 on")
    if event["ph"] == "C" and not all(isinstance(v, NUMBER) for v in event["args"].values()):
        fail(path, event, "a counter that is no number")


def check_names(path, events):
    processes, threads = set(), set()
    for event in events:
        if event["ph"] == "M":
            if not isinstance(event["args"]["name"], str):
                fail(path, event, "a name that is no text")
            processes |= {event["pid"]} if event["name"] == "process_name" else set()
            threads |= (
                {(event["pid"], event["tid"])} if event["name"] == "thread_name" else set()
            )
    for event in events:
        if event["ph"] == "X" and (
            event["pid"] not in processes or (event["pid"], event["tid"]) not in threads
        ):
            fail(path, event, "a span on a track without names")


def spans_by_track(path, events):
    """The spans of each track, in order of time; fails if two of a track overlap."""
    tracks = {}
    for event in events:
        if event["ph"] == "X":
            tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    for spans in tracks.values():
        spans.sort(key=lambda span: span["ts"])
        for before, after in zip(spans, spans[1:]):
            # a thousandth of a nanosecond, for the rounding of microseconds
            if before["ts"] + before["dur"] > after["ts"] + 1e-6:
                fail(path, after, "begins before the span before it on its track has ended")
    return tracks


def check_flows(path, events, tracks):
    """Checks that each id pairs one begin with one later end, each within a span of its track."""
    flows = {}
    for event in events:
        if event["ph"] not in ("s", "f"):
            continue
        if not isinstance(event.get("cat"), str) or not isinstance(event.get("id"), int):
            fail(path, event, "a flow without category or id")
        ends = flows.setdefault((event["cat"], event["name"], event["id"]), {})
        if event["ph"] in ends:
            fail(path, event, "a second flow with this id")
        ends[event["ph"]] = event
        spans = tracks.get((event["pid"], event["tid"]), [])
        if not any(span["ts"] <= event["ts"] < span["ts"] + span["dur"] for span in spans):
            fail(path, event, "a flow in no span: the importer drops it")
    for ends in flows.values():
        if set(ends) != {"s", "f"}:
            fail(path, ends, "a flow without its other end")
        if ends["f"].get("bp") != "e":
            fail(path, ends["f"], "a flow's end that binds to the next span")
    return len(flows)


def check(path):
    with open(path, encoding="utf-8") as file:
        root = json.load(file)
    events = root["traceEvents"]
    if "displayTimeUnit" in root:
        sys.exit(f"{path}: displayTimeUnit: Perfetto before 2022 reads ts in that unit")
    for event in events:
        check_common(path, event)
    check_names(path, events)
    tracks = spans_by_track(path, events)
    flows = check_flows(path, events, tracks)
    print(f"{path}: {len(events)} events, {len(tracks)} tracks, {flows} flows")
    return flows


def check_made(fathom):
    with tempfile.TemporaryDirectory() as folder:
        scenario, trace = os.path.join(folder, "two.json"), os.path.join(folder, "trace.json")
        with open(scenario, "w", encoding="utf-8") as file:
            json.dump(SCENARIO, file)
        command = [fathom, "run", "overlap", "--preset", "quick", "-d", "vulkan:0"]
        command += ["--set", f"scenario={scenario},three", "--trace", trace]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 3:
            sys.exit(77)  # no device
        if done.returncode != 0:
            sys.exit(f"{command}: {done.returncode}\n{done.stdout}{done.stderr}")
        flows = check(trace)
    if flows != 3:
        sys.exit(f"{flows} flows: C waits for A and B in one case, for A in the other")


if __name__ == "__main__":
    if sys.argv[1] == "--fathom":
        check_made(sys.argv[2])
    else:
        for name in sys.argv[1:]:
            check(name)
