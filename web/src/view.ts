// SPDX-License-Identifier: MIT
// Turns a view of a benchmark into panels of series over x, as report/view.c does for the terminal,
// but with all devices of all runs side by side.
import type { Benchmark, Metric, MetricInfo, Param, Result, Subject, Value, View } from "./run";
import { metricOf, shownUnit } from "./run";
import { formatValue } from "./units";

export interface Point {
  x: Value;
  result: Result;
  subject: Subject;
}

export interface GridSeries {
  label: string;
  rest: string; // the label without the device
  subject: Subject;
  points: Point[]; // ascending in x
  style?: { colour: number; dash: number }; // indices; absent: the next colour and dash
}

export interface Panel {
  label: string;
  rest: string; // the label without the device
  series: GridSeries[];
}

export interface Grid {
  benchmark: Benchmark;
  view: View;
  metric: MetricInfo;
  cycles: MetricInfo | undefined; // the metric of the same work in cycles of the core clock
  x: Param;
  y: Param | undefined;
  group: Param[]; // other axes that vary: their values make panels or, without y, series
  xs: Value[];
  panels: Panel[];
  common: string; // what all cases share
  above?: Grid; // a curve that stands above this one and has the same horizontal axis
}

export interface Selected {
  result: Result;
  subject: Subject;
}

export const isLogX = (view: View): boolean => (view.scale ?? "").startsWith("log");
export const isLogY = (view: View): boolean => {
  const scale = view.scale ?? "";
  const dash = scale.indexOf("-");
  return dash < 0 ? isLogX(view) : scale.slice(dash + 1).startsWith("log");
};

// True if the case meets the condition: "op=read,path=global|shared,type!=float".
export function matches(result: Result, where: string | undefined): boolean {
  return (where ?? "").split(",").filter((item) => item.includes("=")).every((item) => {
    const at = item.indexOf("="), not = item[at - 1] === "!";
    const value = result.case[item.slice(0, not ? at - 1 : at)];
    const named = value !== undefined && item.slice(at + 1).split("|").includes(String(value));
    return named !== not;
  });
}

// Returns the cases that a view shows, of all subjects. If a subject has a key twice, its last case
// counts.
export function select(subjects: Subject[], benchmark: Benchmark, view: View): Selected[] {
  const chosen: Selected[] = [];
  for (const subject of subjects) {
    const last = new Map<string, Result>();
    for (const result of subject.results)
      if (result.benchmark === benchmark.name &&
          (view.x === undefined || result.case[view.x] !== undefined) &&
          matches(result, view.where))
        last.set(result.key, result);
    for (const result of last.values()) chosen.push({ result, subject });
  }
  return chosen;
}

const differs = (key: string, chosen: Selected[]): boolean =>
  chosen.some(({ result }) => result.case[key] !== chosen[0]?.result.case[key]);

// Returns the axes of which these cases have more than one value.
export function varying(benchmark: Benchmark, chosen: Selected[]): Param[] {
  return benchmark.params.filter((param) => param.role === "axis" && differs(param.key, chosen));
}

function labelOf(result: Result, params: Param[]): string {
  return params.filter(({ key }) => result.case[key] !== undefined).map((param) => {
    const value = result.case[param.key];
    const text = formatValue(value, param);
    // A bare number would not name its parameter, so the text is "width=16".
    return typeof value === "number" && param.type !== "bytes" ? `${param.key}=${text}` : text;
  }).join(" ");
}

// Returns the metric that counts the work of `metric` in core cycles; undefined if there is none.
// Older runs have `cycles_of` too: results/run.c adds it when it reads them.
export function inCycles(benchmark: Benchmark, metric: MetricInfo): MetricInfo | undefined {
  return benchmark.metrics.find(({ cycles_of }) => cycles_of?.split(",").includes(metric.name));
}

// Returns the metric in time for the same work as the metric `name`, which is in cycles.
export function inTime(benchmark: Benchmark, name: string | undefined): string | undefined {
  return benchmark.metrics.find((metric) => metric.name === name)?.cycles_of?.split(",")[0];
}

const compareValues = (a: Value, b: Value): number =>
  typeof a === "number" && typeof b === "number" ? a - b : 0;

