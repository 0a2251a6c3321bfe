// SPDX-License-Identifier: MIT
// Heat maps: a matrix of numbers on a colour ramp, linear or logarithmic, one panel at a time.
import type { EChartsCoreOption } from "echarts/core";
import type { Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import { textWidth } from "../measure";
import { commonScale, digits, formatUnit, formatValue } from "../units";
import type { Grid, Panel, Point } from "../view";
import { allPoints, isLogY, measuredSubjects, pointMetric } from "../view";
import {
  axisStyle, gridCsv, gridNumbers, gridOrigin, inkOn, nameWithHelp, rowLabels, tip, tipLine, tooltipStyle,
} from "./parts";
import type { Lead } from "./parts";

// ECharts copies its options deeply, so it gets only `value`.
interface Field {
  value: [number, number, number]; // column, row, colour
  shown: number;
  point: Point;
}

// What is drawn at one time: a panel, or all devices side by side, one column per device.
interface Sheet {
  label: string;
  columns: string[];
  rows: string[];
  cells: { column: number; row: number; point: Point }[];
  xName: string;
  yName: string;
  folded?: boolean; // x goes on in the next row
  together?: boolean; // each column is a device
}

interface State {
  sheet: Sheet;
  log: boolean;
}

function sheetOf(grid: Grid, panel: Panel): Sheet {
  return {
    label: panel.label, xName: grid.x.key, yName: grid.y?.key ?? "",
    columns: grid.xs.map((x) => formatValue(x, grid.x)),
    rows: panel.series.map(({ label }) => label),
    cells: panel.series.flatMap((series, row) =>
      series.points.map((point) => ({ column: grid.xs.indexOf(point.x), row, point }))),
  };
}

// A long row of neighbouring whole numbers is folded into rows of 16; each value of y has a sheet.
const FOLD = 16;

function foldedSheets(grid: Grid, panel: Panel): Sheet[] {
  const first = Number(grid.xs[0]);
  const rows = Math.ceil(grid.xs.length / FOLD);
  return panel.series.map((series) => ({
    label: [panel.label, grid.y ? `${grid.y.key} ${series.label}` : series.label].filter(Boolean).join(" · "),
    xName: grid.x.key, yName: "", folded: true,
    columns: Array.from({ length: FOLD }, (_, i) => String(first + i)),
    rows: Array.from({ length: rows }, (_, i) => `+ ${FOLD * i}`),
    cells: series.points.map((point) => {
      const place = Number(point.x) - first;
      return { column: place % FOLD, row: Math.floor(place / FOLD), point };
    }),
  }));
}

function sheetsOf(grid: Grid, panel: Panel): Sheet[] {
  const neighbours = grid.xs.length > 2 * FOLD && grid.x.type === "uint" &&
    grid.xs.every((x, i) => x === Number(grid.xs[0]) + i);
  return neighbours ? foldedSheets(grid, panel) : [sheetOf(grid, panel)];
}

function sideBySide(grid: Grid): Sheet | undefined {
  const subjects = measuredSubjects(grid);
  if (subjects.length < 2) return undefined;
  const rows: string[] = [];
  const cells = grid.panels.flatMap((panel) => panel.series.flatMap((series) =>
    series.points.filter(({ subject }) => subjects.includes(subject)).map((point) => {
      const name = [series.label, formatValue(point.x, grid.x), panel.rest].filter(Boolean).join(" · ");
      if (!rows.includes(name)) rows.push(name);
      return { column: subjects.indexOf(point.subject), row: rows.indexOf(name), point };
    })));
  const keys = [...(grid.y ? [grid.y] : []), grid.x, ...grid.group].map(({ key }) => key);
  return {
    label: "side by side", together: true, xName: "measured on", yName: keys.join(" · "),
    columns: subjects.map(({ short }) => short), rows, cells,
  };
}

function fieldsOf(grid: Grid, state: State): Field[] {
  return state.sheet.cells.flatMap(({ column, row, point }) => {
    const shown = pointMetric(point, grid.metric)?.median;
    if (shown === undefined || (state.log && shown <= 0)) return [];
    const colour = state.log ? Math.log10(shown) : shown;
    return [{ value: [column, row, colour] as [number, number, number], shown, point }];
  });
}

const isTall = ({ rows }: Sheet): boolean => rows.length > 16;

function option(grid: Grid, state: State, look: Look): EChartsCoreOption {
  const fields = fieldsOf(grid, state);
  const colours = fields.map(({ value }) => value[2]);
  const low = Math.min(...colours), high = Math.max(...colours);
  const scale = commonScale(fields.map(({ shown }) => shown), grid.metric.unit);
  const small = look.width / Math.max(state.sheet.columns.length, 1) < 52;
  const longest = state.sheet.columns.reduce((a, b) => Math.max(a, b.length), 0);
  const crowded = state.sheet.together === true && longest * 7 * state.sheet.columns.length > look.width * 0.7;
  const labels = rowLabels(look, state.sheet.rows), tall = isTall(state.sheet);
  const textColour = (colour: number): string =>
    inkOn(look.theme.ramp, high > low ? (colour - low) / (high - low) : 0);
  return {
    grid: { left: 8, right: crowded ? 48 : 16, top: 24, bottom: 70, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const field = fields[dataIndex];
        if (!field) return h("div");
        const { point, value: [column, row] } = field;
        const x = state.sheet.folded ? formatValue(point.x, grid.x) : state.sheet.columns[column];
        const columnName = [state.sheet.xName, x].filter(Boolean).join(" ");
        const rowName = state.sheet.folded ? state.sheet.label : state.sheet.rows[row] ?? "";
        return tip(`${rowName} · ${columnName}`,
          [tipLine(point, "", grid.metric, "transparent")]);
      },
    },
    xAxis: {
      type: "category", data: state.sheet.columns, name: crowded ? "" : state.sheet.xName,
      nameLocation: "middle", nameGap: 26, ...axisStyle(look), splitLine: { show: false },
      position: tall ? "top" : "bottom", // at the top if the drawing is taller than a screen
      axisLabel: {
        ...axisStyle(look).axisLabel,
        ...(crowded ? { rotate: 90, interval: 0, width: 150, overflow: "truncate" } : {}),
      },
    },
    yAxis: {
      type: "category", inverse: true, data: state.sheet.rows,
      name: tall ? "" : state.sheet.yName, // if tall, the names of the columns stand there
      nameLocation: "start", // at the top, because the axis runs downward
      ...axisStyle(look), splitLine: { show: false },
      nameTextStyle: {
        ...axisStyle(look).nameTextStyle,
        align: textWidth(state.sheet.yName, 12) < labels.width ? "right" : "left",
      },
      axisLabel: labels.axisLabel,
    },
    visualMap: {
      type: "continuous", min: low, max: high > low ? high : low + 1, calculable: true,
      orient: "horizontal", left: "center", bottom: 0, itemHeight: look.narrow ? 120 : 220,
      inRange: { color: look.theme.ramp },
      textStyle: { color: look.theme.muted },
      formatter: (value: number) => formatUnit(state.log ? 10 ** value : value, grid.metric.unit),
    },
    series: [{
      type: "heatmap",
      data: fields.map((field) => ({
        value: field.value,
        itemStyle: field.point.result.verdict === "suspect"
          ? { borderColor: look.theme.warn, borderWidth: 3 }
          : { borderColor: look.theme.ground, borderWidth: 1 },
        label: {
          show: !small,
          color: textColour(field.value[2]),
          formatter: digits(field.shown * scale.factor),
        },
      })),
    }],
  };
}

