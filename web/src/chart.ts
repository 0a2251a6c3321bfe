// SPDX-License-Identifier: MIT
// A chart on the page: title, tools (switches, SVG, PNG, CSV), the drawing, and its numbers as a
// table for readers who prefer one. It is drawn when it comes into view.
import type { EChartsCoreOption, EChartsType } from "echarts/core";
import { init, use } from "echarts/core";
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import {
  AriaComponent, DataZoomInsideComponent, DataZoomSliderComponent, GridComponent, LegendComponent,
  LegendScrollComponent, MarkLineComponent, TooltipComponent, VisualMapContinuousComponent,
} from "echarts/components";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";
import { csvButton, h } from "./dom";
import { saveButtons, standalone } from "./picture";
import type { Theme } from "./theme";
import { currentTheme, FONT, onThemeChange, printTheme } from "./theme";

use([
  AriaComponent, BarChart, CustomChart, DataZoomInsideComponent, DataZoomSliderComponent,
  GridComponent, HeatmapChart, LabelLayout, LegendComponent, LegendScrollComponent, LineChart,
  MarkLineComponent, SVGRenderer, TooltipComponent, VisualMapContinuousComponent,
]);

export type Cell = string | number | undefined;

// The head of a table's column: its text, and what that means.
export interface Head {
  text: string;
  help?: string | undefined;
}

export interface Look {
  theme: Theme;
  narrow: boolean;
  width: number;
}

export interface Switch {
  label: string;
  options: string[];
  help?: (string | undefined)[]; // what each option means
  chosen: number;
  change: (index: number) => void; // the chart is drawn anew afterwards
}

export interface ChartDesc {
  id: string;
  title: string;
  origin: string; // device, driver, version: for saved drawings
  subtitle: (look: Look) => string;
  summary: string; // one sentence for screen readers
  height: (look: Look) => number;
  option: (look: Look) => EChartsCoreOption;
  switches?: Switch[];
  numbers: () => { head: (string | Head)[]; rows: Cell[][] }; // for the table
  csv: () => Cell[][]; // the first row names the columns
  steps?: number; // how many positions the arrow keys visit
  zoomed?: (look: Look, low: number, high: number) => EChartsCoreOption; // shows x from low to high
}

const NARROW = 560;

// Without Control, the wheel scrolls the page. ECharts would take the event even if it does not
// zoom.
function leaveWheel(event: WheelEvent): void {
  if (!event.ctrlKey) event.stopPropagation();
}

export class Chart {
  readonly element: HTMLElement;
  readonly desc: ChartDesc;
  readonly plot: HTMLDivElement;
  private readonly subtitle = h("p", { class: "subtitle" });
  private instance: EChartsType | undefined;
  private step = -1;
  private readonly seen = new IntersectionObserver((entries) => {
    if (entries.some(({ isIntersecting }) => isIntersecting)) this.draw();
  }, { rootMargin: "400px" });

  constructor(desc: ChartDesc) {
    this.desc = desc;
    this.plot = h("div", {
      class: "plot", role: "img", tabindex: "0", "aria-label": desc.summary,
      keydown: (event) => this.onKey(event as KeyboardEvent),
    });
    this.plot.addEventListener("wheel", leaveWheel, { capture: true, passive: true });
    this.element = h("figure", { class: "chart", id: desc.id },
      h("figcaption", {}, h("h3", {}, desc.title), this.subtitle),
      this.plot, this.tools());
  }

  private look(theme: Theme): Look {
    const width = this.plot.clientWidth;
    return { theme, narrow: width < NARROW, width };
  }

  // Reserves the drawing's place, and draws it when that place is near the window. A drawing in a
  // closed <details> waits until it is opened.
  await(): void {
    const look = this.look(currentTheme());
    this.subtitle.textContent = this.desc.subtitle(look);
    if (look.width > 0) this.plot.style.height = `${this.desc.height(look)}px`;
    this.instance?.dispose();
    this.instance = undefined;
    this.seen.observe(this.plot);
  }