function common(benchmark: Benchmark, chosen: Selected[], shown: (Param | undefined)[]): string {
  return benchmark.params
    .filter((param) => param.role === "axis" && !shown.includes(param) &&
      chosen[0]?.result.case[param.key] !== undefined && !differs(param.key, chosen))
    .map((param) => `${param.key}=${formatValue(chosen[0]?.result.case[param.key], param)}`)
    .join(", ");
}

function place(grid: Grid, panels: Map<string, Panel>, chosen: Selected, group: Param[],
               many: boolean): void {
  const { result, subject } = chosen;
  const rest = labelOf(result, group);
  const subjectLabel = many ? subject.short : "";
  const panelLabel = grid.y ? [rest, subjectLabel].filter(Boolean).join(" · ") : "";
  const seriesLabel = grid.y ? formatValue(result.case[grid.y.key], grid.y)
                             : [rest, subjectLabel].filter(Boolean).join(" · ");
  const panel = panels.get(panelLabel) ?? { label: panelLabel, rest: grid.y ? rest : "", series: [] };
  panels.set(panelLabel, panel);
  let series = panel.series.find(({ label }) => label === seriesLabel);
  if (!series) {
    series = { label: seriesLabel, rest: grid.y ? seriesLabel : rest, subject, points: [] };
    panel.series.push(series);
  }
  series.points.push({ x: result.case[grid.x.key] ?? "", result, subject });
}

// Returns the metric with the unit in which all these cases show it; if they differ, with its own
// unit.
function inCommonUnit(metric: MetricInfo, chosen: Selected[]): MetricInfo {
  const units = new Set(chosen.flatMap(({ result }) => {
    const found = metricOf(result, metric.name);
    return found ? [shownUnit(found, metric.unit)] : [];
  }));
  const [unit] = units;
  return units.size === 1 && unit ? { ...metric, unit } : metric;
}

// Returns the view as a grid; undefined if it shows no case, or names an x or a metric that is not
// declared.
export function buildGrid(subjects: Subject[], benchmark: Benchmark, view: View): Grid | undefined {
  const chosen = select(subjects, benchmark, view);
  const metric = view.metric === undefined
    ? benchmark.metrics[0]
    : benchmark.metrics.find(({ name }) => name === view.metric);
  const x = benchmark.params.find(({ key }) => key === view.x);
  const y = benchmark.params.find(({ key }) => key === view.y);
  if (chosen.length === 0 || !metric || !x) return undefined;
  const named = (view.group ?? "").split(",");
  const group = benchmark.params.filter((param) =>
    param !== x && param !== y && (param.role === "axis" || named.includes(param.key)) &&
    differs(param.key, chosen));
  const xs = [...new Set(chosen.map(({ result }) => result.case[x.key] ?? ""))].sort(compareValues);
  const grid: Grid = {
    benchmark, view, metric: inCommonUnit(metric, chosen), cycles: inCycles(benchmark, metric), x, y,
    group, xs, panels: [],
    common: common(benchmark, chosen, [x, y]),
  };
  const panels = new Map<string, Panel>();
  for (const one of chosen) place(grid, panels, one, group, subjects.length > 1);
  grid.panels.push(...panels.values());
  for (const panel of grid.panels)
    for (const series of panel.series)
      series.points.sort((a, b) => xs.indexOf(a.x) - xs.indexOf(b.x));
  return grid;
}

export function allPoints(grid: Grid): Point[] {
  return grid.panels.flatMap((panel) => panel.series.flatMap((series) => series.points));
}

// Returns those of `points` (default: all points) that have a number.
export const measuredPoints = (grid: Grid, points = allPoints(grid)): Point[] =>
  points.filter((point) => pointMetric(point, grid.metric)?.median !== undefined);

// Returns those of `points` (default: all points) that have a number and the verdict ok.
export const trustedPoints = (grid: Grid, points = allPoints(grid)): Point[] =>
  measuredPoints(grid, points).filter(({ result }) => result.verdict === "ok");

// Returns the devices that have a number of the grid's metric.
export function measuredSubjects(grid: Grid): Subject[] {
  return [...new Set(allPoints(grid).filter((point) => pointMetric(point, grid.metric))
    .map(({ subject }) => subject))];
}

export function pointMetric(point: Point | undefined, metric: MetricInfo): Metric | undefined {
  return point ? metricOf(point.result, metric.name) : undefined;
}
