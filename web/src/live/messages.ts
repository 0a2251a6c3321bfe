// SPDX-License-Identifier: MIT
// The messages between the page and `fathom serve` over the WebSocket /live: each is one JSON text.
import type { Benchmark, Device, Finding, Param, Result, Run } from "../run";
import type { ScenarioFile } from "./scenario";

// A parameter as `fathom list --json` has it.
export interface ListedParam extends Param {
  choices?: string; // separated by |
  when?: string; // a condition on other parameters, as views have them
  least?: number;
  most?: number;
  presets?: { quick?: string };
}

export interface ListedBenchmark extends Benchmark {
  description?: string;
  params: ListedParam[];
}

// A built-in scenario, and the parameters that belong to it.
export interface ListedScenario {
  name: string;
  help?: string;
  scenario: ScenarioFile;
  set?: Record<string, string>;
}

export interface Measure {
  type: "measure";
  id: number;
  device: string;
  benchmark: string;
  set: Record<string, string>;
  scenario?: ScenarioFile;
  continuous: boolean;
}

export type ToServer = { type: "hello"; token: string } | Measure | { type: "cancel" };

export interface Welcome {
  type: "welcome";
  version: string;
  devices: Device[];
  benchmarks: ListedBenchmark[];
  scenarios: ListedScenario[];
}

export interface Done {
  type: "done";
  id: number;
  frame: number;
  status?: Run["status"];
  run?: Run; // absent for frames of a continuous measurement
  findings: Finding[];
}

export type FromServer = Welcome | Done
  | { type: "started"; id: number; cases: number }
  | { type: "result"; id: number; frame: number; result: Result }
  | { type: "error"; id?: number; message: string }
  | { type: "status"; text: string };
