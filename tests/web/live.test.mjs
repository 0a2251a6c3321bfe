// SPDX-License-Identifier: MIT
// The page of fathom serve, with a server that the test plays: what each control asks, what each
// answer shows, and what the address keeps.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, faint, launch, shots } from "./browser.mjs";
import { lanes, resultOf, run, scenarios, Server, TOKEN, until, visit, welcome } from "./live.mjs";

let browser;

before(async () => { browser = await launch(); });
after(() => browser.close());

// Opens a page and waits for its first time line; `count` is how often it asked for a measurement.
async function started(options) {
  const server = new Server();
  const page = await visit(browser, server, options);
  await page.waitForSelector("#live-timeline svg path", { state: "attached" });
  await page.waitForSelector("#live-report section", { state: "attached" }); // the run has arrived
  return { server, page, count: server.measures.length };
}

// Returns the page's next request after `count` measurements.
const next = (page, server, count) => until(page, () => server.measures[count], "a measurement is asked");

// Chooses a built-in scenario, and waits until the page asks for it.
async function choose(page, server, name) {
  await key(page, `preset ${name}`).click();
  await until(page, () => server.measures.at(-1).set.scenario === name, `${name} is measured`);
}

const key = (page, name) => page.locator(`[data-key="${name}"]`);

test("the token leaves the address, is not in what is kept, and survives a reload", async () => {
  const { server, page } = await started();
  assert.deepEqual(server.asked[0], { type: "hello", token: TOKEN });
  await key(page, "preset three").click();
  await page.waitForFunction(() => location.hash.includes("three"));
  assert.ok(!page.url().includes(TOKEN), page.url());
  assert.ok(!page.url().includes("token"), page.url());
  const hellos = () => server.asked.filter(({ type, token }) => type === "hello" && token === TOKEN).length;
  await page.reload();
  await until(page, () => hellos() === 2, "the page says hello again");
  await close(page);
});

test("the address of another start, in the same tab, is taken up", async () => {
  const server = new Server(), page = await visit(browser, server, { fragment: "token=beef" });
  await page.waitForSelector("main .warning:visible");
  await page.evaluate((token) => { location.hash = `token=${token}`; }, TOKEN);
  await until(page, () => server.measures[0], "the page connects with the new token");
  assert.ok(!page.url().includes(TOKEN));
  await close(page);
});

test("without a token the page says where to get one and asks nothing", async () => {
  const server = new Server(), page = await visit(browser, server, { fragment: "" });
  assert.match(await page.locator("main .warning:visible").innerText(), /no token.*fathom serve printed/);
  assert.equal(server.asked.length, 0);
  await close(page);
});

test("a token that the server refuses is said", async () => {
  const server = new Server(), page = await visit(browser, server, { fragment: "token=beef" });
  await page.waitForSelector("main .warning:visible");
  assert.match(await page.locator("main .warning:visible").innerText(), /did not accept/);
  assert.equal(server.sockets.length, 1); // the page did not connect again
  await close(page);
});

test("each of the published scenarios is measured by its name, and its cards are shown", async () => {
  const { server, page } = await started();
  assert.equal(server.measures[0].benchmark, "overlap");
  assert.equal(server.measures[0].set.scenario, "default");
  for (const { name, scenario } of scenarios) {
    const count = server.measures.length;
    await key(page, `preset ${name}`).click();
    const asked = await next(page, server, count);
    assert.equal(asked.set.scenario, name);
    assert.equal(asked.scenario, undefined);
    assert.equal(await page.locator(".work").count(), scenario.workloads.length);
    await page.waitForFunction((rows) =>
      window.fathomCharts.get("live-timeline").echarts.getOption().yAxis[0].data.length === rows, scenario.workloads.length);
  }
  await close(page);
});

