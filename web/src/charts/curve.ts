// SPDX-License-Identifier: MIT
// Curves: a line for each series, with its intervals as whiskers, log axes, marked limits and
// levels, and a switch between time and cycles.
import type { EChartsCoreOption } from "echarts/core";
import type { Look } from "../chart";
import { Chart } from "../chart";
import { present } from "../dom";
import type { MetricInfo } from "../run";
import { sensorsOf } from "../run";
import type { Ticks } from "../ticks";
import { decadeTicks, octaveTicks } from "../ticks";
import { formatTick, formatUnit, formatValue } from "../units";
import type { Grid, GridSeries, Point } from "../view";
import { allPoints, isLogX, isLogY, pointMetric } from "../view";
import { textWidth, widest } from "../measure";
import type { Level } from "./levels";
import { levelsOf, sizeText } from "./levels";
import {
  axisStyle, drawLine, gridCsv, gridNumbers, gridOrigin, insideZoom, legendOf, nameWithHelp, tip, tipLine,
  tooltipStyle,
} from "./parts";
import type { DrawApi, Lead } from "./parts";

// A point that is drawn. ECharts copies its options deeply, so it gets only what plain() returns.
interface Datum {
  value: [number | string, number];
  point: Point;
  series: GridSeries;
  colour: string;
}

function plain(datum: Datum | undefined, look: Look): object | string {
  if (!datum) return "-"; // ECharts' word for a break
  return datum.point.result.verdict !== "suspect" ? { value: datum.value } : {
    value: datum.value, symbol: "emptyDiamond", symbolSize: 11,
    itemStyle: { color: look.theme.warn },
  };
}

interface State {
  metric: MetricInfo;
  log: boolean;
}

const MANY = 12, SHOWN = 3;
const LABELLED_MAX = 8; // if there are more lines, a legend has their names

const dashes = ["solid", "dashed", "dotted"];

// Styles of lines. One device: each colour first, then again dashed. Several devices: the colour
// shows the series, the dash shows the device.
function stylesOf(list: GridSeries[], look: Look): { colour: string; dash: string }[] {
  const colours = look.theme.series;
  const subjects = [...new Set(list.map(({ subject }) => subject))];
  const names = [...new Set(list.map(({ rest }) => rest))];
  const byDevice = subjects.length > 1 && subjects.length <= dashes.length && names.length > 1 &&
    names.length <= colours.length;
  return list.map((one, index) => {
    const own = subjects.length === 1 ? one.style : undefined;
    const at = own?.colour ?? (byDevice ? names.indexOf(one.rest) : index);
    const dash = own?.dash ?? (byDevice ? subjects.indexOf(one.subject) : Math.floor(index / colours.length));
    return {
      colour: colours[at % colours.length] ?? look.theme.text,
      dash: dashes[dash % dashes.length] ?? "solid",
    };
  });
}

// Positions on the x axis. ECharts zooms by the share of values, so on its own logarithmic axis
// nearly all of the slider would be the last octave. Here the axis is linear, and x is the
// logarithm.
const hasLogX = (grid: Grid): boolean =>
  isLogX(grid.view) && grid.xs.every((x) => typeof x === "number" && x > 0);
const placeOf = (grid: Grid, x: number): number => (hasLogX(grid) ? Math.log2(x) : x);
const valueAt = (grid: Grid, place: number): number =>
  hasLogX(grid) ? Number((2 ** place).toPrecision(12)) : place;

const allSeries = (grid: Grid): GridSeries[] => grid.panels.flatMap((panel) => panel.series);

// True if no line joins these two points: they are a factor of 8 or more apart, and other lines
// have more than three points between them.
function isGap(grid: Grid, before: Datum | undefined, x: number | string): boolean {
  const from = before?.point.x;
  if (typeof from !== "number" || typeof x !== "number" || x < 8 * from) return false;
  return grid.xs.filter((one) => typeof one === "number" && one > from && one < x).length > 3;
}

// A sparse line has few points, far apart: each samples a level. Nothing joins them, because a line
// between two levels would mean nothing.
const SPARSE_POINTS = 4, SPARSE_STEP = 8;

export function isSparse(grid: Grid, { points }: GridSeries): boolean {
  return isLogX(grid.view) && points.length <= SPARSE_POINTS && points.every(({ x }, i) =>
    i === 0 || Number(x) >= SPARSE_STEP * Number(points[i - 1]?.x));
}

