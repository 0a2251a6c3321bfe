// SPDX-License-Identifier: MIT
// Hit rates of the caches for the cases of a curve, from hardware counters: of the bytes read
// through a cache, the share that it held. analysis/hits.c has the same rules.
import type { Counter, MetricInfo, Result } from "../run";
import type { Grid, GridSeries } from "../view";
import { allPoints } from "../view";

const caches = ["L1", "L2"];

// Counters that were read in several passes count different runs of the work. One is a part of
// another only if hits and misses of the L1 add up to its reads. Older files lack `passes`: they
// read the counters of the L1 in one pass.
const isOnePass = ({ name, passes }: Counter): boolean => (passes ?? (name.startsWith("l1_") ? 1 : 0)) === 1;

// Returns, of the bytes read through a cache, the share that it held, 0 to 1; undefined if reads or
// hits were not counted, or if less than a byte was read.
function hitRate(result: Result, cache: string): number | undefined {
  const prefix = `${cache.toLowerCase()}_`;
  const own = (result.counters ?? []).filter(({ name }) => name.startsWith(cache === "L1" ? "l1_read" : prefix));
  const counted = (name: string): number => own.find((one) => one.name === prefix + name)?.counted ?? 0;
  const read = counted("read");
  const isCounted = (name: string): boolean => own.some((one) => one.name === prefix + name);
  const addsUp = cache === "L1" && isCounted("read_miss") &&
    Math.abs(counted("read_hit") + counted("read_miss") - read) <= 0.01 * read;
  if (read < 1 || !isCounted("read_hit") || !(addsUp || own.every(isOnePass))) return undefined;
  return Math.min(Math.max((counted("read_hit") + counted("far_hit")) / read, 0), 1);
}

const metric: MetricInfo = {
  name: "hits", unit: "%", better: "none",
  help: "part of the bytes read through the cache that it held, by hardware counters",
};

function withRate(result: Result, cache: string): Result[] {
  const rate = hitRate(result, cache);
  return rate === undefined ? [] : [{
    ...result, metrics: [{ name: metric.name, unit: "1", better: "none", median: 100 * rate, n: 0 }],
  }];
}

// Returns the hit rates of a line in the line's colour; each cache has its own dash.
function seriesOf(line: GridSeries, colour: number, cache: string, many: boolean): GridSeries {
  const named = (text: string): string => (many ? [text, cache].filter(Boolean).join(" ") : text);
  return {
    ...line, label: named(line.label), rest: named(line.rest), style: { colour, dash: caches.indexOf(cache) },
    points: line.points.flatMap((point) => withRate(point.result, cache).map((result) => ({ ...point, result }))),
  };
}

// Returns the hit rates of all lines, to draw below; undefined if no line has two points with one.
export function hitsOf(shown: Grid): { grid: Grid; title: string } | undefined {
  const seen = caches.filter((cache) => allPoints(shown).some(({ result }) => hitRate(result, cache) !== undefined));
  const lines = shown.panels.flatMap(({ series }) => series);
  const series = seen.flatMap((cache) => lines.map((line, i) => seriesOf(line, i, cache, seen.length > 1)));
  if (!series.some(({ points }) => points.length > 1)) return undefined;
  return {
    title: `Hit rate of the ${seen.join(" and the ")}`,
    grid: {
      ...shown, metric, cycles: undefined, above: shown, panels: [{ label: "", rest: "", series }],
      view: { ...shown.view, metric: metric.name, scale: `${(shown.view.scale ?? "").split("-")[0] ?? ""}-linear` },
    },
  };
}
