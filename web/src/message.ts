// SPDX-License-Identifier: MIT
// Says in a sentence what a benchmark's first chart shows: the figures that the benchmark declares
// as its headlines, a finding about a drawn line, or the best and the worst case. Only trusted
// results are named; "" if there are none.
import type { Level } from "./charts/levels";
import { levelsOf, levelsOfSubject } from "./charts/levels";
import { saidOf } from "./findings";
import type { Benchmark, Headline, Metric, Result, Subject } from "./run";
import { metricOf, shownUnit } from "./run";
import { formatShort, formatValue } from "./units";
import type { Grid, GridSeries, Point } from "./view";
import { matches, measuredPoints, measuredSubjects, trustedPoints } from "./view";

const FIGURES_MAX = 5, LETTERS_MAX = 160;
const NEAR = 0.05, FAR = 0.75; // as CARD_NEAR and CARD_FAR in analysis/card.h

// A figure on each device that has one.
interface Figure {
  title: string;
  values: { subject: Subject; text: string; share: number | undefined }[];
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function shortText(metric: Metric): string {
  const text = formatShort(metric.median ?? NaN, shownUnit(metric, metric.unit));
  return metric.at_least ? `≥ ${text}` : text;
}

// Returns a value as text: a share in percent, a count of things without "op" (513 M/s for
// triangles).
function valueText(metric: Metric): string {
  const { median = NaN, unit, better, name } = metric;
  if (unit === "1" && better === "higher" && median <= 1) return percent(median);
  return unit === "op/s" && name.endsWith("s") ? shortText(metric).replace(/op\/s$/, "/s") : shortText(metric);
}

// ---------------------------------------------------------------- headlines of the benchmark

const isLower = (metric: Metric): boolean => metric.better === "lower";

// True if the run shows that there is no further cache: the curve of the levels goes on to four
// times the size of the last one.
function reachesMemory(subject: Subject, last: Level): boolean {
  const owner = last.finding.keys[0]?.split("/")[0];
  return subject.results.some(({ benchmark, case: { bytes } }) => benchmark === owner && Number(bytes) >= 4 * last.bytes);
}

// True if the working set of a case shows this level of memory: for a cache it must be between four
// times the cache before it and half of its own size (analysis/card.c).
function isOfLevel(subject: Subject, level: string, bytes: number): boolean {
  const levels = levelsOfSubject(subject), ends = levels.map((one) => one.bytes);
  const last = levels[levels.length - 1];
  if (level === "DRAM") return last !== undefined && reachesMemory(subject, last) && bytes >= 4 * last.bytes;
  const at = level === "L1" ? 0 : 1, end = ends[at];
  return end !== undefined && bytes >= 4 * (ends[at - 1] ?? 0) && bytes <= end / 2;
}

function casesOf(subject: Subject, benchmark: Benchmark, headline: Headline): Result[] {
  const { by = "", level } = headline;
  const all = subject.results.filter((result) => result.benchmark === benchmark.name &&
    matches(result, headline.where) && metricOf(result, headline.metric) !== undefined &&
    (level === undefined || isOfLevel(subject, level, Number(result.case[by]))));
  if (level === undefined || level === "DRAM") return all;
  const largest = Math.max(...all.map((result) => Number(result.case[by])));
  return all.filter((result) => result.case[by] === largest);
}

// Returns the best of the cases; undefined if a case that is not trusted is clearly better.
function bestOf(cases: Result[], name: string): Metric | undefined {
  const best = (of: Result[]): Metric | undefined => of.flatMap((result) => metricOf(result, name) ?? [])
    .sort((a, b) => (isLower(a) ? 1 : -1) * ((a.median ?? 0) - (b.median ?? 0)))[0];
  const trusted = best(cases.filter(({ verdict }) => verdict === "ok")), any = best(cases);
  const gain = Math.abs((any?.median ?? NaN) / (trusted?.median ?? NaN) - 1);
  return gain <= NEAR ? trusted : undefined;
}

// Returns the values of all levels, from the first case of each; undefined if one of them is not
// trusted.
function listOf(cases: Result[], { metric, by = "" }: Headline): string | undefined {
  const first = new Map<unknown, Result>();
  for (const one of cases) if (!first.has(one.case[by])) first.set(one.case[by], one);
  const list = [...first.values()].sort((a, b) => Number(a.case[by]) - Number(b.case[by]));
  if (list.length === 0 || list.some(({ verdict }) => verdict !== "ok")) return undefined;
  return list.map((one) => valueText(metricOf(one, metric) as Metric)).join(", ");
}

function figureOf(subjects: Subject[], benchmark: Benchmark, headline: Headline): Figure {
  const isSize = benchmark.params.some(({ key, type }) => key === headline.by && type === "bytes");
  const figure: Figure = { title: headline.title ?? headline.metric, values: [] };
  for (const subject of headline.kind === "levels" && isSize ? [] : subjects) {
    const cases = casesOf(subject, benchmark, headline);
    const best = headline.kind === "best" ? bestOf(cases, headline.metric) : undefined;
    const text = best ? valueText(best) : headline.kind === "levels" ? listOf(cases, headline) : undefined;
    if (text !== undefined) figure.values.push({ subject, text, share: best?.share });
  }
  return figure;
}

// ---------------------------------------------------------------- levels of memory

const middleOf = (values: number[]): number => {
  const sorted = [...values].sort((a, b) => a - b), at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] ?? NaN) + (sorted[Math.ceil(at)] ?? NaN)) / 2;
};

