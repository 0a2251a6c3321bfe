// SPDX-License-Identifier: MIT
// The report's section of the benchmark that is being measured. It grows with each result.
import { benchmarkSection } from "../benchmark";
import type { Charts } from "../chart";
import { h, present } from "../dom";
import type { Device, Result, Run } from "../run";
import { subjectsOf } from "../run";
import type { ListedBenchmark } from "./messages";

const PAUSE_MS = 400; // between two drawings while results arrive

export class Report {
  readonly element = h("div", { id: "live-report" });
  private readonly charts: Charts;
  private readonly others: number; // how many charts the page had before the report
  private readonly results = new Map<string, Result>();
  private run: Run | undefined;
  private timer = 0;

  constructor(charts: Charts) {
    this.charts = charts;
    this.others = charts.list.length;
  }

  begin(version: string, device: Device, benchmark: ListedBenchmark): void {
    this.results.clear();
    this.run = {
      schema: "", status: "running", tool: { version }, devices: [device],
      benchmarks: [benchmark], results: [], findings: [],
    };
  }

  add(result: Result): void {
    this.results.set(result.key, result);
    if (this.timer === 0) this.timer = window.setTimeout(() => this.draw(), PAUSE_MS);
  }

  finish(run: Run): void {
    this.run = run;
    this.results.clear();
    this.draw();
  }

  clear(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    this.run = undefined;
    this.charts.clear(this.others);
    this.element.replaceChildren();
  }

  // Draws the section anew. Folds that are open stay open.
  private draw(): void {
    clearTimeout(this.timer);
    this.timer = 0;
    const run = this.run && (this.results.size > 0 ? { ...this.run, results: [...this.results.values()] } : this.run);
    if (!run) return;
    const isOpen = [...this.element.querySelectorAll("details")].map(({ open }) => open);
    const height = this.element.offsetHeight;
    this.charts.clear(this.others);
    const sections = run.benchmarks.map((benchmark) => benchmarkSection(this.charts, subjectsOf([run]), benchmark));
    if (run.status === "running") this.element.style.minHeight = `${height}px`; // or the page would jump
    else this.element.style.minHeight = "";
    this.element.replaceChildren(...present(sections));
    if (run.status === "running")
      this.element.querySelector("h2")?.append(" ", h("span", { class: "live-mark" }, "live"));
    this.element.querySelectorAll("details").forEach((one, i) => { one.open = isOpen[i] ?? false; });
    this.charts.list.slice(this.others).forEach((chart) => chart.await());
  }
}
