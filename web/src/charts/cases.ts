// SPDX-License-Identifier: MIT
// Tables: every case a row, the axes that vary and all metrics as columns; a click on a head sorts.
import { csvText, download, h } from "../dom";
import type { Benchmark, Subject, View } from "../run";
import { metricOf } from "../run";
import { formatMargin, formatUnit, formatValue } from "../units";
import type { Selected } from "../view";
import { select, varying } from "../view";
import { doubtText } from "./parts";

interface Column {
  head: string;
  text: (row: Selected) => string;
  sort: (row: Selected) => string | number;
  number: boolean;
}

function columnsOf(benchmark: Benchmark, view: View, chosen: Selected[], many: boolean): Column[] {
  const columns: Column[] = [];
  if (many)
    columns.push({
      head: "device", number: false,
      text: ({ subject }) => subject.label, sort: ({ subject }) => subject.label,
    });
  for (const param of varying(benchmark, chosen))
    columns.push({
      head: param.key, number: param.type !== "text",
      text: ({ result }) => formatValue(result.case[param.key], param),
      sort: ({ result }) => result.case[param.key] ?? "",
    });
  const metrics = [...benchmark.metrics].sort((a, b) =>
    Number(b.name === view.metric) - Number(a.name === view.metric));
  for (const metric of metrics) {
    if (!chosen.some(({ result }) => metricOf(result, metric.name))) continue;
    columns.push({
      head: metric.name, number: true,
      text: ({ result }) => {
        const found = metricOf(result, metric.name);
        const margin = formatMargin(found?.median, found?.ci95);
        return `${formatUnit(found?.median, metric.unit)}${margin === "" ? "" : ` ${margin}`}`;
      },
      sort: ({ result }) => metricOf(result, metric.name)?.median ?? -Infinity,
    });
  }
  columns.push({
    head: "doubt", number: false,
    text: ({ result }) => doubtText(result), sort: ({ result }) => doubtText(result),
  });
  return columns;
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

function bodyOf(columns: Column[], rows: Selected[]): HTMLElement {
  return h("tbody", {}, ...rows.map((row) =>
    h("tr", { class: row.result.verdict }, ...columns.map((column) =>
      h("td", column.number ? { class: "number" } : {}, column.text(row))))));
}

// Undefined where the view shows no case.
export function casesTable(id: string, subjects: Subject[], benchmark: Benchmark, view: View):
    HTMLElement | undefined {
  const chosen = select(subjects, benchmark, view);
  if (chosen.length === 0) return undefined;
  const columns = columnsOf(benchmark, view, chosen, subjects.length > 1);
  const table = h("table");
  let body = bodyOf(columns, chosen);
  let sorted = -1, way = 1;
  const heads = columns.map((column, index) => h("th", { scope: "col" }, h("button", {
    type: "button",
    click: () => {
      way = sorted === index ? -way : 1;
      sorted = index;
      heads.forEach((head, i) => {
        if (i === index) head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        else head.removeAttribute("aria-sort");
      });
      const fresh = bodyOf(columns, [...chosen].sort((a, b) =>
        way * compare(column.sort(a), column.sort(b))));
      body.replaceWith(fresh);
      body = fresh;
    },
  }, column.head)));
  table.append(h("thead", {}, h("tr", {}, ...heads)), body);
  const csv = (): string =>
    csvText([columns.map(({ head }) => head), ...chosen.map((row) =>
      columns.map((column) => {
        const value = column.sort(row);
        return value === -Infinity ? undefined : value;
      }))]);
  return h("figure", { class: "chart cases", id },
    h("figcaption", {}, h("h3", {}, view.title ?? benchmark.name)),
    h("div", { class: "tools" }, h("span", { class: "save" }, h("button", {
      type: "button", title: "Save the numbers as CSV",
      click: () => download(`fathom-${id}.csv`, new Blob([csv()], { type: "text/csv" })),
    }, "CSV"))),
    h("div", { class: "scroll", tabindex: "0" }, table));
}
