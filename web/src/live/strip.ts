// SPDX-License-Identifier: MIT
// The last frames as a strip: the benchmark's first metric over the number of the frame.
import type { EChartsCoreOption } from "echarts/core";
import type { ChartDesc, Look } from "../chart";
import { axisStyle, legendOf, tip, tooltipStyle } from "../charts/parts";
import { h } from "../dom";
import type { ListedBenchmark } from "./messages";
import type { Frames } from "./frames";
import { formatTick, formatUnit } from "../units";

export interface Stripped {
  frames: Frames;
  benchmark: ListedBenchmark;
  most: number; // how many frames are shown
}

// Returns the first metric and those with its name as a prefix: response, response_p90,
// response_max.
function shownOf({ frames, benchmark }: Stripped): string[] {
  const [first] = benchmark.metrics;
  const isKin = (name: string): boolean => name === first?.name || name.startsWith(`${first?.name ?? ""}_`);
  const has = (name: string): boolean =>
    frames.last?.metrics.some((one) => one.name === name && one.median !== undefined) ?? false;
  return benchmark.metrics.filter(({ name, unit }) => unit === first?.unit && isKin(name) && has(name))
    .map(({ name }) => name);
}

function option(shown: Stripped, look: Look): EChartsCoreOption {
  const names = shownOf(shown), unit = shown.benchmark.metrics[0]?.unit ?? "1";
  const { legend, height } = legendOf(look, names);
  const all = names.map((name) => shown.frames.values(name, shown.most));
  return {
    legend, color: look.theme.series,
    grid: { left: 8, right: 16, top: height, bottom: 24, containLabel: true },
    tooltip: {
      ...tooltipStyle(look), trigger: "axis",
      formatter: (points: { seriesName: string; value: [number, number | null] }[]) =>
        tip(`frame ${points[0]?.value[0] ?? ""}`, points.map(({ seriesName, value }) =>
          h("div", {}, `${seriesName} ${formatUnit(value[1], unit)}`))),
    },
    xAxis: {
      type: "value", min: 1 - shown.most, max: 0, ...axisStyle(look), minInterval: 1,
      axisLabel: {
        ...axisStyle(look).axisLabel, showMinLabel: false,
        formatter: (value: number) => (value === 0 ? "now" : String(value)),
      },
    },
    yAxis: {
      type: "value", scale: true, splitNumber: 3, ...axisStyle(look),
      axisLabel: { ...axisStyle(look).axisLabel, formatter: (value: number) => formatTick(value, unit) },
    },
    series: names.map((name, i) => ({
      name, type: "line", symbolSize: 4, showSymbol: true, lineStyle: { width: 1 },
      data: all[i]?.map((value, at, values) => [at + 1 - values.length, value ?? null]),
    })),
  };
}

export function stripDesc(id: string, origin: () => string, current: () => Stripped): ChartDesc {
  const rows = (): (string | number | undefined)[][] => {
    const names = shownOf(current()), values = names.map((name) => current().frames.values(name, current().most));
    return (values[0] ?? []).map((_, at, first) => [at + 1 - first.length, ...values.map((list) => list[at])]);
  };
  return {
    id, title: "The last frames",
    get origin() { return origin(); },
    subtitle: () => shownOf(current()).join(", "),
    get summary() { return `The last ${Math.min(current().frames.count, current().most)} frames`; },
    height: () => 190,
    option: (look) => option(current(), look),
    numbers: () => ({ head: ["frame", ...shownOf(current())], rows: rows() }),
    csv: () => [["frame", ...shownOf(current())], ...rows()],
    get steps() { return Math.min(current().frames.count, current().most); },
  };
}
