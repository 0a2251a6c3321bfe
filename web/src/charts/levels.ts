// SPDX-License-Identifier: MIT
// Levels of the memory hierarchy that fathom found: findings of code "level", whose value is a size
// in bytes and whose keys name cases of the curve that shows it.
import type { Finding, Subject } from "../run";
import type { Grid } from "../view";
import { allPoints } from "../view";

export interface Level {
  bytes: number;
  finding: Finding;
}

export function levelsOfSubject(subject: Subject): Level[] {
  const keys = new Set(subject.results.map(({ key }) => key));
  return subject.run.findings.flatMap((finding) =>
    finding.code === "level" && finding.value !== undefined &&
      (finding.device === undefined || finding.device === subject.device.id) &&
      (finding.keys.length === 0 || finding.keys.some((key) => keys.has(key)))
      ? [{ bytes: finding.value, finding }]
      : []).sort((a, b) => a.bytes - b.bytes);
}

// Those that belong to cases of this grid.
export function levelsOf(grid: Grid): Level[] {
  const points = allPoints(grid);
  const keys = new Set(points.map(({ result }) => result.key));
  const seen = new Map<number, Level>();
  for (const subject of new Set(points.map((point) => point.subject)))
    for (const level of levelsOfSubject(subject))
      if (level.finding.keys.some((key) => keys.has(key))) seen.set(level.bytes, level);
  return [...seen.values()];
}