test("every slider of every workload is measured with its value, and the time line follows", async () => {
  const { server, page } = await started();
  await choose(page, server, "three");
  for (let at = 0; at < 3; at++)
    for (const [name, value, most] of [["groups", 17, "256"], ["iterations", 99, "128"]]) {
      const count = server.measures.length, slider = key(page, `${at}/${name}`);
      assert.deepEqual([await slider.getAttribute("min"), await slider.getAttribute("max")], ["1", most]);
      server.answer = ({ id, scenario }) => server.finish(id, resultOf(["A", "B", "C"], 1000 * scenario.workloads[at][name]));
      await slider.fill(String(value + at));
      const asked = await until(page, () => server.measures.slice(count).find(({ scenario }) =>
        scenario?.workloads[at][name] === value + at), "the slider's value is measured");
      assert.equal(asked.set.scenario, undefined);
      await page.waitForFunction((end) =>
        window.fathomCharts.get("live-timeline").echarts.getOption().xAxis[0].max === end, 3000 * (value + at) - 5000);
    }
  assert.equal(await page.locator('.presets [aria-pressed="true"]').count(), 0); // it is no built-in one now
  await close(page);
});

test("a scenario with split barriers keeps them when it is changed, and gives them back to none other", async () => {
  const { server, page } = await started();
  await choose(page, server, "three-split");
  const count = server.measures.length;
  await key(page, "0/groups").fill("9");
  assert.equal((await next(page, server, count)).set.barrier, "split");
  await choose(page, server, "three-split");
  await choose(page, server, "default");
  assert.equal(server.measures.at(-1).set.barrier, "memory");
  await close(page);
});

test("keys move a slider, and the slider keeps the focus", async () => {
  const { server, page, count } = await started();
  await key(page, "0/groups").focus();
  await page.keyboard.press("ArrowRight");
  assert.equal((await next(page, server, count)).scenario.workloads[0].groups, 9);
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "0/groups");
  await close(page);
});

test("while a slider moves, the next request waits for the answer to the last one", async () => {
  const { server, page, count } = await started();
  let open;
  server.answer = (measure) => { open = measure; };
  await key(page, "0/groups").fill("10");
  await next(page, server, count);
  for (const value of ["11", "12", "13"]) await key(page, "0/groups").fill(value);
  await page.waitForTimeout(300);
  assert.equal(server.measures.length, count + 1);
  server.finish(open.id, resultOf(["A"]));
  assert.equal((await next(page, server, count + 1)).scenario.workloads[0].groups, 13);
  await close(page);
});

test("workloads are added, named, removed, disabled, and made to wait", async () => {
  const { server, page } = await started();
  await choose(page, server, "three");
  const after = async (act) => {
    const count = server.measures.length;
    await act();
    return (await next(page, server, count)).scenario.workloads;
  };
  assert.equal((await after(() => page.click("text=Add a workload"))).length, 4);
  await page.waitForFunction(() => document.activeElement.dataset.key === "3/name");
  const named = await after(async () => { await key(page, "3/name").fill("D"); await page.keyboard.press("Enter"); });
  assert.equal(named[3].name, "D");
  assert.deepEqual((await after(() => key(page, "3/after-0").click()))[3].after, ["A"]);
  assert.deepEqual((await after(() => key(page, "3/after-2").click()))[3].after, ["A", "C"]);
  const renamed = await after(async () => { await key(page, "0/name").fill("first"); await page.keyboard.press("Enter"); });
  assert.deepEqual(renamed[3].after, ["first", "C"]);
  assert.equal((await after(() => key(page, "1/enabled").uncheck()))[1].enabled, false);
  await page.waitForFunction(() => window.fathomCharts.get("live-timeline").echarts.getOption().yAxis[0].data.join() === "first,C,D");
  assert.equal((await after(() => key(page, "3/queue").selectOption("compute")))[3].queue, "compute");
  assert.equal((await after(() => key(page, "3/kind").selectOption("draw")))[3].kind, "draw");
  const gone = await after(() => key(page, "2/remove").click());
  assert.deepEqual(gone.map(({ name }) => name), ["first", "B", "D"]);
  assert.deepEqual(gone[2].after, ["first"]);
  await key(page, "2/name").fill("B"); // another workload has this name
  await page.keyboard.press("Enter");
  assert.equal(await key(page, "2/name").inputValue(), "D");
  await close(page);
});

