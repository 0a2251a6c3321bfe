// SPDX-License-Identifier: MIT
// A time line: spans from start to end (ns) in lanes, zoomable; lanes by lane or by core, and
// arrows from a span to the one that waited for it.
import type { EChartsCoreOption } from "echarts/core";
import type { Cell, ChartDesc, Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import type { Result, Series } from "../run";
import { formatTick, formatUnit } from "../units";
import { caseName, laneName } from "./lanes";
import { axisStyle, insideZoom, rowLabels, tip, tooltipStyle } from "./parts";
import type { DrawApi } from "./parts";

export const isTimeline = (series: Series): boolean =>
  series.columns.includes("start") && series.columns.includes("end");

const LINE_ROWS = 32; // as in report/spans.h: longer series list workgroups, not workloads

// Returns the time line to whose rows the series "edges" refers.
export const lineOf = (result: Result): Series | undefined => result.series?.find((series) =>
  isTimeline(series) && series.columns.includes("lane") && series.data.length <= LINE_ROWS);

// True if the series has edges between rows of the time line, which draws them as arrows.
export const isArrows = (result: Result, series: Series): boolean =>
  series.name === "edges" && ["from", "to"].every((name) => series.columns.includes(name)) &&
  lineOf(result) !== undefined;

export interface Line {
  result: Result;
  series: Series;
}

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

// Returns pairs of rows: the second span waited for the first. The series "edges" lists all pairs;
// without it, the column "after" names one span for each.
export function edgesOf(result: Result, series: Series): [number, number][] {
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

// Returns how long a span overlaps each other span of its time line, and the gap after each span
// that it waited for.
function besidesOf(result: Result, series: Series, spans: Span[], at: number): string[] {
  const span = spans[at];
  if (!span || lineOf(result) !== series) return [];
  const lane = column(series, "lane");
  const nameOf = (one: Span): string => laneName(result, one.cells[lane] ?? 0);
  const gaps = edgesOf(result, series).flatMap(([from, to]) => {
    const before = spans[from];
    return to === at && before ? [`gap ${formatUnit(span.start - before.end, "ns")} after ${nameOf(before)}`] : [];
  });
  const overlaps = spans.flatMap((other) => {
    const both = Math.min(span.end, other.end) - Math.max(span.start, other.start);
    const share = both / Math.min(span.end - span.start, other.end - other.start);
    return other === span || both <= 0 ? []
      : [`overlap ${formatUnit(both, "ns")} with ${nameOf(other)}, ${(100 * share).toFixed(0)} % of the shorter`];
  });
  return [...gaps, ...overlaps];
}

const TOLD = ["start", "end", "lane", "queue", "after"]; // other lines of a tooltip show them

function spanTip(result: Result, series: Series, spans: Span[], lane: string, at: number): HTMLElement {
  const span = spans[at];
  if (!span) return h("div");
  const from = spans.reduce((first, { start }) => Math.min(first, start), Infinity);
  const lines = [
    `start ${formatUnit(span.start - from, "ns")}, end ${formatUnit(span.end - from, "ns")}`,
    ...besidesOf(result, series, spans, at),
    ...series.columns.flatMap((name, i) => (TOLD.includes(name) ? [] : [`${name} ${span.cells[i] ?? "–"}`])),
  ];
  return tip(`${lane}: ${formatUnit(span.end - span.start, "ns")}`, lines.map((text) => h("div", {}, text)));
}

function option({ result, series }: Line, by: string, look: Look): EChartsCoreOption {
  const { spans, lanes } = spansOf(result, series, by);
  const ends = spans.map(({ end }) => end), starts = spans.map(({ start }) => start);
  const from = starts.reduce((a, b) => Math.min(a, b), Infinity);
  const to = ends.reduce((a, b) => Math.max(a, b), -Infinity);
  return {
    grid: { left: 8, right: 48, top: 8, bottom: 60, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ dataIndex }: { dataIndex: number }) =>
        spanTip(result, series, spans, lanes[spans[dataIndex]?.row ?? -1] ?? "", dataIndex),
    },
    dataZoom: [
      ...insideZoom(look, "weakFilter"),
      { type: "slider", id: "slider", filterMode: "weakFilter", height: 18, bottom: 8, showDetail: false },
    ],
    xAxis: { // no mark at the end, which is not a round time
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

export interface LineHead {
  id: string;
  title: string;
  origin: () => string;
  subtitle?: () => string; // absent: how many spans there are
}

// `current` returns what is drawn; on a live time line that changes.
export function timelineDesc({ id, title, origin, subtitle }: LineHead, current: () => Line): ChartDesc {
  const columns = (): string[] => current().series.columns;
  const ways = ["lane", "core", "queue"].filter((name) => columns().includes(name));
  let by = ways[0] ?? "";
  const way = (): string => (columns().includes(by) ? by : "lane");
  const count = (): string => `${current().series.data.length} spans`;
  const rows = (): Cell[][] => current().series.data.map((row) => row.map((value) => value ?? undefined));
  return {
    id, title,
    get origin() { return origin(); },
    subtitle: subtitle ?? count,
    get summary() { return `Time line of ${current().series.name}, ${count()}`; },
    height: () => 110 + 28 * Math.min(spansOf(current().result, current().series, way()).lanes.length, 24),
    option: (look) => option(current(), way(), look),
    ...(ways.length > 1
      ? {
          switches: [{
            label: "lanes", options: ways.map((name) => `by ${name}`), chosen: 0,
            change: (index: number) => { by = ways[index] ?? by; },
          }],
        }
      : {}),
    numbers: () => ({ head: columns(), rows: rows().slice(0, 1000) }),
    csv: () => [columns(), ...rows()],
    get steps() { return current().series.data.length; },
  };
}

export const timelineChart = (id: string, origin: string, result: Result, series: Series): Chart =>
  new Chart(timelineDesc({ id, title: `${caseName(result)}: ${series.name}`, origin: () => origin },
    () => ({ result, series })));