  dispose(): void {
    this.seen.disconnect();
    this.instance?.dispose();
    this.instance = undefined;
  }

  draw(theme: Theme = currentTheme()): void {
    const look = this.look(theme), { width } = look;
    if (width === 0) return;
    this.seen.disconnect();
    const height = this.desc.height(look);
    this.plot.style.height = `${height}px`;
    this.instance?.dispose();
    this.instance = init(this.plot, null, { renderer: "svg", width, height });
    this.instance.setOption({
      animation: false,
      aria: { enabled: true, label: { description: this.desc.summary } },
      textStyle: { color: theme.text, fontFamily: FONT },
      ...this.desc.option(look),
    });
    this.subtitle.textContent = this.desc.subtitle(look);
    this.instance.on("datazoom", () => this.followZoom(look));
  }

  // Shows what the description says now. The zoom stays unless the height changes.
  update(): void {
    const look = this.look(currentTheme());
    if (!this.instance || this.desc.height(look) !== this.instance.getHeight()) {
      if (this.instance) this.draw();
      else this.await();
      return;
    }
    this.instance.setOption(this.desc.option(look));
    this.plot.setAttribute("aria-label", this.desc.summary);
    this.subtitle.textContent = this.desc.subtitle(look);
  }

  private followZoom(look: Look): void {
    const option = this.instance?.getOption() as
      { dataZoom?: { startValue?: number; endValue?: number }[] } | undefined;
    const zoom = option?.dataZoom?.[0];
    if (this.desc.zoomed && typeof zoom?.startValue === "number" && typeof zoom.endValue === "number")
      this.instance?.setOption(this.desc.zoomed(look, zoom.startValue, zoom.endValue));
  }

  get echarts(): EChartsType | undefined {
    return this.instance;
  }

  // Left and right walk through the points, Escape ends.
  private onKey(event: KeyboardEvent): void {
    const steps = this.desc.steps ?? 0;
    const way = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (event.key === "Escape") this.instance?.dispatchAction({ type: "hideTip" });
    if (way === 0 || steps === 0) return;
    event.preventDefault();
    this.step = Math.min(Math.max(this.step + way, 0), steps - 1);
    this.instance?.dispatchAction({ type: "showTip", seriesIndex: 0, dataIndex: this.step });
  }

  private tools(): HTMLElement {
    const tools = h("div", { class: "tools" }, this.numbers());
    for (const one of this.desc.switches ?? []) tools.append(this.switchOf(one));
    const save = h("span", { class: "save" });
    save.append(...saveButtons(`fathom-${this.desc.id}`, "the drawing", () => this.svgText()),
      csvButton(`fathom-${this.desc.id}`, this.desc.csv));
    tools.append(save);
    return tools;
  }

  private switchOf(one: Switch): HTMLElement {
    const group = h("span", { class: "switch", role: "group", "aria-label": one.label });
    one.options.forEach((text, index) => {
      const button = h("button", {
        type: "button",
        title: one.help?.[index] ?? "",
        "aria-pressed": String(index === one.chosen),
        click: () => {
          one.change(index);
          group.querySelectorAll("button").forEach((other, i) =>
            other.setAttribute("aria-pressed", String(i === index)));
          this.draw();
        },
      }, text);
      group.append(button);
    });
    return group;
  }

  private numbers(): HTMLElement {
    const details = h("details", { class: "numbers" }, h("summary", {}, "Numbers"));
    // The table is filled when it is opened: a large one takes time, and most readers do not need
    // it.
    details.addEventListener("toggle", () => {
      if (details.open && details.children.length === 1) {
        const { head, rows } = this.desc.numbers();
        details.append(tableOf(head, rows));
      }
    });
    return details;
  }

  // The slider below a chart is a tool, not a part of the drawing.
  private showSlider(show: boolean): void {
    const { dataZoom } = this.instance?.getOption() as { dataZoom?: { id?: string }[] };
    if (dataZoom?.some(({ id }) => id === "slider"))
      this.instance?.setOption({ dataZoom: [{ id: "slider", show }] });
  }