test("workloads are reordered by buttons, by keys and by dragging; none waits for a later one", async () => {
  const { server, page } = await started();
  await choose(page, server, "three");
  const order = async (act) => {
    const count = server.measures.length;
    await act();
    return (await next(page, server, count)).scenario.workloads.map(({ name, after }) => name + (after ?? []).join(""));
  };
  assert.deepEqual(await order(() => key(page, "0/down").click()), ["B", "A", "CA"]);
  // The focus goes along with the workload.
  assert.equal(await page.evaluate(() => document.activeElement.dataset.key), "1/down");
  assert.deepEqual(await order(() => page.keyboard.press("Enter")), ["B", "C", "A"]); // C no longer waits for A
  assert.deepEqual(await order(() => page.locator(".work .grip").nth(2).dragTo(page.locator(".work").nth(0))), ["A", "B", "C"]);
  await close(page);
});

test("a scenario that was given to the server as text is shown by its name", async () => {
  const { server, page, count } = await started();
  const own = '{"name":"mine","workloads":[{"name":"A"}]}';
  const result = { ...resultOf(["A"]), key: `overlap/scenario=${own}/barrier=none`, case: { scenario: own, barrier: "none" } };
  server.answer = ({ id }) => server.finish(id, result, {
    findings: [{ code: "x", text: `vulkan:0: yes (${own}, none)`, device: "vulkan:0", keys: [result.key] }],
    run: { ...run, results: [result] },
  });
  await key(page, "name").fill("mine");
  await page.keyboard.press("Enter");
  assert.equal((await next(page, server, count)).scenario.name, "mine");
  await page.waitForFunction(() => document.querySelector("#live-timeline .subtitle")?.textContent.includes("mine"));
  assert.equal(await page.locator("#live-timeline .subtitle").innerText(), "live · scenario=mine · barrier=none · frame 1");
  assert.equal(await page.locator(".live-rest .findings li").innerText(), "yes (mine, none)");
  await page.waitForSelector("#live-report section", { state: "attached" });
  assert.ok(!(await page.locator("#live-report").innerText()).includes("{"));
  await close(page);
});

test("priority, clock and barrier are sent", async () => {
  const { server, page, count } = await started();
  await key(page, "barrier").selectOption("full");
  assert.equal((await next(page, server, count)).set.barrier, "full");
  await key(page, "priority").selectOption("high");
  const { scenario } = await next(page, server, count + 1);
  assert.equal(scenario.priority, "high");
  assert.ok(!("clock" in scenario)); // the default is not sent
  await key(page, "clock").selectOption("stable");
  assert.equal((await next(page, server, count + 2)).scenario.clock, "stable");
  await close(page);
});

test("hover shows start, end, gap and overlap", async () => {
  const server = new Server();
  server.answer = ({ id }) => server.finish(id, run.results[0]);
  const page = await visit(browser, server);
  await page.waitForSelector("#live-timeline svg path", { state: "attached" });
  await page.focus("#live-timeline .plot");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight"); // compute B, which waits for compute A
  const tip = page.locator("#live-timeline .plot > div:last-child");
  await page.waitForFunction(() => document.querySelector("#live-timeline .plot > div:last-child").innerText.includes("compute B"));
  const text = await tip.innerText();
  assert.match(text, /start 210\.2 µs, end 413\.3 µs/); // from the run file: 210176 ns, 413280 ns
  assert.match(text, /gap 6\.336 µs after compute A/); // 210176 - 203840
  assert.match(text, /overlap 199\.9 µs with async B, 99 % of the shorter/); // 410080 - 210176 of 202944
  await close(page);
});

test("control and wheel zoom, and the zoom stays when the time line moves", async () => {
  const { server, page } = await started();
  const zoom = () => page.evaluate(() => {
    const { start, end } = window.fathomCharts.get("live-timeline").echarts.getOption().dataZoom[0];
    return end - start;
  });
  const box = await page.locator("#live-timeline .plot").boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 3);
  await page.keyboard.down("Control");
  let zoomed = await zoom();
  while (zoomed > 60) {
    await page.mouse.wheel(0, -400);
    const last = zoomed;
    zoomed = await until(page, async () => (zoomed = await zoom()) < last && zoomed, "it zooms");
  }
  await page.keyboard.up("Control");
  const asked = server.measures.length;
  server.answer = ({ id }) => server.finish(id, resultOf(welcome.scenarios[0].scenario.workloads.map(({ name }) => name), 300000));
  await key(page, "0/groups").fill("20");
  await next(page, server, asked);
  await page.waitForFunction(() => window.fathomCharts.get("live-timeline").echarts.getOption().xAxis[0].max > 2e6);
  assert.equal(await zoom(), zoomed);
  await close(page);
});

