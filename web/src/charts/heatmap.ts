// SPDX-License-Identifier: MIT
// Heat maps: a matrix of numbers on a colour ramp, linear or logarithmic, one panel at a time.
import type { EChartsCoreOption } from "echarts/core";
import type { Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import { commonScale, digits, formatUnit, formatValue } from "../units";
import type { Grid, Panel, Point } from "../view";
import { isLogY, pointMetric } from "../view";
import { axisStyle, gridCsv, gridNumbers, tip, tipLine, tooltipStyle } from "./parts";

// ECharts copies its options deeply: only `value` is handed over.
interface Field {
  value: [number, number, number]; // column, row, colour
  shown: number;
  point: Point;
  row: string;
}

interface State {
  panel: Panel;
  log: boolean;
}

function fieldsOf(grid: Grid, state: State): Field[] {
  return state.panel.series.flatMap((series, row) =>
    series.points.flatMap((point) => {
      const shown = pointMetric(point, grid.metric)?.median;
      if (shown === undefined || (state.log && shown <= 0)) return [];
      const colour = state.log ? Math.log10(shown) : shown;
      return [{
        value: [grid.xs.indexOf(point.x), row, colour] as [number, number, number],
        shown, point, row: series.label,
      }];
    }));
}

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

function option(grid: Grid, state: State, look: Look): EChartsCoreOption {
  const fields = fieldsOf(grid, state);
  const colours = fields.map(({ value }) => value[2]);
  const low = Math.min(...colours), high = Math.max(...colours);
  const scale = commonScale(fields.map(({ shown }) => shown), grid.metric.unit);
  const small = look.width / Math.max(grid.xs.length, 1) < 52;
  const textColour = (colour: number): string =>
    luminance(look.theme.ramp, high > low ? (colour - low) / (high - low) : 0) > 0.18
      ? "#10161b" : "#ffffff";
  return {
    grid: { left: 8, right: 16, top: 8, bottom: 70, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const field = fields[dataIndex];
        if (!field) return h("div");
        const { point, row } = field;
        return tip(`${grid.y?.key ?? ""} ${row} · ${grid.x.key} ${formatValue(point.x, grid.x)}`,
          [tipLine(point, "", grid.metric, "transparent")]);
      },
    },
    xAxis: {
      type: "category", data: grid.xs.map((x) => formatValue(x, grid.x)), name: grid.x.key,
      nameLocation: "middle", nameGap: 26, ...axisStyle(look), splitLine: { show: false },
    },
    yAxis: {
      type: "category", inverse: true, data: state.panel.series.map(({ label }) => label),
      ...axisStyle(look), splitLine: { show: false },
      axisLabel: { ...axisStyle(look).axisLabel, interval: 0 },
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

export function heatmapChart(id: string, grid: Grid): Chart {
  const first = grid.panels[0] ?? { label: "", series: [] };
  const positive = grid.panels.every(({ series }) => series.every(({ points }) =>
    points.every((point) => (pointMetric(point, grid.metric)?.median ?? 1) > 0)));
  const state: State = { panel: first, log: isLogY(grid.view) && positive };
  const switches = [];
  if (grid.panels.length > 1)
    switches.push({
      label: "panel", options: grid.panels.map(({ label }) => label), chosen: 0,
      change: (index: number) => { state.panel = grid.panels[index] ?? first; },
    });
  if (positive)
    switches.push({
      label: "colours", options: ["linear", "log"], chosen: state.log ? 1 : 0,
      change: (index: number) => { state.log = index === 1; },
    });
  const unit = (): string =>
    commonScale(fieldsOf(grid, state).map(({ shown }) => shown), grid.metric.unit).name;
  return new Chart({
    id,
    title: grid.view.title ?? grid.metric.name,
    subtitle: () => [`${grid.metric.name} ${unit()}`, state.panel.label, grid.common]
      .filter(Boolean).join(" · "),
    summary: `Heat map of ${grid.metric.name} over ${grid.x.key} and ${grid.y?.key ?? ""}`,
    height: () => 130 + 34 * Math.max(...grid.panels.map(({ series }) => series.length)),
    option: (look) => option(grid, state, look),
    switches,
    numbers: () => gridNumbers(grid, grid.metric),
    csv: () => gridCsv(grid, [grid.metric]),
    steps: first.series[0]?.points.length ?? 0,
  });
}
