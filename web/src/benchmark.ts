// SPDX-License-Identifier: MIT
// The section of a benchmark: one chart that says what came out, its findings beside it, and
// everything else in a fold.
import { barsChart } from "./charts/bars";
import { casesTable } from "./charts/cases";
import { curveChart, measuredOnly } from "./charts/curve";
import { heatmapChart } from "./charts/heatmap";
import { hitsOf } from "./charts/hits";
import type { Lead } from "./charts/parts";
import { nameWithHelp } from "./charts/parts";
import type { Carried } from "./charts/picker";
import { seriesPicker } from "./charts/picker";
import { isPlain } from "./charts/plain";
import { isArrows } from "./charts/timeline";
import type { Charts } from "./chart";
import { h, idOf, present } from "./dom";
import { findingsOf } from "./findings";
import { headlineOf, isLine } from "./headline";
import { messageOf } from "./message";
import type { Benchmark, Subject, View } from "./run";
import { countsOf, flagsOf, wordsOf } from "./sections";
import type { Grid } from "./view";
import { allPoints, buildGrid, inCycles, inTime, pointMetric } from "./view";

const isListed = (view: View): boolean => view.kind === "table" || view.kind === "timeline";

// Returns a view with its cases. If the view draws cycles that no device has, it draws the time of
// the same work instead, unless another view does. Undefined if the view has no number.
function gridOf(subjects: Subject[], benchmark: Benchmark, view: View): Grid | undefined {
  const isShown = (grid: Grid | undefined): boolean =>
    grid !== undefined && allPoints(grid).some((point) => pointMetric(point, grid.metric));
  const grid = buildGrid(subjects, benchmark, view);
  if (isShown(grid)) return grid;
  const metric = inTime(benchmark, view.metric);
  const isTold = benchmark.views.some((other) => other !== view && other.metric === metric &&
    other.x === view.x && other.y === view.y && other.where === view.where);
  const other = metric === undefined || isTold ? undefined : buildGrid(subjects, benchmark, {
    ...view, metric, title: `${view.title ?? ""} (in time: this device counts no cycles)`,
  });
  return isShown(other) ? other : undefined;
}

function drawing(charts: Charts, id: string, kind: View["kind"], grid: Grid, lead?: Lead): HTMLElement {
  if (kind === "curve" && isLine(grid)) return charts.keep(curveChart(id, grid, lead));
  if (kind === "heatmap") return charts.keep(heatmapChart(id, grid, lead));
  return charts.keep(barsChart(id, grid, lead));
}

function viewElement(charts: Charts, id: string, subjects: Subject[], benchmark: Benchmark, view: View):
    HTMLElement | undefined {
  if (isListed(view)) return casesTable(id, subjects, benchmark, view);
  const grid = gridOf(subjects, benchmark, view);
  return grid && drawing(charts, id, view.kind, grid);
}

// Returns the benchmark's first heat map between two axes of names, drawn as bars, which the reader
// can sort.
function sortedBars(charts: Charts, id: string, subjects: Subject[], benchmark: Benchmark):
    HTMLElement | undefined {
  const named = (key: string | undefined): boolean =>
    benchmark.params.some((param) => param.key === key && param.type === "text");
  const map = benchmark.views.find((view) =>
    view.kind === "heatmap" && named(view.x) && named(view.y));
  if (!map?.y || !map.x) return undefined;
  const { y, ...rest } = map;
  return viewElement(charts, id, subjects, benchmark, {
    ...rest, kind: "bars", x: y, group: map.x, title: `${map.title ?? ""}, as bars`,
  });
}

// Returns one picker for each name of a series; it offers the cases that have such a series. Checks
// of the measurement (isPlain()) come last, in a fold.
function seriesElements(charts: Charts, subjects: Subject[], benchmark: Benchmark): HTMLElement[] {
  const named = new Map<string, Carried[]>();
  for (const subject of subjects)
    for (const result of subject.results.filter((one) => one.benchmark === benchmark.name))
      for (const series of result.series ?? [])
        if (series.data.length > 0 && series.columns.length > 1 && !isArrows(result, series))
          named.set(series.name, [...named.get(series.name) ?? [],
            { result, series, subject, machine: subjects.length > 1 ? subject.short : "" }]);
  const checks: HTMLElement[] = [], results: HTMLElement[] = [];
  [...named.values()].forEach((list, i) => {
    const picker = seriesPicker(`${idOf(benchmark.name)}-series-${i}`, list,
      (chart, former) => charts.replace(chart, former));
    (list.some(({ series }) => isPlain(series)) ? checks : results).push(picker);
  });
  return checks.length === 0 ? results : [...results,
    h("details", { class: "checks" }, h("summary", {}, "Checks of the instrument"), ...checks)];
}

function versionsNote(subjects: Subject[], benchmark: Benchmark): HTMLElement | undefined {
  const versions = new Set(subjects.flatMap((subject) =>
    subject.results.filter((result) => result.benchmark === benchmark.name)
      .map((result) => result.version)));
  return versions.size < 2 ? undefined : h("p", { class: "warning" },
    `Versions ${[...versions].join(" and ")} of this benchmark stand side by side: their numbers ` +
    "are not comparable.");
}