export function heatmapChart(id: string, grid: Grid, lead?: Lead): Chart {
  const sheets = grid.panels.flatMap((panel) => sheetsOf(grid, panel));
  const together = sideBySide(grid);
  if (together) sheets.unshift(together);
  const first = sheets[0] ?? { label: "", xName: "", yName: "", columns: [], rows: [], cells: [] };
  const positive = grid.panels.every(({ series }) => series.every(({ points }) =>
    points.every((point) => (pointMetric(point, grid.metric)?.median ?? 1) > 0)));
  const values = allPoints(grid).flatMap((point) => pointMetric(point, grid.metric)?.median ?? []);
  const [low, high] = values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, 0]);
  const state: State = {
    sheet: first, log: positive && (isLogY(grid.view) || (!grid.view.scale && high > 30 * low)),
  };
  const switches = [];
  if (sheets.length > 1)
    switches.push({
      label: "panel", options: sheets.map(({ label }) => label), chosen: 0,
      change: (index: number) => { state.sheet = sheets[index] ?? first; },
    });
  if (positive)
    switches.push({
      label: "colours", options: ["linear", "log"], chosen: state.log ? 1 : 0,
      change: (index: number) => { state.log = index === 1; },
    });
  const unit = (): string => {
    const { name } = commonScale(fieldsOf(grid, state).map(({ shown }) => shown), grid.metric.unit);
    return name === "" || name === grid.metric.name ? "" : `in ${name}`;
  };
  return new Chart({
    id,
    title: lead?.title ?? grid.view.title ?? grid.metric.name,
    origin: gridOrigin(grid),
    subtitle: () => (lead ? [lead.of, unit(), lead.note] : [nameWithHelp(grid.metric), unit(), state.sheet.label, grid.common,
      isTall(state.sheet) && state.sheet.yName !== "" ? `rows: ${state.sheet.yName}` : ""])
      .filter(Boolean).join(" · "),
    summary: `Heat map of ${grid.metric.name} over ${grid.x.key} and ${grid.y?.key ?? ""}`,
    height: () => 130 + (state.sheet.rows.length > 40 ? 22 : 34) * state.sheet.rows.length,
    option: (look) => option(grid, state, look),
    switches,
    numbers: () => gridNumbers(grid, grid.metric),
    csv: () => gridCsv(grid, [grid.metric]),
    steps: first.columns.length,
  });
}
