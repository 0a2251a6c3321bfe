// SPDX-License-Identifier: MIT
// The memory hierarchy as a picture: the levels that fathom found, each with its size and the
// nearest measured latency and bandwidth. What was not found is not drawn.
import { h, svg } from "../dom";
import type { Result, Subject, Unit } from "../run";
import { formatUnit } from "../units";
import type { Level } from "./levels";
import { levelsOfSubject } from "./levels";

interface Span {
  from: number;
  to: number;
}

interface Reading {
  text: string;
  bytes: number;
}

const sizeOf = (result: Result): number => {
  const bytes = result.case["bytes"];
  return typeof bytes === "number" ? bytes : 0;
};

// The metric of that unit measured nearest to the middle of a level: between 1.5 × the size of the
// level below and ¾ of its own. For memory, which has no end: the largest case.
function readingOf(subject: Subject, unit: Unit, span: Span, like: (result: Result) => boolean):
    Reading | undefined {
  const middle = Math.sqrt(Math.max(span.from * 1.5, span.to / 16) * span.to * 0.75);
  const distance = (bytes: number): number =>
    Number.isFinite(middle) ? Math.abs(Math.log(bytes / middle)) : -bytes;
  let best: Reading | undefined;
  for (const result of subject.results) {
    const bytes = sizeOf(result);
    const median = result.metrics.find((one) => one.unit === unit)?.median;
    const inside = bytes > span.from * 1.5 && bytes < span.to * 0.75;
    if (median === undefined || !inside || result.verdict !== "ok" || !like(result)) continue;
    if (best === undefined || distance(bytes) < distance(best.bytes))
      best = { text: formatUnit(median, unit), bytes };
  }
  return best;
}

// A curve that levels were found on: cases with the same values but for the size.
function sameCurve(subject: Subject, level: Level): (result: Result) => boolean {
  const origin = subject.results.find(({ key }) => level.finding.keys.includes(key));
  return (result) => origin === undefined || (result.benchmark === origin.benchmark &&
    Object.keys(origin.case).every((key) => key === "bytes" || result.case[key] === origin.case[key]));
}

const wholeDevice = (result: Result): boolean =>
  result.case["scope"] === undefined || result.case["scope"] === "device";

function describe(subject: Subject, level: Level | undefined, span: Span,
                  like: (result: Result) => boolean): string[] {
  const latency = readingOf(subject, "ns", span, like);
  const bandwidth = readingOf(subject, "B/s", span, wholeDevice);
  return [
    level ? formatUnit(level.bytes, "B") : "all beyond",
    latency ? `${latency.text} at ${formatUnit(latency.bytes, "B")}` : "",
    bandwidth ? `${bandwidth.text} at ${formatUnit(bandwidth.bytes, "B")}` : "",
  ].filter(Boolean);
}

// Undefined where no level was found.
export function hierarchyOf(subject: Subject): HTMLElement | undefined {
  const levels = levelsOfSubject(subject);
  const first = levels[0];
  if (!first) return undefined;
  const like = sameCurve(subject, first);
  const rows: { name: string; lines: string[] }[] = [];
  let from = 0;
  levels.forEach((level, index) => {
    rows.push({ name: `level ${index + 1}`, lines: describe(subject, level, { from, to: level.bytes }, like) });
    from = level.bytes;
  });
  rows.push({ name: "memory", lines: describe(subject, undefined, { from, to: Infinity }, like) });
  const width = 640, height = 54;
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${rows.length * height}`, class: "hierarchy", role: "img",
    "aria-label": rows.map(({ name, lines }) => `${name}: ${lines.join(", ")}`).join("; "),
  });
  rows.forEach(({ name, lines }, index) => {
    // Wider and wider, like the levels.
    const share = (index + 1) / rows.length;
    const box = width * (0.45 + 0.55 * share);
    const x = (width - box) / 2, y = index * height;
    drawing.append(
      svg("rect", {
        x: String(x), y: String(y + 3), width: String(box), height: String(height - 6), rx: "6",
        class: `level level-${Math.min(index, 4)}`,
      }),
      svg("text", { x: String(width / 2), y: String(y + 23), class: "level-name" },
        `${name}: ${lines[0] ?? ""}`),
      svg("text", { x: String(width / 2), y: String(y + 41), class: "level-text" },
        lines.slice(1).join(" · ")));
  });
  return h("figure", { class: "chart hierarchy-figure" },
    h("figcaption", {}, h("h3", {}, subject.label),
      h("p", { class: "subtitle" }, "levels found, with the measured cases nearest to their middle")),
    drawing as unknown as HTMLElement);
}
