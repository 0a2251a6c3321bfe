#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/RESULTS.md from the runs in reference/: tools/results.py writes it anew. docs/targets.json says
which quantities it shows, in which unit, and which target a quantity has through which API. A table
shows all runs of one device through one API; runs of the quick preset are only listed."""

import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/RESULTS.md"
APIS = {"vulkan": "Vulkan", "cuda": "CUDA", "opencl": "OpenCL"}
VERDICTS = ("ok", "suspect", "skipped", "failed")

HEAD = """# Results

<!-- written by tools/results.py from reference/*.json and docs/targets.json: do not edit -->

The tables show medians of the runs under reference/; where runs differ, the lowest and the highest median. The last
column says how many runs measured the quantity and how many of them meet the target. *suspect* marks a quantity that
is suspect in at least one run. The METHOD.md of each benchmark and `docs/evidence/results.md` explain missed targets.
"""


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def reference_runs():
    """(file name, API, run) in the order of the index; figures that others published are left out."""
    index = load(ROOT / "reference/index.json")["runs"]
    return [(one["file"], one["api"], load(ROOT / "reference" / one["file"])) for one in index
            if not one.get("published")]


def value_of(row, run):
    """(value in the row's unit, verdict), or None where the run has no such number."""
    if "finding" in row:
        found = [one for one in run["findings"] if one["code"] == row["finding"]["code"]]
        place = row["finding"]["index"]
        return (found[place]["value"] / row["scale"], "ok") if place < len(found) else None
    result = run["by_key"].get(row["key"])
    member = "of_limit" if row.get("of_limit") else "median"
    for metric in result["metrics"] if result else ():
        if metric["name"] == row["metric"] and metric.get(member) is not None:
            return metric[member] / row["scale"], result["verdict"]
    return None


def number(value):
    return f"{value:.4g}" if value < 10000 else f"{value:.0f}"


def target_text(target, source):
    if not target:
        return "–"
    least, most = target
    text = f"≥ {least:g}" if most is None else f"{least:g}–{most:g}" if least else f"≤ {most:g}"
    return f"{text} ({source})"


def meets(value, target):
    least, most = target
    return (least is None or value >= least) and (most is None or value <= most)


def line(row, api, runs):
    """A table row, or None where no run has the quantity."""
    values = [value for value in (value_of(row, run) for run in runs) if value]
    if not values:
        return None
    target = row.get("target", {}).get(api)
    texts = sorted({number(value) for value, _ in values}, key=float)
    reached = "–".join(texts if len(texts) == 1 else (texts[0], texts[-1]))
    if any(verdict == "suspect" for _, verdict in values):
        reached += " *suspect*"
    runs_text = f"{len(values)} run" + "s" * (len(values) > 1)
    if target:
        runs_text = f"{sum(meets(value, target) for value, _ in values)} of {runs_text}"
    cells = (row["quantity"], row["unit"], target_text(target, row.get("source")), reached, runs_text)
    return "| " + " | ".join(cells) + " |"


def table(targets, api, runs):
    lines = [found for found in (line(row, api, runs) for row in targets["rows"]) if found]
    return "\n".join(["| quantity | unit | target | reached | met by |", "| --- | --- | --- | --- | --- |",
                      *lines])


def run_list(runs):
    lines = ["| run | device | driver | preset | cases | " + " | ".join(VERDICTS) + " |",
             "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for file, _, run in runs:
        verdicts = [result["verdict"] for result in run["results"]]
        device = run["devices"][0]
        count = "" if len(run["devices"]) == 1 else f"{len(run['devices'])} × "
        lines.append(f"| {file} | {count}{device['name']} | {device['driver']} | {run['preset']} | "
                     f"{len(verdicts)} | "
                     + " | ".join(str(verdicts.count(verdict)) for verdict in VERDICTS) + " |")
    return "\n".join(lines)


def source_list(targets):
    return "\n".join(f"- ({name}) {text}" for name, text in targets["sources"].items())


def page():
    targets = load(ROOT / "docs/targets.json")
    runs = reference_runs()
    parts = [HEAD]
    for api, title in APIS.items():
        shown = []
        for _, through, run in runs:
            run["by_key"] = {result["key"]: result for result in run["results"]}
            if (through == api and run["preset"] != "quick"
                    and run["devices"][0]["name"] == targets["device"]):
                shown.append(run)
        if shown:
            parts.append(f"## {targets['device']} through {title}\n\n{table(targets, api, shown)}\n")
    parts.append(f"## Where the targets come from\n\n{source_list(targets)}\n")
    parts.append(f"## The runs\n\n{run_list(runs)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
