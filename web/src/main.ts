// SPDX-License-Identifier: MIT
// The report: reads the runs that fathom embedded and builds the page around the first screen, which
// fathom has drawn into the file (report/html.c). Knows views, not benchmarks.
import { benchmarkSection } from "./benchmark";
import { Charts } from "./chart";
import { chipsOf, crossTable, differences } from "./cross";
import { h, present } from "./dom";
import { saidOf, topicOf } from "./findings";
import { addSaveButtons } from "./first";
import { sidebar } from "./sidebar";
import type { Run, Subject } from "./run";
import { benchmarksOf, subjectsOf } from "./run";
import { machineCard, provenance } from "./sections";

function section(id: string, title: string, ...content: (HTMLElement | undefined)[]): HTMLElement | undefined {
  const shown = present(content);
  return shown.length === 0 ? undefined
    : h("section", { id, "aria-label": title }, h("h2", {}, title), ...shown);
}

// Returns the findings that are about no benchmark.
function generalFindings(subjects: Subject[], known: string[]): HTMLElement | undefined {
  const topics = new Set(subjects.flatMap(({ run }) => run.findings.map(topicOf)));
  const said = [...topics].filter((topic) => !known.includes(topic)).flatMap((topic) => saidOf(subjects, topic));
  return said.length === 0 ? undefined
    : h("ul", { class: "findings" }, ...said.map(({ text }) => h("li", {}, text)));
}

function aboutSection(subjects: Subject[]): HTMLElement | undefined {
  const runs = [...new Set(subjects.map(({ run }) => run))];
  return section("about", subjects.length > 1 ? "Devices and runs" : "Device and run",
    h("div", { class: "machines" }, ...subjects.map(machineCard)),
    h("details", { id: "provenance" }, h("summary", {}, "Where the numbers come from"), provenance(runs)));
}

// Returns the sections of the page. If there are several devices, their differences come first.
function sectionsOf(charts: Charts, subjects: Subject[]): HTMLElement[] {
  const benchmarks = benchmarksOf(subjects.map(({ run }) => run));
  const names = benchmarks.map(({ name }) => name);
  const titleOf = (name: string): string => benchmarks.find((one) => one.name === name)?.title ?? name;
  const chips = chipsOf(subjects).map(crossTable);
  return present([
    chips.every((table) => table === undefined)
      ? section("differences", "What differs", differences(subjects, titleOf)) : undefined,
    ...benchmarks.map((benchmark) => benchmarkSection(charts, subjects, benchmark)),
    section("apis", "One chip, several APIs", ...chips),
    section("findings", "Findings about the run", generalFindings(subjects, names)),
    aboutSection(subjects),
  ]);
}

// Unpacks what report/html.c embedded: text in zlib's format, in base64.
async function unpack(base64: string): Promise<string> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("this browser is too old for it (Chrome 80, Firefox 113, Safari 16.4)");
  const bytes = Uint8Array.from(atob(base64.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

class Page {
  readonly charts = new Charts();
  private readonly runs: Run[];
  private readonly main = document.querySelector("main") as HTMLElement;
  private readonly hidden = new Set<number>(); // indices of subjects

  constructor(runs: Run[]) {
    this.runs = runs;
  }

  // Builds all sections for the chosen devices, below the first screen.
  build(): void {
    const all = subjectsOf(this.runs), chosen = all.filter((_, i) => !this.hidden.has(i));
    this.charts.clear();
    document.querySelectorAll(".side, .built").forEach((one) => one.remove());
    document.querySelectorAll<HTMLElement>("#first [data-subject]").forEach((card) => {
      card.hidden = this.hidden.has(Number(card.dataset["subject"]));
    });
    const sections = sectionsOf(this.charts, chosen);
    sections.forEach((one) => one.classList.add("built"));
    this.main.append(...sections);
    // With several runs, readers look for their differences first.
    if (sections[0]?.id === "differences") this.main.prepend(sections[0]);
    document.body.prepend(sidebar(sections, {
      names: all.map(({ label }) => label),
      isShown: (i) => !this.hidden.has(i),
      toggle: (i) => this.toggle(i, all.length),
      redraw: () => this.charts.redraw(),
    }));
    this.charts.list.forEach((chart) => chart.await());
  }

  // Shows or hides a device. At least one stays visible.
  private toggle(index: number, count: number): void {
    if (!this.hidden.delete(index) && this.hidden.size + 1 < count) this.hidden.add(index);
    this.build();
  }
}

function report(runs: Run[]): Charts {
  const page = new Page(runs);
  document.querySelectorAll("#first").forEach(addSaveButtons);
  page.build();
  return page.charts;
}

// The element "runs" holds the packed runs of a report. From `fathom serve` it holds a JSON object,
// and the page has its own script.
async function start(): Promise<void> {
  const embedded = document.getElementById("runs")?.textContent?.trim() ?? "";
  if (!embedded.startsWith("{")) report(JSON.parse(await unpack(embedded)) as Run[]).ready();
}

start().catch((error: unknown) => {
  document.querySelector("main")?.prepend(
    h("p", { class: "warning" }, `The charts of this report cannot be shown: ${String(error)}`));
});
