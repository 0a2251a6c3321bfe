// SPDX-License-Identifier: MIT
// A time line: spans from start to end (ns) in lanes, zoomable; lanes by lane or by core, and
// arrows from a span to the one that waited for it.
import type { EChartsCoreOption } from "echarts/core";
import type { Cell, Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import type { Result, Series } from "../run";
import { formatTick, formatUnit } from "../units";
import { caseName, laneName } from "./lanes";
import { axisStyle, insideZoom, rowLabels, tip, tooltipStyle } from "./parts";
import type { DrawApi } from "./parts";

export const isTimeline = (series: Series): boolean =>
  series.columns.includes("start") && series.columns.includes("end");

const LINE_ROWS = 32; // as report/spans.h has it: more are not workloads, but their workgroups

// The time line whose spans the series "edges" counts.
const lineOf = (result: Result): Series | undefined => result.series?.find((series) =>
  isTimeline(series) && series.columns.includes("lane") && series.data.length <= LINE_ROWS);

// Edges from and to rows of the time line, which draws them as arrows.
export const isArrows = (result: Result, series: Series): boolean =>
  series.name === "edges" && ["from", "to"].every((name) => series.columns.includes(name)) &&
  lineOf(result) !== undefined;

interface Span {
  start: number;
  end: number;
  row: number;
  cells: (number | null)[];
}

const column = (series: Series, name: string): number => series.columns.indexOf(name);

function spansOf(result: Result, series: Series, by: string): { spans: Span[]; lanes: string[] } {
  const lane = column(series, by);
  const values = [...new Set(series.data.map((row) => row[lane] ?? 0))].sort((a, b) => a - b);
  const spans = series.data.map((cells) => ({
    start: cells[column(series, "start")] ?? 0,
    end: cells[column(series, "end")] ?? 0,
    row: values.indexOf(cells[lane] ?? 0),
    cells,
  }));
  const name = (value: number): string => by === "lane" ? laneName(result, value) : `${by} ${value}`;
  return { spans, lanes: values.map(name) };
}

function drawSpan(look: Look, api: DrawApi): object {
  const [x, y] = api.coord([api.value(0), api.value(2)]);
  const [end] = api.coord([api.value(1), api.value(2)]);
  const height = Math.min(api.size([0, 1])[1] * 0.7, 22);
  return {
    type: "rect",
    shape: { x, y: y - height / 2, width: Math.max(end - x, 1), height },
    style: { fill: look.theme.series[api.value(2) % look.theme.series.length] },
  };
}

// Pairs of rows, the second of which waited for the first: the series "edges" lists them all, the
// column "after" names one of each span.
function edgesOf(result: Result, series: Series): [number, number][] {
  const edges = lineOf(result) === series ? result.series?.find((one) => isArrows(result, one)) : undefined;
  const ends = (row: (number | null)[], from: number): number => row[from] ?? -1;
  if (edges)
    return edges.data.map((row) => [ends(row, column(edges, "from")), ends(row, column(edges, "to"))]);
  const after = column(series, "after");
  return series.data.map((row, i) => [ends(row, after), i]);
}

function arrowsOf(result: Result, series: Series, spans: Span[]): number[][] {
  return edgesOf(result, series).flatMap(([from, to]) => {
    const before = spans[from], next = spans[to];
    return before && next ? [[before.end, before.row, next.start, next.row]] : [];
  });
}

function drawArrow(look: Look, api: DrawApi): object {
  const [x1, y1] = api.coord([api.value(0), api.value(1)]);
  const [x2, y2] = api.coord([api.value(2), api.value(3)]);
  const way = Math.atan2(y2 - y1, x2 - x1);
  const edge = (turn: number): [number, number] =>
    [x2 - 7 * Math.cos(way + turn), y2 - 7 * Math.sin(way + turn)];
  return {
    type: "group",
    children: [
      {
        type: "line", shape: { x1, y1, x2, y2 },
        style: { stroke: look.theme.muted, lineWidth: 1, lineDash: [3, 3] },
      },
      { type: "polygon", shape: { points: [[x2, y2], edge(0.4), edge(-0.4)] }, style: { fill: look.theme.muted } },
    ],
  };
}

function option(result: Result, series: Series, by: string, look: Look): EChartsCoreOption {
  const { spans, lanes } = spansOf(result, series, by);
  const ends = spans.map(({ end }) => end), starts = spans.map(({ start }) => start);
  const from = starts.reduce((a, b) => Math.min(a, b), Infinity);
  const to = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  return {
    grid: { left: 8, right: 48, top: 8, bottom: 60, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const span = spans[dataIndex];
        if (!span) return h("div");
        const lines = series.columns.map((name, i) => h("div", {}, `${name} ${span.cells[i] ?? "–"}`));
        return tip(`${lanes[span.row] ?? ""}: ${formatUnit(span.end - span.start, "ns")}`, lines);
      },
    },
    dataZoom: [
      ...insideZoom(look, "weakFilter"),
      { type: "slider", id: "slider", filterMode: "weakFilter", height: 18, bottom: 8, showDetail: false },
    ],
    xAxis: { // its end is no round time
      type: "value", min: 0, max: to - from, ...axisStyle(look), splitNumber: look.narrow ? 3 : 6,
      splitLine: { ...axisStyle(look).splitLine, showMaxLine: false },
      axisLabel: {
        ...axisStyle(look).axisLabel, showMaxLabel: false,
        formatter: (value: number) => formatTick(value, "ns"),
      },
    },
    yAxis: { type: "category", inverse: true, data: lanes, ...axisStyle(look), axisLabel: rowLabels(look, lanes).axisLabel },
    series: [
      {
        type: "custom", encode: { x: [0, 1], y: 2 }, clip: true,
        data: spans.map(({ start, end, row }) => [start - from, end - from, row]),
        renderItem: (_: unknown, api: DrawApi) => drawSpan(look, api),
      },
      {
        type: "custom", encode: { x: [0, 2], y: [1, 3] }, clip: true, silent: true,
        data: arrowsOf(result, series, spans).map(([x1 = 0, y1, x2 = 0, y2]) => [x1 - from, y1, x2 - from, y2]),
        renderItem: (_: unknown, api: DrawApi) => drawArrow(look, api),
      },
    ],
  };
}

export function timelineChart(id: string, origin: string, result: Result, series: Series): Chart {
  const ways = ["lane", "core", "queue"].filter((name) => series.columns.includes(name));
  let by = ways[0] ?? "";
  const rows: Cell[][] = series.data.map((row) => row.map((value) => value ?? undefined));
  return new Chart({
    id,
    title: `${caseName(result)}: ${series.name}`,
    origin,
    subtitle: () => `${series.data.length} spans`,
    summary: `Time line of ${series.name}, ${series.data.length} spans`,
    height: () => 110 + 28 * Math.min(spansOf(result, series, by).lanes.length, 24),
    option: (look) => option(result, series, by, look),
    ...(ways.length > 1
      ? {
          switches: [{
            label: "lanes", options: ways.map((name) => `by ${name}`), chosen: 0,
            change: (index: number) => { by = ways[index] ?? by; },
          }],
        }
      : {}),
    numbers: () => ({ head: series.columns, rows: rows.slice(0, 1000) }),
    csv: () => [series.columns, ...rows],
    steps: series.data.length,
  });
}
