// SPDX-License-Identifier: MIT
// What surrounds the charts: devices, flags, provenance.
import { runCsv } from "./csv";
import { csvText, download, h } from "./dom";
import type { Benchmark, Result, Run, Subject, ShownUnit, Verdict } from "./run";
import { formatUnit, withNames } from "./units";

const verdicts: Verdict[] = ["ok", "suspect", "skipped", "failed"];

// Returns the number of results for each verdict that occurs.
export function countsOf(results: Result[]): HTMLElement {
  const counts = h("p", { class: "counts" });
  for (const verdict of verdicts) {
    const count = results.filter((result) => result.verdict === verdict).length;
    if (count > 0) counts.append(h("span", { class: `count ${verdict}` }, `${count} ${verdict}`));
  }
  return counts;
}

const stateText: Record<Run["status"], string | undefined> = {
  complete: undefined,
  interrupted: "This run was interrupted: not everything was measured.",
  running: "This run was still going on when the file was saved.",
};

function statement(subject: Subject): HTMLElement | undefined {
  const measured = subject.results.some(({ metrics }) => metrics.some(({ median }) => median !== undefined));
  if (!measured)
    return h("p", { class: "warning" }, subject.results.length === 0
      ? "Nothing was measured on this device."
      : "No case of this device gave a number; the reasons stand below.");
  const text = stateText[subject.run.status];
  return text === undefined ? undefined : h("p", { class: "warning" }, text);
}

// The limits that say how large the device is; a click shows all others that the driver reports.
const mainLimits = ["memory_bytes", "cores", "core_threads", "shared_bytes", "subgroup_threads"];

type Row = [string, string | undefined];

function listOf(rows: Row[]): HTMLElement {
  const list = h("dl");
  for (const [name, value] of rows)
    if (value) list.append(h("dt", {}, name), h("dd", {}, value));
  return list;
}

export function machineCard(subject: Subject): HTMLElement {
  const { device, run } = subject;
  const limits = Object.entries(device.limits).filter(([, { value }]) => value !== undefined);
  const rowsOf = (main: boolean): Row[] =>
    limits.filter(([name]) => mainLimits.includes(name) === main)
      .map(([name, { value, unit }]) => [name.replaceAll("_", " "), formatUnit(value, unit)]);
  const rest: Row[] = [["vendor", device.vendor], ["UUID", device.uuid], ["PCI", device.pci],
    ...rowsOf(false)];
  return h("article", { class: "machine" },
    h("h3", {}, subject.label), statement(subject), countsOf(subject.results),
    listOf([["device", device.id], ["kind", device.kind], ["driver", device.driver],
      ["API", device.api_version], ["preset", run.preset], ["measured", run.started],
      ...rowsOf(true)]),
    rest.some(([, value]) => value)
      ? h("details", {}, h("summary", {}, "What the driver says"), listOf(rest)) : undefined);
}

// What the names of a benchmark's parameters and metrics mean.
export function wordsOf(benchmark: Benchmark): HTMLElement | undefined {
  const unit = (name: ShownUnit): string => (name === "1" ? "" : ` (${name})`);
  const rows: Row[] = [
    ...benchmark.params.map(({ key, help }): Row => [key, help]),
    ...benchmark.metrics.map((metric): Row =>
      [metric.name, metric.help && `${metric.help}${unit(metric.unit)}`]),
  ];
  return rows.some(([, help]) => help) ? h("details", { class: "words" },
    h("summary", {}, "What the names mean"), listOf(rows)) : undefined;
}

// Every reason why a number is flagged or missing, with how many cases give it.
export function flagsOf(subjects: Subject[], benchmark: string): HTMLElement | undefined {
  const found = new Map<string, { verdict: Verdict; code: string; text: string; keys: string[] }>();
  for (const subject of subjects)
    for (const result of subject.results)
      for (const [i, { code, text }] of (result.benchmark === benchmark ? result.reasons : []).entries()) {
        // A case may have several reasons with one code, but it counts once.
        if (result.reasons.findIndex((one) => one.code === code) < i) continue;
        const key = `${result.verdict} ${code}`;
        const entry = found.get(key) ?? { verdict: result.verdict, code, text, keys: [] };
        const name = withNames(result.key, result);
        entry.keys.push(subjects.length > 1 ? `${subject.label}: ${name}` : name);
        found.set(key, entry);
      }
  if (found.size === 0) return undefined;
  const list = h("ul", { class: "flags" });
  for (const { verdict, code, text, keys } of found.values())
    list.append(h("li", {},
      h("span", { class: `count ${verdict}` }, verdict),
      ` ${code}: ${text} `,
      h("details", {}, h("summary", {}, `${keys.length} case${keys.length === 1 ? "" : "s"}`),
        h("ul", {}, ...keys.slice(0, 500).map((key) => h("li", {}, key))))));
  return list;
}

// Says where the numbers come from, and offers the runs for download.
export function provenance(runs: Run[]): HTMLElement {
  return h("div", { class: "machines" }, ...runs.map((run, i) => h("article", { class: "machine" },
    listOf([
      ["fathom", [run.tool.version, run.tool.commit, run.tool.build].filter(Boolean).join(", ")],
      ["started", run.started],
      ["status", run.status],
      ["command", (run.command ?? []).join(" ")],
      ["seed", run.seed === undefined ? undefined : String(run.seed)],
      ...Object.entries(run.host ?? {}),
      ...run.benchmarks.map(({ name, version }): Row => [name, `version ${version}`]),
    ]),
    h("p", {}, h("button", {
      type: "button", title: "Save the run that this page was made from, without the medians of single rounds",
      click: () => download(`fathom-run-${i + 1}.json`,
        new Blob([JSON.stringify(run)], { type: "application/json" })),
    }, "Save run file"), " ", h("button", {
      type: "button", title: "Save every figure of this run as CSV",
      click: () => download(`fathom-run-${i + 1}.csv`,
        new Blob([csvText(runCsv(run))], { type: "text/csv" })),
    }, "Save CSV")))));
}
