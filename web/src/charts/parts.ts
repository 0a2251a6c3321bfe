// SPDX-License-Identifier: MIT
// What several kinds of chart share: axes, tooltips, numbers of points.
import type { Cell, Head, Look } from "../chart";
import { resultsCsv } from "../csv";
import { h } from "../dom";
import { textWidth, widest } from "../measure";
import type { MetricInfo, Result } from "../run";
import { originOf, shownUnit } from "../run";
import type { Grid, Point } from "../view";
import { allPoints, measuredSubjects, pointMetric } from "../view";
import { formatMargin, formatMedian, formatUnit, formatValue } from "../units";

export const axisStyle = (look: Look) => ({
  axisLine: { onZero: false, lineStyle: { color: look.theme.muted } },
  axisLabel: { color: look.theme.muted, fontSize: look.narrow ? 10 : 12, hideOverlap: true },
  splitLine: { lineStyle: { color: look.theme.line } },
  nameTextStyle: { color: look.theme.muted },
});

// Control with the wheel zooms, dragging moves; on a narrow screen a finger scrolls the page.
export const insideZoom = (look: Look, filterMode: string): object[] =>
  look.narrow ? [] : [{ type: "inside", filterMode, zoomOnMouseWheel: "ctrl" }];

export const tooltipStyle = (look: Look) => ({
  backgroundColor: look.theme.ground,
  borderColor: look.theme.muted,
  textStyle: { color: look.theme.text, fontSize: 12 },
  confine: true,
  extraCssText: "max-width: 90vw; white-space: normal;",
});

const LEGEND_ROWS = 4, LEGEND_ROW_PX = 22;
const LEGEND_ICON_PX = 25 + 5 + 12; // a line, the gap before its name, and the gap after it

// Returns a legend, and the height that it takes at the top. It shows all names, so that a saved
// drawing has them too; if they need more than LEGEND_ROWS rows, it is paged.
export function legendOf(look: Look, names: string[]): { legend: object; height: number } {
  const wide = look.width - 16;
  let rows = 1, used = 0;
  for (const name of names) {
    const width = LEGEND_ICON_PX + textWidth(name, 12);
    if (used > 0 && used + width > wide) {
      rows++;
      used = 0;
    }
    used += width;
  }
  const paged = rows > LEGEND_ROWS;
  return {
    height: names.length < 2 ? 28 : 22 + (paged ? 1 : rows) * LEGEND_ROW_PX,
    legend: {
      show: names.length > 1, type: paged ? "scroll" : "plain", top: 0,
      left: look.narrow || rows > 1 ? 0 : "center", itemGap: 12,
      textStyle: { color: look.theme.text, width: Math.min(widest(names, 12) + 1, wide - LEGEND_ICON_PX), overflow: "truncate" },
      pageTextStyle: { color: look.theme.text },
      pageIconColor: look.theme.text,
      pageIconInactiveColor: look.theme.line,
    },
  };
}

// Shortens a text by leaving out its middle, because names differ at their ends.
function shortened(text: string, size: number, width: number): string {
  let letters = text.length;
  const cut = (): string => {
    const tail = Math.ceil((letters - 1) / 2);
    return letters >= text.length ? text
      : `${text.slice(0, letters - 1 - tail)}…${text.slice(text.length - tail)}`;
  };
  while (letters > 4 && textWidth(cut(), size) > width) letters--;
  return cut();
}

// Returns a label as one line or as two, broken between parts, else after a word, else anywhere.
function labelLines(text: string, size: number, width: number, lines: number): string[] {
  const fits = (part: string): boolean => textWidth(part, size) <= width;
  if (fits(text) || lines === 1) return [shortened(text, size, width)];
  for (const mark of [/ · /g, / /g, /[.>]/g, /[,/_-]/g]) {
    const pairs = [...text.matchAll(mark)].map(({ index = 0, 0: found }) => {
      const end = index + found.length;
      return [text.slice(0, mark.source.includes("[") ? end : index), text.slice(end)] as const;
    }).filter(([first, second]) => fits(first) && fits(second));
    const last = pairs[pairs.length - 1];
    if (last) return [...last];
  }
  let letters = text.length;
  while (letters > 1 && !fits(text.slice(0, letters))) letters--;
  return [text.slice(0, letters), shortened(text.slice(letters), size, width)];
}

export interface RowLabels {
  width: number;
  linesOf: (text: string) => string[];
  axisLabel: object; // for ECharts
}

// Lays out the names beside the rows of a drawing: as wide as the longest one, at most 40 % of the
// drawing (48 % of a narrow one).
export function rowLabels(look: Look, names: string[]): RowLabels {
  const size = look.narrow ? 10 : 12;
  const width = Math.min(Math.ceil(widest(names, size)) + 2, Math.floor(look.width * (look.narrow ? 0.48 : 0.4)));
  const linesOf = (text: string): string[] => labelLines(text, size, width, look.narrow ? 2 : 1);
  return {
    width, linesOf,
    axisLabel: {
      color: look.theme.text, fontSize: size, interval: 0, hideOverlap: false, lineHeight: 13,
      formatter: (name: string) => linesOf(name).join("\n"),
    },
  };
}

