// SPDX-License-Identifier: MIT
// What is to be measured: device, benchmark, scenario and parameters, as controls.
import { download, h, idOf, present } from "../dom";
import type { State } from "./address";
import { Cards, choice } from "./cards";
import { controlsOf, setOf } from "./controls";
import type { ListedBenchmark, Measure, Welcome } from "./messages";
import { clocks, fileOf, priorities, scenarioOf } from "./scenario";
import type { Scenario } from "./scenario";

const OVERLAP = "overlap"; // the benchmark that measures scenarios
// Benchmarks whose cases are drawn as time lines. The reader chooses one value per parameter, and
// each change is measured at once.
const SINGLE = [OVERLAP, "preempt"];
const OTHERS_CONTROLS = ["scenario"]; // parameters that the cards choose

export class Editor {
  readonly element = h("div", { class: "live-controls" });
  readonly state: State;
  private readonly welcome: Welcome;
  private readonly changed: (measure: boolean) => void; // `measure`: measure the change at once
  private readonly failed: (message: string) => void;
  private readonly cards: Cards;
  private readonly name = h("input", { type: "text", maxlength: "60", "data-key": "name",
    change: () => this.edit({ name: this.name.value.trim() }) });

  constructor(welcome: Welcome, saved: Partial<State>, changed: (measure: boolean) => void,
              failed: (message: string) => void) {
    this.welcome = welcome;
    this.changed = changed;
    this.failed = failed;
    this.cards = new Cards(({ workloads }) => this.edit({ workloads }));
    this.state = this.startingFrom(saved);
    this.build();
  }

  get single(): boolean {
    return SINGLE.includes(this.state.benchmark);
  }

  get benchmark(): ListedBenchmark | undefined {
    return this.welcome.benchmarks.find(({ name }) => name === this.state.benchmark);
  }

  // Returns the saved state; what this server does not know is replaced.
  private startingFrom(saved: Partial<State>): State {
    const { devices, benchmarks, scenarios } = this.welcome;
    const known = <T>(list: T[], name: (one: T) => string, wanted: string | undefined, fallback = ""): string =>
      [wanted, fallback, list[0] && name(list[0])].find((one) =>
        one !== undefined && list.some((other) => name(other) === one)) ?? "";
    const preset = known(scenarios, ({ name }) => name, saved.preset);
    const own = saved.scenario && saved.preset === "" ? saved.scenario : undefined;
    const found = scenarios.find(({ name }) => name === preset);
    return {
      device: known(devices, ({ id }) => id, saved.device),
      benchmark: known(benchmarks, ({ name }) => name, saved.benchmark, OVERLAP),
      set: saved.set ?? {}, continuous: saved.continuous ?? false,
      preset: own ? "" : preset,
      scenario: own ?? (found && scenarioOf(found.scenario)),
    };
  }

  measure(id: number): Measure {
    const { device, benchmark, preset, scenario, continuous, set } = this.state;
    const listed = this.benchmark, isScenario = benchmark === OVERLAP && scenario !== undefined;
    const chosen = listed ? setOf(listed, set, this.single, isScenario ? OTHERS_CONTROLS : []) : {};
    return {
      type: "measure", id, device, benchmark, continuous,
      set: isScenario && preset !== "" ? { scenario: preset, ...chosen } : chosen,
      ...(isScenario && preset === "" ? { scenario: fileOf(scenario) } : {}),
    };
  }

  // Builds all controls anew, except the cards. The control that has the focus keeps it.
  private build(): void {
    const key = document.activeElement?.getAttribute("data-key");
    const { state, benchmark } = this;
    const isOverlap = state.benchmark === OVERLAP;
    this.element.replaceChildren(...present([
      isOverlap ? this.presets() : undefined,
      benchmark && controlsOf(benchmark, state.set, this.single, isOverlap ? OTHERS_CONTROLS : [], (name, value) => {
        state.set = { ...state.set, [name]: value };
        this.build();
        this.changed(this.single);
      }),
      ...(isOverlap ? [h("label", {}, "name ", this.name), this.priority(), this.clock(), ...this.cards.parts, this.files()] : []),
    ]));
    if (isOverlap && state.scenario) this.cards.show(state.scenario);
    this.name.value = state.scenario?.name ?? "";
    if (key) this.element.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus();
  }