// Returns the points of a line; undefined stands for a break in it.
function dataOf(grid: Grid, series: GridSeries, state: State, colour: string): (Datum | undefined)[] {
  const data: (Datum | undefined)[] = [];
  const sparse = isSparse(grid, series);
  for (const point of series.points) {
    const median = pointMetric(point, state.metric)?.median;
    if (median === undefined || (state.log && median <= 0)) continue;
    const x = isNumbers(grid.xs) ? placeOf(grid, point.x as number) : formatValue(point.x, grid.x);
    if (data.length > 0 && (sparse || isGap(grid, data[data.length - 1], point.x))) data.push(undefined);
    data.push({ value: [x, median], point, series, colour });
  }
  return data;
}

// Returns the ends and the ticks of a logarithmic y axis; undefined if no value is above 0. The axis
// has room for the intervals, but only up to a factor of ROOM beyond the medians: one wide interval
// must not press all lines together.
const ROOM = 2;

function logTicks(grid: Grid, metric: MetricInfo): Ticks | undefined {
  const found = allPoints(grid).flatMap((point) => pointMetric(point, metric) ?? [])
    .filter(({ median = 0 }) => median > 0);
  const medians = found.map(({ median = NaN }) => median);
  const all = [...medians, ...found.flatMap(({ ci95 }) => ci95 ?? [])];
  const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  const low = Math.max(least(all), least(medians) / ROOM), high = Math.min(most(all), most(medians) * ROOM);
  return found.length === 0 ? undefined : decadeTicks(low, high === low ? low * 2 : high);
}

// Whiskers from the lower to the upper end of each interval. An end beyond a logarithmic axis is
// drawn at the end of the axis.
function whiskers(data: Datum[], state: State, name: string, axis: Ticks | undefined): object {
  const inside = (value: number): number => (axis ? Math.min(Math.max(value, axis.min), axis.max) : value);
  const ends = data.flatMap((datum) => {
    const ci95 = pointMetric(datum.point, state.metric)?.ci95;
    return ci95 ? [[datum.value[0], inside(ci95[0]), inside(ci95[1])]] : [];
  });
  return {
    name, type: "custom", data: ends, silent: true, clip: true, z: 1,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    itemStyle: { color: data[0]?.colour },
    renderItem: (_: unknown, api: DrawApi) =>
      drawLine(api, [0, 1], [0, 2], { stroke: data[0]?.colour, lineWidth: 1.5, opacity: 0.8 }),
  };
}

// Returns the points of a limit that changes along x, as a roofline does: one at each measured
// point.
function ceilingOf(grid: Grid, series: GridSeries, state: State): [number | string, number][] | undefined {
  const ceiling = series.points.flatMap((point): [number | string, number][] => {
    const limit = pointMetric(point, state.metric)?.limit;
    return limit === undefined ? [] : [
      [isNumbers(grid.xs) ? placeOf(grid, point.x as number) : formatValue(point.x, grid.x), limit]];
  });
  return new Set(ceiling.map(([, limit]) => limit)).size > 1 ? ceiling : undefined;
}

const hasCeiling = (grid: Grid, state: State): boolean =>
  allSeries(grid).some((one) => ceilingOf(grid, one, state) !== undefined);

// Draws each such limit once, even if several series have it.
function ceilings(grid: Grid, state: State, look: Look): object[] {
  const seen = new Set<string>();
  return allSeries(grid).flatMap((one) => {
    const data = ceilingOf(grid, one, state);
    if (!data || seen.has(JSON.stringify(data))) return [];
    seen.add(JSON.stringify(data));
    return [{
      type: "line", data, silent: true, symbol: "none", z: 1, color: look.theme.muted,
      lineStyle: { width: 1.5, type: "dashed" }, tooltip: { show: false },
    }];
  });
}

const LEVEL_ROW_PX = 14;
const PLOT_LEAST = 0.6; // least share of the width for the plot, beside the names of lines

const levelText = (level: Level): string => `${level.name} ${sizeText(level.bytes)}`;

// Returns each level with the row of its label, so that labels do not overlap.
function levelRows(grid: Grid, look: Look): { level: Level; row: number }[] {
  const span = placeOf(grid, Number(grid.xs[grid.xs.length - 1])) - placeOf(grid, Number(grid.xs[0]));
  const pixels = (level: Level): number => placeOf(grid, level.bytes) / (span || 1) * PLOT_LEAST * look.width;
  const ends: number[] = [];
  return levelsOf(grid).sort((a, b) => a.bytes - b.bytes).map((level) => {
    const at = pixels(level), half = textWidth(levelText(level), 12) / 2;
    let row = ends.findIndex((end) => at - half - end >= 8);
    if (row < 0) row = ends.length;
    ends[row] = at + half;
    return { level, row };
  });
}