// Returns the curve on which the findings about a device's levels are based.
function seriesOfLevels(grid: Grid, subject: Subject): GridSeries | undefined {
  const keys = new Set(levelsOfSubject(subject).flatMap(({ finding }) => finding.keys));
  return grid.panels.flatMap(({ series }) => series).filter((one) => one.subject === subject)
    .find(({ points }) => points.some(({ result }) => keys.has(result.key)));
}

interface Flat {
  name: string;
  points: Point[];
}

// Returns the flat parts of the curve. A level's finding names the last case of its part and the
// first case of the next part. The last part is DRAM if the curve goes on to four times the size of
// the last level.
function flatsOf(grid: Grid, subject: Subject): Flat[] {
  const levels = levelsOfSubject(subject), points = seriesOfLevels(grid, subject)?.points ?? [];
  const at = (key: string | undefined): number => points.findIndex(({ result }) => result.key === key);
  const begins = [0, ...levels.map(({ finding }) => at(finding.keys[1]))];
  const ends = [...levels.map(({ finding }) => at(finding.keys[0])), points.length - 1];
  const isMemory = Number(points[points.length - 1]?.x) >= 4 * (levels[levels.length - 1]?.bytes ?? Infinity);
  return [...levels.map(({ name }) => name), ...(isMemory ? ["DRAM"] : [])].map((name, i) => {
    const begin = begins[i] ?? -1, end = ends[i] ?? -1;
    return { name, points: begin < 0 ? [] : points.slice(begin, end + 1) };
  });
}

// Returns the latency of DRAM, then of each level, if more than half of its cases are trusted.
function levelFigures(grid: Grid): Figure[] {
  if (grid.x.key !== "bytes" || grid.metric.better !== "lower" || levelsOf(grid).length === 0) return [];
  const figures = new Map<string, Figure>([["DRAM", { title: "DRAM", values: [] }]]);
  for (const subject of measuredSubjects(grid))
    for (const { name, points } of flatsOf(grid, subject)) {
      const all = measuredPoints(grid, points), figure = figures.get(name) ?? { title: name, values: [] };
      figures.set(name, figure);
      const ns = middleOf(all.map(({ result }) => metricOf(result, grid.metric.name)?.median ?? NaN));
      if (2 * trustedPoints(grid, points).length > all.length)
        figure.values.push({ subject, text: formatShort(ns, grid.metric.unit), share: undefined });
    }
  return [...figures.values()];
}

// ---------------------------------------------------------------- sentences

// Returns texts like "the L2 has a near half (142 ns) and a far half (263 ns)".
function withHalves(figures: Figure[]): string[] {
  return figures.flatMap(({ title, values: [value] }) => {
    const [half, cache] = title.split(" ");
    const far = figures.find((other) => other.title === `far ${cache ?? ""}`)?.values[0];
    if (half === "far" && figures.some((other) => other.title === `near ${cache ?? ""}` && other.values.length > 0))
      return [];
    return half === "near" && value && far
      ? [`the ${cache ?? ""} has a near half (${value.text}) and a far half (${far.text})`]
      : value ? [`${title}: ${value.text}`] : [];
  });
}

// Returns a title for use within a sentence: "DRAM read", but "shared memory read".
const lowered = (title: string): string =>
  /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;

// Returns "338 ns on vulkan, 348 ns on cuda", or "142 ns on both".
function eachText({ values }: Figure, count: number): string {
  const texts = new Set(values.map(({ text }) => text));
  if (texts.size === 1 && values.length === count) return `${[...texts].join()} on ${count > 2 ? "all" : "both"}`;
  return values.map(({ subject, text }) => `${text} on ${subject.short}`).join(", ");
}

// Returns the text of a figure of the only device. The share of the limit is added for the first
// figure, and for figures far from their limit.
function onlyText({ values: [only] }: Figure, isFirst: boolean): string {
  const { text = "", share = NaN } = only ?? {};
  return share < FAR || (isFirst && share <= 1) ? `${text} (${percent(share)} of its limit)` : text;
}

