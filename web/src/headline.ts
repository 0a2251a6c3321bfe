// SPDX-License-Identifier: MIT
// The one chart that a benchmark shows unfolded: the first view that has numbers, cut to what fits
// beside the findings, under a title that says what came out.
import { isSparse } from "./charts/curve";
import { levelsOf } from "./charts/levels";
import { nameWithHelp } from "./charts/parts";
import type { Lead } from "./charts/parts";
import { shownUnit } from "./run";
import { formatMedian, formatUnit, formatValue } from "./units";
import type { Grid, GridSeries, Point } from "./view";
import { allPoints, measuredSubjects, pointMetric } from "./view";

const LINES_MAX = 6, BARS_MAX = 8, CELLS_MAX = 8;

export interface Headline {
  kind: "curve" | "bars" | "heatmap";
  grid: Grid;
  lead: Lead;
  whole: boolean; // nothing was left out
}

const measured = (grid: Grid): Point[] =>
  allPoints(grid).filter((point) => pointMetric(point, grid.metric)?.median !== undefined);

const isTrusted = ({ result }: Point): boolean => result.verdict === "ok";

// Those that are trusted, unless these are but few.
function sure(points: Point[]): Point[] {
  const trusted = points.filter(isTrusted);
  return 2 * trusted.length >= points.length ? trusted : points;
}

const medianOf = (grid: Grid, point: Point): number => pointMetric(point, grid.metric)?.median ?? NaN;

// What tells a point from the others of its grid, without the device.
function nameOf(grid: Grid, point: Point): string {
  return [grid.x, ...(grid.y ? [grid.y] : []), ...grid.group]
    .filter(({ key }) => point.result.case[key] !== undefined)
    .map((param) => {
      const value = point.result.case[param.key], text = formatValue(value, param);
      return typeof value === "number" && param.key !== "bytes" ? `${param.key} ${text}` : text;
    }).join(", ");
}

// Counts say what they count: "48 subgroups".
function valueOf(grid: Grid, point: Point): string {
  const found = pointMetric(point, grid.metric), { name, unit } = grid.metric;
  const text = short(formatMedian(found, shownUnit(found, unit)));
  return unit === "1" && name.endsWith("s") ? `${text} ${name.replaceAll("_", " ")}` : text;
}

// "L1 16.2 ns · near L2 142 ns · far L2 263 ns · memory 338 ns": the medians in the middle of levels.
function levelMessage(grid: Grid): string | undefined {
  const levels = levelsOf(grid);
  const first = levels[0], subject = measuredSubjects(grid)[0];
  if (!first || !subject || grid.x.key !== "bytes") return undefined;
  const own = subject.results.find(({ key }) => first.finding.keys.includes(key));
  const series = grid.panels.flatMap((panel) => panel.series)
    .find((one) => one.subject === subject && one.points.some(({ result }) => result === own));
  if (!series) return undefined;
  const ends = [...levels.map(({ bytes }) => bytes), Infinity];
  const texts = ends.map((end, i) => {
    const from = ends[i - 1] ?? 0;
    const inside = series.points.filter(({ x }) => Number(x) > 1.2 * from && Number(x) < 0.97 * end)
      .map((point) => medianOf(grid, point)).filter(Number.isFinite).sort((a, b) => a - b);
    const middle = inside[Math.floor((inside.length - 1) / 2)];
    return middle === undefined ? "" : `${levels[i]?.name ?? "memory"} ${short(formatUnit(middle, grid.metric.unit))}`;
  });
  return texts.filter(Boolean).join(" · ");
}

// "142.05 ns" → "142 ns": a title is read, not calculated with.
function short(text: string): string {
  const [number = "", ...unit] = text.split(" ");
  const value = Number(number);
  return Number.isFinite(value) && value !== 0
    ? [String(Number(value.toPrecision(3))), ...unit].join(" ") : text;
}

