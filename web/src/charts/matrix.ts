// SPDX-License-Identifier: MIT
// A series of pairs: columns a, b, a value from 0 to 1, and sometimes its interval (low, high). It
// is drawn as half a matrix.
import type { EChartsCoreOption } from "echarts/core";
import type { Cell, Look } from "../chart";
import { Chart } from "../chart";
import { h } from "../dom";
import { widest } from "../measure";
import type { Result, Series } from "../run";
import { digits } from "../units";
import { caseName, laneName } from "./lanes";
import { axisStyle, inkOn, rowLabels, tip, tooltipStyle } from "./parts";

export const isMatrix = (series: Series): boolean =>
  series.columns[0] === "a" && series.columns[1] === "b" && series.columns.length > 2;

interface Pair {
  a: number;
  b: number;
  value: number;
  cells: (number | null)[];
}

const pairsOf = (series: Series): Pair[] =>
  series.data.map((cells) => ({ a: cells[0] ?? 0, b: cells[1] ?? 0, value: cells[2] ?? NaN, cells }));

const lanesOf = (pairs: Pair[]): number[] =>
  [...new Set(pairs.flatMap(({ a, b }) => [a, b]))].sort((x, y) => x - y);

function option(result: Result, series: Series, look: Look): EChartsCoreOption {
  const pairs = pairsOf(series), lanes = lanesOf(pairs);
  const names = lanes.map((lane) => laneName(result, lane));
  const crowded = names.length * (widest(names, 12) + 12) > 0.7 * look.width;
  const axis = {
    type: "category", ...axisStyle(look), splitLine: { show: false },
    axisLabel: { ...axisStyle(look).axisLabel, interval: 0 },
  };
  return {
    grid: { left: 8, right: 16, top: 8, bottom: 56, containLabel: true },
    tooltip: {
      ...tooltipStyle(look),
      formatter: ({ dataIndex }: { dataIndex: number }) => {
        const pair = pairs[dataIndex];
        if (!pair) return h("div");
        return tip(`${laneName(result, pair.a)} · ${laneName(result, pair.b)}`,
          series.columns.slice(2).map((name, i) => h("div", {}, `${name} ${pair.cells[i + 2] ?? "–"}`)));
      },
    },
    xAxis: {
      ...axis, data: names.slice(0, -1),
      axisLabel: { ...axis.axisLabel, rotate: crowded ? 90 : 0 },
    },
    yAxis: { ...axis, inverse: true, data: names.slice(1), axisLabel: rowLabels(look, names).axisLabel },
    visualMap: {
      type: "continuous", min: 0, max: 1, calculable: false, orient: "horizontal", left: "center",
      bottom: 0, itemHeight: look.narrow ? 120 : 220, inRange: { color: look.theme.ramp },
      textStyle: { color: look.theme.muted },
    },
    series: [{
      type: "heatmap",
      data: pairs.map(({ a, b, value }) => ({
        value: [lanes.indexOf(a), lanes.indexOf(b) - 1, value],
        itemStyle: { borderColor: look.theme.ground, borderWidth: 1 },
        label: { show: true, formatter: digits(value), color: inkOn(look.theme.ramp, value) },
      })),
    }],
  };
}

export function matrixChart(id: string, origin: string, result: Result, series: Series): Chart {
  const rows: Cell[][] = series.data.map((row) => row.map((value) => value ?? undefined));
  const count = lanesOf(pairsOf(series)).length;
  return new Chart({
    id,
    title: `${caseName(result)}: ${series.name}`,
    origin,
    subtitle: () => `${series.columns[2] ?? ""} of every two`,
    summary: `Matrix of ${series.columns[2] ?? ""}, ${count} rows`,
    height: () => 110 + 34 * count,
    option: (look) => option(result, series, look),
    numbers: () => ({ head: series.columns, rows }),
    csv: () => [series.columns, ...rows],
    steps: series.data.length,
  });
}
