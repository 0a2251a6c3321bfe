// SPDX-License-Identifier: MIT
// One chip through several APIs: the table of analysis/cross.c. Ratios stand only between equal
// cases.
import { h } from "./dom";
import type { Metric, Result, Subject } from "./run";
import { metricOf, shownUnit } from "./run";
import { tableOf } from "./chart";
import { formatMedian } from "./units";
import { inCycles } from "./view";

const LOW = 0.97, HIGH = 1.03;
const LIST_MAX = 200;

const api = (subject: Subject): string => subject.device.id.split(":")[0] ?? "";

// Within one run more is known than between two, as analysis/cross.c has it: what sits at one PCI
// address is one chip though APIs name its UUID differently, and all CPU devices are the processors of
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
    Object.keys(a.case).every((key) => a.case[key] === b.case[key]);
}

const apart = (a: Metric, b: Metric, ratio: number): boolean =>
  (ratio < LOW || ratio > HIGH) && a.ci95 !== undefined && b.ci95 !== undefined &&
  (a.ci95[1] < b.ci95[0] || b.ci95[1] < a.ci95[0]);

interface Row {
  cells: string[];
  far: boolean;
}

// A metric of a case on each device of the chip; undefined where fewer than two measured it.
function rowOf(key: string, metric: Metric, chip: (Result | undefined)[], reference: number): Row | undefined {
  const found = chip.map((result) => {
    const other = result && metricOf(result, metric.name);
    return other?.unit === metric.unit ? other : undefined;
  });
  if (found.filter(Boolean).length < 2) return undefined;
  const base = found[reference], home = chip[reference];
  const row: Row = { cells: [key, metric.name, formatMedian(base, shownUnit(base, metric.unit))], far: false };
  found.forEach((other, i) => {
    if (i === reference) return;
    const ratio = (other?.median ?? NaN) / (base?.median ?? NaN);
    const result = chip[i];
    const equal = result && home && comparable(result, home) && Number.isFinite(ratio);
    row.cells.push(formatMedian(other, shownUnit(other, metric.unit)),
      equal ? ratio.toFixed(3) : other && base ? "not equal" : "–");
    row.far = row.far || Boolean(equal && other && base && apart(other, base, ratio));
  });
  return row;
}

// What any of the devices measured, in the order of the first that did.
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
        if (twins.has(metric.name) || rows.has(name)) continue; // a metric in time says it already
        rows.set(name, rowOf(key, metric, results.map((one) => one.get(key)), reference));
      }
    }
  return [...rows.values()].filter((row): row is Row => row !== undefined);
}

function referenceOf(chip: Subject[]): number {
  const known = ["cuda", "opencl"].map((name) => chip.findIndex((one) => api(one) === name));
  return known.find((at) => at >= 0) ?? chip.length - 1;
}

// Undefined where no two devices measured the same.
export function crossTable(chip: Subject[]): HTMLElement | undefined {
  const at = referenceOf(chip);
  const reference = chip[at] as Subject;
  const others = chip.filter((one) => one !== reference);
  const rows = rowsOf(chip, at);
  if (rows.length === 0) return undefined;
  const far = rows.filter((row) => row.far);
  const shown = [...far, ...rows.filter((row) => !row.far)].slice(0, LIST_MAX);
  const head = ["case", "metric", reference.device.id,
    ...others.flatMap((one) => [one.device.id, `÷ ${reference.device.id}`])];
  const table = tableOf(head, shown.map(({ cells }) => cells));
  table.querySelectorAll("tbody tr").forEach((row, i) => {
    if (shown[i]?.far) row.classList.add("suspect");
  });
  return h("figure", { class: "chart" },
    h("figcaption", {}, h("h3", {}, reference.device.name ?? reference.device.id),
      h("p", { class: "subtitle" }, `${far.length} of ${rows.length} values lie beyond ` +
        `${LOW}–${HIGH} with intervals that do not overlap` +
        (shown.length < rows.length ? `; ${shown.length} shown` : ""))),
    table);
}