// Joins as many texts as a reader takes in at a glance.
function joined(texts: string[]): string {
  const kept: string[] = [];
  for (const text of texts)
    if (kept.length === 0 || (kept.length < FIGURES_MAX && [...kept, text].join("; ").length <= LETTERS_MAX))
      kept.push(text);
  return kept.join("; ");
}

const sentence = (figures: Figure[], devices: number): string =>
  joined(figures.filter(({ values }) => values.length > 0).map((figure, at) => {
    const name = at === 0 ? figure.title : lowered(figure.title);
    return `${name}: ${devices > 1 ? eachText(figure, devices) : onlyText(figure, at === 0)}`;
  }));

// Returns a short trusted finding that begins with the name of a drawn line; "" if there is none.
function findingOf(subjects: Subject[], benchmark: Benchmark, grid: Grid): string {
  const names = grid.panels.flatMap(({ series }) => series).map(({ rest }) => rest).filter(Boolean);
  return saidOf(subjects, benchmark.name).find(({ text, unsure }) => !unsure && text.length <= LETTERS_MAX &&
    names.some((name) => text.startsWith(`${name}: `)))?.text ?? "";
}

// Returns the values by which a point differs from others of its grid, without the device.
export function nameOf(grid: Grid, point: Point): string {
  return [...(grid.y ? [grid.y] : []), grid.x, ...grid.group]
    .filter(({ key }) => point.result.case[key] !== undefined)
    .map((param) => {
      const value = point.result.case[param.key], text = formatValue(value, param);
      return typeof value === "number" && param.key !== "bytes" ? `${param.key} ${text}` : text;
    }).join(", ");
}

// Returns a point's number: "48 subgroups" for a count, "5.93×" for a ratio.
function rankedText(grid: Grid, point: Point): string {
  const { name, unit } = grid.metric;
  const text = shortText(metricOf(point.result, name) as Metric);
  if (unit !== "1") return text;
  return name.endsWith("s") ? `${text} ${name.replaceAll("_", " ")}` : `${text}×`;
}

// Returns the trusted cases of a device, the best first; none if less than half of its cases are
// trusted.
function rankedOf(grid: Grid, subject: Subject): Point[] {
  const medianOf = (point: Point): number => metricOf(point.result, grid.metric.name)?.median ?? NaN;
  const way = grid.metric.better === "lower" ? 1 : -1;
  const all = measuredPoints(grid).filter((point) => point.subject === subject);
  const trusted = trustedPoints(grid, all);
  return 2 * trusted.length < all.length ? [] : trusted.sort((a, b) => way * (medianOf(a) - medianOf(b)));
}

// Returns "Best: 5.92× (ByteAddressBuffer.Load, uniform); worst: 0.0283× (cbuffer{float4} load,
// linear)"; with several devices, the best case of each.
function rangeText(grid: Grid): string {
  const said = (word: string, point: Point): string => {
    const name = nameOf(grid, point);
    return `${word}: ${rankedText(grid, point)}${name === "" ? "" : ` (${name})`}`;
  };
  const subjects = measuredSubjects(grid), ranked = subjects.map((subject) => rankedOf(grid, subject));
  if (subjects.length > 1)
    return joined(ranked.flatMap(([best]) => (best ? [best] : []))
      .map((best, i) => said(`${i === 0 ? "Best" : "best"} on ${best.subject.short}`, best)));
  const [points = []] = ranked, best = points[0], worst = points[points.length - 1];
  return best && worst && best !== worst ? `${said("Best", best)}; ${said("worst", worst)}` : "";
}

// `grid`: what the chart draws; undefined for a table.
export function messageOf(subjects: Subject[], benchmark: Benchmark, grid: Grid | undefined): string {
  const levels = grid ? levelFigures(grid) : [];
  if (levels.some(({ values }) => values.length > 0))
    return subjects.length > 1 ? sentence(levels, subjects.length) : joined(withHalves(levels));
  // First the headlines whose metric is drawn, then those of the card.
  const rank = ({ metric, section }: Headline): number =>
    (metric === grid?.metric.name ? 0 : 2) + (section === undefined ? 1 : 0);
  const headlines = [...benchmark.headlines ?? []].sort((a, b) => rank(a) - rank(b))
    .map((headline) => ({ headline, figure: figureOf(subjects, benchmark, headline) }))
    .filter(({ figure }) => figure.values.length > 0);
  const first = headlines[0]?.headline, said = sentence(headlines.map(({ figure }) => figure), subjects.length);
  if (!grid || (first && first.metric === grid.metric.name)) return said;
  // If a ratio is drawn, its range says more than figures of other metrics. A single such figure
  // says less than the range, too.
  const isOther = grid.metric.unit !== "1" && headlines.length > 1;
  return findingOf(subjects, benchmark, grid) || (isOther ? said : rangeText(grid));
}
