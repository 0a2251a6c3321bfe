// SPDX-License-Identifier: MIT
// Findings beside the chart of their benchmark: short ones first, those from flagged cases in grey,
// and a fold if there are many.
import { levelsOfSubject } from "./charts/levels";
import { h } from "./dom";
import type { Finding, Result, Subject } from "./run";
import { withNames } from "./units";

const LETTERS_MAX = 480; // the most that fits beside a chart
const LONG = 220; // a longer text describes a check rather than a result

interface Said {
  text: string;
  unsure: boolean;
}

// Returns the benchmark that a finding is about, from the finding's first case.
export const topicOf = (finding: Finding): string => finding.keys[0]?.split("/")[0] ?? "";

// Returns the finding's text without the device, which the page already names. `result`: a case
// that the finding is based on.
export function ownText({ device, text }: Finding, result: Result | undefined): string {
  const prefix = `${device}: `, own = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  return result ? withNames(own, result) : own;
}

// Returns the text of a finding, with the level's name in place of its number.
function textOf(finding: Finding, about: Subject | undefined, many: boolean): string {
  const own = ownText(finding, about?.results.find(({ key }) => finding.keys.includes(key)));
  const name = about && levelsOfSubject(about).find((level) => level.finding === finding)?.name;
  const text = name ? own.replace(/^level \d+(?: ends near|:)/, (found) =>
    found.endsWith(":") ? `${name}:` : `${name} ends near`) : own;
  return many && about ? `${about.short}: ${text}` : text;
}

const isUnsure = (finding: Finding, about: Subject | undefined): boolean =>
  about !== undefined && about.results.some((result) =>
    finding.keys.includes(result.key) && (result.verdict === "suspect" || result.verdict === "failed"));

export function saidOf(subjects: Subject[], topic: string): Said[] {
  const said = new Map<string, Said>();
  for (const run of new Set(subjects.map((subject) => subject.run)))
    for (const finding of run.findings.filter((one) => topicOf(one) === topic)) {
      const about = subjects.find((one) => one.run === run && one.device.id === finding.device);
      if (finding.device !== undefined && about === undefined) continue; // its device is not shown
      const text = textOf(finding, about, subjects.length > 1);
      if (!said.has(text)) said.set(text, { text, unsure: isUnsure(finding, about) });
    }
  return [...said.values()];
}

const listOf = (all: Said[]): HTMLElement => h("ul", {}, ...all.map(({ text, unsure }) =>
  h("li", unsure ? { class: "unsure" } : {}, text, unsure ? " (from flagged cases)" : "")));

// Returns the findings of a benchmark as a list; undefined if there are none.
export function findingsOf(subjects: Subject[], topic: string): HTMLElement | undefined {
  const all = saidOf(subjects, topic).sort((a, b) =>
    Number(a.unsure) - Number(b.unsure) || Number(a.text.length > LONG) - Number(b.text.length > LONG));
  if (all.length === 0) return undefined;
  let letters = 0;
  const first = all.filter(({ text }) => {
    const fits = letters === 0 || letters + text.length <= LETTERS_MAX;
    if (fits) letters += text.length + 40; // the last line of an item is about half empty
    return fits;
  });
  const rest = all.filter((one) => !first.includes(one));
  return h("aside", { class: "findings", "aria-label": "Findings" }, h("h3", {}, "What was found"), listOf(first),
    rest.length > 0 ? h("details", {}, h("summary", {}, `${rest.length} more`), listOf(rest)) : undefined);
}
