#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check_throttling.py FATHOM MACHINE.json: a model whose clock falls from 1980 to 1755 MHz: for
some 100 or 1000 samples, for 20 of each 40 ms, from 0.1 s on, or from the beginning. A result that
differs from the model without throttling may be `ok` only if a reason names the clock. Nor may a
metric differ without a word if kernels read a device clock of coarse steps."""

import json
import pathlib
import subprocess
import sys
import tempfile

FAST_HZ, SLOW_HZ = 1.98e9, 1.755e9
FOREVER_NS = 1e12
# after_ns, period_ns, length_ns
THROTTLINGS = {
    "20 of each 40 ms": (0, 4e7, 2e7),
    "100 samples": (0, 2e8, 1e8),
    "1000 samples": (0, 2e9, 1e9),
    "from 0.1 s on": (1e8, FOREVER_NS, FOREVER_NS),
    "from the beginning": (0, FOREVER_NS, FOREVER_NS),
}
COARSE_NS = (100_000, 300_000, 900_000)  # steps of the device clock
SEEDS = (1, 2)
RUN = ("run", "latency", "bandwidth", "--preset", "quick",
       "--set", "latency.bytes=16KiB,1MiB", "--set", "latency.path=vector",
       "--set", "bandwidth.bytes=1MiB", "--set", "bandwidth.op=read", "--set", "bandwidth.path=global")
MAP_THROTTLING = "1000 samples"
MAP_CORES = 4  # a level has no bandwidth of the whole device if there is a single core
MAP_METRICS = ("latency", "bandwidth", "group_bandwidth")
ALLOWED = 0.03  # the clocks differ by 13 %, the noise of the model is 0.2 %


def measure(fathom, machine, seed, folder, command=RUN):
    model, path = folder / "model.json", folder / "run.json"
    model.write_text(json.dumps(machine), encoding="utf-8")
    done = subprocess.run([fathom, *command, "-d", f"model:{model}", "--seed", str(seed), "-o", path],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr + done.stdout)
    results = json.loads(path.read_text(encoding="utf-8"))["results"]
    return {result["key"]: result for result in results if result["metrics"]}


def is_told(result):
    return result["verdict"] != "ok" or any(
        reason["code"] in ("low-clock", "throttled") for reason in result["reasons"])


def problems(quiet, found):
    """Results that differ from the quiet model's without a word on the clock."""
    for key, result in found.items():
        value, truth = (one["metrics"][0]["median"] for one in (result, quiet[key]))
        if abs(value / truth - 1) > ALLOWED and not is_told(result):
            yield f"{key}: {value:.4g} ok, not {truth:.4g}"


def problems_of_map(fathom, machine, throttled, folder):
    """Levels and memory whose time or bandwidth differs from the quiet map's without a word."""
    quiet, found = ({key: result for key, result
                     in measure(fathom, {**one, "cores": MAP_CORES}, 1, folder, ("map",)).items()
                     if result["case"].get("what") in ("level", "memory")}
                    for one in (machine, throttled))
    compared = 0
    for key, result in found.items():
        truths = {one["name"]: one["median"] for one in quiet[key]["metrics"]} if key in quiet else {}
        for metric in result["metrics"]:
            name, value = metric["name"], metric["median"]
            if name not in MAP_METRICS or name not in truths:
                continue
            compared += 1
            if abs(value / truths[name] - 1) > ALLOWED and not is_told(result):
                yield f"map: {key}: {name} {value:.4g} ok, not {truths[name]:.4g}"
    if compared < 6:
        yield f"map: only {compared} values were compared"


def problems_of_steps(quiet, found):
    """Metrics of `ok` results that differ from the quiet model's, though no reason says `imprecise`."""
    for key, result in found.items():
        codes = [reason["code"] for reason in result["reasons"]]
        for metric, truth in zip(result["metrics"], quiet[key]["metrics"]):
            off = metric["name"] != truth["name"] or (
                abs(metric["median"] / truth["median"] - 1) > ALLOWED)
            if off and result["verdict"] == "ok" and "imprecise" not in codes:
                yield f"{key}: {metric['name']} {metric['median']:.4g} ok, not {truth['median']:.4g}"


def main():
    fathom = sys.argv[1]
    machine = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    machine.update(cores=1, core_clock_hz=FAST_HZ, noise={"relative": 0.002, "seed": 1})
    found = []
    with tempfile.TemporaryDirectory(prefix="fathom-throttling-") as name:
        folder = pathlib.Path(name)
        quiet = measure(fathom, machine, 1, folder)
        if len(quiet) < 4 or any(is_told(result) for result in quiet.values()):
            found.append(f"without throttling: {[(key, is_told(one)) for key, one in quiet.items()]}")
        for step_ns in COARSE_NS:
            coarse = measure(fathom, {**machine, "clock_step_ns": step_ns}, 1, folder)
            found += [f"steps of {step_ns} ns: {one}" for one in problems_of_steps(quiet, coarse)]
        for text, (after, period, length) in THROTTLINGS.items():
            throttled = {**machine, "throttling": {"after_ns": after, "period_ns": period,
                                                   "length_ns": length, "core_clock_hz": SLOW_HZ}}
            if text == MAP_THROTTLING:
                found += problems_of_map(fathom, machine, throttled, folder)
            for seed in SEEDS[:1] if length == FOREVER_NS else SEEDS:
                results = measure(fathom, throttled, seed, folder)
                told = sum(is_told(result) for result in results.values())
                print(f"{text}, seed {seed}: {len(results)} results, {told} name the clock")
                found += [f"{text}, seed {seed}: {one}" for one in problems(quiet, results)]
                if length == FOREVER_NS and not told:
                    found.append(f"{text}, seed {seed}: no result names the clock")
                if period == 4e7 and told > len(results) / 4:
                    found.append(f"{text}, seed {seed}: {told} of {len(results)} are not clean")
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
