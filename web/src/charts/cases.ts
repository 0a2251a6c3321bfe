// SPDX-License-Identifier: MIT
// Tables: a row per case; the axes that vary and all metrics are columns. A click on a head sorts.
import { resultsCsv } from "../csv";
import { csvButton, h } from "../dom";
import type { Benchmark, Metric, MetricInfo, Subject, View } from "../run";
import { metricOf, sensorsOf, shownUnit } from "../run";
import { formatMargin, formatMedian, formatValue } from "../units";
import type { Selected } from "../view";
import { select, varying } from "../view";
import { flagText } from "./parts";

// A row: one case, on each device that has it.
interface Row {
  first: Selected;
  bySubject: Map<Subject, Selected>;
}

interface Column {
  head: string;
  help: string | undefined; // what it means
  text: (row: Row) => string;
  sort: (row: Row) => string | number | undefined;
  number: boolean;
  verdict?: (row: Row) => string | undefined; // colours the cell; absent: only the row is coloured
}

function rowsOf(chosen: Selected[]): Row[] {
  const rows = new Map<string, Row>();
  for (const one of chosen) {
    const row = rows.get(one.result.key) ?? { first: one, bySubject: new Map<Subject, Selected>() };
    row.bySubject.set(one.subject, one);
    rows.set(one.result.key, row);
  }
  return [...rows.values()];
}

function metricColumn(metric: MetricInfo, subject: Subject, head: string): Column {
  const found = (row: Row): Metric | undefined => {
    const one = row.bySubject.get(subject);
    return one && metricOf(one.result, metric.name);
  };
  return {
    head, number: true, help: metric.help,
    text: (row) => {
      const value = found(row);
      const margin = formatMargin(value?.median, value?.ci95);
      return `${formatMedian(value, shownUnit(value, metric.unit))}${margin === "" ? "" : ` ${margin}`}`;
    },
    sort: (row) => found(row)?.median,
    verdict: (row) => row.bySubject.get(subject)?.result.verdict,
  };
}

// Returns the columns. With several devices, each device has only the column of the view's metric
// and those of sensors: other metrics would hide them.
function columnsOf(benchmark: Benchmark, view: View, chosen: Selected[]): Column[] {
  const subjects = [...new Set(chosen.map(({ subject }) => subject))];
  const columns: Column[] = varying(benchmark, chosen).map((param) => ({
    head: param.key, number: param.type !== "text", help: param.help,
    text: ({ first }) => formatValue(first.result.case[param.key], param),
    sort: ({ first }) => first.result.case[param.key] ?? "",
  }));
  const metrics = [...benchmark.metrics]
    .sort((a, b) => Number(b.name === view.metric) - Number(a.name === view.metric))
    .filter((metric) => chosen.some(({ result }) => metricOf(result, metric.name)));
  const sensors = sensorsOf(view, chosen.map(({ result }) => result));
  metrics.splice(1, 0, ...sensors);
  for (const metric of subjects.length > 1 ? metrics.slice(0, 1 + sensors.length) : metrics)
    for (const subject of subjects)
      columns.push(metricColumn(metric, subject,
        subjects.length > 1 ? `${metric.name}, ${subject.short}` : metric.name));
  const flags = (row: Row): string => [...row.bySubject.values()]
    .map(({ result, subject }) => {
      const text = flagText(result);
      return text !== "" && subjects.length > 1 ? `${subject.short}: ${text}` : text;
    }).filter(Boolean).join("; ");
  if (chosen.some(({ result }) => flagText(result) !== ""))
    columns.push({ head: "flag", number: false, help: undefined, text: flags, sort: flags });
  return columns;
}

type Sortable = string | number | undefined;

// Absent values come last, in both directions.
function compare(a: Sortable, b: Sortable, way: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return way *
    (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
}

const worstVerdict = (row: Row): string =>
  ["failed", "suspect", "skipped"].find((verdict) =>
    [...row.bySubject.values()].some(({ result }) => result.verdict === verdict)) ?? "ok";

function bodyOf(columns: Column[], rows: Row[]): HTMLElement {
  return h("tbody", {}, ...rows.map((row) =>
    h("tr", { class: row.bySubject.size > 1 ? "" : worstVerdict(row) }, ...columns.map((column) =>
      h("td", { class: [column.number ? "number" : "", column.verdict?.(row) ?? ""].join(" ").trim() },
        column.text(row))))));
}

function moreButton(text: string, action: () => void): HTMLElement {
  const button = h("button", { type: "button", class: "all-rows", click: () => {
    action();
    button.remove();
  } }, text);
  return button;
}

const ROWS_AT_ONCE = 400;

// Returns a table; undefined if the view shows no case, or shows sensors that no case has. Rows
// beyond `most` are shown after a click.
export function casesTable(id: string, subjects: Subject[], benchmark: Benchmark, view: View,
                           most = ROWS_AT_ONCE): HTMLElement | undefined {
  const chosen = select(subjects, benchmark, view);
  const sensed = sensorsOf(view, chosen.map(({ result }) => result)).length > 0;
  if (chosen.length === 0 || (view.sensors && !sensed)) return undefined;
  const columns = columnsOf(benchmark, view, chosen);
  const rows = rowsOf(chosen);
  const table = h("table");
  let shown = most, order = rows;
  let body = bodyOf(columns, rows.slice(0, shown));
  const fill = (): void => {
    const fresh = bodyOf(columns, order.slice(0, shown));
    body.replaceWith(fresh);
    body = fresh;
  };
  let sorted = -1, way = 1;
  const heads = columns.map((column, index) => h("th", {
    scope: "col", title: column.help ?? "", ...(column.number ? { class: "number" } : {}),
  }, h("button", {
    type: "button",
    click: () => {
      way = sorted === index ? -way : 1;
      sorted = index;
      heads.forEach((head, i) => {
        if (i === index) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
      order = [...rows].sort((a, b) => compare(column.sort(a), column.sort(b), way));
      fill();
    },
  }, column.head)));
  table.append(h("thead", {}, h("tr", {}, ...heads)), body);
  return h("figure", { class: "chart cases", id },
    h("figcaption", {}, h("h3", {}, view.title ?? benchmark.name)),
    h("div", { class: "tools" }, h("span", { class: "save" },
      csvButton(`fathom-${id}`, () => resultsCsv(chosen)))),
    h("div", { class: "scroll", tabindex: "0" }, table),
    rows.length > most ? moreButton(`All ${rows.length} rows`, () => {
      shown = Infinity;
      fill();
    }) : undefined);
}
