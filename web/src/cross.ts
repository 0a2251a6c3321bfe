// SPDX-License-Identifier: MIT
// The same cases on several devices: one chip through several APIs (the table of analysis/cross.c),
// or one run against another. Only equal cases have a ratio.
import { h, present } from "./dom";
import type { Metric, Result, Subject } from "./run";
import { metricOf, shownUnit } from "./run";
import { tableOf } from "./chart";
import { formatMedian } from "./units";
import { inCycles } from "./view";

const LOW = 0.97, HIGH = 1.03;
const LIST_MAX = 400, FIRST_MAX = 8;

const api = (subject: Subject): string => subject.device.id.split(":")[0] ?? "";

// True if both devices of one run are one chip, as in analysis/cross.c: their UUIDs or PCI
// addresses are equal (APIs may report different UUIDs), or both are CPU devices, the processors of
// the host.
function sameChip(a: Subject, b: Subject): boolean {
  const [one, other] = [a.device, b.device];
  const alike = (key: "uuid" | "pci"): boolean => one[key] !== undefined && one[key] === other[key];
  return a.run === b.run && api(a) !== api(b) &&
    (alike("uuid") || alike("pci") || (one.kind === "cpu" && other.kind === "cpu"));
}

export function chipsOf(subjects: Subject[]): Subject[][] {
  const chips: Subject[][] = [];
  for (const subject of subjects) {
    const home = chips.find((chip) => chip.some((other) => sameChip(subject, other)) &&
      chip.every((other) => api(other) !== api(subject)));
    if (home) home.push(subject);
    else chips.push([subject]);
  }
  return chips.filter((chip) => chip.length > 1);
}

function comparable(a: Result, b: Result): boolean {
  return a.version === b.version &&
    Object.keys({ ...a.case, ...b.case }).every((key) => a.case[key] === b.case[key]);
}

const apart = (a: Metric, b: Metric, ratio: number): boolean =>
  (ratio < LOW || ratio > HIGH) && a.ci95 !== undefined && b.ci95 !== undefined &&
  (a.ci95[1] < b.ci95[0] || b.ci95[1] < a.ci95[0]);

interface Row {
  benchmark: string;
  key: string;
  cells: string[];
  ratios: (number | undefined)[]; // ratio of each device to the reference
  far: boolean;
  trusted: boolean; // no device's case is flagged
}

// Returns the row of a metric of a case; undefined if fewer than two devices of the chip measured
// it.
function rowOf(key: string, metric: Metric, chip: (Result | undefined)[], reference: number): Row | undefined {
  const found = chip.map((result) => {
    const other = result && metricOf(result, metric.name);
    return other?.unit === metric.unit ? other : undefined;
  });
  if (found.filter(Boolean).length < 2) return undefined;
  const base = found[reference], home = chip[reference];
  const row: Row = {
    benchmark: key.split("/")[0] ?? "", key, ratios: chip.map(() => undefined), far: false,
    trusted: chip.every((result) => result === undefined || result.verdict === "ok"),
    cells: [key, metric.name, formatMedian(base, shownUnit(base, metric.unit))],
  };
  found.forEach((other, i) => {
    if (i === reference) return;
    const ratio = (other?.median ?? NaN) / (base?.median ?? NaN);
    const result = chip[i];
    const equal = result && home && comparable(result, home) && Number.isFinite(ratio);
    row.ratios[i] = equal ? ratio : undefined;
    row.cells.push(formatMedian(other, shownUnit(other, metric.unit)),
      equal ? ratio.toFixed(3) : other && base ? "not equal" : "–");
    row.far = row.far || Boolean(equal && other && base && apart(other, base, ratio));
  });
  return row;
}

// Returns the rows of all metrics that at least two devices measured, in the order of the first
// device that has them.
function rowsOf(chip: Subject[], reference: number): Row[] {
  const benchmarks = chip.flatMap(({ run }) => run.benchmarks);
  const results = chip.map((subject) => new Map(subject.results.map((one) => [one.key, one])));
  const rows = new Map<string, Row | undefined>();
  for (const own of results)
    for (const [key, result] of own) {
      const metrics = result.metrics.filter(({ median }) => median !== undefined);
      const benchmark = benchmarks.find(({ name }) => name === result.benchmark);
      const twins = new Set(metrics.map((metric) => benchmark && inCycles(benchmark, metric)?.name));
      for (const metric of metrics) {
        const name = `${key} ${metric.name}`;
        if (twins.has(metric.name) || rows.has(name)) continue; // a metric in time already shows it
        rows.set(name, rowOf(key, metric, results.map((one) => one.get(key)), reference));
      }
    }
  return present([...rows.values()]);
}

function referenceOf(chip: Subject[]): number {
  const known = ["cuda", "opencl"].map((name) => chip.findIndex((one) => api(one) === name));
  return known.find((at) => at >= 0) ?? chip.length - 1;
}

const apartBy = (ratio: number | undefined): number => (ratio === undefined ? 0 : Math.abs(Math.log(ratio)));

const distance = (row: Row): number => Math.max(...row.ratios.map(apartBy), 0);

