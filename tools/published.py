#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes run files of tables that others published: reference/published/*.json from *.tsv there.
They are for a look beside other runs in a report, not for judging: one figure a case, no interval,
other kernels. Their benchmarks have version 0, which `compare` refuses. Because of `published` in
reference/index.json, `compare --reference` does not choose them."""

import csv
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "reference/published"
FRAMES = 30  # frames in a published time
LOADS = 4096 * 256 * 256  # loads of a frame: workgroups × threads × loads of a thread
CODE = "published"


def table(name):
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def metric(name, unit, better, median):
    return {"name": name, "unit": unit, "better": better, "median": median, "n": 1}


def result(name, device, case, metrics, method=None):
    """`case` makes the key; `method` holds parameters that are not part of it."""
    key = "/".join([name, *(f"{axis}={value}" for axis, value in case.items())])
    return {"key": key, "benchmark": name, "version": 0, "device": device,
            "case": {**case, **(method or {})}, "verdict": "ok",
            "reasons": [{"code": CODE, "text": "printed by others: one figure, without an "
                                               "interval; not measured by fathom"}],
            "metrics": metrics, "details": {}, "sensors": {}, "series": []}


def benchmark(name, title, params, metrics, views):
    """params: key → type; metrics: name → (unit, better)."""
    units = {"bytes": "B"}
    return {"name": name, "version": 0, "title": title,
            "params": [{"key": key, "type": kind, "unit": units.get(kind, "1"), "role": "axis"}
                       for key, kind in params.items()],
            "metrics": [{"name": key, "unit": unit, "better": better}
                        for key, (unit, better) in metrics.items()],
            "views": views}


def run(source, api, names, benchmarks, results, text):
    devices = [{"id": f"{api}:{i}", "name": name, "limits": {}}
               for i, name in enumerate(names)]
    return {"schema": "fathom-run/1", "status": "complete",
            "tool": {}, "command": ["tools/published.py"],
            "host": {"source": source}, "preset": CODE, "devices": devices,
            "benchmarks": benchmarks, "results": results,
            "findings": [{"code": CODE, "text": text, "keys": []}]}


# ---------------------------------------------------------------- perftest

def loads(name, source, titles, frames):
    """Published times of loads. A time covers `frames` frames; None: the source does not say."""
    rows = table(name)
    columns = [column for column in rows[0] if column not in ("load", "pattern")]
    base = next(row for row in rows
                if (row["load"], row["pattern"]) == ("Buffer<RGBA8>.Load", "random"))
    results = []
    for i, column in enumerate(columns):
        for row in rows:
            if not row[column]:
                continue
            ms = float(row[column])
            metrics = [metric("ratio", "1", "higher", float(base[column]) / ms)]
            if frames:
                seconds = ms * 1e-3 / frames
                metrics += [metric("rate", "op/s", "higher", LOADS / seconds),
                            metric("time", "ns", "lower", seconds * 1e9)]
            results.append(result("loads", f"d3d11:{i}",
                                  {"load": row["load"], "pattern": row["pattern"]}, metrics,
                                  {"fidelity": "original"}))
    kinds = {"rate": ("op/s", "higher"), "time": ("ns", "lower"), "ratio": ("1", "higher")}
    views = [{"kind": "heatmap", "title": "Times as fast as Buffer<RGBA8>.Load random",
              "x": "pattern", "y": "load", "metric": "ratio", "scale": "log"},
             {"kind": "table", "title": "The same as a table", "x": "load", "metric": "ratio"}]
    info = benchmark("loads", "Loads by resource and pattern, as published",
                     {"load": "text", "pattern": "text"},
                     {key: kinds[key] for key in (kinds if frames else ["ratio"])}, views)
    info["params"].append({"key": "fidelity", "type": "text", "unit": "1", "role": "method"})
    return run(source, "d3d11", [titles.get(column, column) for column in columns], [info], results,
               f"Published figures, to look at beside others and not to judge by: {source}")


PERFTEST_NAMES = {
    "390X": "AMD R9 390X", "Fury": "AMD R9 Fury", "RX480": "AMD RX 480",
    "VegaFE": "AMD Vega Frontier Edition", "RadVII": "AMD Radeon VII", "5700XT": "AMD RX 5700 XT",
    "980Ti": "NVIDIA GTX 980 Ti", "1070Ti": "NVIDIA GTX 1070 Ti", "Kepler": "NVIDIA Kepler",
    "TitanV": "NVIDIA Titan V", "2080Ti": "NVIDIA RTX 2080 Ti", "3090": "NVIDIA RTX 3090",
    "HD630": "Intel HD 630", "Gen11": "Intel Gen11"}


# ---------------------------------------------------------------- gpu-benches

# table → (benchmark, title, parameters, metrics, views)
BENCHES = {
    "memcpy": ("transfer", "Host to device, as published", {"bytes": "bytes"},
               {"bandwidth": ("B/s", "higher")},
               [{"kind": "curve", "title": "cudaMemcpy, host to device", "x": "bytes",
                 "metric": "bandwidth", "scale": "log2-log10"}]),
    "um-stream": ("managed", "Triad of managed memory, as published", {"bytes": "bytes"},
                  {"bandwidth": ("B/s", "higher")},
                  [{"kind": "curve", "title": "Triad, data on 16 GB of device memory and beyond",
                    "x": "bytes", "metric": "bandwidth", "scale": "log2-log10"}]),
    "roofline": ("roofline", "Roofline, as published", {"intensity": "real"},
                 {"rate": ("op/s", "higher"), "bandwidth": ("B/s", "higher")},
                 [{"kind": "curve", "title": "Operations by intensity (op/B)", "x": "intensity",
                   "metric": "rate", "scale": "log2-log10"}]),
    "incore": ("incore", "Cycles an operation, as published",
               {"op": "text", "warps": "uint", "ilp": "uint"}, {"reciprocal": ("cycle", "lower")},
               [{"kind": "heatmap", "title": f"{op}: cycles an instruction", "x": "ilp",
                 "y": "warps", "metric": "reciprocal", "where": f"op={op}"}
                for op in ("DFMA", "DDIV", "DSQRT")]),
}
CONVERT = {"bytes": int, "uint": int, "real": float, "text": str}


def benches(name, source, device):
    cases = {}
    for row in table(name):
        cases.setdefault((row["table"], row["point"]), []).append(row)
    results = []
    for (kind, point), rows in cases.items():
        title, _, params, metrics, _ = BENCHES[kind]
        values = dict(part.split("=") for part in point.split(";"))
        case = {key: CONVERT[params[key]](values[key]) for key in params}
        results.append(result(title, "cuda:0", case, [
            metric(row["metric"], *metrics[row["metric"]], float(row["value"])) for row in rows]))
    return run(source, "cuda", [device],
               [benchmark(*description) for description in BENCHES.values()], results,
               f"Published figures, to look at beside others and not to judge by: {source}")


STREAM_BYTES = 1 << 30  # of an array, as in fathom's own keys; gpu-stream's has 16 bytes more


def stream(name, source):
    """Bandwidth in GB/s by operation and by the threads on a core, which are twice the block size."""
    rows = table(name)
    names = list(dict.fromkeys(row["device"] for row in rows))
    results = [
        result("stream", f"cuda:{names.index(row['device'])}",
               {"kernel": "single", "op": op, "type": "double", "bytes": STREAM_BYTES,
                "threads": int(row["threads"])},
               [metric("bandwidth", "B/s", "higher", float(row[op]) * 1e9)])
        for row in rows for op in row if op not in ("device", "threads")]
    info = benchmark("stream", "Bandwidth by occupancy, as published",
                     {"kernel": "text", "op": "text", "type": "text", "bytes": "bytes",
                      "threads": "uint"}, {"bandwidth": ("B/s", "higher")},
                     [{"kind": "curve", "title": "Bandwidth by threads at work on each core",
                       "x": "threads", "metric": "bandwidth", "group": "op",
                       "scale": "log2-log10", "where": "kernel=single"}])
    return run(source, "cuda", names, [info], results,
               f"Published figures, to look at beside others and not to judge by: {source}")


# ---------------------------------------------------------------- Breaking Down Barriers

# metric of `preempt` → (unit, better, factor from the table's unit)
ACTORS = {"app_frames": ("Hz", "higher", 1), "frames": ("Hz", "higher", 1),
          "victim": ("ns", "lower", 1e6), "response": ("ns", "lower", 1e6)}


def preemption(name, source):
    """Frames a second of application and compositor; run time and response time of the compositor
    in ms. A field is empty if the article has no figure."""
    rows = table(name)
    names = list(dict.fromkeys(row["device"] for row in rows))
    results = [
        result("preempt", f"d3d12:{names.index(row['device'])}",
               {"hog": row["hog"], "setting": "processes", "priority": "highest",
                "actors": "three"},
               [metric(key, unit, better, float(row[key]) * factor)
                for key, (unit, better, factor) in ACTORS.items() if row[key]])
        for row in rows]
    info = benchmark("preempt", "Application and compositor beside a hog, as published",
                     dict.fromkeys(("hog", "setting", "priority", "actors"), "text"),
                     {key: kind[:2] for key, kind in ACTORS.items()},
                     [{"kind": "bars", "title": "Frames of the compositor", "x": "hog",
                       "metric": "frames", "group": "setting,priority", "scale": "linear"}])
    return run(source, "d3d12", names, [info], results,
               f"Published figures, to look at beside others and not to judge by: {source}")


FILES = {
    "perftest": lambda: loads(
        "perftest.tsv", "README of github.com/sebbbi/perftest at d75b3af (2020, MIT)",
        PERFTEST_NAMES, FRAMES),
    "perftest-fork": lambda: loads(
        "perftest-fork.tsv", "README of github.com/asmasca/perftest (an earlier state, MIT)", {},
        None),
    "gpu-benches": lambda: benches(
        "gpu-benches.tsv", "README of github.com/RRZE-HPC/gpu-benches (GPL-3.0): its figures only",
        "Tesla V100-PCIE-16GB"),
    "gpu-stream": lambda: stream(
        "gpu-stream.tsv", "github.com/te42kyfo/gpu-benches at 1c36d50 (2024, GPL-3.0), gpu-stream/: "
                          "its figures only"),
    "preemption": lambda: preemption(
        "preemption.tsv", "M. Pettineo, Breaking Down Barriers, Part 6 (2018), therealmjp.github.io: "
                          "its figures only"),
}


def text_of(document):
    """The text of a run file, one result a line, as fathom writes it."""
    lists = ("devices", "benchmarks", "results", "findings")
    compact = {"separators": (",", ":"), "ensure_ascii": False}
    parts = [f'{json.dumps(key)}:{json.dumps(value, **compact)}'
             for key, value in document.items() if key not in lists]
    for key in lists:
        lines = ",\n".join(json.dumps(value, **compact) for value in document[key])
        parts.append(f'{json.dumps(key)}:[\n{lines}]')
    return "{" + ",\n".join(parts) + "}\n"


def main():
    for name, make in FILES.items():
        (FOLDER / f"{name}.json").write_text(text_of(make()), encoding="utf-8")


if __name__ == "__main__":
    main()