// True for a curve in cycles that the ns ↔ cycles switch of another curve shows, too.
function isTwin(benchmark: Benchmark, view: View): boolean {
  return view.kind === "curve" && benchmark.views.some((other) => {
    const metric = benchmark.metrics.find(({ name }) => name === other.metric);
    return other !== view && other.kind === "curve" && metric !== undefined &&
      inCycles(benchmark, metric)?.name === view.metric && other.x === view.x &&
      other.y === view.y && other.group === view.group && other.where === view.where;
  });
}

interface Front {
  element: HTMLElement;
  instead: View | undefined; // the view that `element` shows whole, so it is not shown again
}

const TABLE_ROWS = 8;

const hasNumbers = (subjects: Subject[], benchmark: Benchmark): boolean =>
  subjects.some(({ results }) => results.some((result) =>
    result.benchmark === benchmark.name && result.metrics.some(({ median }) => median !== undefined)));

// Returns the hit rates that stand below a curve over working sets; undefined if there are none.
function hitsElement(charts: Charts, id: string, kind: View["kind"], grid: Grid): HTMLElement | undefined {
  const shown = measuredOnly(grid), hits = hitsOf(shown);
  if (kind !== "curve" || grid.x.type !== "bytes" || !isLine(grid) || !hits) return undefined;
  const lead = { title: hits.title, of: nameWithHelp(hits.grid.metric), note: "" };
  return charts.keep(curveChart(id, hits.grid, lead));
}

// Returns the first view that has numbers, cut to what fits beside the findings.
function frontOf(charts: Charts, id: string, subjects: Subject[], benchmark: Benchmark): Front | undefined {
  if (!hasNumbers(subjects, benchmark)) return undefined;
  for (const [i, view] of benchmark.views.entries()) {
    const table = isListed(view) ? casesTable(`${id}-lead`, subjects, benchmark, {
      ...view, title: messageOf(subjects, benchmark, undefined) || (view.title ?? benchmark.name),
    }, TABLE_ROWS) : undefined;
    if (table) return { element: table, instead: undefined };
    const grid = isListed(view) ? undefined : gridOf(subjects, benchmark, view);
    if (!grid) continue;
    const { kind, grid: cut, lead, whole } = headlineOf(subjects, grid);
    const element = drawing(charts, whole ? `${id}-${i}` : `${id}-lead`, kind, cut, lead);
    const hits = hitsElement(charts, `${id}-hits`, kind, cut);
    return {
      element: hits ? h("div", { class: "stacked" }, element, hits) : element, instead: whole ? view : undefined,
    };
  }
  return undefined;
}

// Returns a fold with everything that is not shown at first; undefined if there is nothing. If
// there is only `words`, returns that, because it is a fold already.
function moreOf(rest: HTMLElement[], flags: HTMLElement | undefined, words: HTMLElement | undefined):
    HTMLElement | undefined {
  if (rest.length === 0 && !flags) return words;
  const charts = `${rest.length} more ${rest.length === 1 ? "chart or table" : "charts and tables"}`;
  const told = [rest.length > 0 ? charts : "", flags ? "flagged results" : "", words ? "what the names mean" : ""]
    .filter(Boolean).join(", ");
  return h("details", { class: "more" },
    h("summary", {}, told.charAt(0).toUpperCase() + told.slice(1)), ...rest, flags, words);
}

// Returns the section of a benchmark; undefined if no device has a case of it.
export function benchmarkSection(charts: Charts, subjects: Subject[], benchmark: Benchmark):
    HTMLElement | undefined {
  const own = subjects.map((subject) => ({
    ...subject, results: subject.results.filter((result) => result.benchmark === benchmark.name),
  })).filter(({ results }) => results.length > 0);
  const measured = subjects.filter((subject) => own.some(({ run, device }) =>
    run === subject.run && device === subject.device));
  if (measured.length === 0) return undefined;
  const id = idOf(benchmark.name), title = benchmark.title ?? benchmark.name;
  const front = frontOf(charts, id, measured, benchmark);
  const flags = flagsOf(measured, benchmark.name);
  const rest = present([
    ...benchmark.views.map((view, i) => isTwin(benchmark, view) || view === front?.instead
      ? undefined : viewElement(charts, `${id}-${i}`, measured, benchmark, view)),
    sortedBars(charts, `${id}-bars`, measured, benchmark),
    ...seriesElements(charts, measured, benchmark),
  ]);
  const words = wordsOf(benchmark);
  return h("section", { id, "aria-label": title },
    h("div", { class: "section-head" }, h("h2", {}, title), countsOf(own.flatMap(({ results }) => results))),
    versionsNote(measured, benchmark),
    front ? h("div", { class: "front" }, front.element, findingsOf(measured, benchmark.name)) : flags,
    moreOf(rest, front ? flags : undefined, words));
}
