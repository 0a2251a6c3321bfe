// SPDX-License-Identifier: MIT
// Controls for the parameters of a benchmark, made from what `fathom list` says of them.
import { h } from "../dom";
import { choice } from "./cards";
import type { ListedBenchmark, ListedParam } from "./messages";

export type Chosen = Record<string, string>; // by parameter, as `--set` takes it

const LISTED = 12; // more choices than these are a list that scrolls

// Returns the values that the server takes if nothing is chosen; "" if there are none.
function defaultOf(param: ListedParam): string {
  const quick = param.presets?.quick ?? "";
  return quick === "-" ? "" : quick;
}

function helpOf({ help, least, most }: ListedParam): string {
  const bounds = [least === undefined ? "" : `from ${least}`, most === undefined ? "" : `to ${most}`].filter(Boolean);
  return [help, bounds.join(" ")].filter(Boolean).join("; ");
}

// Returns the chosen values of a parameter, else those of the preset quick; with `single` the first
// of these.
export const valueOf = (param: ListedParam, chosen: Chosen, single: boolean): string =>
  chosen[param.key] ?? (single ? defaultOf(param).split(",")[0] ?? "" : defaultOf(param));

// True if the parameter's condition holds for any of the chosen values.
function applies({ when = "" }: ListedParam, { params }: ListedBenchmark, chosen: Chosen): boolean {
  return when.split(",").filter((item) => item.includes("=")).every((item) => {
    const at = item.indexOf("="), not = item[at - 1] === "!";
    const key = item.slice(0, not ? at - 1 : at), named = item.slice(at + 1).split("|");
    const param = params.find((one) => one.key === key);
    return !param || valueOf(param, chosen, false).split(",").some((value) => named.includes(value) !== not);
  });
}

// Returns the parameters to send: with `single` all of them, one value each; else those that were
// changed.
export function setOf(benchmark: ListedBenchmark, chosen: Chosen, single: boolean, without: string[]): Chosen {
  return Object.fromEntries(benchmark.params.filter((param) => !without.includes(param.key) &&
    applies(param, benchmark, chosen) && (single || chosen[param.key] !== undefined))
    .map((param) => [param.key, valueOf(param, chosen, single)]));
}

function multiple(param: ListedParam, words: string[], value: string, change: (value: string) => void): HTMLElement {
  const chosen = value.split(",");
  const tell = (kept: string[]): void => change(words.filter((word) => kept.includes(word)).join(","));
  if (words.length > LISTED) {
    const select = h("select", { multiple: true, size: "8", "aria-label": param.key, "data-key": param.key,
      change: () => tell([...select.selectedOptions].map((option) => option.value)),
    }, ...words.map((word) => h("option", { value: word, selected: chosen.includes(word) }, word)));
    return select;
  }
  return h("div", { class: "waits", role: "group", "aria-label": param.key }, ...words.map((word) => h("button", {
    type: "button", "aria-pressed": String(chosen.includes(word)), "data-key": `${param.key}=${word}`,
    click: () => {
      const kept = chosen.includes(word) ? chosen.filter((one) => one !== word) : [...chosen, word];
      if (kept.length > 0) tell(kept);
    },
  }, word)));
}

function controlOf(param: ListedParam, value: string, single: boolean, change: (value: string) => void): HTMLElement {
  const words = param.choices?.split("|") ?? [];
  if (words.length > 0 && single) return choice(param.key, words, value, param.key, change);
  if (words.length > 0) return h("div", {}, h("span", {}, param.key), multiple(param, words, value, change));
  const input = h("input", { type: "text", value, "data-key": param.key, change: () => change(input.value.trim()) });
  return h("label", {}, `${param.key} `, input);
}

// `single`: the reader chooses one value of each parameter, and it is measured at once; else any
// number of values. `without`: the keys of parameters that have other controls.
export function controlsOf(benchmark: ListedBenchmark, chosen: Chosen, single: boolean, without: string[],
                           change: (key: string, value: string) => void): HTMLElement {
  const shown = benchmark.params.filter((param) => !without.includes(param.key) && applies(param, benchmark, chosen));
  const place = (param: ListedParam): HTMLElement => h("div", { class: "param", title: helpOf(param) },
    controlOf(param, valueOf(param, chosen, single), single, (value) => change(param.key, value)));
  const axes = shown.filter(({ role }) => role === "axis"), rest = shown.filter(({ role }) => role !== "axis");
  return h("div", { class: "params" }, ...axes.map(place),
    rest.length === 0 ? undefined : h("details", {}, h("summary", {}, "How it is measured"), ...rest.map(place)));
}