test("a scenario is saved as a file and loaded again; a wrong file is said", async () => {
  const { server, page } = await started();
  await key(page, "0/groups").fill("33");
  const [file] = await Promise.all([page.waitForEvent("download"), key(page, "save").click()]);
  const saved = readFileSync(await file.path(), "utf8");
  assert.equal(JSON.parse(saved).workloads[0].groups, 33);
  await choose(page, server, "three");
  const count = server.measures.length;
  await key(page, "load").setInputFiles({ name: "mine.json", mimeType: "application/json", buffer: Buffer.from(saved) });
  const asked = await until(page, () => server.measures.slice(count).find(({ scenario }) => scenario), "the file is measured");
  assert.deepEqual(asked.scenario, JSON.parse(saved));
  const wrong = saved.replace('"groups": 33', '"groups": 999');
  await key(page, "load").setInputFiles({ name: "wrong.json", mimeType: "application/json", buffer: Buffer.from(wrong) });
  await page.waitForSelector("[role=alert]:visible");
  assert.equal(await page.locator("[role=alert]").innerText(), "wrong.json: workloads[0].groups: must be 1 to 256");
  await close(page);
});

test("the address brings the page back", async () => {
  const { server, page } = await started();
  await page.locator('[data-key="device"]').selectOption({ index: 1 });
  await key(page, "preset three").click();
  await key(page, "1/groups").fill("77");
  await key(page, "place").selectOption("after");
  await until(page, () => server.measures.at(-1).set.place === "after" && server.measures.at(-1).scenario, "it is measured");
  const saved = server.measures.at(-1), fragment = new URL(page.url()).hash.slice(1);
  const again = new Server(), other = await visit(browser, again, { fragment: `token=${TOKEN}&${fragment}` });
  const asked = await next(other, again, 0);
  assert.deepEqual({ ...asked, id: 0 }, { ...saved, id: 0 });
  assert.equal(asked.device, "cuda:0");
  assert.equal(await key(other, "1/groups").inputValue(), "77");
  assert.ok(!other.url().includes(TOKEN));
  await close(page);
  await close(other);
});

test("a state that cannot be read is said, and the page works", async () => {
  const server = new Server();
  const page = await visit(browser, server, { fragment: `token=${TOKEN}&state=${encodeURIComponent('{"scenario":{"workloads":[]}}')}` });
  await next(page, server, 0);
  await close(page);
  const broken = await visit(browser, new Server(), { fragment: `token=${TOKEN}&state=%7B` });
  assert.match(await broken.locator("[role=alert]").innerText(), /state in this address cannot be read/);
  await close(broken);
});

test("continuous measuring shows median and spread of the last frames, and saving its run ends it", async () => {
  const { server, page, count } = await started();
  let open;
  server.answer = (measure) => { open = measure; server.say({ type: "started", id: measure.id, cases: 1 }); };
  await key(page, "continuous").check();
  assert.equal((await next(page, server, count)).continuous, true);
  const frame = (ns) => {
    const result = resultOf(["A", "B"]);
    result.metrics.find(({ name }) => name === "frame").median = ns;
    return result;
  };
  [1000, 3000, 2000, 5000, 4000].forEach((ns, i) =>
    server.say({ type: "result", id: open.id, frame: i, result: frame(ns) }));
  await page.waitForFunction(() => document.querySelector("#live-timeline .subtitle")?.textContent.endsWith("frame 5"));
  server.say({ type: "result", id: open.id, frame: 4, result: frame(4000) }); // the same frame, a visit later
  await page.waitForTimeout(100);
  const row = await page.locator(".live-figures tbody tr").first().locator("td").allInnerTexts();
  assert.equal(row[1], "3.000 µs");
  assert.equal(row[2], "1.400 µs – 4.600 µs"); // 10 % and 90 % of five values
  assert.equal(await page.locator(".live-figures .live-mark").innerText(), "live");
  assert.ok(await page.locator("#live-strip svg path").count() > 3);
  const [file] = await Promise.all([page.waitForEvent("download"), (async () => {
    await key(page, "run").click();
    await until(page, () => server.asked.at(-1).type === "cancel", "it is cancelled");
    server.say({ type: "done", id: open.id, frame: 4, status: "interrupted", findings: [], run: { ...run, results: [frame(4000)] } });
  })()]);
  assert.equal(JSON.parse(readFileSync(await file.path(), "utf8")).results.length, 1);
  assert.equal(await key(page, "continuous").isChecked(), false);
  assert.equal(await page.locator(".live-progress").innerText(), "Cancelled: 1 case");
  await close(page);
});

