// SPDX-License-Identifier: MIT
// The fragment of the address. It brings the token once, which then moves to the session's storage.
// It keeps the state of the page, without the token, so that a saved address brings the page back.
import type { Scenario } from "./scenario";
import { scenarioOf } from "./scenario";

const TOKEN_KEY = "fathom-token";

export interface State {
  device: string;
  benchmark: string;
  set: Record<string, string>; // parameters of that benchmark that were chosen
  preset: string; // name of the scenario that was chosen and not changed since; "" if none
  scenario: Scenario | undefined;
  continuous: boolean;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

// An address may come from anyone: only what is well formed is taken.
function stateOf(value: unknown): Partial<State> {
  if (typeof value !== "object" || value === null) return {};
  const { device, benchmark, preset, set, scenario, continuous } = value as Record<string, unknown>;
  const chosen = Object.entries(typeof set === "object" && set !== null ? set : {})
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return {
    device: text(device), benchmark: text(benchmark), preset: text(preset), set: Object.fromEntries(chosen),
    continuous: continuous === true, ...(scenario === undefined ? {} : { scenario: scenarioOf(scenario) }),
  };
}

// Moves the token from the address to the session's storage. Returns the stored token, or "".
export function takeToken(): string {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get("token");
  if (token !== null) {
    sessionStorage.setItem(TOKEN_KEY, token);
    fragment.delete("token");
    history.replaceState(null, "", `${location.pathname}${[...fragment].length > 0 ? `#${fragment}` : ""}`);
  }
  return token ?? sessionStorage.getItem(TOKEN_KEY) ?? "";
}

// The state that the address holds; throws an error that says what is wrong with it.
export function savedState(): Partial<State> {
  const saved = new URLSearchParams(location.hash.slice(1)).get("state");
  return saved === null ? {} : stateOf(JSON.parse(saved));
}

export function keepState(state: State): void {
  const fragment = new URLSearchParams({ state: JSON.stringify(state) });
  history.replaceState(null, "", `${location.pathname}#${fragment}`);
}