const LIMITS_MAX = 3;
const LABEL_SHARE = 0.08; // share of a drawing's height that the label of a limit needs

// Returns lines at the limits. A label that would overlap another one is left out. If there are too
// many limits (for example one per width), only the tooltips show them.
function limitLines(limits: [string, number][], values: number[], state: State): object[] {
  const place = (value: number): number => (state.log ? Math.log(value) : value);
  const all = [...values, ...limits.map(([, limit]) => limit)].map(place);
  const span = Math.max(...all) - (state.log ? Math.min(...all) : 0);
  const labelled: number[] = [];
  return limits.length > LIMITS_MAX ? [] : limits.map(([text, limit]) => {
    const show = labelled.every((other) => Math.abs(place(limit) - other) >= LABEL_SHARE * span);
    if (show) labelled.push(place(limit));
    return { yAxis: limit, label: { show, formatter: `limit ${text}`, position: "insideEndTop" } };
  });
}

function marks(grid: Grid, state: State, look: Look): object {
  const limits = new Map<string, number>(); // by text: devices may differ slightly
  for (const one of allSeries(grid).filter((series) => !ceilingOf(grid, series, state)))
    for (const point of one.points) {
      const limit = pointMetric(point, state.metric)?.limit;
      if (limit !== undefined) limits.set(formatUnit(limit, state.metric.unit), limit);
    }
  const values = allPoints(grid).flatMap((point) => pointMetric(point, state.metric)?.median ?? []);
  const lines = limitLines([...limits], values, state);
  if (grid.x.type === "bytes")
    for (const { level, row } of levelRows(grid, look)) lines.push({
      xAxis: placeOf(grid, level.bytes),
      label: { formatter: levelText(level), position: "end", distance: 4 + LEVEL_ROW_PX * row },
    });
  return {
    silent: true,
    symbol: "none",
    lineStyle: { color: look.theme.muted, type: "dashed" },
    label: { color: look.theme.muted },
    data: lines,
  };
}

const isNumbers = (values: Grid["xs"]): values is number[] =>
  values.every((x) => typeof x === "number");

// Returns the ticks of a logarithmic x axis between two positions; none if the axis is linear or
// has names.
function xTicks(grid: Grid, look: Look, from: number, to: number): object {
  if (!hasLogX(grid)) return {};
  const low = valueAt(grid, from), high = valueAt(grid, to);
  const ticks = ((grid.view.scale ?? "").startsWith("log10")
    ? decadeTicks(low, high).ticks : octaveTicks(low, high, look.narrow ? 5 : look.width / 75))
    .map((tick) => placeOf(grid, tick));
  return { axisTick: { customValues: ticks }, axisLabel: { customValues: ticks } };
}

// Returns the name of the x axis, with its meaning if there is room.
function xName(grid: Grid, look: Look): string {
  const whole = nameWithHelp({ ...grid.x, name: grid.x.key });
  return textWidth(whole, 12) < 0.75 * look.width ? whole : grid.x.key;
}

function xAxis(grid: Grid, look: Look): object {
  if (!isNumbers(grid.xs))
    return { type: "category", data: grid.xs.map((x) => formatValue(x, grid.x)), ...axisStyle(look) };
  const low = placeOf(grid, grid.xs[0] ?? 0), high = placeOf(grid, grid.xs[grid.xs.length - 1] ?? 1);
  const ticks = xTicks(grid, look, low, high) as { axisTick?: object; axisLabel?: object };
  const style = axisStyle(look);
  return {
    type: "value",
    min: low,
    max: high,
    name: xName(grid, look),
    nameLocation: "middle",
    nameGap: 28,
    ...style,
    ...ticks,
    axisLabel: {
      ...style.axisLabel, ...ticks.axisLabel,
      formatter: (place: number) => formatValue(valueAt(grid, place), grid.x),
    },
  };
}

