// SPDX-License-Identifier: MIT
// Hit rates of the caches, as hardware counters saw them, for the cases of a curve: the part of the bytes
// read through a cache that it held. analysis/hits.c has the same rules.
import type { Counter, MetricInfo, Result } from "../run";
import type { Grid, GridSeries } from "../view";
import { allPoints } from "../view";

const caches = ["L1", "L2"];

// Counters that were read in several passes count several runs of the work: no part of one another, unless
// hits and misses of the L1 add up to its reads.
// Files from before `passes` was written: those of the L1 were read in one pass.
const isOnePass = ({ name, passes }: Counter): boolean => (passes ?? (name.startsWith("l1_") ? 1 : 0)) === 1;

// 0 to 1; undefined where it was not counted, or where less than a byte was read through that cache.
function hitRate(result: Result, cache: string): number | undefined {
  const prefix = `${cache.toLowerCase()}_`;
  const own = (result.counters ?? []).filter(({ name }) => name.startsWith(cache === "L1" ? "l1_read" : prefix));
  const counted = (name: string): number => own.find((one) => one.name === prefix + name)?.counted ?? 0;
  const read = counted("read");
  const addsUp = own.some(({ name }) => name === "l1_read_miss") &&
    Math.abs(counted("read_hit") + counted("read_miss") - read) <= 0.01 * read;
  if (read < 1 || !(addsUp || own.every(isOnePass))) return undefined;
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

// A line of the curve in its colour, with another dash for each cache.
function seriesOf(line: GridSeries, colour: number, cache: string, many: boolean): GridSeries {
  const named = (text: string): string => (many ? [text, cache].filter(Boolean).join(" ") : text);
  return {
    ...line, label: named(line.label), rest: named(line.rest), style: { colour, dash: caches.indexOf(cache) },
    points: line.points.flatMap((point) => withRate(point.result, cache).map((result) => ({ ...point, result }))),
  };
}

// The same lines below them; undefined where no case was counted at two sizes.
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
