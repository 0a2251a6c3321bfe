// SPDX-License-Identifier: MIT
// The report: reads the runs that fathom embedded and builds the page. Knows views, not benchmarks.
import { barsChart } from "./charts/bars";
import { casesTable } from "./charts/cases";
import { curveChart } from "./charts/curve";
import { heatmapChart } from "./charts/heatmap";
import { hierarchyOf } from "./charts/hierarchy";
import type { Carried } from "./charts/picker";
import { seriesPicker } from "./charts/picker";
import { isArrows } from "./charts/timeline";
import { Chart } from "./chart";
import { chipsOf, crossTable } from "./cross";
import { h } from "./dom";
import { unpack } from "./packed";
import type { Benchmark, Run, Subject, View } from "./run";
import { benchmarksOf, subjectsOf } from "./run";
import { doubtsOf, findingsList, machineCard, provenance, wordsOf } from "./sections";
import { currentTheme, onThemeChange, printTheme, toggleTheme } from "./theme";
import { allPoints, buildGrid, inCycles, pointMetric } from "./view";

const charts: Chart[] = [];

function keep(chart: Chart): HTMLElement {
  charts.push(chart);
  return chart.element;
}

const idOf = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, "-");

function viewElement(id: string, subjects: Subject[], benchmark: Benchmark, view: View):
    HTMLElement | undefined {
  const grid = view.kind === "table" || view.kind === "timeline"
    ? undefined : buildGrid(subjects, benchmark, view);
  if (grid && !allPoints(grid).some((point) => pointMetric(point, grid.metric))) return undefined;
  if (grid && view.kind === "curve" && grid.xs.length > 1) return keep(curveChart(id, grid));
  if (grid && (view.kind === "bars" || view.kind === "curve")) return keep(barsChart(id, grid));
  if (grid && view.kind === "heatmap") return keep(heatmapChart(id, grid));
  return casesTable(id, subjects, benchmark, view);
}

// A heat map over names alone is also shown as bars, which can be sorted; a benchmark's first one.
function sortedBars(id: string, subjects: Subject[], benchmark: Benchmark): HTMLElement | undefined {
  const named = (key: string | undefined): boolean =>
    benchmark.params.some((param) => param.key === key && param.type === "text");
  const map = benchmark.views.find((view) =>
    view.kind === "heatmap" && named(view.x) && named(view.y));
  if (!map?.y || !map.x) return undefined;
  const { y, ...rest } = map;
  return viewElement(id, subjects, benchmark, {
    ...rest, kind: "bars", x: y, group: map.x, title: `${map.title ?? ""}, as bars`,
  });
}

// A place for each name of series, with the cases that carry one.
function seriesElements(subjects: Subject[], benchmark: Benchmark): HTMLElement[] {
  const named = new Map<string, Carried[]>();
  for (const subject of subjects)
    for (const result of subject.results.filter((one) => one.benchmark === benchmark.name))
      for (const series of result.series ?? [])
        if (series.data.length > 0 && series.columns.length > 1 && !isArrows(result, series))
          named.set(series.name, [...named.get(series.name) ?? [],
            { result, series, machine: subjects.length > 1 ? subject.short : "" }]);
  return [...named.values()].map((list, i) =>
    seriesPicker(`${idOf(benchmark.name)}-series-${i}`, list, (chart, former) => {
      const at = former ? charts.indexOf(former) : -1;
      if (at < 0) charts.push(chart);
      else charts[at] = chart;
      if (former) chart.draw(currentTheme());
    }));
}

function versionsNote(subjects: Subject[], benchmark: Benchmark): HTMLElement | undefined {
  const versions = new Set(subjects.flatMap((subject) =>
    subject.results.filter((result) => result.benchmark === benchmark.name)
      .map((result) => result.version)));
  return versions.size < 2 ? undefined : h("p", { class: "warning" },
    `Versions ${[...versions].join(" and ")} of this benchmark stand side by side: their numbers ` +
    "are not comparable.");
}

function section(id: string, title: string, ...content: (HTMLElement | undefined)[]): HTMLElement {
  const shown = content.filter((element): element is HTMLElement => element !== undefined);
  return h("section", { id, "aria-label": title }, h("h2", {}, title), ...shown);
}

// A curve in cycles that the ns ↔ cycles switch of another one shows.
function isTwin(benchmark: Benchmark, view: View): boolean {
  return view.kind === "curve" && benchmark.views.some((other) => {
    const metric = benchmark.metrics.find(({ name }) => name === other.metric);
    return other !== view && other.kind === "curve" && metric !== undefined &&
      inCycles(benchmark, metric)?.name === view.metric && other.x === view.x &&
      other.y === view.y && other.group === view.group && other.where === view.where;
  });
}