  private svgText(): string {
    if (!this.instance) this.draw();
    this.showSlider(false);
    const copy = this.plot.querySelector("svg")?.cloneNode(true) as SVGElement | undefined;
    this.showSlider(true);
    const { title, origin } = this.desc;
    return copy ? standalone(copy, { title, subtitle: this.subtitle.textContent ?? "", origin }) : "";
  }
}

const PAPER_PLOT = "430px";

// The charts that are on the page.
export class Charts {
  readonly list: Chart[] = [];

  keep(chart: Chart): HTMLElement {
    this.list.push(chart);
    return chart.element;
  }

  // Puts `chart` in the place of `former`; undefined: there was no chart before.
  replace(chart: Chart, former: Chart | undefined): void {
    const at = former ? this.list.indexOf(former) : -1;
    if (at < 0) this.list.push(chart);
    else this.list[at] = chart;
    if (former?.echarts) chart.draw();
    else chart.await();
    former?.dispose();
  }

  // Removes all charts from the page, except the first `kept` ones.
  clear(kept = 0): void {
    this.list.splice(kept).forEach((chart) => chart.dispose());
  }

  redraw(): void {
    this.list.forEach((chart) => (chart.echarts ? chart.draw() : chart.await()));
  }

  // Draws for paper all charts that are not in a closed fold; the findings have room beside them.
  print(): void {
    for (const chart of this.list) {
      if (!chart.plot.checkVisibility()) continue; // in a closed fold
      chart.plot.style.width = PAPER_PLOT;
      chart.draw(printTheme());
    }
  }

  printed(): void {
    this.list.forEach((chart) => { chart.plot.style.width = ""; });
    this.redraw();
  }

  // Called when the page is complete.
  ready(): void {
    this.follow();
    document.body.dataset["ready"] = "true";
    // For tests, and for use in the browser's console.
    Object.defineProperty(window, "fathomCharts",
      { get: () => new Map(this.list.map((chart) => [chart.desc.id, chart])) });
  }

  // Draws the charts again when the window's width or the theme changes, and for printing. Draws
  // those in a fold when it opens.
  private follow(): void {
    let width = window.innerWidth, timer = 0;
    window.addEventListener("resize", () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      clearTimeout(timer);
      timer = window.setTimeout(() => this.redraw(), 150);
    });
    document.addEventListener("toggle", (event) => {
      if (event.target instanceof HTMLDetailsElement && event.target.open)
        this.list.filter(({ plot, echarts }) => !echarts && (event.target as Node).contains(plot))
          .forEach((chart) => chart.await());
    }, true);
    onThemeChange(() => this.redraw());
    window.addEventListener("beforeprint", () => this.print());
    window.addEventListener("afterprint", () => this.printed());
  }
}

// Returns a table. Numbers, and the heads of their columns, are aligned to the right.
export function tableOf(head: (string | Head)[], rows: Cell[][]): HTMLElement {
  const isNumber = (text: Cell): boolean =>
    text !== undefined && /^([-+±×]?\d[\d.,e+-]*( \S+)?|–)$/.test(String(text));
  const cell = (text: Cell): HTMLElement =>
    h("td", isNumber(text) ? { class: "number" } : {}, text === undefined ? "" : String(text));
  const overNumbers = (at: number): boolean => 2 * rows.filter((row) => isNumber(row[at])).length >
    rows.filter((row) => row[at] !== undefined && row[at] !== "").length;
  const heads = head.map((one): Head => (typeof one === "string" ? { text: one } : one))
    .map(({ text, help }, at) => h("th",
      { scope: "col", title: help ?? "", ...(overNumbers(at) ? { class: "number" } : {}) }, text));
  return h("div", { class: "scroll", tabindex: "0" },
    h("table", {},
      h("thead", {}, h("tr", {}, ...heads)),
      h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell))))));
}
