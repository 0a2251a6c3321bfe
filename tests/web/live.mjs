// SPDX-License-Identifier: MIT
// Opens the page of fathom serve in a browser, beside a server that the test plays: server.asked
// holds what the page asks, and server.say() answers. The results are those of committed runs.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const ORIGIN = "http://127.0.0.1:8311";
const PATIENCE_MS = 60000; // long enough for a busy machine; a test waits no longer than it must
export const TOKEN = "c0ffee";

export const run = JSON.parse(readFileSync(join(here, "../../reference/h200-vulkan-overlap-1.json"), "utf8"));
const listed = JSON.parse(execFileSync(process.env.FATHOM, ["list", "--json"], { encoding: "utf8" })).benchmarks;

// The built-in scenarios as scenario files have them, written out for a test that compares them.
const chain = (names, rest = {}) => names.map((name, i) => ({ name, ...rest, ...(i > 0 ? { after: [names[i - 1]] } : {}) }));
const eight = [
  ...chain(["compute A", "compute B", "compute C", "graphics A", "compute D"]).map((one) => ({ ...one, ...(one.name === "graphics A" ? { kind: "draw" } : {}) })),
  ...chain(["async A", "async B", "async C"], { queue: "compute" }),
];
const three = [{ name: "A" }, { name: "B", iterations: 128 }, { name: "C", after: ["A"] }];
export const scenarios = [
  { name: "default", scenario: { name: "two chains", workloads: eight } },
  { name: "no-barriers", scenario: { name: "none waits", workloads: eight.map(({ after, ...one }) => one) } },
  { name: "three", scenario: { workloads: three } },
  { name: "three-split", scenario: { workloads: three }, set: { barrier: "split" } },
  { name: "high-priority", scenario: { priority: "high", workloads: eight } },
];

export const welcome = {
  type: "welcome", version: "0.1.0", scenarios, benchmarks: listed,
  devices: [run.devices[0], { ...run.devices[0], id: "cuda:0" }],
};

// Returns a result of overlap whose time line has these workloads one after another, `ns` each.
export function resultOf(names, ns = 200000) {
  const result = structuredClone(run.results[0]);
  result.series = [{
    name: "timeline", columns: ["start", "end", "lane", "queue", "after"],
    data: names.map((_, i) => [i * ns, (i + 1) * ns - 5000, i, 0, i - 1]),
  }];
  result.details = Object.fromEntries(names.map((name, i) => [`lane ${i}`, `${name}, on the direct queue`]));
  result.metrics.find(({ name }) => name === "frame").median = names.length * ns;
  return result;
}

// A server as the page sees it. `answer` is called for each request to measure.
export class Server {
  asked = []; // every message of every page
  sockets = [];
  answer = (measure) => this.finish(measure.id, resultOf(this.names(measure)));

  names({ scenario, set }) {
    const file = scenario ?? scenarios.find(({ name }) => name === set.scenario)?.scenario;
    return file?.workloads.filter(({ enabled }) => enabled !== false).map(({ name }) => name) ?? ["A"];
  }

  say(message) {
    for (const socket of this.sockets) socket.send(JSON.stringify(message));
  }

  finish(id, result, rest = {}) {
    this.say({ type: "started", id, cases: 1 });
    this.say({ type: "result", id, frame: 0, result });
    this.say({ type: "done", id, frame: 0, findings: run.findings.slice(1, 4), run: { ...run, results: [result] }, ...rest });
  }

  get measures() {
    return this.asked.filter(({ type }) => type === "measure");
  }

  accept(socket) {
    this.sockets.push(socket);
    socket.onMessage((text) => {
      const message = JSON.parse(text);
      this.asked.push(message);
      if (message.type === "hello" && message.token !== TOKEN) socket.close();
      else if (message.type === "hello") socket.send(JSON.stringify(welcome));
      else if (message.type === "measure") this.answer(message);
    });
  }
}

// Returns the policy in fathom serve's header: nothing inline but the one script and the one style.
function policyOf(html) {
  const [policy] = html.match(/(?<=name="policy" content=")[^"]*/);
  return `${policy}; frame-ancestors 'none'`;
}

// Closed pages, as in browser.mjs; page.server answers them.
const spares = [];

async function blank(opener) {
  const html = readFileSync(process.env.PAGE, "utf8").replace("@FIRST@", "").replace("@LIVE@", "")
    .replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "") // the header has the policy
    .replace("@RUNS@", JSON.stringify({ live: true, version: "0.1.0", runs: [] }));
  const page = await opener.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on("console", (message) => page.complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
  await page.route("**/*", (route) => route.request().url().startsWith(ORIGIN)
    ? route.fulfill({ body: html, contentType: "text/html", headers: { "Content-Security-Policy": policyOf(html) } })
    : (page.complaints.push(`request: ${route.request().url()}`), route.abort()));
  await page.routeWebSocket(`${ORIGIN.replace("http", "ws")}/live`, (socket) => page.server.accept(socket));
  return page;
}

export async function visit(browser, server, { fragment = `token=${TOKEN}`, width = 1440, height = 900, colorScheme = "light", context } = {}) {
  const page = context ? await blank(context) : spares.pop() ?? await blank(browser);
  Object.assign(page, { server, complaints: [], spares: context ? undefined : spares });
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme });
  await page.goto(`${ORIGIN}/#${fragment}`);
  await page.waitForSelector("body[data-ready]");
  return page;
}

// Waits until the condition, which may be a promise, holds.
export async function until(page, condition, what) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    const found = await condition();
    if (found) return found;
    await page.waitForTimeout(50);
  }
  throw new Error(`never: ${what}`);
}

// Returns the names beside the rows of the time line.
export const lanes = (page) => page.evaluate(() =>
  window.fathomCharts.get("live-timeline").echarts?.getOption().yAxis[0].data);