function yAxis(state: State, data: Datum[], axis: Ticks | undefined, look: Look): object {
  const style = axisStyle(look);
  const formatter = (value: number): string => formatTick(value, state.metric.unit);
  if (!axis)
    return { // from 0, even if an interval reaches below 0
      type: "value", ...(data.every(({ value }) => value[1] >= 0) ? { min: 0 } : {}), ...style,
      ...(state.metric.unit === "%" ? { max: 100 } : {}),
      axisLabel: { ...style.axisLabel, formatter },
    };
  const { min, max, ticks } = axis;
  return { // slightly wider: logarithms are rounded, and a tick beyond an end is left out
    type: "log", min: min * (1 - 1e-9), max: max * (1 + 1e-9), ...style, axisTick: { customValues: ticks },
    axisLabel: { ...style.axisLabel, customValues: ticks, formatter },
  };
}

// With many lines of several devices, only those with the most points are shown at first; a click
// in the legend shows others.
function selectedOf(list: GridSeries[]): Record<string, boolean> {
  const points = (name: string): number => list.reduce((sum, { rest, points: own }) =>
    sum + (rest === name ? own.length : 0), 0);
  const names = [...new Set(list.map(({ rest }) => rest))].sort((a, b) => points(b) - points(a));
  const many = list.length > MANY && names.length < list.length;
  return Object.fromEntries(list.filter(({ rest }) => many && names.indexOf(rest) >= SHOWN)
    .map(({ label }) => [label, false]));
}

// True if there is room for all names at the ends of their lines; else there is a legend.
function hasEndLabels(list: GridSeries[], look: Look): boolean {
  return !look.narrow && list.length > 1 && list.length <= LABELLED_MAX &&
    widest(list.map(({ label }) => label), 12) < 0.3 * look.width;
}

interface Room {
  legend: object;
  top: number;
  right: number;
  bottom: number;
  atEnds: boolean;
}

// Puts the names into a column at the right, even if some lines end before it.
function endLabelOf(name: string, colour: string, room: Room, look: Look): object {
  return !room.atEnds ? {} : {
    endLabel: {
      show: true, formatter: name, color: colour, fontSize: 12, lineHeight: 15,
      textBorderColor: look.theme.ground, textBorderWidth: 3,
    },
    labelLayout: { x: look.width - room.right + 6, moveOverlap: "shiftY" },
  };
}

function roomOf(grid: Grid, list: GridSeries[], look: Look, compact: boolean): Room {
  const labels = list.map(({ label }) => label), atEnds = !grid.above && hasEndLabels(list, look);
  const { legend, height } = legendOf(look, atEnds ? [] : labels);
  const rows = grid.x.type === "bytes" ? Math.max(0, ...levelRows(grid, look).map(({ row }) => row)) : 0;
  return {
    legend, atEnds, top: height + LEVEL_ROW_PX * rows, bottom: compact ? 30 : 64,
    right: grid.above ? roomOf(grid.above, allSeries(grid.above), look, compact).right
      : atEnds ? widest(labels, 12) + 16 : 24,
  };
}

const LABEL_GAP = 8; // from a label to its axis, as ECharts has it

// Returns the margins at the left and at the bottom, which hold the labels of the axes. ECharts
// (containLabel) does not count the labels of ticks that it has not chosen itself.
function marginsOf(state: State, axis: Ticks | undefined, { bottom }: Room, look: Look): object {
  if (!axis) return { left: 8, bottom, containLabel: true };
  const { fontSize } = axisStyle(look).axisLabel;
  const labels = axis.ticks.map((tick) => formatTick(tick, state.metric.unit));
  return { left: 8 + widest(labels, fontSize) + LABEL_GAP, bottom: bottom + fontSize + LABEL_GAP };
}

function option(grid: Grid, state: State, look: Look, compact: boolean): EChartsCoreOption {
  const list = allSeries(grid);
  const series: object[] = [];
  const drawn: (Datum | undefined)[][] = []; // by index of ECharts' series
  const styles = stylesOf(list, look);
  const room = roomOf(grid, list, look, compact);
  const axis = state.log ? logTicks(grid, state.metric) : undefined;
  list.forEach((one, index) => {
    const { colour, dash } = styles[index] ?? { colour: look.theme.text, dash: "solid" };
    const data = dataOf(grid, one, state, colour);
    const name = one.label === "" ? state.metric.name : one.label;
    series.push({
      name, type: "line", data: data.map((datum) => plain(datum, look)), z: 2,
      color: colour,
      lineStyle: { width: 2, type: dash },
      symbol: "circle",
      symbolSize: isSparse(grid, one) ? 8 : data.length > 60 ? 3 : 5,
      emphasis: { focus: "series" },
      ...endLabelOf(name, colour, room, look),
      ...(index === 0 ? { markLine: marks(grid, state, look) } : {}),
    });
    series.push(whiskers(present(data), state, name, axis));
    drawn.push(data, []);
  });
  series.push(...ceilings(grid, state, look));
  return {
    legend: { ...room.legend, data: list.map(({ label }) => label), selected: selectedOf(list) },
    grid: { right: room.right, top: room.top, ...marginsOf(state, axis, room, look) },
    tooltip: {
      ...tooltipStyle(look),
      trigger: "axis",
      axisPointer: { type: "line", snap: true },
      formatter: (items: { seriesIndex: number; dataIndex: number }[]) =>
        tooltip(grid, state, items.map((item) => drawn[item.seriesIndex]?.[item.dataIndex])),
    },
    dataZoom: compact ? [] : [
      ...insideZoom(look, "none"),
      {
        type: "slider", id: "slider", filterMode: "none", height: 18, bottom: 8, showDetail: false,
        borderColor: look.theme.line,
      },
    ],
    xAxis: xAxis(grid, look),
    yAxis: yAxis(state, present(drawn.flat()), axis, look),
    series,
  };
}