test("a thousand frames leave no more behind than a hundred", async () => {
  const { server, page, count } = await started();
  let open;
  server.answer = (measure) => { open = measure; server.say({ type: "started", id: measure.id, cases: 1 }); };
  await key(page, "continuous").check();
  await next(page, server, count);
  const result = resultOf(["A", "B"]);
  const elements = async (from, to) => {
    for (let frame = from - 1; frame < to; frame++) {
      server.say({ type: "result", id: open.id, frame, result });
      server.say({ type: "done", id: open.id, frame, findings: run.findings.slice(0, 2) });
    }
    await page.waitForFunction((to) => document.querySelector("#live-timeline .subtitle")?.textContent.endsWith(`frame ${to}`), to);
    return page.evaluate(() => document.querySelectorAll("*").length);
  };
  const first = await elements(1, 300);
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    return (await session.send("Runtime.getHeapUsage")).usedSize;
  };
  const before = await heap(), frames = process.env.FATHOM_LONG ? 2000 : 1000;
  assert.equal(await elements(301, 300 + frames), first);
  // The last frames may still be on their way, so the test waits; leaked memory would stay.
  await until(page, async () => await heap() - before < 2e3 * frames, "2 KB or more of each frame stays");
  await close(page);
});

test("an error without a number answers what was asked last", async () => {
  const { server, page, count } = await started();
  server.answer = () => server.say({ type: "error", message: "workloads[0]: wrong" });
  await key(page, "0/groups").fill("40");
  await next(page, server, count);
  await page.waitForSelector("[role=alert]:visible");
  await page.clock.install();
  page.spares = undefined; // this page keeps the test's clock, so it is not used again
  await key(page, "0/groups").fill("41");
  await page.clock.runFor(1000); // page time; without an answer the next request would wait for 4 s
  await next(page, server, count + 1);
  await close(page);
});

test("a worker that dies is said, and the next answer takes the line away", async () => {
  const { server, page, count } = await started();
  server.answer = ({ id }) => server.say({ type: "error", id, message: "the device was lost; it is started again" });
  await key(page, "measure").click();
  await next(page, server, count);
  await page.waitForSelector("[role=alert]:visible");
  assert.equal(await page.locator("[role=alert]").innerText(), "the device was lost; it is started again");
  server.say({ type: "status", text: "the worker was started" });
  await page.waitForFunction(() => document.querySelector(".live-progress")?.textContent === "the worker was started");
  server.answer = ({ id }) => server.finish(id, resultOf(["A"]));
  await key(page, "measure").click();
  await page.waitForFunction(() => document.querySelector("[role=alert]").hidden);
  await close(page);
});

test("cancel is sent, and nothing is asked behind it", async () => {
  const { server, page, count } = await started();
  server.answer = ({ id }) => server.say({ type: "started", id, cases: 1 });
  await key(page, "0/groups").fill("40");
  await next(page, server, count);
  await key(page, "0/groups").fill("41"); // would be sent after the answer to the last request
  await key(page, "cancel").click();
  await until(page, () => server.asked.at(-1).type === "cancel", "it is cancelled");
  await page.waitForTimeout(500);
  assert.equal(server.measures.length, count + 1);
  await close(page);
});

