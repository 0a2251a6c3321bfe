// SPDX-License-Identifier: MIT
// The run file as the page sees it (docs/run-schema.json). fathom has read and checked it before
// it was embedded; what may be absent is optional here.

export type Unit =
  | "1" | "ns" | "cycle" | "B" | "B/s" | "B/cycle" | "op/s" | "op/cycle" | "Hz" | "W" | "J"
  | "degC";
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
  unit: Unit;
  better: Better;
  help?: string;
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
}

export interface Benchmark {
  name: string;
  version: number;
  title?: string;
  params: Param[];
  metrics: MetricInfo[];
  views: View[];
}

export interface Metric {
  name: string;
  unit: Unit;
  better: Better;
  median?: number;
  ci95?: [number, number];
  n: number;
  limit?: number;
  of_limit?: number;
}

export interface Series {
  name: string;
  columns: string[];
  data: (number | null)[][];
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
  kernel?: { hash: string; source?: string; registers?: number; loads?: number };
}

export interface Finding {
  code: string;
  text: string;
  device?: string;
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
  label: string; // tells it from the others
  results: Result[];
}

// Labels: the name; where that is not enough, the API, then the driver, then the date.
function labelsOf(subjects: Subject[]): void {
  const pieces = subjects.map(({ run, device }) => [
    device.name ?? device.id,
    device.id.split(":")[0] ?? "",
    device.driver ? `driver ${device.driver}` : "",
    run.started ?? "",
    device.id,
  ]);
  subjects.forEach((subject, i) => {
    let used = 1;
    const label = (index: number): string =>
      (pieces[index] ?? []).slice(0, used).filter((text) => text !== "").join(" · ");
    while (used < 5 && subjects.some((_, j) => j !== i && label(j) === label(i))) used++;
    subject.label = label(i);
  });
  subjects.forEach((subject, i) => {
    if (subjects.some((other, j) => j < i && other.label === subject.label))
      subject.label += ` (${i + 1})`;
  });
}

// Devices that have results; all of them where none has.
export function subjectsOf(runs: Run[]): Subject[] {
  const all = runs.flatMap((run) =>
    run.devices.map((device) => ({
      run,
      device,
      label: "",
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

export function metricOf(result: Result, name: string): Metric | undefined {
  return result.metrics.find((metric) => metric.name === name && metric.median !== undefined);
}
