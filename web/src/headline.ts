// SPDX-License-Identifier: MIT
// The one chart that a benchmark shows unfolded: the first view that has numbers, cut to what fits
// beside the findings, under a title that says what came out.
import { isSparse } from "./charts/curve";
import { nameWithHelp } from "./charts/parts";
import type { Lead } from "./charts/parts";
import { messageOf, nameOf } from "./message";
import type { Subject } from "./run";
import type { Grid, GridSeries, Point } from "./view";
import { measuredPoints, measuredSubjects, pointMetric, trustedPoints } from "./view";

const LINES_MAX = 6, BARS_MAX = 8, CELLS_MAX = 8;

export interface Headline {
  kind: "curve" | "bars" | "heatmap";
  grid: Grid;
  lead: Lead;
  whole: boolean; // nothing was left out
}

// Returns the trusted points; all measured points if less than half of them are trusted.
function sure(grid: Grid): Point[] {
  const all = measuredPoints(grid), trusted = trustedPoints(grid);
  return 2 * trusted.length >= all.length ? trusted : all;
}

const medianOf = (grid: Grid, point: Point): number => pointMetric(point, grid.metric)?.median ?? NaN;

// Returns the lines with most points, without lines that have less than a sixth of the most points:
// only the whole drawing shows those.
function longest(grid: Grid): GridSeries[] {
  const list = grid.panels.flatMap((panel) => panel.series);
  const points = (name: string): number => Math.max(...list.filter(({ rest }) => rest === name)
    .map((one) => one.points.filter((point) => pointMetric(point, grid.metric)).length));
  const devices = Math.max(measuredSubjects(grid).length, 1);
  const names = [...new Set(list.map(({ rest }) => rest))].sort((a, b) => points(b) - points(a));
  const least = points(names[0] ?? "") / 6;
  const kept = names.filter((name) => points(name) >= least)
    .slice(0, Math.max(Math.floor(LINES_MAX / devices), 1));
  return list.filter(({ rest }) => kept.includes(rest));
}

function withSeries(grid: Grid, kept: (series: GridSeries) => GridSeries): Grid {
  return {
    ...grid,
    panels: grid.panels.map((panel) => ({
      ...panel, series: panel.series.map(kept).filter(({ points }) => points.length > 0),
    })).filter(({ series }) => series.length > 0),
  };
}

const none = (series: GridSeries): GridSeries => ({ ...series, points: [] });

function cutCurve(grid: Grid): { grid: Grid; note: string } {
  const kept = new Set(longest(grid));
  const count = grid.panels.flatMap(({ series }) => series).length;
  return {
    grid: withSeries(grid, (series) => (kept.has(series) ? series : none(series))),
    note: kept.size < count ? `${kept.size} of ${count} lines` : "",
  };
}

// Keeps the best bars and, as the last one, the worst. The whole drawing also has those between.
function cutBars(grid: Grid): { grid: Grid; note: string } {
  const way = grid.metric.better === "lower" ? 1 : -1;
  const rank = new Map<string, number>();
  for (const point of sure(grid)) {
    const name = nameOf(grid, point), value = way * medianOf(grid, point);
    rank.set(name, Math.min(rank.get(name) ?? Infinity, value));
  }
  const devices = Math.max(measuredSubjects(grid).length, 1);
  const most = Math.max(Math.floor(BARS_MAX / devices), 3);
  const names = [...rank].sort((a, b) => a[1] - b[1]).map(([name]) => name);
  if (new Set(measuredPoints(grid).map((point) => nameOf(grid, point))).size <= most) return { grid, note: "" };
  const kept = new Set([...names.slice(0, most - 1), names[names.length - 1]]);
  return {
    grid: withSeries(grid, (series) => ({
      ...series, points: series.points.filter((point) => kept.has(nameOf(grid, point))),
    })),
    note: names.length <= most ? "the trusted cases" : `the ${most - 1} best and the worst of ${names.length}`,
  };
}

// True if the grid is drawn as lines. If no line has two points that may be joined, it is drawn as
// bars.
export const isLine = (grid: Grid): boolean => grid.xs.length > 1 &&
  !grid.panels.every(({ series }) => series.every((one) => isSparse(grid, one)));

// Returns how a view is best drawn if it is small: heat maps with many rows as bars, heat maps over
// many numbers as curves.
function kindOf(grid: Grid): Headline["kind"] {
  const numbers = grid.xs.every((x) => typeof x === "number");
  if (grid.view.kind === "curve") return isLine(grid) ? "curve" : "bars";
  if (grid.view.kind === "bars") return "bars";
  const rows = Math.max(...grid.panels.map(({ series }) => series.length));
  if (numbers && grid.xs.length > 2 * CELLS_MAX) return "curve";
  const small = grid.panels.length === 1 && rows <= CELLS_MAX && measuredSubjects(grid).length < 2;
  return small ? "heatmap" : "bars";
}

// Turns the rows of a heat map into lines; each label names the row's parameter.
const asLines = (grid: Grid): Grid => ({
  ...grid,
  panels: grid.panels.map((panel) => ({
    ...panel,
    series: panel.series.map((series) => {
      const label = [panel.label, `${grid.y?.key ?? ""} ${series.label}`.trim()].filter(Boolean).join(" · ");
      return { ...series, label, rest: label };
    }),
  })),
});

export function headlineOf(subjects: Subject[], view: Grid): Headline {
  const kind = kindOf(view);
  const grid = kind === "curve" && view.y ? asLines(view) : view;
  const cut = kind === "curve" ? cutCurve(grid) : kind === "bars" ? cutBars(grid) : { grid, note: "" };
  const message = messageOf(subjects, view.benchmark, view), neutral = view.view.title ?? view.metric.name;
  return {
    kind, grid: cut.grid, whole: cut.note === "" && kind === view.view.kind,
    lead: {
      title: message || neutral,
      of: [message && neutral, nameWithHelp(view.metric)].filter(Boolean).join(" · "),
      note: cut.note,
    },
  };
}