function listOf(names: string[], rows: Row[], reference: number): HTMLElement {
  const others = names.filter((_, i) => i !== reference), base = names[reference] ?? "";
  const head = ["case", "metric", base, ...others.flatMap((name) => [name, `÷ ${base}`])];
  const table = tableOf(head, rows.map(({ cells }) => cells));
  table.querySelectorAll("tbody tr").forEach((row, i) => {
    if (rows[i]?.far) row.classList.add("suspect");
  });
  return table;
}

// Returns the table of a chip; undefined if no two devices measured the same metric of a case.
export function crossTable(chip: Subject[]): HTMLElement | undefined {
  const at = referenceOf(chip);
  const reference = chip[at] as Subject;
  const rows = rowsOf(chip, at);
  if (rows.length === 0) return undefined;
  const far = rows.filter((row) => row.far);
  const shown = [...far, ...rows.filter((row) => !row.far)];
  const names = chip.map(({ device }) => device.id);
  const rest = shown.slice(FIRST_MAX, LIST_MAX);
  return h("figure", { class: "chart" },
    h("figcaption", {}, h("h3", {}, reference.device.name ?? reference.device.id),
      h("p", { class: "subtitle" }, `${far.length} of ${rows.length} values lie beyond ` +
        `${LOW}–${HIGH} with intervals that do not overlap` +
        (LIST_MAX < rows.length ? `; ${LIST_MAX} shown` : ""))),
    listOf(names, shown.slice(0, FIRST_MAX), at),
    rest.length > 0 ? h("details", {}, h("summary", {}, `${rest.length} more rows`), listOf(names, rest, at))
      : undefined);
}

const differs = (row: Row): boolean => row.far && row.trusted;

const middle = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? NaN;

// Returns the row of a benchmark that differs: for each run the median of its ratios, then how many
// cases differ, and which one most.
function summaryOf(title: string, rows: Row[], others: number[]): string[] {
  const cells = others.map((at) => {
    const ratios = rows.flatMap((row) => row.ratios[at] ?? []);
    return ratios.length === 0 ? "–" : `×${middle(ratios).toFixed(3)}`;
  });
  const far = rows.filter(differs).sort((a, b) => distance(b) - distance(a));
  const most = far[0];
  const where = most?.key.split("/").slice(1).join(" ") ?? "";
  const at = others.findIndex((one) => apartBy(most?.ratios[one]) === (most && distance(most)));
  const values = `${most?.cells[2] ?? ""} → ${most?.cells[3 + 2 * at] ?? ""}`;
  return [title, ...cells, `${far.length} of ${rows.length}`, `${values}, ${most?.cells[1] ?? ""} of ${where}`];
}

const isComparable = (row: Row): boolean => row.ratios.some((ratio) => ratio !== undefined);

// Returns one line that lists benchmarks; undefined if there are none.
function topicsLine(what: string, topics: string[], titleOf: (benchmark: string) => string): HTMLElement | undefined {
  return topics.length === 0 ? undefined
    : h("p", { class: "subtitle" }, `${what}: ${topics.map(titleOf).join("; ")}.`);
}

// Compares runs: returns what differs from the first run. Undefined if no two runs measured the
// same.
export function differences(subjects: Subject[], titleOf: (benchmark: string) => string):
    HTMLElement | undefined {
  if (subjects.length < 2) return undefined;
  const all = rowsOf(subjects, 0), rows = all.filter(isComparable);
  if (all.length === 0) return undefined;
  const names = subjects.map(({ short }) => short);
  const others = subjects.map((_, i) => i).slice(1);
  const far = rows.filter(differs).sort((a, b) => distance(b) - distance(a));
  const topics = [...new Set(all.map(({ benchmark }) => benchmark))];
  const has = (some: Row[], topic: string): boolean => some.some(({ benchmark }) => benchmark === topic);
  const apart = topics.filter((topic) => has(far, topic));
  return h("figure", { class: "chart differences" },
    h("figcaption", {},
      h("h3", {}, far.length === 0 ? `None of ${rows.length} values differs`
        : `${far.length} of ${rows.length} values differ`),
      h("p", { class: "subtitle" }, `from ${names[0] ?? ""} by more than 3 %, with intervals that do not ` +
        "overlap, in cases that are not flagged; × is the median ratio")),
    apart.length === 0 ? undefined
      : tableOf(["benchmark", ...others.map((at) => `${names[at] ?? ""} ÷ ${names[0] ?? ""}`), "differ", "most"],
        apart.map((topic) => summaryOf(titleOf(topic), rows.filter((row) => row.benchmark === topic), others))),
    topicsLine("No difference", topics.filter((topic) => has(rows, topic) && !has(far, topic)), titleOf),
    topicsLine("Not comparable, because the versions or the parameters are others",
      topics.filter((topic) => !has(rows, topic)), titleOf),
    far.length > 0 ? h("details", {}, h("summary", {}, `The ${Math.min(far.length, LIST_MAX)} largest differences`),
      listOf(names, far.slice(0, LIST_MAX), 0)) : undefined);
}
