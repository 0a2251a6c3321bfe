#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the committed runs of overlap: what one run of a device claims, the other runs of the
same device and API must claim, too.

test_repeats.py REFERENCE        reference/h200-vulkan-overlap-1.json … -3.json, and so on
test_repeats.py RUN.json…        any runs of one device: prints each claim"""
import glob
import json
import os
import re
import statistics
import sys

# The possible answers of a finding. A finding without an answer claims its number.
ANSWER = re.compile(
    r": (no difference|a longer frame|a shorter frame|no, less|yes|no|partly|undecided)\b"
)
# Two frames that differ by less than MATTERS are alike (src/bench/overlap/conclude.c; earlier runs
# said otherwise).
COMPARISONS = ("split-barrier", "queue-priority")
MATTERS = 0.05
SHARE = 0.05  # share of time that separates "no" from more
TIMES = 0.1  # part of a time or a factor
# Markers come when the stamps say so. Up to version 2 the scenario of draws is an exception: the
# first marker of its second draw, one of six, comes late (docs/evidence/overlap.md).
LATE = {"draws": 1 / 6}
HELD_AGAINST_OWN_CLOCK = 3
# Gaps between two submissions depend on the host: a run claims only that they are small, in ns.
SMALL = {"release-skew": 4000}
# Cases that failed in a committed run because of a fault that is now fixed: the memory of markers
# was not cleared before the first frame.
FAILED = {
    "h200-cuda-overlap-2.json": {"overlap/scenario=default/barrier=semaphore/place=before"},
}


def claims_of(run):
    """(code, cases) → (answer, number)."""
    claims = {}
    for finding in run["findings"]:
        code, keys = finding["code"], finding["keys"]
        if not keys[0].startswith("overlap/") or code == "overlap-clock":
            continue
        answer = ANSWER.search(finding["text"])
        value = finding.get("value")
        told = answer.group(1) if answer else ""
        told_apart = code in COMPARISONS and told in ("a longer frame", "a shorter frame")
        if told_apart and value is not None and abs(value - 1) < MATTERS:
            told = "no difference"
        claims[(code, *keys)] = (told, value)
    return claims


def is_share(code):
    return code in (
        "overlap-dispatches", "overlap-draw-dispatch", "overlap-draws", "overlap-queues",
        "overlap-bystander",
    )


def differs(place, claims):
    """How these claims of several runs differ; None if they agree."""
    code = place[0]
    if len({answer for answer, _ in claims}) > 1:
        return "is answered differently"
    values = [value for _, value in claims if value is not None]
    if len(values) < len(claims):
        return None if not values else "has a number in some runs only"
    if code in SMALL:
        return None if max(map(abs, values)) <= SMALL[code] else "is not small"
    if code == "target-barrier":
        return None  # the difference of two gaps, near 0
    middle = statistics.median(values)
    room = SHARE if is_share(code) else TIMES * abs(middle)
    far = max(abs(value - middle) for value in values)
    return f"is {far:.3g} apart" if far > room else None


def disagreements_of(run):
    """Measured cases whose polled markers disagree with the stamps."""
    for result in run["results"]:
        if result["verdict"] in ("failed", "skipped"):
            continue
        calibrations = [one for one in result["series"] if one["name"] == "calibration"]
        if not calibrations:
            yield f"{result['key']}: no markers were looked for"
        for series in calibrations:
            row = dict(zip(series["columns"], series["data"][0]))
            old = result["version"] < HELD_AGAINST_OWN_CLOCK
            late = LATE.get(re.search(r"/scenario=([\w-]+)", result["key"])[1], 0) if old else 0
            contrary = row["seen"] - row["agreed"]
            if not 0 < row["markers"] == row["seen"] or contrary > late * row["seen"]:
                yield (f"{result['key']}: of {row['markers']} markers {row['seen']} were seen and "
                       f"{row['agreed']} agree with the stamps")


def check(paths):
    """Complaints about the runs in these files."""
    runs = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            runs.append(json.load(file))
    complaints = []
    for path, run in zip(paths, runs):
        complaints += [f"{path}: {text}" for text in disagreements_of(run)]
    failed = [
        {result["key"] for result in run["results"] if result["verdict"] == "failed"}
        for run in runs
    ]
    complaints += [
        f"{path}: failed: {sorted(keys)}" for path, keys in zip(paths, failed)
        if keys != FAILED.get(os.path.basename(path), set())
    ]
    claims = [claims_of(run) for run in runs]
    for place in sorted(set().union(*claims)):
        missing = [
            path for path, one, keys in zip(paths, claims, failed)
            if place not in one and not keys.intersection(place)
        ]
        why = f"is missing in {missing}" if missing else differs(
            place, [one[place] for one in claims if place in one]
        )
        told = [one.get(place) for one in claims]
        print("differs" if why else "same   ", place[0], *place[1:2], told)
        if why:
            complaints.append(f"{' '.join(place)}: {why}: {told}")
    return complaints


def groups_of(folder):
    groups = {}
    for path in sorted(glob.glob(os.path.join(folder, "*-overlap-[0-9].json"))):
        groups.setdefault(path.rsplit("-", 1)[0], []).append(path)
    return groups


def main():
    if len(sys.argv) == 2 and os.path.isdir(sys.argv[1]):
        groups = groups_of(sys.argv[1])
        complaints = [f"{name}: fewer than three runs" for name, paths in groups.items()
                      if len(paths) < 3]
        if not groups:
            print("skipped: no repeated runs of overlap in", sys.argv[1])
            sys.exit(77)
    else:
        groups, complaints = {"": sys.argv[1:]}, []
    for name, paths in groups.items():
        print(os.path.basename(name))
        complaints += check(paths)
    sys.exit("\n".join(complaints) if complaints else 0)


if __name__ == "__main__":
    main()
