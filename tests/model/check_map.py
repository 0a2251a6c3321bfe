#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check_map.py FATHOM MACHINE.json: `fathom map` must find on a model what the model's file says.
It finds every level and no other; sizes within 5 %, latencies within 3 %, bandwidths within 4 %
(launches and outliers take up to 3); lines, sectors and ways exact or unknown; the cores that share
a level within the interval; and the TLB's reach. It finds no bandwidth that the file does not give."""

import json
import pathlib
import subprocess
import sys
import tempfile


def metric(result, name):
    return next((one["median"] for one in result["metrics"] if one["name"] == name), None)


def of(document, what):
    return [one for one in document["results"]
            if one["benchmark"] == "map" and one["case"]["what"] == what
            and one["case"].get("path") == "vector"]


def near(found, truth, part):
    return found is not None and abs(found / truth - 1) <= part


def sharers_of(machine, k):
    """How many cores share level k, as docs/MODELS.md defines it."""
    shared = machine["levels"][k].get("shared", "chip")
    if shared == "near":
        parts = machine["levels"][k + 1]["capacity_bytes"] // machine["levels"][k]["capacity_bytes"]
        return -(-machine["cores"] // parts)
    return {"core": 1, "chip": machine["cores"]}.get(shared, shared)


def problems_of_sharing(result, level, sharers):
    name = f"level {result['case']['level']}"
    found = next((one for one in result["metrics"] if one["name"] == "sharers"), None)
    if found and not found["ci95"][0] <= sharers <= found["ci95"][1]:
        yield f"{name}: shared by {found['median']} {found['ci95']}, not {sharers}"
    if metric(result, "ways") not in (None, level["ways"]):
        yield f"{name}: {metric(result, 'ways')} ways, not {level['ways']}"


def problems_of_level(result, level):
    name = f"level {result['case']['level']}"
    if not near(metric(result, "size"), level["capacity_bytes"], 0.05):
        yield f"{name}: size {metric(result, 'size')}, not {level['capacity_bytes']}"
    if "latency_ns" not in level and not near(
            metric(result, "latency_cycles"), level["latency_cycles"], 0.03):
        yield f"{name}: {metric(result, 'latency_cycles')} cycles, not {level['latency_cycles']}"
    for key in ("line", "sector"):
        truth = level.get(f"{key}_bytes", level["line_bytes"])
        if metric(result, key) not in (None, truth):
            yield f"{name}: {key} {metric(result, key)}, not {truth}"


def stated(machine, k, which):
    """The bandwidth of level k, or of memory after the last level, limited by the levels before it;
    None if the file has none. If the file has only the chip's, a core's part of it."""
    places = machine["levels"] + [machine["memory"]]
    found = [place["bandwidth"].get(which, place["bandwidth"]["chip_bytes_per_cycle"]
                                    / machine["cores"])
             for place in places[:k + 1] if "bandwidth" in place]
    return min(found) if "bandwidth" in places[k] else None


def problems_of_bandwidth(result, machine, k):
    """Checks the bandwidths of all cores and of one. That of all is optional for a level below 4
    MiB, below 50 kB for each core, or below four times the level before it."""
    name, hertz = result["key"], machine["core_clock_hz"]
    all_cores = stated(machine, k, "chip_bytes_per_cycle")
    one = stated(machine, k, "core_bytes_per_cycle")
    small = 0 < k < len(machine["levels"]) and (
        machine["levels"][k]["capacity_bytes"] < max(0.05e6 * machine["cores"], 4 << 20)
        or machine["levels"][k]["capacity_bytes"] < 4 * machine["levels"][k - 1]["capacity_bytes"])
    for found, truth, optional in ((metric(result, "bandwidth"), all_cores, small),
                                   (metric(result, "group_bandwidth"), one, False)):
        if truth is None and found is not None:
            yield f"{name}: {found} B/s, but the file gives none"
        elif truth is not None and not (optional and found is None) and not near(
                found, truth * hertz, 0.04):
            yield f"{name}: {found} B/s, not {truth * hertz:.4g}"


def problems_of_clocks(result, level):
    """Checks latency = fixed + clocked / core clock, if the core's clock changed."""
    whole = metric(result, "latency")
    found = metric(result, "fixed"), metric(result, "clocked")
    if None in found or abs(found[0] - level.get("latency_ns", 0)) > 0.05 * whole:
        yield f"{result['key']}: clocks {found}, not {level}"


def problems_of_low_clock(result, machine, place):
    """A latency that is not that of the highest clock must name the clock."""
    truth = place.get("latency_cycles", 0) / machine["core_clock_hz"] * 1e9 + place.get("latency_ns", 0)
    named = any(reason["code"] == "low-clock" for reason in result["reasons"])
    found = metric(result, "latency")
    if result["verdict"] == "ok" and not named and not near(found, truth, 0.05):
        yield f"{result['key']}: {found} ns is `ok` without a remark, not {truth:.4g}"


def problems(document, machine):
    levels = of(document, "level")
    if machine["noise"]["relative"] > 0.2:
        if levels or of(document, "memory"):
            yield f"found behind the noise: {levels}"
        return
    if "throttling" in machine:
        for result, level in zip(levels, machine["levels"]):
            yield from problems_of_clocks(result, level)
            yield from problems_of_low_clock(result, machine, level)
    if len(levels) != len(machine["levels"]):
        yield f"{len(levels)} levels, not {len(machine['levels'])}"
    for k, (result, level) in enumerate(zip(levels, machine["levels"])):
        yield from problems_of_level(result, level)
        yield from problems_of_sharing(result, level, sharers_of(machine, k))
        yield from problems_of_bandwidth(result, machine, k)
    memory = of(document, "memory")
    if machine.get("last_cache_bytes", 0) < machine["levels"][-1]["capacity_bytes"] / 2:
        if not memory or memory[0]["verdict"] == "ok":
            yield "what lies beyond is called memory, though nobody states the last cache"
    truth = machine["memory"]["latency_cycles"]
    if memory and "throttling" not in machine:
        yield from problems_of_bandwidth(memory[0], machine, len(machine["levels"]))
    if "tlb" in machine:
        tlb = machine["tlb"][0]
        reach = of(document, "tlb")
        if not reach or not near(metric(reach[0], "size"), tlb["entries"] * tlb["page_bytes"], 0.05):
            yield f"the TLB's reach: {reach and metric(reach[0], 'size')}"
    elif "throttling" in machine:
        clock = machine["memory"]
        fixed = {"latency_ns": clock["latency_clocks"] / clock["clock_hz"] * 1e9}
        yield from problems_of_clocks(memory[0], fixed)
    elif not memory or not near(metric(memory[0], "latency_cycles"), truth, 0.06):
        yield f"memory: {memory and metric(memory[0], 'latency_cycles')} cycles, not {truth}"


def problems_of_console(document, console):
    """The console must name each unknown of a level or of memory, and each note on a size."""
    lines = [" ".join(line.split()) for line in console.split("\nUnknown\n")[1].split("•")]
    for result in of(document, "level") + of(document, "memory"):
        level = result["case"].get("level")
        name = f"vector level {level}" if level else "vector, beyond"
        for key, text in result["details"].items():
            if text.startswith("unknown: "):
                end = f", {key}: {text.removeprefix('unknown: ')}"
                if not any(name in line and end in line for line in lines):
                    yield f"not on the console: {name}{end}"
            elif key == "size" and f"{name}: {text}" not in " ".join(console.split()):
                yield f"not on the console: {name}: {text}"


def main():
    fathom, machine = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="fathom-model-") as folder:
        path = pathlib.Path(folder) / "map.json"
        done = subprocess.run([fathom, "map", "-d", f"model:{machine}", "--seed", "1", "-o", path],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr + done.stdout)
        document = json.loads(path.read_text(encoding="utf-8"))
    found = list(problems(document, json.loads(pathlib.Path(machine).read_text(encoding="utf-8"))))
    found += problems_of_console(document, done.stdout)
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