// "From 4.71 TB/s (dot, double; 98 % of its limit) to 4.28 TB/s (copy, double)": the best and the worst
// of what was measured, of the trusted cases unless most are doubted.
function rangeMessage(grid: Grid): string {
  const points = sure(measured(grid)).sort((a, b) => medianOf(grid, a) - medianOf(grid, b));
  const low = points[0], high = points[points.length - 1];
  if (!low || !high) return "";
  const [best, worst] = grid.metric.better === "lower" ? [low, high] : [high, low];
  const said = (point: Point): string => {
    const share = point === best ? pointMetric(point, grid.metric)?.share : undefined;
    const about = [nameOf(grid, point), share === undefined || share > 1 ? "" : `${Math.round(100 * share)} % of its limit`]
      .filter(Boolean).join("; ");
    return `${valueOf(grid, point)}${about === "" ? "" : ` (${about})`}`;
  };
  const doubt = points.every(isTrusted) ? "" : "; doubted";
  return (medianOf(grid, best) === medianOf(grid, worst) ? said(best)
    : `From ${said(best)} to ${said(worst)}`) + doubt;
}

// Lines with hardly a point beside those of many are left to the whole drawing.
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

// The best, and the worst as the last: what stands between them stands below.
function cutBars(grid: Grid): { grid: Grid; note: string } {
  const way = grid.metric.better === "lower" ? 1 : -1;
  const rank = new Map<string, number>();
  for (const point of sure(measured(grid))) {
    const name = nameOf(grid, point), value = way * medianOf(grid, point);
    rank.set(name, Math.min(rank.get(name) ?? Infinity, value));
  }
  const devices = Math.max(measuredSubjects(grid).length, 1);
  const most = Math.max(Math.floor(BARS_MAX / devices), 3);
  const names = [...rank].sort((a, b) => a[1] - b[1]).map(([name]) => name);
  if (new Set(measured(grid).map((point) => nameOf(grid, point))).size <= most) return { grid, note: "" };
  const kept = new Set([...names.slice(0, most - 1), names[names.length - 1]]);
  return {
    grid: withSeries(grid, (series) => ({
      ...series, points: series.points.filter((point) => kept.has(nameOf(grid, point))),
    })),
    note: names.length <= most ? "the trusted cases" : `the ${most - 1} best and the worst of ${names.length}`,
  };
}

// Where no line has two points that belong together there are bars.
export const isLine = (grid: Grid): boolean => grid.xs.length > 1 &&
  !grid.panels.every(({ series }) => series.every((one) => isSparse(grid, one)));

// How a view is best seen in little: maps of many rows as bars, those over many numbers as curves.
function kindOf(grid: Grid): Headline["kind"] {
  const numbers = grid.xs.every((x) => typeof x === "number");
  if (grid.view.kind === "curve") return isLine(grid) ? "curve" : "bars";
  if (grid.view.kind === "bars") return "bars";
  const rows = Math.max(...grid.panels.map(({ series }) => series.length));
  if (numbers && grid.xs.length > 2 * CELLS_MAX) return "curve";
  const small = grid.panels.length === 1 && rows <= CELLS_MAX && measuredSubjects(grid).length < 2;
  return small ? "heatmap" : "bars";
}

// Rows of a map as lines: each says what its number is.
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

export function headlineOf(view: Grid): Headline {
  const kind = kindOf(view);
  const grid = kind === "curve" && view.y ? asLines(view) : view;
  const cut = kind === "curve" ? cutCurve(grid) : kind === "bars" ? cutBars(grid) : { grid, note: "" };
  return {
    kind, grid: cut.grid, whole: cut.note === "" && kind === view.view.kind,
    lead: {
      title: levelMessage(grid) ?? rangeMessage(cut.grid),
      of: [grid.view.title, nameWithHelp(grid.metric)].filter(Boolean).join(" · "),
      note: cut.note,
    },
  };
}
