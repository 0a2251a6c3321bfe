// SPDX-License-Identifier: MIT
// Bars: one per case, with its interval and its ratio to the worst one. The reader can sort them.
import type { EChartsCoreOption } from "echarts/core";
import type { Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import { widest } from "../measure";
import { shownUnit } from "../run";
import type { Ticks } from "../ticks";
import { decadeTicks } from "../ticks";
import { formatTick, formatUnit, formatValue } from "../units";
import type { Grid, Point } from "../view";
import { allPoints, measuredSubjects, pointMetric } from "../view";
import {
  axisStyle, drawLine, gridCsv, gridNumbers, gridOrigin, legendOf, nameWithHelp, rowLabels, tip, tipLine,
  tooltipStyle,
} from "./parts";
import type { DrawApi, Lead } from "./parts";

const ROWS_MAX = 150; // rows in view at once

interface Bar {
  label: string;
  point: Point;
  colour: number; // index of the device
  value: number;
}

// Returns the bars: one colour per device, the bars of a case side by side. Labels name all other
// differences.
function barsOf(grid: Grid): Bar[] {
  const bars: Bar[] = [];
  const subjects = measuredSubjects(grid);
  const order = (point: Point): number => grid.xs.indexOf(point.x);
  for (const panel of grid.panels)
    for (const series of panel.series)
      for (const point of series.points) {
        const value = pointMetric(point, grid.metric)?.median;
        const name = grid.y ? series.label : series.rest;
        const label = [formatValue(point.x, grid.x), panel.rest, name]
          .filter(Boolean).join(" · ");
        const colour = Math.max(subjects.indexOf(point.subject), 0);
        if (value !== undefined) bars.push({ label, point, colour, value });
      }
  return bars.sort((a, b) => order(a.point) - order(b.point) ||
    (subjects.length > 1 ? a.label.localeCompare(b.label) : 0));
}

const isFlagged = (bar: Bar): boolean => bar.point.result.verdict === "suspect";

const worst = (grid: Grid, bars: Bar[]): number =>
  grid.metric.better === "lower"
    ? Math.max(...bars.map(({ value }) => value))
    : Math.min(...bars.map(({ value }) => value));

// Returns how many times better a bar is than the worst one, as "×1.32".
function ratioText(grid: Grid, bar: Bar, base: number): string {
  if (grid.metric.unit === "1") return ""; // the value is a ratio itself
  const ratio = grid.metric.better === "lower" ? base / bar.value : bar.value / base;
  return Number.isFinite(ratio) ? `×${ratio.toFixed(ratio < 10 ? 2 : ratio < 1000 ? 1 : 0)}` : "";
}

function rowHeight(grid: Grid, bars: Bar[], look: Look): number {
  const { linesOf } = rowLabels(look, bars.map(({ label }) => label));
  if (bars.some(({ label }) => linesOf(label).length > 1) || (look.narrow && hasLimit(grid, bars))) return 30;
  return bars.length > 60 ? 20 : 24;
}

// Returns the text beside a bar, "4.614 TB/s  ×1.32  95.9 %": the value, its ratio to the worst
// bar, its share of the limit. Narrow drawings have no ratio, and the share in a second line.
function valueText(grid: Grid, bar: Bar, base: number, look: Look): string {
  const found = pointMetric(bar.point, grid.metric), of = found?.share;
  const value = formatUnit(bar.value, shownUnit(found, grid.metric.unit));
  const ratio = ratioText(grid, bar, base);
  const share = of === undefined ? "" : `${(100 * of).toFixed(1)} %`;
  return look.narrow ? [value, share].filter(Boolean).join("\n")
    : [value, ratio, share].filter(Boolean).join("  ");
}

const hasLimit = (grid: Grid, bars: Bar[]): boolean =>
  bars.some(({ point }) => pointMetric(point, grid.metric)?.share !== undefined);

// True if half of the bars would be hardly visible on a linear axis.
function isSteep(bars: Bar[]): boolean {
  const values = bars.map(({ value }) => value).sort((a, b) => a - b);
  const middle = values[Math.floor((values.length - 1) / 2)] ?? 0;
  return middle * 20 < (values[values.length - 1] ?? 0);
}

// Returns ticks of a logarithmic axis that begins below the smallest bar, so that this bar has a
// length, and ends beyond the intervals, at most at twice the largest bar.
const logTicks = (grid: Grid, bars: Bar[]): Ticks => {
  const values = bars.map(({ value }) => value), most = Math.max(...values);
  const ends = bars.map(({ point }) => pointMetric(point, grid.metric)?.ci95?.[1] ?? 0);
  return decadeTicks(Math.min(...values) / 2, Math.min(Math.max(most, ...ends), 2 * most));
};

function valueAxis(grid: Grid, bars: Bar[], log: boolean, look: Look): object {
  const style = axisStyle(look);
  const formatter = (value: number): string => formatTick(value, grid.metric.unit);
  if (!log)
    return {
      type: "value", min: 0, ...style, splitNumber: look.narrow ? 3 : 6,
      axisLabel: { ...style.axisLabel, formatter },
    };
  const { min, max, ticks } = logTicks(grid, bars);
  return { // slightly wider, for the reason in curve.ts
    type: "log", min: min * (1 - 1e-9), max: max * (1 + 1e-9), startValue: min, ...style,
    axisTick: { customValues: ticks },
    axisLabel: { ...style.axisLabel, customValues: ticks, formatter },
  };
}

function whiskers(grid: Grid, bars: Bar[], log: boolean, look: Look): object {
  const { min, max } = log ? logTicks(grid, bars) : { min: -Infinity, max: Infinity };
  return {
    type: "custom", silent: true, clip: true, z: 3,
    data: bars.flatMap((bar, index) => {
      const ci95 = pointMetric(bar.point, grid.metric)?.ci95;
      return ci95 ? [[Math.max(ci95[0], min), Math.min(ci95[1], max), index]] : [];
    }),
    encode: { x: [0, 1], y: 2 },
    renderItem: (_: unknown, api: DrawApi) =>
      drawLine(api, [0, 2], [1, 2], { stroke: look.theme.text, lineWidth: 2 }),
  };
}

// Returns "NAME alone" if only one of several devices measured it; else "".
function onlyText(grid: Grid): string {
  const [only, ...others] = measuredSubjects(grid);
  const all = new Set(allPoints(grid).map(({ subject }) => subject));
  return only && others.length === 0 && all.size > 1 ? `${only.short} alone` : "";
}

function option(grid: Grid, bars: Bar[], log: boolean, look: Look): EChartsCoreOption {
  const base = worst(grid, bars);
  const slider = bars.length > ROWS_MAX ? 20 : 0;
  const values = bars.flatMap((bar) => valueText(grid, bar, base, look).split("\n"));
  const room = slider + Math.ceil(widest(values, 12)) + (look.narrow ? 10 : 24);
  const labels = rowLabels(look, bars.map(({ label }) => label));
  const subjects = measuredSubjects(grid);
  const colourOf = (bar: Bar): string =>
    look.theme.series[bar.colour % look.theme.series.length] ?? look.theme.text;
  // A flagged bar keeps its colour: another colour would stand for another series or device.
  const styleOf = (bar: Bar): object => (!isFlagged(bar) ? { color: colourOf(bar) } : {
    color: colourOf(bar), opacity: 0.45, borderColor: look.theme.warn, borderWidth: 2,
    borderType: "dashed",
  });
  const { legend, height } = legendOf(look, subjects.length > 1 ? subjects.map(({ short }) => short) : []);
  return {
    legend,
    grid: {
      left: 8, right: room, top: subjects.length > 1 ? height : 8, bottom: 8,
      containLabel: true,
    },
    tooltip: {
      ...tooltipStyle(look),
      trigger: "item",
      formatter: (item: { dataIndex: number }) => {
        const bar = bars[item.dataIndex];
        return bar ? tip(bar.label, [tipLine(bar.point, "", grid.metric, colourOf(bar))]) : h("div");
      },
    },
    ...(slider === 0 ? {} : {
      dataZoom: [{
        type: "slider", id: "rows", yAxisIndex: 0, right: 4, width: 16, showDetail: false,
        startValue: 0, endValue: ROWS_MAX - 1, borderColor: look.theme.line,
      }],
    }),
    yAxis: {
      type: "category",
      inverse: true,
      data: bars.map(({ label }) => label),
      ...axisStyle(look),
      axisTick: { show: false },
      axisLabel: labels.axisLabel,
    },
    xAxis: valueAxis(grid, bars, log, look),
    series: [
      // One series per device, for the legend; it is empty in the rows of other devices.
      ...subjects.map((subject, i) => ({
        type: "bar", name: subject.short, barMaxWidth: 18, barGap: "-100%",
        // All values stand in one column: beside the bars, intervals would cross them.
        labelLayout: { x: look.width - room + (look.narrow ? 6 : 10), align: "left", verticalAlign: "middle" },
        color: look.theme.series[i % look.theme.series.length],
        data: bars.map((bar) => bar.point.subject !== subject ? "-" : {
          value: bar.value,
          itemStyle: styleOf(bar),
          label: {
            show: true, position: "right", color: look.theme.text, opacity: 1, lineHeight: 13,
            formatter: valueText(grid, bar, base, look),
          },
        }),
      })),
      whiskers(grid, bars, log, look),
    ],
  };
}

export function barsChart(id: string, grid: Grid, lead?: Lead): Chart {
  const asMeasured = barsOf(grid);
  const positive = asMeasured.every(({ value }) => value > 0);
  const ordered = (index: number): Bar[] => { // 0: as measured, 1: best first, 2: worst first
    const way = (grid.metric.better === "lower" ? 1 : -1) * (index === 1 ? 1 : -1);
    return index === 0 ? asMeasured : [...asMeasured].sort((a, b) => way * (a.value - b.value));
  };
  let bars = ordered(lead && measuredSubjects(grid).length < 2 ? 1 : 0), log = positive && isSteep(asMeasured);
  const names = [grid.x, ...grid.group, ...(grid.y ? [grid.y] : [])].map(({ key }) => key);
  return new Chart({
    id,
    title: lead?.title ?? grid.view.title ?? grid.metric.name,
    origin: gridOrigin(grid),
    subtitle: (look) => [
      ...(lead ? [lead.of, lead.note] : [nameWithHelp(grid.metric), `by ${names.join(", ")}`, grid.common]),
      onlyText(grid), grid.metric.unit === "1" || look.narrow ? "" : "× against the worst",
      hasLimit(grid, bars) ? "% of the limit" : "", bars.some(isFlagged) ? "dashed: suspect" : "",
    ].filter(Boolean).join(" · "),
    summary: `Bars of ${grid.metric.name} by ${grid.x.key}, ${bars.length} cases`,
    height: (look) => (measuredSubjects(grid).length > 1 ? 100 : 60) +
      Math.min(bars.length, ROWS_MAX) * rowHeight(grid, bars, look),
    option: (look) => option(grid, bars, log, look),
    switches: [{
      label: "order", options: ["as measured", "best first", "worst first"], chosen: bars === asMeasured ? 0 : 1,
      change: (index) => { bars = ordered(index); },
    }, ...(positive ? [{
      label: "horizontal axis", options: ["linear", "log"], chosen: log ? 1 : 0,
      change: (index: number) => { log = index === 1; },
    }] : [])],
    numbers: () => gridNumbers(grid, grid.metric),
    csv: () => gridCsv(grid, [grid.metric]),
    steps: bars.length,
  });
}