// Returns a name with its meaning, if the run says it: "gain: the workloads' lengths alone, summed,
// over the frame's length".
export const nameWithHelp = ({ name, help }: { name: string; help?: string }): string =>
  help ? `${name}: ${help}` : name;

export function flagText(result: Result): string {
  if (result.verdict === "ok") return "";
  return [result.verdict, ...result.reasons.map(({ text }) => text)].join(": ");
}

// Returns core clock, temperature and power during the measurement, as far as they are known.
function sensorText(result: Result): string {
  return ["core_clock", "temperature", "power"].flatMap((name) => {
    const seen = result.sensors?.[name];
    return seen?.value === undefined ? [] : [formatUnit(seen.value, seen.unit)];
  }).join(", ");
}

// Returns a line of a tooltip: a colour, a name, value, interval, n, flags.
export function tipLine(point: Point, label: string, metric: MetricInfo, colour: string): HTMLElement {
  const found = pointMetric(point, metric), unit = shownUnit(found, metric.unit);
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = colour;
  const line = h("div", { class: "tip" }, swatch, label === "" ? "" : `${label} `,
    h("strong", {}, formatMedian(found, unit)));
  if (found?.ci95)
    line.append(` [${formatUnit(found.ci95[0], unit)}, ${formatUnit(found.ci95[1], unit)}]`);
  if (found && found.n > 0) line.append(` n=${found.n}`);
  if (found?.share !== undefined) line.append(`, ${(found.share * 100).toFixed(1)} % of limit`);
  const sensed = sensorText(point.result);
  if (sensed !== "") line.append(h("div", { class: "sensed" }, sensed));
  const flag = flagText(point.result);
  if (flag !== "") line.append(h("div", { class: "flag" }, flag));
  return line;
}

export function tip(title: string, lines: HTMLElement[]): HTMLElement {
  return h("div", {}, h("div", { class: "tip-title" }, title), ...lines);
}

// What ECharts gives to a custom series: its values by dimension, and places as pixels.
export interface DrawApi {
  coord: (place: number[]) => [number, number];
  size: (lengths: number[]) => [number, number];
  value: (dimension: number) => number;
}

// Draws a value's interval: a line between two places, each given by the dimensions of its x and y.
export function drawLine(api: DrawApi, from: [number, number], to: [number, number], style: object): object {
  const place = (dimensions: number[]): [number, number] => api.coord(dimensions.map((one) => api.value(one)));
  const [x1, y1] = place(from), [x2, y2] = place(to);
  return { type: "line", shape: { x1, y1, x2, y2 }, style };
}

// The texts of a benchmark's first chart, which is lower than others: a title in place of the
// view's, and a note if not everything is drawn.
export interface Lead {
  title: string;
  of: string; // what is drawn
  note: string;
}

export const gridOrigin = (grid: Grid): string => originOf(measuredSubjects(grid));

// Returns the grid's points as a table for people.
export function gridNumbers(grid: Grid, metric: MetricInfo): { head: (string | Head)[]; rows: Cell[][] } {
  const rows: Cell[][] = [];
  for (const panel of grid.panels)
    for (const series of panel.series)
      for (const point of series.points) {
        const found = pointMetric(point, metric);
        rows.push([
          [panel.label, series.label].filter(Boolean).join(" · "),
          formatValue(point.x, grid.x), formatMedian(found, shownUnit(found, metric.unit)),
          formatMargin(found?.median, found?.ci95), found?.n,
          found?.share === undefined ? "" : `${(found.share * 100).toFixed(1)} %`,
          flagText(point.result),
        ]);
      }
  return {
    head: ["series", { text: grid.x.key, help: grid.x.help }, { text: metric.name, help: metric.help },
      "± half interval", "n", "of limit", "flag"],
    rows,
  };
}

// Returns the grid's points as CSV for programs.
export const gridCsv = (grid: Grid, metrics: MetricInfo[]): Cell[][] =>
  resultsCsv(allPoints(grid), metrics.map(({ name }) => name));

// Relative luminance (WCAG 2) of the ramp at `share` of its length: above 0.18 dark text has more
// contrast than white.
function luminance(ramp: string[], share: number): number {
  const at = share * (ramp.length - 1);
  const channel = (index: number, offset: number): number =>
    parseInt((ramp[index] ?? "#000000").slice(offset, offset + 2), 16) / 255;
  const mix = (offset: number): number => {
    const low = channel(Math.floor(at), offset), high = channel(Math.ceil(at), offset);
    const value = low + (high - low) * (at - Math.floor(at));
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * mix(1) + 0.7152 * mix(3) + 0.0722 * mix(5);
}

// Black or white, for text where the ramp is at `share`.
export const inkOn = (ramp: string[], share: number): string =>
  luminance(ramp, share) > 0.18 ? "#10161b" : "#ffffff";