test("two pages see the same results; the second one does not replace what is measured", async () => {
  const { server, page, count } = await started();
  let open;
  server.answer = (measure) => { open = measure; server.say({ type: "started", id: measure.id, cases: 1 }); };
  await key(page, "continuous").check();
  await next(page, server, count);
  const beat = setInterval(() => server.say({ type: "started", id: open.id, cases: 1 }), 20);
  const other = await visit(browser, server);
  await other.waitForSelector("#live .live-bar");
  await other.waitForTimeout(600);
  clearInterval(beat);
  assert.equal(server.measures.length, count + 1);
  server.say({ type: "result", id: open.id, frame: 0, result: resultOf(["one", "two"]) });
  for (const one of [page, other])
    await one.waitForFunction(() => window.fathomCharts.get("live-timeline").echarts?.getOption().yAxis[0].data.join() === "one,two");
  assert.match(await other.locator(".live-progress").innerText(), /Another page measures/);
  assert.ok(!/Another/.test(await page.locator(".live-progress").innerText()));
  server.answer = ({ id }) => server.finish(id, resultOf(["mine"]));
  await key(other, "measure").click();
  assert.notEqual((await next(other, server, count + 1)).id, open.id);
  await page.waitForFunction(() => window.fathomCharts.get("live-timeline").echarts.getOption().yAxis[0].data.join() === "mine");
  await close(page);
  await close(other);
});

test("the connection is made again when it ends", async () => {
  const { server, page } = await started();
  await server.sockets[0].close();
  server.sockets.length = 0;
  await page.waitForSelector("main .warning:visible");
  assert.match(await page.locator("main .warning:visible").innerText(), /no connection to fathom serve/);
  await until(page, () => server.sockets.length === 1, "the page connects again");
  await page.waitForFunction(() => document.querySelector("main .warning").hidden);
  await close(page);
});

test("any benchmark is measured with the parameters that fathom list names, and its report grows", async () => {
  const { server, page, count } = await started();
  const full = JSON.parse(readFileSync(join(import.meta.dirname, "../../reference/h200-vulkan-quick.json"), "utf8"));
  const results = full.results.filter(({ benchmark }) => benchmark === "stream");
  let open;
  server.answer = (measure) => { open = measure; server.say({ type: "started", id: measure.id, cases: results.length }); };
  await key(page, "benchmark").selectOption("stream");
  await page.waitForFunction(() => document.querySelectorAll(".work").length === 0);
  const listed = welcome.benchmarks.find(({ name }) => name === "stream");
  const ops = listed.params.find((param) => param.key === "op").choices.split("|");
  for (const op of ops) assert.equal(await key(page, `op=${op}`).count(), 1, op);
  await page.waitForTimeout(200);
  assert.equal(server.measures.length, count); // not before the reader asks
  await key(page, "op=init").click();
  await key(page, "bytes").fill("64MiB");
  await key(page, "measure").click();
  assert.deepEqual((await next(page, server, count)).set, { op: "read,copy,triad", bytes: "64MiB" });
  const counted = (cases) => page.waitForFunction((cases) =>
    [...document.querySelectorAll("#live-report .count")].reduce((sum, one) => sum + parseInt(one.textContent, 10), 0) === cases, cases);
  server.say({ type: "result", id: open.id, frame: 0, result: results[0] });
  await page.waitForFunction(() => document.querySelector("#live-report section"));
  assert.match(await page.locator("#live-report h2").innerText(), /live/);
  await counted(1);
  results.slice(1).forEach((result) => server.say({ type: "result", id: open.id, frame: 0, result }));
  await counted(results.length);
  await page.waitForSelector("#live-report .chart .plot svg path", { state: "attached" }); // before the run has come
  server.say({ type: "done", id: open.id, frame: 0, findings: [], run: { ...full, results, benchmarks: full.benchmarks.filter(({ name }) => name === "stream") } });
  await page.waitForSelector("#live-report .chart .plot svg path", { state: "attached" });
  assert.ok(!/live/.test(await page.locator("#live-report h2").innerText()));
  assert.match(await page.locator(".live-progress").innerText(), new RegExp(`Done: ${results.length} cases`));
  await close(page);
});

