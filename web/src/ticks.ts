// SPDX-License-Identifier: MIT
// Positions of the ticks of logarithmic axes. ECharts marks only whole powers of its base: base 2
// gives ticks like 17.59 TB/s, and base 10 often gives none.

// Returns at most `most` powers of two: one per octave, or one per 2, 5, 10 … octaves. So 1 KiB and
// 1 MiB are ticks.
export function octaveTicks(low: number, high: number, most: number): number[] {
  const first = Math.ceil(Math.log2(low) - 1e-9), last = Math.floor(Math.log2(high) + 1e-9);
  const step = [1, 2, 5, 10, 20].find((one) => (last - first) / one < most) ?? 40;
  const ticks: number[] = [];
  for (let i = Math.ceil(first / step) * step; i <= last; i += step) ticks.push(2 ** i);
  return ticks;
}

const steps125 = [1, 2, 5];

// Returns the nearest of … 1 2 5 10 20 … that is not above (way −1) or not below (way 1).
function near125(value: number, way: 1 | -1): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const all = [...steps125, 10].map((step) => step * power);
  const fits = all.filter((one) => (way < 0 ? one <= value * (1 + 1e-9) : one >= value * (1 - 1e-9)));
  return (way < 0 ? fits[fits.length - 1] : fits[0]) ?? value;
}

export interface Ticks {
  min: number;
  max: number;
  ticks: number[];
}

// Returns ends and ticks that are multiples of one step, for ranges narrower than 1 : 5.
function evenTicks(low: number, high: number): Ticks {
  const step = near125((high - low) / 6, 1);
  const first = Math.max(Math.floor(low / step), 1), last = Math.ceil(high / step);
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
  return { min: Math.min(first * step, low), max: last * step, ticks };
}

// Returns round ends around the data, and ticks between them: 1, 2 and 5 times powers of ten, or
// beyond about two decades only the powers.
export function decadeTicks(low: number, high: number): Ticks {
  if (high < 5 * low && high > low) return evenTicks(low, high);
  const min = near125(low, -1), max = near125(high, 1);
  const steps = max / min <= 200 ? steps125 : [1];
  const ticks: number[] = [];
  for (let power = 10 ** Math.floor(Math.log10(min)); power <= max * 1.001; power *= 10)
    for (const step of steps) {
      const tick = step * power;
      if (tick >= min * 0.999 && tick <= max * 1.001) ticks.push(tick);
    }
  return { min, max, ticks };
}
