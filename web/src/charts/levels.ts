// SPDX-License-Identifier: MIT
// Levels of the memory hierarchy that fathom found: findings with the code "level". The value is a
// size in bytes, the name is the level's, and the keys name cases of the curve that shows it.
import type { Finding, Subject } from "../run";
import { formatUnit } from "../units";
import type { Grid } from "../view";
import { allPoints } from "../view";

export interface Level {
  name: string; // "L1", "near L2"
  bytes: number;
  finding: Finding;
}

// Returns a size with three digits: levels are not known more exactly.
export const sizeText = (bytes: number): string => {
  const [number, unit] = formatUnit(bytes, "B").split(" ");
  return `${Number(Number(number).toPrecision(3))} ${unit}`;
};

export function levelsOfSubject(subject: Subject): Level[] {
  const keys = new Set(subject.results.map(({ key }) => key));
  return subject.run.findings.flatMap((finding) =>
    finding.code === "level" && finding.value !== undefined && finding.name !== undefined &&
      (finding.device === undefined || finding.device === subject.device.id) &&
      (finding.keys.length === 0 || finding.keys.some((key) => keys.has(key)))
      ? [{ name: finding.name, bytes: finding.value, finding }]
      : []).sort((a, b) => a.bytes - b.bytes);
}

// Returns the levels that belong to cases of this grid.
export function levelsOf(grid: Grid): Level[] {
  const points = allPoints(grid);
  const keys = new Set(points.map(({ result }) => result.key));
  const seen = new Map<string, Level>();
  for (const subject of new Set(points.map((point) => point.subject)))
    for (const level of levelsOfSubject(subject)) // the first device with this level counts
      if (level.finding.keys.some((key) => keys.has(key)) && !seen.has(level.name))
        seen.set(level.name, level);
  return [...seen.values()];
}
