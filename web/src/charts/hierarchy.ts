// SPDX-License-Identifier: MIT
// The memory hierarchy as a picture: the levels that fathom found, each with its size and the
// nearest measured latency and bandwidth. What was not found is not drawn.
import { h } from "../dom";
import type { Result, Subject, Unit } from "../run";
import { formatUnit } from "../units";
import type { Level } from "./levels";
import { levelsOfSubject } from "./levels";

// As exact as a level is known.
export const sizeText = (bytes: number): string => {
  const [number, unit] = formatUnit(bytes, "B").split(" ");
  return `${Number(Number(number).toPrecision(3))} ${unit}`;
};

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

// The case with a metric of that unit nearest to the middle of a level. Close to its ends the
// neighbours show; memory has no end, and far out in it page tables do.
function readingOf(subject: Subject, units: Unit[], span: Span, like: (result: Result) => boolean):
    Reading | undefined {
  const from = span.from * 1.2, to = Number.isFinite(span.to) ? span.to * 0.97 : Infinity;
  const middle = Number.isFinite(to) ? Math.sqrt(Math.max(from, to / 16) * to) : span.from * 8;
  let best: Result | undefined;
  for (const result of subject.results) {
    const bytes = sizeOf(result);
    const measured = result.metrics.some(({ unit, median }) => unit === units[0] && median !== undefined);
    if (!measured || bytes <= from || bytes >= to || result.verdict !== "ok" || !like(result)) continue;
    const distance = (one: Result): number => Math.abs(Math.log(sizeOf(one) / middle));
    if (best === undefined || distance(result) < distance(best)) best = result;
  }
  if (best === undefined) return undefined;
  const texts = units.map((unit) => {
    const median = best?.metrics.find((one) => one.unit === unit)?.median;
    return median === undefined ? "" : formatUnit(median, unit);
  });
  return { text: texts.filter(Boolean).join(" = "), bytes: sizeOf(best) };
}

// A curve that levels were found on: cases with the same values but for the size.
function sameCurve(subject: Subject, level: Level): (result: Result) => boolean {
  const origin = subject.results.find(({ key }) => level.finding.keys.includes(key));
  return (result) => origin === undefined || (result.benchmark === origin.benchmark &&
    Object.keys(origin.case).every((key) => key === "bytes" || result.case[key] === origin.case[key]));
}

// Reads of global memory by the whole device. A transfer has a size and B/s, too, but says nothing of
// any level; shared memory is none.
const wholeDevice = ({ case: { scope, path, op } }: Result): boolean =>
  scope === "device" && (path ?? "global") === "global" && (op ?? "read") === "read";

function describe(subject: Subject, level: Level | undefined, span: Span,
                  like: (result: Result) => boolean): string[] {
  const latency = readingOf(subject, ["ns", "cycle"], span, like);
  const bandwidth = readingOf(subject, ["B/s"], span, wholeDevice);
  return [
    level ? `to ${sizeText(level.bytes)}` : "all beyond",
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
  const picture = h("ol", { class: "hierarchy" }, ...rows.map(({ name, lines }, index) => {
    const box = h("li", { class: `level level-${Math.min(index, 4)}` },
      h("strong", {}, `${name} ${lines[0] ?? ""}`), h("span", {}, lines.slice(1).join(" · ")));
    box.style.width = `${45 + (55 * (index + 1)) / rows.length}%`; // wider and wider, like the levels
    return box;
  }));
  return h("figure", { class: "chart hierarchy-figure" },
    h("figcaption", {}, h("h3", {}, `Memory of ${subject.label}`),
      h("p", { class: "subtitle" }, "levels found, with the measured cases nearest to their middle")),
    picture);
}
