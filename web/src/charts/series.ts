// SPDX-License-Identifier: MIT
// Series that results carry: tables of numbers whose columns say what they are.
//   start, end (ns) and perhaps lane, core   spans on a time line, see timeline.ts
//   a, b, a share (and low, high)            half a matrix, see matrix.ts
//   low, high (ns), count                    a histogram
//   p, a value (ns), low, high               quantiles with their intervals
//   a single row                             a bar for each column
//   named calibration, markers or edges      a table, see plain.ts; edges are arrows of a time line
//   anything else                            lines over the first column
import type { EChartsCoreOption } from "echarts/core";
import type { Cell, Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import type { Result, Series } from "../run";
import { formatTick, formatUnit } from "../units";
import { caseName } from "./lanes";
import { isMatrix, matrixChart } from "./matrix";
import { axisStyle, drawLine, insideZoom, legendOf, tip, tooltipStyle } from "./parts";
import type { DrawApi } from "./parts";
import { isTimeline, timelineChart } from "./timeline";

const isHistogram = (series: Series): boolean =>
  ["low", "high", "count"].every((name) => series.columns.includes(name));

// ECharts' own texts would carry styles, which the policy of the page forbids.
const axisTip = (look: Look): object => ({
  ...tooltipStyle(look), trigger: "axis",
  formatter: (points: { axisValueLabel: string; seriesName: string; value: number | number[] }[]) =>
    tip(points[0]?.axisValueLabel ?? "", points.map(({ seriesName, value }) => h("div", {},
      `${seriesName} ${String(Array.isArray(value) ? value[1] : value)}`.trim()))),
});

function histogramOption(series: Series, look: Look): EChartsCoreOption {
  const [low, high, count] = ["low", "high", "count"].map((name) => series.columns.indexOf(name));
  const cell = (row: (number | null)[], column: number | undefined): number =>
    row[column ?? -1] ?? 0;
  return {
    grid: { left: 8, right: 16, top: 36, bottom: 40, containLabel: true },
    tooltip: axisTip(look),
    xAxis: {
      type: "category", ...axisStyle(look),
      axisLabel: { ...axisStyle(look).axisLabel, formatter: (name: string) => name.split(" – ")[0] ?? name },
      data: series.data.map((row) =>
        `${formatUnit(cell(row, low), "ns")} – ${formatUnit(cell(row, high), "ns")}`),
    },
    yAxis: { type: "value", name: "count", ...axisStyle(look) },
    dataZoom: insideZoom(look, "filter"),
    series: [{
      name: "count", type: "bar", barCategoryGap: "2%", data: series.data.map((row) => cell(row, count)),
      itemStyle: { color: look.theme.series[0] },
    }],
  };
}

const isQuantiles = (series: Series): boolean =>
  series.columns[0] === "p" && series.columns.includes("low") && series.columns.includes("high");

// x is the time, y the share of samples that took no longer. A row with at_least is a lower bound.
function quantilesOption(series: Series, look: Look): EChartsCoreOption {
  const [low, high, bound] = ["low", "high", "at_least"].map((name) => series.columns.indexOf(name));
  const colour = look.theme.series[0];
  const data = series.data.map((row) => [row[1], row[0]]);
  const intervals = series.data.flatMap((row) => {
    const ends = [row[low ?? -1], row[high ?? -1]];
    return ends.every((end) => end !== null && end !== undefined) ? [[...ends, row[0]]] : [];
  });
  return {
    grid: { left: 8, right: 24, top: 16, bottom: 40, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ value, dataIndex }: { value: [number, number]; dataIndex: number }) =>
        `${formatTick(100 * value[1], "1")} % within ${series.data[dataIndex]?.[bound ?? -1] === 1 ? "≥ " : ""}` +
        formatUnit(value[0], "ns"),
    },
    dataZoom: insideZoom(look, "none"),
    xAxis: {
      type: "value", scale: true, name: series.columns[1], nameLocation: "middle", nameGap: 26,
      ...axisStyle(look),
      axisLabel: { ...axisStyle(look).axisLabel, formatter: (value: number) => formatTick(value, "ns") },
    },
    yAxis: {
      type: "value", min: 0, max: 1, ...axisStyle(look),
      axisLabel: { ...axisStyle(look).axisLabel, formatter: (value: number) => `${Math.round(100 * value)} %` },
    },
    series: [
      // Steps, because the values between two quantiles are unknown: there may be a gap.
      { name: series.name, type: "line", step: "end", data, symbolSize: 6, color: colour },
      {
        type: "custom", data: intervals, silent: true, clip: true, tooltip: { show: false },
        encode: { x: [0, 1], y: 2 },
        renderItem: (_: unknown, api: DrawApi) =>
          drawLine(api, [0, 2], [1, 2], { stroke: colour, lineWidth: 4, opacity: 0.5 }),
      },
    ],
  };
}

function linesOption(series: Series, look: Look): EChartsCoreOption {
  const { legend, height } = legendOf(look, series.columns.slice(1));
  return {
    legend,
    color: look.theme.series,
    grid: { left: 8, right: 16, top: height, bottom: 40, containLabel: true },
    tooltip: axisTip(look),
    dataZoom: insideZoom(look, "none"),
    xAxis: {
      type: "value", name: series.columns[0], nameLocation: "middle", nameGap: 26,
      scale: true, ...axisStyle(look),
    },
    yAxis: { type: "value", scale: true, ...axisStyle(look) },
    series: series.columns.slice(1).map((name, index) => ({
      name, type: "line", showSymbol: series.data.length < 200, symbolSize: 4,
      data: series.data.map((row) => [row[0], row[index + 1]]),
    })),
  };
}

function rowOption(series: Series, look: Look): EChartsCoreOption {
  return {
    grid: { left: 8, right: 16, top: 16, bottom: 16, containLabel: true },
    tooltip: axisTip(look),
    xAxis: { type: "category", data: series.columns, ...axisStyle(look) },
    yAxis: { type: "value", ...axisStyle(look) },
    series: [{ name: "", type: "bar", data: series.data[0], itemStyle: { color: look.theme.series[0] } }],
  };
}

function optionOf(series: Series, look: Look): EChartsCoreOption {
  if (isHistogram(series)) return histogramOption(series, look);
  if (isQuantiles(series)) return quantilesOption(series, look);
  return series.data.length === 1 ? rowOption(series, look) : linesOption(series, look);
}

// Returns what the drawing shows: in words, or as the names of the columns.
function subtitleOf(series: Series): string {
  if (isHistogram(series)) return "how often each time was measured";
  if (isQuantiles(series)) return `${series.columns[1] ?? ""}: the share of samples that took no longer`;
  return series.columns.join(", ");
}

export function seriesChart(id: string, origin: string, result: Result, series: Series): Chart {
  if (isTimeline(series)) return timelineChart(id, origin, result, series);
  if (isMatrix(series)) return matrixChart(id, origin, result, series);
  const rows: Cell[][] = series.data.map((row) => row.map((value) => value ?? undefined));
  return new Chart({
    id,
    title: `${caseName(result)}: ${series.name}`,
    origin,
    subtitle: () => subtitleOf(series),
    summary: `${series.name} of ${result.key}, ${series.data.length} rows`,
    height: () => 300,
    option: (look) => optionOf(series, look),
    numbers: () => ({ head: series.columns, rows: rows.slice(0, 1000) }),
    csv: () => [series.columns, ...rows],
    steps: series.data.length,
  });
}