function benchmarkSection(subjects: Subject[], benchmark: Benchmark): HTMLElement | undefined {
  const measured = subjects.filter((subject) =>
    subject.results.some((result) => result.benchmark === benchmark.name));
  if (measured.length === 0) return undefined;
  const id = idOf(benchmark.name);
  return section(id, benchmark.title ?? benchmark.name,
    versionsNote(measured, benchmark), wordsOf(benchmark),
    ...benchmark.views.map((view, i) => isTwin(benchmark, view) ? undefined : viewElement(`${id}-${i}`, measured, benchmark, view)),
    sortedBars(`${id}-bars`, measured, benchmark),
    ...seriesElements(measured, benchmark),
    doubtsOf(measured, benchmark.name));
}

function header(runs: Run[], subjects: Subject[], sections: HTMLElement[]): HTMLElement {
  const names = [...new Set(subjects.map(({ device }) => device.name ?? device.id))];
  const title = names.length > 4 ? `${names.length} devices` : names.join(" · ");
  const version = runs.find(({ tool }) => tool.version)?.tool.version;
  document.title = `fathom: ${title}`;
  const nav = h("nav", { "aria-label": "Sections" }, ...sections.map((one) =>
    h("a", { href: `#${one.id}` }, one.querySelector("h2")?.textContent ?? one.id)));
  return h("header", {},
    h("div", { class: "title" },
      h("h1", {}, title),
      h("p", { class: "subtitle" }, version ? `fathom ${version} · medians with 95 % intervals` : "published figures")),
    h("button", { type: "button", class: "theme", title: "Light or dark",
      click: () => { toggleTheme(); drawAll(); } }, "◐"),
    nav);
}

function drawAll(): void {
  for (const chart of charts) chart.draw(currentTheme());
}

function build(runs: Run[]): void {
  const subjects = subjectsOf(runs);
  const pictures = subjects.map(hierarchyOf).filter((one) => one !== undefined);
  const findings = findingsList(subjects, benchmarksOf(runs));
  const chips = chipsOf(subjects).map(crossTable).filter((table) => table !== undefined);
  const sections = [
    section("machines", subjects.length > 1 ? "Machines" : "Machine",
      h("div", { class: subjects.length > 1 ? "machines" : "machine-row" },
        ...subjects.map(machineCard), ...(subjects.length > 1 ? [] : pictures)),
      ...(subjects.length > 1 ? [h("div", { class: "pictures" }, ...pictures)] : [])),
    findings && section("findings", "Findings", findings),
    ...benchmarksOf(runs).map((benchmark) => benchmarkSection(subjects, benchmark)),
    chips.length > 0 ? section("apis", "One chip, several APIs", ...chips) : undefined,
    section("provenance", "Provenance", provenance(runs)),
  ].filter((one): one is HTMLElement => one !== undefined);
  const notices = document.getElementById("notices");
  document.body.prepend(header(runs, subjects, sections), h("main", {}, ...sections));
  if (notices) document.body.append(notices);
}

function followWindow(): void {
  let width = window.innerWidth;
  let timer = 0;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    clearTimeout(timer);
    timer = window.setTimeout(drawAll, 150);
  });
  onThemeChange(drawAll);
  // Paper cannot be clicked: there all findings stand open.
  const findings = [...document.querySelectorAll<HTMLDetailsElement>(".findings details")];
  let open: boolean[] = [];
  window.addEventListener("beforeprint", () => {
    open = findings.map((one) => one.open);
    findings.forEach((one) => { one.open = true; });
    charts.forEach((chart) => chart.draw(printTheme()));
  });
  window.addEventListener("afterprint", () => {
    findings.forEach((one, i) => { one.open = open[i] ?? one.open; });
    drawAll();
  });
}

async function start(): Promise<void> {
  const embedded = document.getElementById("runs")?.textContent ?? "";
  build(JSON.parse(await unpack(embedded)) as Run[]);
  drawAll();
  followWindow();
  document.body.dataset["ready"] = "true";
  // For tests and for who is curious in the browser's console.
  Object.defineProperty(window, "fathomCharts",
    { get: () => new Map(charts.map((chart) => [chart.desc.id, chart])) });
}

start().catch((error: unknown) => {
  document.body.prepend(h("p", { class: "warning" }, `This report cannot be shown: ${String(error)}`));
});
