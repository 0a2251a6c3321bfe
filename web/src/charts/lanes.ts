// SPDX-License-Identifier: MIT
// The name of lane k of a time line, or of row k of a matrix: the text of the result's detail "lane
// k" before its first comma (as report/spans.h has it).
import type { Result } from "../run";
import { withNames } from "../units";

export function laneName(result: Result, lane: number): string {
  const said = result.details?.[`lane ${lane}`];
  return said?.split(",")[0] ?? `lane ${lane}`;
}

// Returns the case of a result for a heading, without the benchmark: "path=vector · load=idle".
export function caseName(result: Result): string {
  const key = withNames(result.key, result);
  return key.split("/").slice(1).join(" · ") || key;
}