  // Device and benchmark.
  bar(): HTMLElement[] {
    const { devices, benchmarks } = this.welcome, { state } = this;
    const device = h("select", { "data-key": "device", change: () => {
      state.device = devices[device.selectedIndex]?.id ?? "";
      this.changed(this.single);
    } }, ...devices.map(({ id, name }) => h("option", { selected: id === state.device }, `${name ?? id} · ${id}`)));
    const names = benchmarks.map(({ name }) => name);
    return [
      h("label", {}, "device ", device),
      choice("benchmark", names, state.benchmark, "benchmark", (name) => {
        state.benchmark = name;
        state.set = {};
        this.build();
        this.changed(this.single);
      }),
    ];
  }

  private presets(): HTMLElement {
    return h("div", { class: "presets", role: "group", "aria-label": "Scenarios" },
      ...this.welcome.scenarios.map(({ name, help, scenario, set }) => h("button", {
        type: "button", "aria-pressed": String(name === this.state.preset), title: help ?? "",
        "data-key": `preset ${name}`,
        click: () => {
          this.state.set = { ...this.withoutPreset(), ...set };
          this.state.preset = name;
          this.state.scenario = scenarioOf(scenario);
          this.build();
          this.changed(true);
        },
      }, name)));
  }

  // Returns the chosen parameters, except those that came with the built-in scenario.
  private withoutPreset(): Record<string, string> {
    const came = this.welcome.scenarios.find(({ name }) => name === this.state.preset)?.set ?? {};
    return Object.fromEntries(Object.entries(this.state.set).filter(([key, value]) => came[key] !== value));
  }

  // Scenario files give a priority to the compute queue only.
  private priority(): HTMLElement {
    const { scenario } = this.state;
    return h("div", { class: "row" },
      h("span", { class: "subtitle" }, "direct queue: medium priority"),
      choice("compute queue: priority", priorities, scenario?.priority ?? "medium", "priority",
        (priority) => this.edit({ priority })));
  }

  // Few drivers grant a stable clock. If the driver refuses, the result says so as a reason.
  private clock(): HTMLElement {
    return h("div", { class: "row" }, choice("clock", clocks, this.state.scenario?.clock ?? "free", "clock",
      (clock) => this.edit({ clock })));
  }

  // Changes the scenario. A built-in scenario then gets another name.
  private edit(change: Partial<Scenario>): void {
    const { preset, scenario } = this.state;
    if (!scenario) return;
    const name = preset === "" ? scenario.name : `${preset}, changed`;
    this.state.scenario = { ...scenario, name, ...change };
    this.state.preset = "";
    this.name.value = this.state.scenario.name;
    this.element.querySelectorAll(".presets button").forEach((one) => one.setAttribute("aria-pressed", "false"));
    this.changed(true);
  }

  private files(): HTMLElement {
    const input = h("input", { type: "file", accept: ".json,application/json", "data-key": "load",
      change: () => { void this.load(input.files?.[0]); } });
    return h("div", { class: "row" },
      h("button", {
        type: "button", "data-key": "save", title: "For fathom run overlap --set scenario=FILE", click: () => this.save(),
      }, "Save scenario file"),
      h("label", {}, "Load scenario file ", input));
  }

  private save(): void {
    const { scenario } = this.state;
    if (!scenario) return;
    const text = `${JSON.stringify(fileOf(scenario), null, 2)}\n`;
    download(`${idOf(scenario.name) || "scenario"}.json`, new Blob([text], { type: "application/json" }));
  }

  private async load(file: File | undefined): Promise<void> {
    if (!file) return;
    try {
      this.state.scenario = scenarioOf(JSON.parse(await file.text()));
      this.state.preset = "";
      this.build();
      this.changed(true);
    } catch (error) {
      this.failed(`${file.name}: ${(error as Error).message}`);
    }
  }
}
