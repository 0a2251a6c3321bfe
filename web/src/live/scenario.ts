// SPDX-License-Identifier: MIT
// A scenario of `overlap` as readers edit it: workloads in the order in which they are recorded.
// The server reads it with the parser of scenario files, so the rules here are the same.

export const WORKLOADS_MAX = 16, GROUPS_MAX = 256, ITERATIONS_MAX = 128;
const GROUPS_DEFAULT = 8, ITERATIONS_DEFAULT = 64;

export const queues = ["direct", "compute"] as const;
export const kinds = ["dispatch", "draw"] as const;
export const priorities = ["medium", "high"] as const;
export const clocks = ["free", "stable"] as const;

export interface Workload {
  name: string;
  queue: typeof queues[number];
  kind: typeof kinds[number];
  groups: number;
  iterations: number;
  after: string[]; // names of earlier workloads
  enabled: boolean;
}

export interface Scenario {
  name: string;
  priority: typeof priorities[number]; // of the compute queue
  clock: typeof clocks[number];
  workloads: Workload[];
}

// A scenario as in a file: members with the default value may be absent.
export interface ScenarioFile {
  name?: string;
  priority?: string;
  clock?: string;
  workloads: (Partial<Workload> & { name: string })[];
}

// ---------------------------------------------------------------- reading

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function oneOf<T extends string>(words: readonly T[], value: unknown, place: string): T {
  const [first] = words as readonly [T, ...T[]];
  const found = words.find((word) => word === (value ?? first));
  if (!found) throw new Error(`${place}: it is "${words.join('" or "')}"`);
  return found;
}

function count(value: unknown, most: number, fallback: number, place: string): number {
  const found = value ?? fallback;
  if (typeof found !== "number" || !Number.isInteger(found) || found < 1 || found > most)
    throw new Error(`${place}: must be 1 to ${most}`);
  return found;
}

function workloadOf(value: unknown, earlier: Workload[], place: string): Workload {
  if (!isMap(value) || typeof value["name"] !== "string" || value["name"] === "")
    throw new Error(`${place}: a workload has a name`);
  const { name, after = [], enabled = true } = value;
  const isKnown = (one: unknown): boolean => earlier.some((other) => other.name === one);
  if (isKnown(name)) throw new Error(`${place}.name: '${name}' is the name of an earlier workload too`);
  if (!Array.isArray(after) || !after.every(isKnown))
    throw new Error(`${place}.after: names of earlier workloads`);
  if (typeof enabled !== "boolean") throw new Error(`${place}.enabled: must be true or false`);
  return {
    name, enabled, after: after as string[],
    queue: oneOf(queues, value["queue"], `${place}.queue`),
    kind: oneOf(kinds, value["kind"], `${place}.kind`),
    groups: count(value["groups"], GROUPS_MAX, GROUPS_DEFAULT, `${place}.groups`),
    iterations: count(value["iterations"], ITERATIONS_MAX, ITERATIONS_DEFAULT, `${place}.iterations`),
  };
}

// Throws an error whose message names the wrong place: "workloads[3].groups: must be 1 to 256".
export function scenarioOf(value: unknown): Scenario {
  if (!isMap(value) || !Array.isArray(value["workloads"])) throw new Error("a scenario has workloads");
  const list = value["workloads"] as unknown[];
  if (list.length === 0 || list.length > WORKLOADS_MAX)
    throw new Error(`${list.length} workloads: a scenario has 1 to ${WORKLOADS_MAX}`);
  const workloads: Workload[] = [];
  list.forEach((one, i) => workloads.push(workloadOf(one, workloads, `workloads[${i}]`)));
  return {
    name: typeof value["name"] === "string" ? value["name"] : "",
    priority: oneOf(priorities, value["priority"], "priority"),
    clock: oneOf(clocks, value["clock"], "clock"),
    workloads,
  };
}

export const fileOf = ({ name, priority, clock, workloads }: Scenario): ScenarioFile => ({
  ...(name === "" ? {} : { name }),
  ...(priority === "medium" ? {} : { priority }),
  ...(clock === "free" ? {} : { clock }),
  workloads: workloads.map(({ after, enabled, ...rest }) => ({
    ...rest, ...(after.length > 0 ? { after } : {}), ...(enabled ? {} : { enabled }),
  })),
});

// ---------------------------------------------------------------- editing: each returns a new scenario

const withWorkloads = (scenario: Scenario, workloads: Workload[]): Scenario => ({ ...scenario, workloads });

export function changed(scenario: Scenario, at: number, change: Partial<Workload>): Scenario {
  const former = scenario.workloads[at]?.name, { name = former } = change;
  return withWorkloads(scenario, scenario.workloads.map((one, i) => ({
    ...one, ...(i === at ? change : {}),
    after: (i === at ? change.after ?? one.after : one.after)
      .map((other) => (other === former ? name ?? other : other)),
  })));
}

// True if a workload may have this name: it is not empty, and no other workload has it.
export const isFreeName = ({ workloads }: Scenario, at: number, name: string): boolean =>
  name !== "" && workloads.every((one, i) => i === at || one.name !== name);

export function added(scenario: Scenario): Scenario {
  const names = scenario.workloads.map(({ name }) => name);
  let number = names.length + 1;
  while (names.includes(`workload ${number}`)) number++;
  return withWorkloads(scenario, [...scenario.workloads, {
    name: `workload ${number}`, queue: "direct", kind: "dispatch", groups: GROUPS_DEFAULT,
    iterations: ITERATIONS_DEFAULT, after: [], enabled: true,
  }]);
}

export function removed(scenario: Scenario, at: number): Scenario {
  const gone = scenario.workloads[at]?.name;
  return withWorkloads(scenario, scenario.workloads.filter((_, i) => i !== at)
    .map((one) => ({ ...one, after: one.after.filter((name) => name !== gone) })));
}

// Moves a workload. Workloads cannot wait for later ones, so such waits are removed.
export function moved(scenario: Scenario, from: number, to: number): Scenario {
  const workloads = [...scenario.workloads];
  const [one] = workloads.splice(from, 1);
  if (one) workloads.splice(to, 0, one);
  return withWorkloads(scenario, workloads.map((workload, i) => ({
    ...workload,
    after: workload.after.filter((name) => workloads.findIndex((other) => other.name === name) < i),
  })));
}
