// SPDX-License-Identifier: MIT
// Series that are shown as tables, because a drawing would not be clearer or would be wrong: times
// beside counts, ends of spans by lane. A single row becomes one line per column: name and number.
import type { Cell } from "../chart";
import { tableOf } from "../chart";
import { csvButton, h } from "../dom";
import type { Result, Series } from "../run";
import { caseName, laneName } from "./lanes";

const names = new Set(["calibration", "markers", "edges"]);

export const isPlain = (series: Series): boolean => names.has(series.name);

function contentOf(result: Result, series: Series): { head: string[]; rows: Cell[][] } {
  const [only] = series.data;
  if (only && series.data.length === 1)
    return { head: ["what", "value"], rows: series.columns.map((name, i) => [name, only[i] ?? "–"]) };
  const lane = series.columns.indexOf("lane");
  return {
    head: series.columns,
    rows: series.data.map((row) => row.map((value, i) =>
      i === lane && value !== null ? laneName(result, value) : value ?? "–")),
  };
}

export function plainTable(id: string, result: Result, series: Series): HTMLElement {
  const { head, rows } = contentOf(result, series);
  const csv = (): Cell[][] => [series.columns, ...series.data.map((row) => row.map((value) => value ?? undefined))];
  return h("figure", { class: "chart plain", id },
    h("figcaption", {}, h("h3", {}, `${caseName(result)}: ${series.name}`),
      h("p", { class: "subtitle" }, "times in ns")),
    h("div", { class: "tools" }, h("span", { class: "save" }, csvButton(`fathom-${id}`, csv))),
    tableOf(head, rows));
}
