// SPDX-License-Identifier: MIT
// fathom serve and its page, on the host's processors through Vulkan: from a slider to the time line, under
// the server's policy; a worker is killed; closing the last page ends the measurement.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { close, launch } from "./browser.mjs";

const { FATHOM } = process.env;
let browser, server, address, why = "";

// Starts the server, and returns the address in its first line.
function serve() {
  server = spawn(FATHOM, ["serve", "-d", "vulkan:0"], { stdio: ["ignore", "pipe", "pipe"] });
  return new Promise((resolve, reject) => {
    let said = "";
    const take = (data) => {
      said += data;
      const found = said.match(/http:\S+/);
      if (found) resolve(found[0]);
    };
    server.stdout.on("data", take);
    server.stderr.on("data", take);
    server.on("exit", () => reject(new Error(said)));
  });
}

before(async () => {
  browser = await launch();
  try {
    address = await serve();
  } catch (error) {
    why = error.message.trim(); // no device, or no libcivetweb
    if (process.env.FATHOM_NO_SKIP) throw error;
  }
});
after(async () => {
  await browser.close();
  server?.kill("SIGKILL");
});

async function visit() {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  page.setDefaultTimeout(120000);
  page.complaints = [];
  page.on("console", (message) => page.complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
  await page.goto(address);
  await page.waitForSelector("body[data-ready]");
  return page;
}

const key = (page, name) => page.locator(`[data-key="${name}"]`);
const lanes = (page, names) => page.waitForFunction((names) =>
  window.fathomCharts.get("live-timeline")?.echarts?.getOption().yAxis[0].data.join() === names, names);
const isDone = (page) => page.waitForFunction(() => document.querySelector(".live-progress")?.textContent.startsWith("Done"));
const children = () => {
  try {
    return execFileSync("ps", ["--ppid", String(server.pid), "-o", "pid="], { encoding: "utf8" }).trim().split(/\s+/).filter(Boolean);
  } catch {
    return []; // ps fails if there are no workers
  }
};

test("a slider moves the time line of a real device, and the run can be saved", async (t) => {
  if (why) return t.skip(why);
  const page = await visit();
  assert.ok(!page.url().includes("token"));
  await lanes(page, "compute A,compute B,compute C,graphics A,compute D,async A,async B,async C");
  await key(page, "preset three").click();
  await lanes(page, "compute A,compute B,compute C");
  await isDone(page);
  const length = () => page.evaluate(() => {
    const [a] = window.fathomCharts.get("live-timeline").echarts.getOption().series[0].data;
    return (a.value ?? a)[1] - (a.value ?? a)[0];
  });
  const former = await length();
  // One change only: the first of two may be measured alone. So much work that no busy machine hides it.
  await key(page, "0/groups").fill("256");
  await page.waitForFunction(() => document.querySelector("#live-timeline .subtitle")?.textContent.includes("three, changed"));
  await isDone(page);
  assert.ok(await length() > former, `${former} ns, then ${await length()} ns`);
  const [file] = await Promise.all([page.waitForEvent("download"), key(page, "run").click()]);
  const saved = JSON.parse(readFileSync(await file.path(), "utf8"));
  assert.equal(JSON.parse(saved.results[0].case.scenario).workloads[0].groups, 256);
  assert.match(execFileSync(FATHOM, ["show", await file.path()], { encoding: "utf8" }), /overlap/i);
  await close(page);
});

test("a worker that is killed is said and started again", async (t) => {
  if (why) return t.skip(why);
  const page = await visit();
  await lanes(page, "compute A,compute B,compute C,graphics A,compute D,async A,async B,async C");
  await key(page, "continuous").check();
  await page.waitForFunction(() => /^Frame/.test(document.querySelector(".live-progress")?.textContent));
  // A worker of an earlier request may still be ending, so all workers are killed.
  for (const worker of children()) process.kill(Number(worker), "SIGKILL");
  await page.waitForSelector("[role=alert]:visible");
  assert.match(await page.locator("[role=alert]").innerText(), /vulkan:0 was lost.*started again/);
  const frame = Number((await page.locator("#live-timeline .subtitle").innerText()).match(/\d+$/)[0]);
  await page.waitForFunction((frame) => Number(document.querySelector("#live-timeline .subtitle")?.textContent.match(/\d+$/)?.[0]) > frame, frame);
  await key(page, "cancel").click();
  await isDone(page);
  await close(page);
});

// Returns the processor time of each worker in ticks. A worker may end at any time.
const ticks = () => children().map((pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}).join();

test("the measurement ends with the last page", async (t) => {
  if (why) return t.skip(why);
  const page = await visit(), other = await visit();
  await isDone(other); // its first request would replace the next one
  await key(page, "continuous").check();
  for (const one of [page, other]) // both pages see the frames
    await one.waitForFunction(() => /frame ([2-9]|\d\d)/.test(document.querySelector("#live-timeline .subtitle")?.textContent));
  await close(page);
  const frame = () => other.evaluate(() => document.querySelector("#live-timeline .subtitle").textContent);
  const former = await frame();
  await other.waitForFunction((former) => document.querySelector("#live-timeline .subtitle").textContent !== former, former);
  await close(other);
  for (let before = "none", turn = 0; ticks() !== before; turn++) {
    assert.ok(turn < 30, "the worker still works");
    before = ticks();
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
});

test("another benchmark is measured and its charts come", async (t) => {
  if (why) return t.skip(why);
  const page = await visit();
  await key(page, "benchmark").selectOption("launch");
  await key(page, "mode=batch").waitFor();
  for (const other of ["replay", "submit", "round-trip", "one-way"]) await key(page, `mode=${other}`).click();
  await key(page, "work=scale").click();
  await key(page, "measure").click();
  await page.waitForSelector("#live-report section", { state: "attached" });
  await isDone(page);
  assert.ok(await page.locator("#live-report .chart").count() > 0);
  await close(page);
});

test("what cannot be measured is said in one line", async (t) => {
  if (why) return t.skip(why);
  const page = await visit();
  await key(page, "benchmark").selectOption("stream");
  await key(page, "bytes").fill("many");
  await key(page, "measure").click();
  await page.waitForSelector("[role=alert]:visible");
  assert.match(await page.locator("[role=alert]").innerText(), /bytes.*many|many.*bytes/);
  await close(page);
});