function tooltip(grid: Grid, state: State, data: (Datum | undefined)[]): HTMLElement | string {
  const shown = present(data);
  const first = shown[0];
  if (!first) return "";
  return tip(formatValue(first.point.x, grid.x), shown.map((datum) =>
    tipLine(datum.point, datum.series.label, state.metric, datum.colour)));
}

// Removes cases and devices without a number: they need no place and no name in the drawing.
export function measuredOnly(grid: Grid): Grid {
  const panels = grid.panels.map((panel) => ({
    ...panel,
    series: panel.series.map((series) => ({
      ...series, points: series.points.filter((point) => pointMetric(point, grid.metric)),
    })).filter(({ points }) => points.length > 0),
  }));
  const used = new Set(panels.flatMap((panel) =>
    panel.series.flatMap(({ points }) => points.map(({ x }) => x))));
  return { ...grid, panels, xs: grid.above?.xs ?? grid.xs.filter((x) => used.has(x)) };
}

export function curveChart(id: string, whole: Grid, lead?: Lead): Chart {
  const grid = measuredOnly(whole);
  const positive = allPoints(grid).every((point) => (pointMetric(point, grid.metric)?.median ?? 1) > 0);
  const state: State = { metric: grid.metric, log: isLogY(grid.view) && positive };
  const switches = [];
  const sensors = sensorsOf(grid.view, allPoints(grid).map(({ result }) => result));
  const drawn = [grid.metric, ...(grid.cycles ? [grid.cycles] : []), ...sensors]
    .filter((metric) => allPoints(grid).some((point) => pointMetric(point, metric)));
  if (drawn.length > 1)
    switches.push({
      label: sensors.length > 0 ? "shown" : "unit", chosen: 0,
      options: drawn.map((metric) => (sensors.includes(metric) ? metric.name.replace("_", " ")
        : metric.unit === "cycle" ? "cycles" : metric.unit)),
      help: drawn.map(nameWithHelp),
      change: (index: number) => { state.metric = drawn[index] ?? grid.metric; },
    });
  if (positive && grid.metric.unit !== "%")
    switches.push({
      label: "vertical axis", options: ["linear", "log"], chosen: state.log ? 1 : 0,
      change: (index: number) => { state.log = index === 1; },
    });
  const list = allSeries(grid);
  return new Chart({
    id,
    title: lead?.title ?? grid.view.title ?? grid.metric.name,
    origin: gridOrigin(grid),
    subtitle: () => [
      ...(lead ? [lead.of, lead.note] : [nameWithHelp(state.metric), grid.common]),
      hasCeiling(grid, state) ? "dashed: limit" : "",
    ].filter(Boolean).join(" · "),
    summary: `Curve of ${grid.metric.name} over ${grid.x.key}, ${list.length} series`,
    height: (look) => (lead ? 190 : look.narrow ? 292 : 372) +
      roomOf(grid, list, look, lead !== undefined).top,
    option: (look) => option(grid, state, look, lead !== undefined),
    switches,
    numbers: () => gridNumbers(whole, state.metric),
    csv: () => gridCsv(whole, [grid.metric, ...(grid.cycles ? [grid.cycles] : []), ...sensors]),
    steps: list[0]?.points.length ?? 0,
    ...(hasLogX(grid)
      ? { zoomed: (look: Look, low: number, high: number) => ({ xAxis: xTicks(grid, look, low, high) }) }
      : {}),
  });
}