test("a parameter that does not apply is not shown", async () => {
  const { page } = await started();
  await key(page, "benchmark").selectOption("strides");
  await key(page, "pattern=stride").waitFor();
  assert.equal(await key(page, "across").count(), 1); // when=pattern=block, which is chosen
  await key(page, "pattern=block").click();
  assert.equal(await key(page, "across").count(), 0);
  await close(page);
});

test("preempt: each control is measured at once, and the responses are a strip", async () => {
  const { server, page } = await started();
  const full = JSON.parse(readFileSync(join(import.meta.dirname, "../../reference/h200-vulkan-all.json"), "utf8"));
  const result = full.results.find(({ key }) => key.startsWith("preempt/hog=many-dispatches"));
  const without = { ...result, metrics: result.metrics.filter(({ name }) => name !== "response_p90") };
  server.answer = ({ id }) => {
    server.say({ type: "started", id, cases: 1 });
    for (let frame = 0; frame < 8; frame++) server.say({ type: "result", id, frame, result: frame === 3 ? without : result });
  };
  let count = server.measures.length;
  await key(page, "benchmark").selectOption("preempt");
  assert.deepEqual(Object.keys((await next(page, server, count)).set),
    welcome.benchmarks.find(({ name }) => name === "preempt").params.filter(({ when }) => when !== "actors=three").map(({ key }) => key));
  for (const [name, value] of [["hog", "slow-shader"], ["setting", "devices"], ["priority", "high"]]) {
    count = server.measures.length;
    await key(page, name).selectOption(value);
    assert.equal((await next(page, server, count)).set[name], value);
  }
  await page.waitForFunction(() => document.querySelector("#live-strip .subtitle")?.textContent === "response, response_p90, response_max");
  assert.ok(await page.locator("#live-strip svg path").count() > 10);
  // A frame without a figure keeps its place in the strip.
  assert.deepEqual(await page.evaluate(() => window.fathomCharts.get("live-strip").desc.csv().slice(1)
    .map(([frame, , p90]) => (p90 === undefined ? frame : "has it"))), Array.from({ length: 8 }, (_, i) => (i === 3 ? -4 : "has it")));
  assert.ok((await lanes(page)).includes("victim"));
  await page.screenshot({ path: join(shots, "live-preempt.png"), fullPage: true });
  await close(page);
});

test("the drawing is saved as SVG, the time line as the trace that fathom writes", async () => {
  const server = new Server(), result = run.results[0];
  server.answer = ({ id }) => server.finish(id, result);
  const page = await visit(browser, server);
  await page.waitForSelector("#live-timeline svg path", { state: "attached" });
  const [svg] = await Promise.all([page.waitForEvent("download"), page.click('#live-timeline .save button:has-text("SVG")')]);
  assert.match(readFileSync(await svg.path(), "utf8"), /live · NVIDIA H200 · vulkan:0/);
  const [file] = await Promise.all([page.waitForEvent("download"), key(page, "trace").click()]);
  const { WORK, MAKE_TRACE } = process.env, one = join(WORK, "live-run.json"), trace = join(WORK, "live-trace.json");
  writeFileSync(one, JSON.stringify({ ...run, results: [result], findings: [] }));
  execFileSync(MAKE_TRACE, [trace, one]);
  assert.deepEqual(JSON.parse(readFileSync(await file.path(), "utf8")), JSON.parse(readFileSync(trace, "utf8")));
  await close(page);
});

for (const width of [1440, 390])
  for (const colorScheme of ["light", "dark"])
    test(`nothing is too wide or too faint, ${width} px, ${colorScheme}`, async () => {
      const server = new Server();
      server.answer = ({ id }) => server.finish(id, run.results[0]);
      const page = await visit(browser, server, { width, colorScheme });
      await page.waitForSelector("#live-timeline svg path", { state: "attached" });
      await page.waitForSelector("#live-report section", { state: "attached" });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "too wide");
      assert.deepEqual(await faint(page), []);
      await page.screenshot({ path: join(shots, `live-${width}-${colorScheme}.png`) });
      await page.screenshot({ path: join(shots, `live-${width}-${colorScheme}-full.png`), fullPage: true });
      await close(page);
    });
