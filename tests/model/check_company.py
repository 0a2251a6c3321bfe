#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""check_company.py FATHOM MACHINE.json SEEDS: a model with other work on it, in episodes. No `ok`
result may be off by more than 5 % from the quiet machine's. Beside bursts of 5 ms in each 100 ms at
least 80 % of the cases must be `ok`. Without other work almost no case is flagged, nor is any where
the driver takes 0.1 ms for each dispatch."""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

CASES = ["latency", "bandwidth", "--preset", "quick", "--set", "latency.path=vector",
         "--set", "latency.bytes=8KiB,64KiB,1MiB", "--set", "bandwidth.bytes=64KiB,2MiB"]
ALLOWED, BURST_OK, ALONE_FLAGGED = 0.05, 0.8, 0.003


def measured(fathom, machine, seed):
    """{key: result} of the measured cases, and the codes of the run's findings."""
    with tempfile.TemporaryDirectory() as folder:
        model, run = pathlib.Path(folder, "model.json"), pathlib.Path(folder, "run.json")
        model.write_text(json.dumps(machine), encoding="utf-8")
        done = subprocess.run([fathom, "run", *CASES, "-d", f"model:{model}", "--seed", str(seed),
                               "-o", str(run)], capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"status {done.returncode}: {done.stderr}")
        document = json.loads(run.read_text(encoding="utf-8"))
    results = {one["key"]: one for one in document["results"] if one["metrics"]}
    return results, [one["code"] for one in document["findings"]]


def is_flagged(result):
    return any(one["code"] == "shared-device" for one in result["reasons"])


def companies(chance):
    """Kinds of other work, by name, with new random times for each seed."""
    slice_ns = chance.uniform(1e6, 2.5e6)
    endless = {"period_ns": 1e14, "length_ns": 1e14, "slice_ns": slice_ns}
    yield "all along", {"after_ns": 0, **endless}
    yield "from the middle on", {"after_ns": chance.uniform(5e7, 6e8), **endless}
    yield "bursts", {"after_ns": chance.uniform(0, 1e8), "period_ns": 1e8, "length_ns": 5e6,
                     "slice_ns": chance.uniform(1e6, 2.5e6)}
    # The watch sees work that lasts half a second or comes often, but not each single episode.
    yield "episodes", {"after_ns": chance.uniform(0, 1e8), "period_ns": chance.uniform(4e8, 2e9),
                       "length_ns": chance.uniform(1e8, 3e8), "slice_ns": slice_ns}
    short_ns, share = chance.uniform(5e4, 2.5e5), chance.uniform(0.1, 0.3)
    yield "short slices", {"after_ns": 0, "period_ns": short_ns / share, "length_ns": short_ns,
                           "slice_ns": short_ns}


def deviation(result, truth):
    return abs(result["metrics"][0]["median"] / truth["metrics"][0]["median"] - 1)


def check(fathom, machine, seeds):
    counts = {"quiet": [0, 0], "bursts": [0, 0]}
    slow, _ = measured(fathom, {**machine, "launch_ns": 1e5}, 1)
    if any(map(is_flagged, slow.values())):
        yield "results of a slow driver without other work are flagged"
    for seed in range(1, seeds + 1):
        chance = random.Random(seed)
        truth, _ = measured(fathom, machine, seed)
        counts["quiet"][0] += sum(map(is_flagged, truth.values()))
        counts["quiet"][1] += len(truth)
        for kind, company in companies(chance):
            results, findings = measured(fathom, {**machine, "company": company}, seed)
            for key, result in results.items():
                if result["verdict"] == "ok" and deviation(result, truth[key]) > ALLOWED:
                    yield (f"seed {seed}, company {kind} {company}: {key} is ok and "
                           f"{deviation(result, truth[key]):.1%} off")
            if kind == "all along" and "shared-device" not in findings:
                yield f"seed {seed}: the run does not say that the device was not idle"
            if kind == "bursts":
                counts["bursts"][0] += sum(one["verdict"] == "ok" for one in results.values())
                counts["bursts"][1] += len(results)
    flagged, alone = counts["quiet"]
    ok, beside = counts["bursts"]
    print(f"alone {flagged} of {alone} flagged; beside bursts {ok} of {beside} ok")
    if flagged > ALONE_FLAGGED * alone:
        yield f"alone {flagged} of {alone} results are flagged"
    if ok < BURST_OK * beside:
        yield f"beside bursts only {ok} of {beside} results are ok"


def main():
    machine = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    found = list(check(sys.argv[1], machine, int(sys.argv[3])))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
