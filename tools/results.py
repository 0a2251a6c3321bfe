#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Writes what is derived from the runs in reference/:

docs/RESULTS.md: docs/targets.json says which quantities it shows, in which unit, and which target a
quantity has through which API. A table shows all runs of one device through one API. The table of
rays has a column for each device. Runs of the quick preset and checks are only listed.

reference/index.json: preset, UUIDs, commit and versions of the benchmarks come from each run's
file; the other members are written by hand. A run file may be gzipped (.json.gz).

reference/README.md: the list of the files.

src/analysis/spread.c: how much healthy cards of one model differ (spreads)."""

import collections
import functools
import gzip
import json
import math
import pathlib
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/RESULTS.md"
INDEX = ROOT / "reference/index.json"
README = ROOT / "reference/README.md"
TABLE = ROOT / "src/analysis/spread.c"
APIS = {"vulkan": "Vulkan", "cuda": "CUDA", "opencl": "OpenCL"}
VERDICTS = ("ok", "suspect", "skipped", "failed")

HEAD = """# Results

<!-- written by tools/results.py from reference/*.json and docs/targets.json: do not edit -->

The tables show medians of the runs under reference/; where runs differ, the lowest and the highest median. The last
column says how many runs measured the quantity and how many of them meet the target. *suspect* marks a quantity that
is suspect in at least one run. The METHOD.md of each benchmark and `docs/evidence/results.md` explain missed targets.
"""


@functools.cache
def load(path):
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data)


def reference_runs():
    """(file name, API, run) in the order of the index, without figures that others published."""
    return [(one["file"], one["api"], load(INDEX.parent / one["file"])) for one in load(INDEX)["runs"]
            if not one.get("published")]


# ---------------------------------------------------------------- the index

def facts(run):
    """The members of the index that come from a run's file."""
    return {"preset": run["preset"], "uuids": [device["uuid"] for device in run["devices"] if "uuid" in device],
            "commit": run["tool"]["commit"],
            "benchmarks": {one["name"]: one["version"] for one in run["benchmarks"]}}


def index_text(index, folder):
    """The index with the facts of each run; published figures have no facts."""
    runs = [one if one.get("published") else {**one, **facts(load(folder / one["file"]))}
            for one in index["runs"]]
    return json.dumps({**index, "runs": runs}, indent=2, ensure_ascii=False) + "\n"


# ---------------------------------------------------------------- the list of the files

LIST_BEGIN = "<!-- written by tools/results.py from index.json and the files: do not edit -->\n"
LIST_END = "<!-- the end of what tools/results.py writes -->\n"


def entry_line(one):
    run = load(INDEX.parent / one["file"])
    names = [benchmark["name"] for benchmark in run["benchmarks"]]
    what = ", ".join(names) if len(names) <= 5 else f"{len(names)} benchmarks"
    devices = dict.fromkeys(device["name"] for device in run["devices"])
    device = next(iter(devices)) if len(devices) == 1 else f"{len(devices)} devices"
    return f"| {one['file']} | {device} | {one['api']} | {one['preset']} | {what} | {one['note']} |"


def readme_text(text):
    """The page with a new list of the files."""
    before, rest = text.split(LIST_BEGIN)
    after = rest.split(LIST_END)[1]
    lines = ["| file | device | API | preset | benchmarks | note |", "| --- | --- | --- | --- | --- | --- |",
             *map(entry_line, load(INDEX)["runs"])]
    return f"{before}{LIST_BEGIN}\n" + "\n".join(lines) + f"\n\n{LIST_END}{after}"


# ---------------------------------------------------------------- the spread between cards

CARDS_LEAST = 3
# Fewer cards give a lower bound of the spread, not an upper one: loads of five cards were within
# 1.5 %, and another card differed by 5 %.
BOUND_CARDS_LEAST = 9
WIDE_CARDS_LEAST = 5
CONFIDENCE = 0.99
UNITS = {"1": "NONE", "ns": "NS", "cycle": "CYCLE", "B": "BYTE", "B/s": "BYTE_PER_S",
         "B/cycle": "BYTE_PER_CYCLE", "op/s": "OP_PER_S", "op/cycle": "OP_PER_CYCLE", "Hz": "HZ",
         "W": "WATT", "J": "JOULE", "degC": "DEGC"}

TABLE_HEAD = """// SPDX-License-Identifier: MIT
// Do not edit: tools/results.py computes these spreads from the runs in reference/.
#include "analysis/compare.h"

const struct card_spread card_spreads[] = {
"""
TABLE_END = """};

const size_t card_spread_count = sizeof card_spreads / sizeof *card_spreads;
"""


def student(confidence, freedom):
    """The two-sided quantile of Student's t, by bisection over Simpson's rule."""
    scale = math.gamma((freedom + 1) / 2) / math.gamma(freedom / 2) / math.sqrt(freedom * math.pi)

    def inside(end, steps=2000):
        values = [(1 + (end * i / steps) ** 2 / freedom) ** (-(freedom + 1) / 2)
                  for i in range(steps + 1)]
        weights = values[0] + values[-1] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2])
        return 2 * scale * weights * end / steps / 3

    low, high = 0, 1000
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if inside(middle) < confidence else (low, middle)
    return low


def figures(run):
    """Yields (device, benchmark, version, key, metric, unit), the value and the value of the same
    work in cycles (None: not known) of each figure of an `ok` result that has a better direction."""
    cycles_of = {(one["name"], metric["name"]): metric["cycles_of"].split(",")
                 for one in run["benchmarks"] for metric in one["metrics"] if "cycles_of" in metric}
    for result in run["results"]:
        if result["verdict"] != "ok":
            continue
        found = {metric["name"]: metric for metric in result["metrics"] if metric.get("median", 0) > 0}
        twins = {}
        for name in found:
            of = next((one for one in cycles_of.get((result["benchmark"], name), ()) if one in found), None)
            if of:
                twins[of] = found[name]["median"]
        for name, metric in found.items():
            if metric["better"] != "none":
                yield ((result["device"], result["benchmark"], result["version"], result["key"], name,
                        metric["unit"]), metric["median"], twins.get(name))


def deviation(cards, at):
    """The standard deviation of a figure's logarithm between cards; NaN if the figure is not known."""
    values = [[one[at] for one in card] for card in cards]
    if any(value is None for card in values for value in card):
        return math.nan
    return statistics.stdev(statistics.median(map(math.log, card)) for card in values)


def spreads(runs):
    """(benchmark, unit) → (largest relative difference of two healthy cards, cards, models,
    figures).

    A class is the metrics of a benchmark that have one unit. A figure that CARDS_LEAST or more
    cards of one model have through one API gives a standard deviation between cards. If the same
    work is known in cycles, the smaller deviation counts, because compare blames the clock for the
    rest. s is the 95th percentile of a class's deviations: what differs most counts. Two cards
    differ by t·√2·s, where t is Student's quantile and the degrees of freedom are the cards beyond
    the first of each model: few cards give a wide bound, more cards of any model narrow it. The
    table in C has the classes of BOUND_CARDS_LEAST or more cards, and smaller classes only if their
    bound is wider than all of these. For other classes compare takes the table's widest bound."""
    seen = collections.defaultdict(lambda: collections.defaultdict(list))
    for _, api, run in runs:
        devices = {device["id"]: device for device in run["devices"]}
        for (device, *rest), value, cycles in figures(run):
            card = devices[device]
            if "uuid" in card:
                seen[card["name"], api, *rest][card["uuid"]].append((value, cycles))
    classes = collections.defaultdict(lambda: (collections.defaultdict(set), []))
    for (model, _, benchmark, _, _, _, unit), cards in seen.items():
        if len(cards) >= CARDS_LEAST:
            known, found = classes[benchmark, unit]
            known[model].update(cards)
            found.append(min(one for one in (deviation(cards.values(), 0), deviation(cards.values(), 1))
                             if not math.isnan(one)))
    table = {}
    for group, (known, found) in sorted(classes.items()):
        cards = sum(map(len, known.values()))
        high = sorted(found)[math.ceil(0.95 * len(found)) - 1]
        most = math.exp(student(CONFIDENCE, cards - len(known)) * math.sqrt(2) * high) - 1
        table[group] = (most, cards, len(known), len(found))
    return table


def spread_text(runs):
    table = spreads(runs)
    widest = max(most for most, cards, _, _ in table.values() if cards >= BOUND_CARDS_LEAST)
    lines = [f"    // This spread comes from {count} figures of {cards} cards of {models} "
             f"{'model' if models == 1 else 'models'}.\n"
             f'    {{"{benchmark}", UNIT_{UNITS[unit]}, {most:.3f}}},\n'
             for (benchmark, unit), (most, cards, models, count) in table.items()
             if cards >= BOUND_CARDS_LEAST or cards >= WIDE_CARDS_LEAST and most > widest]
    return TABLE_HEAD + "".join(lines) + TABLE_END


# ---------------------------------------------------------------- the page


def value_of(row, run):
    """(value in the row's unit, verdict), or None if the run has no such number."""
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


def reached(values):
    """The text of the lowest and the highest of (value, verdict); empty if there is none."""
    texts = sorted({number(value) for value, _ in values}, key=float)
    suspect = " *suspect*" if any(verdict == "suspect" for _, verdict in values) else ""
    return "–".join(texts if len(texts) < 2 else (texts[0], texts[-1])) + suspect


def line(row, api, runs):
    """A table row, or None if no run has the quantity."""
    values = [value for value in (value_of(row, run) for run in runs) if value]
    if not values:
        return None
    target = row.get("target", {}).get(api)
    runs_text = f"{len(values)} run" + "s" * (len(values) > 1)
    if target:
        runs_text = f"{sum(meets(value, target) for value, _ in values)} of {runs_text}"
    cells = (row["quantity"], row["unit"], target_text(target, row.get("source")), reached(values),
             runs_text)
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


def newest(results):
    """The results that have the newest version of their benchmark."""
    return [one for one in results if one["version"] == max(other["version"] for other in results)]


def ray_table(rays, runs):
    """The table of what rays cost: a column for each card with a run of one of the quantities."""
    cards = {}
    for run in runs:
        cards.setdefault(run["devices"][0]["name"], []).append(run)
    columns = {}
    for card, own in cards.items():
        results = newest([result for run in own for result in run["results"] if result["benchmark"] == "rays"])
        by_key = [{"by_key": {result["key"]: result}, "findings": []} for result in results]
        cells = [reached([value for value in (value_of(row, one) for one in by_key) if value])
                 for row in rays["rows"]]
        if any(cells):
            columns[f"{card}, version {results[0]['version']}"] = cells
    lines = [["quantity", "unit", rays["beside"], *columns], ["---"] * (3 + len(columns))]
    lines += [[row["quantity"], row["unit"], row.get("beside", "–"), *(cells[i] or "–" for cells in columns.values())]
              for i, row in enumerate(rays["rows"])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def source_list(targets):
    return "\n".join(f"- ({name}) {text}" for name, text in targets["sources"].items())


def page():
    targets = load(ROOT / "docs/targets.json")
    runs = reference_runs()
    parts = [HEAD]
    for api, title in APIS.items():
        full = [run for _, through, run in runs if through == api and run["preset"] not in ("quick", "check")]
        shown = [run for run in full if run["devices"][0]["name"] == targets["device"]]
        for run in shown:
            run["by_key"] = {result["key"]: result for result in run["results"]}
        if api == "vulkan":
            rays = ray_table(targets["rays"], full)
        if shown:
            parts.append(f"## {targets['device']} through {title}\n\n{table(targets, api, shown)}\n")
    parts.append(f"## What rays cost\n\n{targets['rays']['text']}\n\n{rays}\n")
    parts.append(f"## Where the targets come from\n\n{source_list(targets)}\n")
    parts.append(f"## The runs\n\n{run_list(runs)}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    INDEX.write_text(index_text(load(INDEX), INDEX.parent), encoding="utf-8")
    load.cache_clear()
    README.write_text(readme_text(README.read_text(encoding="utf-8")), encoding="utf-8")
    TABLE.write_text(spread_text(reference_runs()), encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")
