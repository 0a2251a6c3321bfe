// SPDX-License-Identifier: MIT
// The workloads of a scenario as cards: to add, remove, enable, reorder (by buttons or by dragging)
// and change. Each change is reported at once.
import { h } from "../dom";
import type { Scenario, Workload } from "./scenario";
import {
  added, changed, GROUPS_MAX, isFreeName, ITERATIONS_MAX, kinds, moved, queues, removed, WORKLOADS_MAX,
} from "./scenario";

// A list of words of which one is chosen.
export function choice<T extends string>(label: string, words: readonly T[], chosen: T, key: string,
                                         change: (word: T) => void): HTMLElement {
  const select = h("select", { "data-key": key, change: () => {
    const word = words[select.selectedIndex];
    if (word !== undefined) change(word);
  } }, ...words.map((word) => h("option", { selected: word === chosen }, word)));
  return h("label", {}, `${label} `, select);
}

function slider(label: string, of: string, most: number, value: number, key: string,
                change: (value: number) => void): HTMLElement {
  const shown = h("output", {}, String(value));
  const input = h("input", {
    "aria-label": `${label} of ${of}`, type: "range", min: "1", max: String(most), value: String(value), "data-key": key,
    input: () => {
      shown.textContent = input.value;
      change(Number(input.value));
    },
  });
  return h("label", { class: "slider" }, h("span", {}, label), input, shown);
}

export class Cards {
  readonly element = h("ol", { class: "works", "aria-label": "Workloads, in the order in which they are recorded" });
  private readonly said = h("p", { class: "unseen", role: "status" });
  private readonly add = h("button", { type: "button", click: () => this.append() }, "Add a workload");
  private readonly told: (scenario: Scenario) => void;
  private scenario: Scenario | undefined;
  private dragged = -1;

  constructor(told: (scenario: Scenario) => void) {
    this.told = told;
  }

  get parts(): HTMLElement[] {
    return [this.element, this.add, this.said];
  }

  show(scenario: Scenario): void {
    this.scenario = scenario;
    this.element.replaceChildren(...scenario.workloads.map((_, at) => this.card(at)));
    this.add.disabled = scenario.workloads.length >= WORKLOADS_MAX;
  }

  // Shows another scenario and reports it; the element with this key gets the focus.
  private take(scenario: Scenario, focus: string, said = ""): void {
    this.show(scenario);
    this.element.querySelector<HTMLElement>(`[data-key="${focus}"]`)?.focus();
    this.said.textContent = said;
    this.told(scenario);
  }

  private append(): void {
    if (!this.scenario) return;
    const next = added(this.scenario), at = next.workloads.length - 1;
    this.take(next, `${at}/name`, `${next.workloads[at]?.name ?? ""} was added`);
  }

  private remove(at: number): void {
    const one = this.scenario?.workloads[at];
    if (!this.scenario || !one || this.scenario.workloads.length < 2) return;
    this.take(removed(this.scenario, at), `${Math.max(at - 1, 0)}/remove`, `${one.name} was removed`);
  }

  private move(from: number, to: number, focus: string): void {
    if (!this.scenario || from === to) return;
    const name = this.scenario.workloads[from]?.name ?? "";
    this.take(moved(this.scenario, from, to), `${to}/${focus}`,
      `${name} is workload ${to + 1} of ${this.scenario.workloads.length}`);
  }

  // Changes a workload without building the cards anew, because a slider that is being dragged must
  // stay.
  private adjust(at: number, change: Partial<Workload>): void {
    if (!this.scenario) return;
    this.scenario = changed(this.scenario, at, change);
    this.told(this.scenario);
  }

  private change(at: number, change: Partial<Workload>, focus: string): void {
    if (this.scenario) this.take(changed(this.scenario, at, change), `${at}/${focus}`);
  }

  private head(at: number, { name, enabled }: Workload): HTMLElement {
    const last = (this.scenario?.workloads.length ?? 0) - 1;
    const input = h("input", {
      type: "text", value: name, "aria-label": "Name", "data-key": `${at}/name`, maxlength: "40",
      change: () => {
        if (this.scenario && isFreeName(this.scenario, at, input.value)) this.change(at, { name: input.value }, "name");
        else input.value = name;
      },
    });
    const on = h("input", {
      type: "checkbox", checked: enabled, "aria-label": `${name} is enabled`, "data-key": `${at}/enabled`,
      change: () => this.change(at, { enabled: on.checked }, "enabled"),
    });
    const button = (text: string, label: string, key: string, disabled: boolean, click: () => void): HTMLElement =>
      h("button", {
        type: "button", "aria-label": `${label} ${name}`, title: label, "data-key": `${at}/${key}`, disabled, click,
      }, text);
    return h("div", { class: "work-head" },
      h("span", { class: "grip", draggable: "true", title: "Drag to reorder", "aria-hidden": "true",
        dragstart: (event) => this.dragStart(event as DragEvent, at), dragend: () => { this.dragged = -1; } }, "⠿"),
      on, input,
      button("↑", "Move up", "up", at === 0, () => this.move(at, at - 1, at === 1 ? "down" : "up")),
      button("↓", "Move down", "down", at === last, () => this.move(at, at + 1, at + 1 === last ? "up" : "down")),
      button("✕", "Remove", "remove", last === 0, () => this.remove(at)));
  }

  // Returns buttons for the earlier workloads: this workload waits for those that are pressed.
  private waits(at: number, one: Workload): HTMLElement | undefined {
    const { after } = one;
    const earlier = this.scenario?.workloads.slice(0, at) ?? [];
    if (earlier.length === 0) return undefined;
    return h("div", { class: "waits", role: "group", "aria-label": `${one.name} waits for` },
      h("span", {}, "waits for "), ...earlier.map(({ name }, i) => h("button", {
        type: "button", "aria-pressed": String(after.includes(name)), "data-key": `${at}/after-${i}`,
        click: () => this.change(at, {
          after: after.includes(name) ? after.filter((other) => other !== name) : [...after, name],
        }, `after-${i}`),
      }, name)));
  }

  private card(at: number): HTMLElement {
    const one = this.scenario?.workloads[at];
    if (!one) return h("li");
    return h("li", {
      "aria-label": one.name, class: `work ${one.queue}${one.enabled ? "" : " off"}`,
      dragover: (event) => { if (this.dragged >= 0) event.preventDefault(); },
      drop: (event) => {
        event.preventDefault();
        if (this.dragged >= 0) this.move(this.dragged, at, "name");
      },
    },
      this.head(at, one),
      h("div", { class: "row" },
        choice("queue", queues, one.queue, `${at}/queue`, (queue) => this.change(at, { queue }, "queue")),
        choice("kind", kinds, one.kind, `${at}/kind`, (kind) => this.change(at, { kind }, "kind"))),
      slider("groups", one.name, GROUPS_MAX, one.groups, `${at}/groups`, (groups) => this.adjust(at, { groups })),
      slider("iterations", one.name, ITERATIONS_MAX, one.iterations, `${at}/iterations`,
        (iterations) => this.adjust(at, { iterations })),
      this.waits(at, one));
  }

  private dragStart(event: DragEvent, at: number): void {
    this.dragged = at;
    event.dataTransfer?.setData("text/plain", String(at));
    const card = (event.target as Element).closest("li");
    if (card) event.dataTransfer?.setDragImage(card, 8, 8);
  }
}
