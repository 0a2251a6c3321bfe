#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check_clocks.py FATHOM MACHINE.json: `fathom map --set clock=LIST` on a model whose clock is as
asked for. For each level, a and b of latency = a + b / core clock must be as in the file. The map
must say if a clock was missed. Without the list, a and b are unknown."""

import json
import pathlib
import subprocess
import sys
import tempfile

CLOCKS = (1000, 1300, 1700, 2500)  # MHz; the machine reaches 2000


def metric(result, name):
    return next((one for one in result["metrics"] if one["name"] == name), None)


def found(document):
    """The results of the levels from the core outwards, then of the memory behind them."""
    return [one for one in document["results"]
            if one["benchmark"] == "map" and one["case"]["what"] in ("level", "memory")
            and one["case"]["path"] == "vector"]


def parts_of(machine):
    """(a in ns, b in cycles, which clock counts) for each level and for memory."""
    memory = machine["memory"]
    behind = {"latency_cycles": memory["latency_cycles"],
              "latency_ns": memory["latency_clocks"] / memory["clock_hz"] * 1e9}
    for level in machine["levels"] + [behind]:
        ns, cycles = level.get("latency_ns", 0), level["latency_cycles"]
        share = ns / (ns + cycles / 1.41)  # at 1.41 GHz, the middle of the clocks
        yield ns, cycles, ("the core's clock" if share < 0.2 else
                           "another clock than the core's" if share > 0.8 else
                           "the core's clock and another")


def problems_of_part(result, name, truth, allowed):
    """Yields a problem unless the interval is narrow and holds the truth, or almost."""
    part = metric(result, name)
    if part is None:
        yield f"{result['key']}: no {name}"
        return
    width = part["ci95"][1] - part["ci95"][0]
    if abs(part["median"] - truth) > max(width / 2, allowed) or width > 10 * allowed:
        yield f"{result['key']}: {name} {part}, not {truth}"


def problems(document, machine):
    results, truths = found(document), list(parts_of(machine))
    if len(results) != len(truths):
        yield f"{len(results)} levels, not {len(truths)}"
    for result, (ns, cycles, domain) in zip(results, truths):
        whole = metric(result, "latency")["median"]
        yield from problems_of_part(result, "fixed", ns, 0.01 * whole)
        yield from problems_of_part(result, "clocked", cycles, 0.02 * whole)
        details = result["details"]
        if details.get("clock domain") != domain:
            yield f"{result['key']}: by {details.get('clock domain')}, not {domain}"
        if "asked for 2.500 GHz, ran at 2.000 GHz" not in details.get("clocks", ""):
            yield f"{result['key']}: asked and seen: {details.get('clocks')}"
    asked = [one for one in document["findings"] if one["code"] == "clocks"]
    missed = [one for one in document["findings"] if one["code"] == "clock-not-reached"]
    if len(asked) != 1 or "1.000 GHz, 1.300 GHz, 1.700 GHz, 2.500 GHz" not in asked[0]["text"]:
        yield f"what was asked for: {asked}"
    if len(missed) != 1 or abs(missed[0]["value"] / 2e9 - 1) > 0.001:
        yield f"what was not reached: {missed}"


def problems_without(document):
    for result in found(document):
        if result["details"].get("clock domain") != "unknown: the core clock did not change":
            yield f"{result['key']}: {result['details'].get('clock domain')} by a single clock"
    if [one for one in document["results"] if one["case"].get("what") == "clocks"]:
        yield "clocks were asked for by nobody"


def measure(fathom, machine, *options):
    with tempfile.TemporaryDirectory(prefix="fathom-clocks-") as folder:
        path = pathlib.Path(folder) / "map.json"
        done = subprocess.run([fathom, "map", "-d", f"model:{machine}", "--seed", "1", "-o", path,
                               *options], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr + done.stdout)
        return json.loads(path.read_text(encoding="utf-8"))


def main():
    fathom, machine = sys.argv[1:]
    asked = "clock=" + ",".join(str(mhz) for mhz in CLOCKS)
    truth = json.loads(pathlib.Path(machine).read_text(encoding="utf-8"))
    all_found = list(problems(measure(fathom, machine, "--set", asked), truth))
    all_found += problems_without(measure(fathom, machine))
    for problem in all_found:
        print(problem)
    sys.exit(1 if all_found else 0)


if __name__ == "__main__":
    main()
