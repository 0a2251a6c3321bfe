// SPDX-License-Identifier: MIT
// The last frames of a continuous measurement, by case and metric: median and spread.
import { h, present } from "../dom";
import type { Metric, MetricInfo, Result } from "../run";
import { shownUnit } from "../run";
import { formatMargin, formatMedian, formatUnit } from "../units";

export const FRAMES_MAX = 256;

// Returns the quantile `share` (0 … 1) of a sorted list, interpolated between two values.
function quantile(sorted: number[], share: number): number {
  const place = share * (sorted.length - 1), low = Math.floor(place);
  const a = sorted[low] ?? NaN, b = sorted[low + 1] ?? a;
  return a + (b - a) * (place - low);
}

export class Frames {
  private readonly results: Result[] = []; // of one case, oldest first
  private frame = -1; // number of the last frame

  get last(): Result | undefined {
    return this.results[this.results.length - 1];
  }

  get count(): number {
    return this.results.length;
  }

  // Adds a frame's result. It comes again after each further visit of the frame, and then replaces
  // the one before. Series are kept only for the last frame.
  add(frame: number, result: Result): void {
    const last = this.results.pop();
    if (last && frame !== this.frame) {
      const { series: _, ...numbers } = last;
      this.results.push(numbers);
    }
    this.frame = frame;
    this.results.push(result);
    if (this.results.length > FRAMES_MAX) this.results.shift();
  }

  // Returns the medians of the last `most` frames, undefined for a frame that has none.
  values(name: string, most: number): (number | undefined)[] {
    return this.results.slice(-most).map(({ metrics }) =>
      metrics.find((metric) => metric.name === name)?.median);
  }
}

function rowOf(frames: Frames, metric: Metric, info: MetricInfo | undefined, most: number): HTMLElement {
  const unit = shownUnit(metric, metric.unit);
  const values = present(frames.values(metric.name, most)).sort((a, b) => a - b);
  const middle = formatUnit(quantile(values, 0.5), unit);
  const spread = `${formatUnit(quantile(values, 0.1), unit)} – ${formatUnit(quantile(values, 0.9), unit)}`;
  return h("tr", {},
    h("th", { scope: "row", title: info?.help ?? "" }, metric.name),
    h("td", { class: "number" }, `${formatMedian(metric, unit)} ${formatMargin(metric.median, metric.ci95)}`.trim()),
    h("td", { class: "number" }, values.length > 1 ? middle : "–"),
    h("td", { class: "number" }, values.length > 1 ? spread : "–"));
}

// The figures of the last frame, and of the last `most` frames their median and spread.
export function figuresOf(frames: Frames, infos: MetricInfo[], most: number): HTMLElement {
  const metrics = (frames.last?.metrics ?? []).filter(({ median }) => median !== undefined);
  const shown = Math.min(frames.count, most);
  return h("div", { class: "scroll", tabindex: "0" }, h("table", {},
    h("thead", {}, h("tr", {},
      h("th", { scope: "col" }, h("span", { class: "live-mark" }, "live")),
      h("th", { scope: "col", class: "number" }, "last frame"),
      h("th", { scope: "col", class: "number", title: "Median of the last frames" }, `median of ${shown}`),
      h("th", {
        scope: "col", class: "number",
        title: "From the value that 10 % of these frames are below to the one that 10 % are above",
      }, "middle 80 %"))),
    h("tbody", {}, ...metrics.map((metric) =>
      rowOf(frames, metric, infos.find(({ name }) => name === metric.name), most)))));
}
