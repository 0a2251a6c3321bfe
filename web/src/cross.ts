// SPDX-License-Identifier: MIT
// One chip through several APIs: the table of analysis/cross.c. Ratios stand only between equal
// cases.
import { h } from "./dom";
import type { Metric, Result, Subject } from "./run";
import { metricOf } from "./run";
import { tableOf } from "./chart";
import { formatUnit } from "./units";
import { inCycles } from "./view";

const LOW = 0.97, HIGH = 1.03;
const LIST_MAX = 200;

const api = (subject: Subject): string => subject.device.id.split(":")[0] ?? "";

function sameChip(a: Subject, b: Subject): boolean {
  if (a.run !== b.run || api(a) === api(b)) return false;
  const { uuid, pci } = a.device;
  if (uuid !== undefined && b.device.uuid !== undefined) return uuid === b.device.uuid;
  return pci !== undefined && pci === b.device.pci;
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

export function crossTable(chip: Subject[]): HTMLElement {
  const reference = chip.find((one) => api(one) === "cuda") ??
    chip.find((one) => api(one) === "opencl") ?? chip[chip.length - 1] as Subject;
  const others = chip.filter((one) => one !== reference);
  const found = others.map((subject) => new Map(subject.results.map((one) => [one.key, one])));
  const rows: { cells: string[]; far: boolean }[] = [];
  // What a metric in time says already, as analysis/cross.c has it.
  const inTime = new Set(reference.run.benchmarks.flatMap((benchmark) =>
    benchmark.metrics.map((metric) => inCycles(benchmark, metric)?.name)));
  for (const result of reference.results)
    for (const metric of result.metrics) {
      if (inTime.has(metric.name)) continue;
      const twins = found.map((results) => {
        const other = results.get(result.key);
        return other && { other, metric: metricOf(other, metric.name) };
      });
      if (metric.median === undefined || !twins.some((twin) => twin?.metric)) continue;
      let far = false;
      const cells = twins.flatMap((twin) => {
        const median = twin?.metric?.median;
        if (!twin?.metric || median === undefined || metric.median === undefined) return ["–", "–"];
        const ratio = median / metric.median;
        const equal = comparable(result, twin.other) && Number.isFinite(ratio);
        far = far || (equal && apart(twin.metric, metric, ratio));
        return [formatUnit(median, metric.unit), equal ? ratio.toFixed(3) : "not equal"];
      });
      rows.push({ cells: [result.key, metric.name, formatUnit(metric.median, metric.unit), ...cells], far });
    }
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
