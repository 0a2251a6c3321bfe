// SPDX-License-Identifier: MIT
// The CSV of results, the same as report/csv.c writes (docs/DATA.md): a row for each metric.
import type { Cell } from "./chart";
import type { Metric, Result, Run, Subject } from "./run";

// A result, with its device and its run.
interface Case {
  subject: Pick<Subject, "run" | "device">;
  result: Result;
}

const schema = "fathom-csv/2";
const columns = [
  "key", "benchmark", "metric", "value", "low", "high", "unit", "parameters", "device",
  "device_name", "verdict", "reasons", "better", "at_least", "n", "limit", "share", "version",
  "sensors", "preset", "started", "tool_version", "schema",
];

function rowOf({ subject: { run, device }, result }: Case, metric: Metric | undefined): Cell[] {
  const sensors = Object.entries(result.sensors ?? {}).flatMap(([name, { value }]) =>
    value === undefined ? [] : [[name, value] as const]);
  return [
    result.key, result.benchmark, metric?.name, metric?.median, metric?.ci95?.[0],
    metric?.ci95?.[1], metric?.unit, JSON.stringify(result.case), device.id, device.name,
    result.verdict, result.reasons.map(({ code }) => code).join(" "), metric?.better,
    metric && String(metric.at_least ?? false), metric?.n, metric?.limit, metric?.share,
    result.version, JSON.stringify(Object.fromEntries(sensors)), run.preset, run.started,
    run.tool.version, schema,
  ];
}

// Returns the rows below a head. `metrics`: the names of the metrics to take; absent: all.
export function resultsCsv(cases: Case[], metrics?: string[]): Cell[][] {
  const rows = cases.flatMap((one) => {
    const found = one.result.metrics.filter(({ name }) => metrics?.includes(name) ?? true);
    return (found.length > 0 ? found : [undefined]).map((metric) => rowOf(one, metric));
  });
  return [columns, ...rows];
}

export function runCsv(run: Run): Cell[][] {
  return resultsCsv(run.results.flatMap((result) => {
    const device = run.devices.find(({ id }) => id === result.device);
    return device ? [{ subject: { run, device }, result }] : [];
  }));
}
