// SPDX-License-Identifier: MIT
// What several kinds of chart share: axes, tooltips, numbers of points.
import type { Cell, Head, Look } from "../chart";
import { resultsCsv } from "../csv";
import { h } from "../dom";
import type { MetricInfo, Result } from "../run";
import { shownUnit } from "../run";
import type { Grid, Point } from "../view";
import { allPoints, pointMetric } from "../view";
import { formatMargin, formatMedian, formatUnit, formatValue } from "../units";

export const axisStyle = (look: Look) => ({
  axisLine: { onZero: false, lineStyle: { color: look.theme.muted } },
  axisLabel: { color: look.theme.muted, fontSize: look.narrow ? 10 : 12, hideOverlap: true },
  splitLine: { lineStyle: { color: look.theme.line } },
  nameTextStyle: { color: look.theme.muted },
});

export const tooltipStyle = (look: Look) => ({
  backgroundColor: look.theme.ground,
  borderColor: look.theme.muted,
  textStyle: { color: look.theme.text, fontSize: 12 },
  confine: true,
  extraCssText: "max-width: 90vw; white-space: normal;",
});

const LEGEND_ROWS = 4, LEGEND_ROW_PX = 22;

// A legend that shows all names, so that a saved drawing has them too; only where they would fill
// half of the drawing can they be paged. `height`: the room it takes at the top.
export function legendOf(look: Look, names: string[]): { legend: object; height: number } {
  const wide = look.width - 16;
  let rows = 1, used = 0;
  for (const name of names) {
    const width = 44 + 6.6 * name.length;
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
      textStyle: { color: look.theme.text },
      pageTextStyle: { color: look.theme.text },
      pageIconColor: look.theme.text,
      pageIconInactiveColor: look.theme.line,
    },
  };
}

// "gain: the workloads' lengths alone, summed, over the frame's length": what a name means, where the
// run says it.
export const nameWithHelp = ({ name, help }: { name: string; help?: string }): string =>
  help ? `${name}: ${help}` : name;

export function doubtText(result: Result): string {
  if (result.verdict === "ok") return "";
  return [result.verdict, ...result.reasons.map(({ text }) => text)].join(": ");
}

// What the machine was like meanwhile.
function sensorText(result: Result): string {
  return ["core_clock", "temperature", "power"].flatMap((name) => {
    const seen = result.sensors?.[name];
    return seen?.value === undefined ? [] : [formatUnit(seen.value, seen.unit)];
  }).join(", ");
}

// One line of a tooltip: a colour, a name, value, interval, n, doubts.
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
  const doubt = doubtText(point.result);
  if (doubt !== "") line.append(h("div", { class: "doubt" }, doubt));
  return line;
}

export function tip(title: string, lines: HTMLElement[]): HTMLElement {
  return h("div", {}, h("div", { class: "tip-title" }, title), ...lines);
}

// The grid's points for people …
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
          doubtText(point.result),
        ]);
      }
  return {
    head: ["series", { text: grid.x.key, help: grid.x.help }, { text: metric.name, help: metric.help },
      "± half interval", "n", "of limit", "doubt"],
    rows,
  };
}

// … and for programs.
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
