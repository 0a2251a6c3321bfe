// SPDX-License-Identifier: MIT
// The run file as the page sees it (docs/run-schema.json). fathom has read and checked it before
// embedding it; members that a run may lack are optional here.

export type Unit =
  | "1" | "ns" | "cycle" | "B" | "B/s" | "B/cycle" | "op/s" | "op/cycle" | "Hz" | "W" | "J"
  | "degC";
export type ShownUnit = Unit | "FLOP/s" | "%"; // FLOP/s: for op/s of floating-point operations
export type Better = "none" | "lower" | "higher";
export type Verdict = "ok" | "suspect" | "skipped" | "failed";
export type Value = string | number;

export interface Quantity {
  value?: number;
  unit: Unit;
}

export interface Device {
  id: string;
  name?: string;
  vendor?: string;
  driver?: string;
  api_version?: string;
  kind?: string;
  uuid?: string;
  pci?: string;
  limits: Record<string, Quantity>;
}

export interface Param {
  key: string;
  type: "uint" | "bytes" | "real" | "text";
  unit: Unit;
  role: "axis" | "method";
  help?: string;
}

export interface MetricInfo {
  name: string;
  unit: ShownUnit;
  better: Better;
  help?: string;
  cycles_of?: string; // names of the metrics in time whose work this one counts in core cycles
}

export interface View {
  kind: "curve" | "bars" | "heatmap" | "table" | "timeline";
  title?: string;
  x?: string;
  y?: string;
  metric?: string;
  group?: string;
  scale?: string;
  where?: string;
  sensors?: string; // names, separated by commas
}

// A figure that a reader wants first (struct headline_info in results/results.h).
export interface Headline {
  kind: "best" | "levels";
  title?: string;
  metric: string;
  where?: string;
  by?: string;
  level?: "L1" | "L2" | "DRAM";
  section?: string; // its part of the card
}

export interface Benchmark {
  name: string;
  version: number;
  title?: string;
  params: Param[];
  metrics: MetricInfo[];
  views: View[];
  headlines?: Headline[];
}

export interface Metric {
  name: string;
  unit: Unit;
  better: Better;
  floating?: true; // the unit is op/s, and the operations are floating-point
  median?: number;
  ci95?: [number, number];
  at_least?: boolean; // median and ci95 are lower bounds
  n: number;
  limit?: number;
  share?: number; // share of the limit that is reached; 1 = the limit
}

export interface Series {
  name: string;
  columns: string[];
  data: (number | null)[][];
}

// What a hardware counter counted for one unit of the case's work.
export interface Counter {
  name: string;
  counted: number;
  passes?: number; // in which this counter and those read with it were read; absent: not known
}

export interface Result {
  key: string;
  benchmark: string;
  version: number;
  device: string;
  case: Record<string, Value>;
  verdict: Verdict;
  reasons: { code: string; text: string }[];
  metrics: Metric[];
  details?: Record<string, string>;
  sensors?: Record<string, Quantity>;
  series?: Series[];
  counters?: Counter[];
  kernel?: { hash: string; source?: string; registers?: number; loads?: number };
}

export interface Finding {
  code: string;
  text: string;
  device?: string;
  name?: string; // what the value is of: "near L2"
  value?: number;
  keys: string[];
}

export interface Run {
  schema: string;
  status: "running" | "complete" | "interrupted";
  tool: { version?: string; commit?: string; build?: string };
  started?: string;
  command?: string[];
  preset?: string;
  seed?: number;
  host?: Record<string, string>;
  devices: Device[];
  benchmarks: Benchmark[];
  results: Result[];
  findings: Finding[];
}

// One device of one run: a column of the report.
export interface Subject {
  run: Run;
  device: Device;
  label: string; // differs from the labels of all other subjects
  short: string; // the same, for use in charts
  results: Result[];
}

// Sets the labels: the device's name and, if several have the same one, those of API, driver,
// preset and date that differ. Labels in charts lack the name if it is the same for all.
function labelsOf(subjects: Subject[]): void {
  const pieces = subjects.map(({ run, device }) => [
    device.name ?? device.id,
    device.id.split(":")[0] ?? "",
    device.driver ? `driver ${device.driver}` : "",
    run.preset ?? "",
    (run.started ?? "").slice(0, 16).replace("T", " "),
    device.id,
  ]);
  subjects.forEach((subject, i) => {
    const own = pieces[i] ?? [];
    let rivals = pieces.filter((other, j) => j !== i && other[0] === own[0]);
    const label = [own[0] ?? ""];
    for (let at = 1; at < own.length; at++) {
      if (!rivals.some((other) => other[at] !== own[at])) continue;
      if (own[at]) label.push(own[at] ?? "");
      rivals = rivals.filter((other) => other[at] === own[at]);
    }
    if (rivals.length > 0) label.push(`(${i + 1})`);
    subject.label = label.join(" · ");
    const oneName = subjects.length > 1 && pieces.every((other) => other[0] === own[0]);
    subject.short = oneName && label.length > 1 ? label.slice(1).join(" · ") : subject.label;
  });
}

// Returns the origin that a saved drawing names: devices, drivers, version and date.
export function originOf(subjects: Subject[]): string {
  return [...new Set(subjects.map(({ run, device }) => [
    device.name ?? device.id, device.id, device.driver ? `driver ${device.driver}` : "",
    `fathom ${[run.tool.version, run.tool.commit].filter(Boolean).join(" ")}`.trim(),
    run.started?.slice(0, 10),
  ].filter(Boolean).join(" · ")))].join("; ");
}

// Returns the devices that have results; all devices if none has any.
export function subjectsOf(runs: Run[]): Subject[] {
  const all = runs.flatMap((run) =>
    run.devices.map((device) => ({
      run,
      device,
      label: "",
      short: "",
      results: run.results.filter((result) => result.device === device.id),
    })),
  );
  const measured = all.filter((subject) => subject.results.length > 0);
  const subjects = measured.length > 0 ? measured : all;
  labelsOf(subjects);
  return subjects;
}

// Benchmarks of all runs by name, the newest version's description of each.
export function benchmarksOf(runs: Run[]): Benchmark[] {
  const found = new Map<string, Benchmark>();
  for (const run of runs)
    for (const benchmark of run.benchmarks) {
      const known = found.get(benchmark.name);
      if (!known || benchmark.version > known.version) found.set(benchmark.name, benchmark);
    }
  return [...found.values()];
}

export const shownUnit = (metric: Metric | undefined, unit: ShownUnit): ShownUnit =>
  metric?.floating && unit === "op/s" ? "FLOP/s" : unit;

// Returns the metric with this name; if there is none, the sensor with this name as a metric
// without samples.
export function metricOf(result: Result, name: string): Metric | undefined {
  const metric = result.metrics.find((one) => one.name === name && one.median !== undefined);
  const sensed = result.sensors?.[name];
  if (metric || sensed?.value === undefined) return metric;
  return { name, unit: sensed.unit, better: "none", median: sensed.value, n: 0 };
}

// The sensors that a view shows, as far as these results have them.
export function sensorsOf(view: View, results: Result[]): MetricInfo[] {
  return (view.sensors ?? "").split(",").flatMap((name) => {
    const unit = results.find((result) => result.sensors?.[name]?.value !== undefined)
      ?.sensors?.[name]?.unit;
    return unit ? [{ name, unit, better: "none" as const }] : [];
  });
}
