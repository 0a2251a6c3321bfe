// SPDX-License-Identifier: MIT
// The last result: time line, strip of frames, figures, findings. Every figure is live: it comes
// from one frame, and is not judged as the results of a run are.
import { Chart } from "../chart";
import type { Charts } from "../chart";
import { caseName } from "../charts/lanes";
import { flagText } from "../charts/parts";
import { lineOf, timelineDesc } from "../charts/timeline";
import type { Line } from "../charts/timeline";
import { download, h, idOf } from "../dom";
import { ownText } from "../findings";
import type { Device, Finding, Result } from "../run";
import type { ListedBenchmark, Welcome } from "./messages";
import { figuresOf, Frames, FRAMES_MAX } from "./frames";
import { stripDesc } from "./strip";
import { traceOf } from "./trace";

const FRAME_COUNTS = [16, 64, FRAMES_MAX];

const nothing: Result = {
  key: "", benchmark: "", version: 0, device: "", case: {}, verdict: "ok", reasons: [], metrics: [],
};
const noSpans = { name: "timeline", columns: ["start", "end", "lane", "queue"], data: [] };
const noBenchmark: ListedBenchmark = { name: "", version: 0, params: [], metrics: [], views: [] };

export class View {
  readonly line: HTMLElement;
  readonly rest = h("div", { class: "live-rest" });
  private readonly welcome: Welcome;
  private readonly lineChart: Chart;
  private readonly stripChart: Chart;
  private readonly figures = h("div", {});
  private readonly flags = h("p", { class: "subtitle" });
  private readonly findings = h("ul", {});
  private readonly found = h("div", { class: "findings", hidden: true }, h("h3", {}, "What was found"), this.findings);
  private readonly trace = h("button", {
    type: "button", title: "Save the time line for ui.perfetto.dev", "data-key": "trace", click: () => this.saveTrace(),
  }, "Perfetto trace");
  private frames = new Frames();
  private cases = new Map<string, Frames>();
  private shown: Line = { result: nothing, series: noSpans };
  private frame = 0;
  private last: Result | undefined;
  private awaited = 0; // the animation frame that was requested
  private most = 64;

  constructor(charts: Charts, welcome: Welcome) {
    this.welcome = welcome;
    const origin = (): string => this.origin();
    this.lineChart = new Chart(timelineDesc({
      id: "live-timeline", title: "Time line", origin,
      subtitle: () => `live · ${caseName(this.shown.result)} · frame ${this.frame + 1}`,
    }, () => this.shown));
    this.stripChart = new Chart(stripDesc("live-strip", origin, () =>
      ({ frames: this.frames, benchmark: this.benchmark, most: this.most })));
    this.line = h("div", { class: "live-line", hidden: true }, charts.keep(this.lineChart));
    this.line.querySelector(".save")?.append(this.trace);
    this.rest.append(charts.keep(this.stripChart), this.panel());
    this.rest.hidden = true;
  }

  private get benchmark(): ListedBenchmark {
    return this.welcome.benchmarks.find(({ name }) => name === this.frames.last?.benchmark) ?? noBenchmark;
  }

  private get device(): Device | undefined {
    return this.welcome.devices.find(({ id }) => id === this.frames.last?.device);
  }

  private origin(): string {
    const { device } = this;
    const driver = device?.driver && `driver ${device.driver}`;
    return ["live", device?.name, device?.id, driver, `fathom ${this.welcome.version}`].filter(Boolean).join(" · ");
  }

  private panel(): HTMLElement {
    const many = h("select", { "data-key": "frames", change: () => {
      this.most = FRAME_COUNTS[many.selectedIndex] ?? this.most;
      this.tell();
    } }, ...FRAME_COUNTS.map((count) => h("option", { selected: count === this.most }, String(count))));
    return h("div", { class: "front" },
      h("div", { class: "live-figures" }, h("label", {}, "frames looked back ", many), this.figures, this.flags),
      this.found);
  }

  begin(): void {
    this.cases.clear();
    this.frames = new Frames();
  }

  add(frame: number, result: Result, isPicture: boolean): void {
    const { last } = this;
    if (last && (last.benchmark !== result.benchmark || last.device !== result.device)) this.find([]);
    this.last = result;
    this.frame = frame;
    this.frames = this.cases.get(result.key) ?? new Frames();
    this.cases.set(result.key, this.frames);
    this.frames.add(frame, result);
    const series = lineOf(result);
    this.line.hidden = !series;
    if (series) this.shown = { result, series };
    const ways = this.line.querySelector<HTMLElement>(".switch");
    if (ways) ways.hidden = !this.shown.series.columns.includes("queue");
    this.rest.hidden = !isPicture;
    if (this.awaited === 0) this.awaited = requestAnimationFrame(() => this.draw());
  }

  // Frames may come faster than the screen can show them.
  private draw(): void {
    this.awaited = 0;
    if (!this.line.hidden) this.lineChart.update();
    if (!this.rest.hidden) this.tell();
  }

  private tell(): void {
    const { last } = this.frames;
    this.stripChart.element.hidden = this.frames.count < 2;
    if (this.frames.count > 1) this.stripChart.update();
    this.figures.replaceChildren(figuresOf(this.frames, this.benchmark.metrics, this.most));
    this.flags.textContent = last ? flagText(last) : "";
  }

  find(findings: Finding[]): void {
    this.findings.replaceChildren(...findings.map((finding) => h("li", {}, ownText(finding, this.frames.last))));
    this.found.hidden = findings.length === 0;
  }

  private saveTrace(): void {
    const { result } = this.shown;
    download(`fathom-${idOf(caseName(result))}-trace.json`, new Blob([traceOf([result])], { type: "application/json" }));
  }
}
