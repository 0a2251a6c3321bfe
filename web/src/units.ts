// SPDX-License-Identifier: MIT
// Numbers as people read them: the same scaling as results/units.c.
import type { ShownUnit, Value, Param } from "./run";

interface Scale {
  base: number;
  home: number;
  names: string[];
}

const scales: Record<ShownUnit, Scale> = {
  "1": { base: Infinity, home: 0, names: [""] },
  ns: { base: 1000, home: 0, names: ["ns", "µs", "ms", "s"] },
  cycle: { base: 1000, home: 0, names: ["cycles", "kcycles", "Mcycles", "Gcycles"] },
  B: { base: 1024, home: 0, names: ["B", "KiB", "MiB", "GiB", "TiB", "PiB"] },
  "B/s": { base: 1000, home: 0, names: ["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"] },
  "B/cycle": { base: 1000, home: 0, names: ["B/cycle", "kB/cycle"] },
  "op/s": { base: 1000, home: 0, names: ["op/s", "kop/s", "Mop/s", "Gop/s", "Top/s", "Pop/s"] },
  "FLOP/s": {
    base: 1000, home: 0,
    names: ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"],
  },
  "op/cycle": { base: 1000, home: 0, names: ["op/cycle", "kop/cycle"] },
  Hz: { base: 1000, home: 0, names: ["Hz", "kHz", "MHz", "GHz"] },
  W: { base: 1000, home: 1, names: ["mW", "W", "kW", "MW"] },
  J: { base: 1000, home: 4, names: ["pJ", "nJ", "µJ", "mJ", "J", "kJ", "MJ"] },
  degC: { base: Infinity, home: 0, names: ["°C"] },
  "%": { base: Infinity, home: 0, names: ["%"] },
};

export interface Scaled {
  factor: number; // value × factor is shown
  name: string;
}

const rounded = (value: number): number => Math.abs(Number(value.toExponential(3)));

// Returns the scale that shows `value` with one to four digits before the point.
export function scaleFor(value: number, unit: ShownUnit): Scaled {
  const { base, home, names } = scales[unit];
  let at = home;
  let shown = value;
  while (at + 1 < names.length && rounded(shown) >= base) {
    shown /= base;
    at++;
  }
  while (at > 0 && shown !== 0 && rounded(shown) < 1) {
    shown *= base;
    at--;
  }
  return { factor: value === 0 ? 1 : shown / value, name: names[value === 0 ? home : at] ?? "" };
}

// Returns the digits of number_format in results/units.c: four significant ones, but at most five
// decimals.
export function digits(value: number): string {
  const size = rounded(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return value.toExponential(3);
  const decimals = size >= 1000 || size === 0 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3
    : size >= 0.1 ? 4 : 5;
  return value.toFixed(decimals);
}

// Returns a text like "4.614 TB/s" or "32 KiB"; "–" for an absent value.
export function formatUnit(value: number | undefined | null, unit: ShownUnit): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return "–";
  const { factor, name } = scaleFor(value, unit);
  let text = digits(value * factor);
  if ((unit === "B" || unit === "1" || unit === "%") && text.includes(".") && !text.includes("e"))
    text = text.replace(/\.?0+$/, "");
  return name === "" ? text : `${text} ${name}`;
}

// Returns "142 ns" for 142.05 ns, "9.84 TB/s": for reading, not for calculating.
export function formatShort(value: number, unit: ShownUnit): string {
  if (!Number.isFinite(value)) return "–";
  let { factor, name } = scaleFor(value, unit);
  // The rounded number may be one of the next unit: 999.7 µs are 1.00 ms.
  if (Math.abs(value * factor) >= 999.5)
    ({ factor, name } = scaleFor(Math.round(value * factor) / factor, unit));
  const shown = value * factor, exact = shown.toPrecision(3);
  const text = Number.isInteger(shown) || exact.includes("e") ? String(Number(exact)) : exact;
  return name === "" ? text : `${text} ${name}`;
}

// For axes: no more digits than needed.
export function formatTick(value: number, unit: ShownUnit): string {
  const { factor, name } = scaleFor(value, unit);
  const text = String(Number((value * factor).toPrecision(4)));
  return name === "" ? text : `${text} ${name}`;
}

// Returns one scale for many values: the one that suits their geometric mean.
export function commonScale(values: number[], unit: ShownUnit): Scaled {
  const logs = values.filter((value) => Number.isFinite(value) && value !== 0)
    .map((value) => Math.log(Math.abs(value)));
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  return scaleFor(logs.length > 0 ? Math.exp(mean) : 0, unit);
}

// Returns a text value of a case for people. A scenario of `fathom serve` is a JSON text; its name
// is returned.
function textName(value: string): string {
  if (!value.startsWith("{")) return value;
  try {
    const { name } = JSON.parse(value) as { name?: unknown };
    return typeof name === "string" && name !== "" ? name : "unnamed";
  } catch {
    return value;
  }
}

// Replaces each scenario of a case in a text by the scenario's name.
export const withNames = (text: string, { case: values }: { case: Record<string, Value> }): string =>
  Object.values(values).reduce<string>((said, value) =>
    typeof value === "string" && value.startsWith("{") ? said.replaceAll(value, textName(value)) : said, text);

// Returns a value of a case as text: "32 KiB", "64", "vector".
export function formatValue(value: Value | undefined, param: Param | undefined): string {
  if (value === undefined) return "–";
  if (typeof value === "string") return textName(value);
  if (param?.type === "bytes") return formatUnit(value, "B");
  if (param && param.unit !== "1") return formatUnit(value, param.unit);
  // People read 128 Mi more easily than 134217728.
  const [whole, name] = value % 2 ** 20 === 0 ? [2 ** 20, "Mi"] : [1024, "Ki"];
  return value >= 8192 && value % whole === 0 ? `${value / whole} ${name}` : String(value);
}

// Returns the median of a metric: "1.9 ms", or "≥ 1.9 ms" if it is a lower bound.
export function formatMedian(metric: { median?: number; at_least?: boolean } | undefined, unit: ShownUnit): string {
  const text = formatUnit(metric?.median, unit);
  return metric?.at_least ? `≥ ${text}` : text;
}

// Returns the half-width of an interval: "±0.4 %", at most "±999 %".
export function formatMargin(median: number | undefined, ci95: [number, number] | undefined): string {
  if (median === undefined || ci95 === undefined || median === 0) return "";
  const percent = ((ci95[1] - ci95[0]) / 2 / Math.abs(median)) * 100;
  return `±${percent < 9.95 ? percent.toFixed(1) : Math.min(percent, 999).toFixed(0)} %`;
}
