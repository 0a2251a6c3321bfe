// SPDX-License-Identifier: MIT
// Other reports: several runs at once, one chip through two APIs, hostile texts, only failures,
// time lines and histograms.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, demo, launch, open, report, rich, shots } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const shoot = (page, name) => page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });

test("several runs are overlaid, a column each", async () => {
  const other = demo();
  other.devices[0].name = "Another chip";
  for (const result of other.results)
    for (const metric of result.metrics) {
      metric.median *= 1.3;
      metric.ci95 = metric.ci95.map((value) => value * 1.3);
    }
  const page = await open(browser, report("two", demo(), other));
  const names = await page.evaluate(() =>
    window.fathomCharts.get("latency-0").echarts.getOption().series.map(({ name }) => name));
  assert.ok(names.includes("vector random · Demo chip (formulas, not measured)"));
  assert.ok(names.includes("vector random · Another chip"));
  assert.equal(await page.locator("#about > .machines > .machine").count(), 2);
  // The same series has the same colour on both devices, and another dash.
  const style = (name) => page.evaluate((name) => {
    const one = window.fathomCharts.get("latency-0").echarts.getOption().series
      .find((series) => series.type === "line" && series.name === name);
    return [one.color, one.lineStyle.type];
  }, name);
  const [first, second] = [await style(names[0]), await style("vector random · Another chip")];
  assert.equal(first[0], second[0]);
  assert.notEqual(first[1], second[1]);
  const heads = await page.locator("#latency-1 thead th").allInnerTexts();
  assert.deepEqual(heads.slice(0, 3), ["bytes",
    "latency, Demo chip (formulas, not measured)", "latency, Another chip"]);
  assert.equal(await page.locator("#latency-1 tbody tr").count(), 8);
  await shoot(page, "two");
  await close(page);
});

test("the same device twice is told apart by what differs", async () => {
  const later = demo();
  later.started = "2026-05-06T07:08:09Z";
  const page = await open(browser, report("again", demo(), later));
  const heads = await page.locator("#about > .machines h3").allInnerTexts();
  assert.equal(new Set(heads).size, 2);
  assert.ok(heads[1].includes("2026-05-06"), heads[1]);
  await close(page);
});

test("one chip through two APIs has a table of ratios", async () => {
  const run = rich();
  run.devices = [run.devices[0], { ...run.devices[0], id: "cuda:0" }];
  const twin = structuredClone(run.results[0]);
  twin.device = "cuda:0";
  twin.metrics[0].median *= 0.9;
  twin.metrics[0].ci95 = twin.metrics[0].ci95.map((value) => value * 0.9);
  run.results.push(twin);
  const page = await open(browser, report("apis", run));
  const row = page.locator("#apis tbody tr").first();
  assert.match(await row.innerText(), /latency\/path=vector.*latency.*14\.67 ns.*16\.30 ns.*1\.111/s);
  assert.match(await row.getAttribute("class"), /suspect/);
  await shoot(page, "apis");
  await close(page);
});

test("one chip is known by its PCI address or as the host's processor, and none of its rows is lost", async () => {
  // Given two APIs with different UUIDs for one chip, and a case that the reference lacks.
  const run = rich();
  const [first] = run.devices;
  run.devices = [
    { ...first, id: "vulkan:0", uuid: "aa", pci: "0000:01:00.0" },
    { ...first, id: "cuda:0", uuid: "bb", pci: "0000:01:00.0" },
    { ...first, id: "opencl:0", uuid: "cc", pci: "0000:01:00.0" },
  ];
  const of = (device, key) => ({ ...structuredClone(run.results[0]), device, key });
  run.results = [of("vulkan:0", "latency/both"), of("cuda:0", "latency/both"),
    of("vulkan:0", "latency/lacking"), of("opencl:0", "latency/lacking")];
  const page = await open(browser, report("pci", run));
  const rows = await page.locator("#apis tbody tr").allInnerTexts();
  assert.equal(rows.length, 2);
  assert.match(rows[0], /both\s+latency\s+16\.30 ns\s+16\.30 ns\s+1\.000\s+–\s+–$/);
  assert.match(rows[1], /lacking\s+latency\s+–\s+16\.30 ns\s+–\s+16\.30 ns\s+–$/);
  await close(page);

  // And given processors without UUID or address.
  run.devices = ["vulkan:0", "opencl:0"].map((id) => ({ ...first, id, uuid: undefined, pci: undefined, kind: "cpu" }));
  run.results = [of("vulkan:0", "latency/both"), of("opencl:0", "latency/both")];
  const other = await open(browser, report("cpus", run));
  assert.equal(await other.locator("#apis tbody tr").count(), 1);
  await close(other);
});

test("other versions of a benchmark side by side are warned of", async () => {
  const newer = demo();
  newer.devices[0].name = "Another chip";
  newer.benchmarks[0].version = 2;
  for (const result of newer.results) if (result.benchmark === "latency") result.version = 2;
  const page = await open(browser, report("versions", demo(), newer));
  assert.match(await page.locator("#latency .warning").innerText(), /not comparable/);
  await close(page);
});

test("a parameter that only one of two runs has makes their cases not comparable", async () => {
  const together = demo();
  for (const result of together.results) result.case.with = "vulkan:1";
  for (const runs of [[together, demo()], [demo(), together]]) {
    const page = await open(browser, report("together", ...runs));
    assert.match(await page.locator(".differences").innerText(), /Not comparable/);
    await close(page);
  }
});

test("hostile texts are shown, never run", async () => {
  const run = rich();
  const attack = "</script><script>alert(1)</script><img src=x onerror=alert(2)><b>\u0007\u202e";
  run.devices[0].name = attack;
  run.tool.version = attack;
  run.host[attack] = attack;
  run.findings[0].text = attack;
  run.benchmarks[0].title = attack;
  run.benchmarks[0].views[0].title = attack;
  for (const one of [...run.benchmarks[0].params, ...run.benchmarks[0].metrics]) one.help = attack;
  run.results[1].reasons[0].text = attack;
  run.results[0].series[0].columns = [attack, attack];
  for (const result of run.results) {
    result.case.path += attack;
    result.key += attack;
  }
  const page = await open(browser, report("hostile", run));
  assert.equal(await page.locator("img").count(), 0);
  assert.ok((await page.locator("h1").innerText()).includes("<script>alert(1)"));
  await page.focus("#latency-0 .plot");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#latency-0 .tip");
  await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
  await page.waitForSelector("#latency-0 .numbers tbody", { state: "attached" });
  assert.equal(await page.locator("img").count(), 0);
  await close(page);
});

test("a text of a million letters does not break the page", async () => { // in check-long of ten million
  const run = rich();
  run.devices[0].driver = "x".repeat((process.env.FATHOM_LONG ? 10 : 1) << 20);
  const page = await open(browser, report("huge", run));
  assert.equal(await page.locator("#latency-0 svg").count(), 1);
  await close(page);
});

test("a run with only failures says so", async () => {
  const run = rich();
  run.results = run.results.filter(({ verdict }) => verdict === "failed");
  const page = await open(browser, report("failed", run));
  assert.match(await page.locator("#first .warning").first().innerText(), /No case of this device gave a number/);
  assert.match(await page.locator("#latency .flags").innerText(), /mismatch: hop 12 is at 7/);
  await shoot(page, "failed");
  await close(page);
});

test("an empty, interrupted run is a page", async () => {
  const run = { ...rich(), status: "interrupted", results: [], findings: [] };
  const page = await open(browser, report("empty", run));
  assert.match(await page.locator("#first .warning").first().innerText(), /Nothing was measured/);
  await close(page);
});

test("a heat map over names is shown as bars, too", async () => {
  const run = demo();
  const loads = run.benchmarks.find(({ name }) => name === "loads");
  const [x, y] = loads.params.filter(({ type }) => type === "text").map(({ key }) => key);
  loads.views = [{ kind: "heatmap", title: "Loads", x, y, metric: loads.metrics[0].name }];
  const page = await open(browser, report("names", run));
  const cases = run.results.filter((result) => result.benchmark === "loads" && result.metrics.length > 0);
  const rows = await page.evaluate(() =>
    window.fathomCharts.get("loads-bars").echarts.getOption().yAxis[0].data);
  assert.equal(rows.length, cases.length);
  await close(page);
});

test("time lines, matrices and histograms are drawn from series", async () => {
  const run = rich();
  run.results[0].details = { "lane 0": "compute A, on the direct queue", "lane 1": "async A" };
  run.results[0].series = [
    {
      name: "spans", columns: ["start", "end", "lane", "core", "after"],
      data: [[0, 500, 0, 0, null], [100, 900, 1, 1, null], [600, 1200, 0, 2, 0], [950, 1500, 1, 0, 1]],
    },
    { name: "delays", columns: ["low", "high", "count"], data: [[0, 10, 5], [10, 20, 50], [20, 30, 2]] },
    { name: "clock", columns: ["time", "clock"], data: [[0, 1.9e9], [1, null], [2, 1.7e9]] },
    { name: "entered", columns: ["alone", "at a boundary"], data: [[37, 3]] },
    { name: "matrix", columns: ["a", "b", "overlap"], data: [[0, 1, 0.98], [0, 2, 0], [1, 2, 0.5]] },
  ];
  const page = await open(browser, report("series", run));
  for (const i of [0, 1, 2, 3, 4])
    assert.ok(await page.locator(`#latency-series-${i} svg path`).count() > 3, `series ${i}`);
  const lanes = () => page.evaluate(() =>
    window.fathomCharts.get("latency-series-0").echarts.getOption().yAxis[0].data);
  assert.deepEqual(await lanes(), ["compute A", "async A"]);
  await page.click('#latency-series-0 .switch button:has-text("by core")');
  assert.deepEqual(await lanes(), ["core 0", "core 1", "core 2"]);
  const entered = await page.evaluate(() =>
    window.fathomCharts.get("latency-series-3").echarts.getOption());
  assert.deepEqual([entered.xAxis[0].data, entered.series[0].data], [["alone", "at a boundary"], [37, 3]]);
  const matrix = await page.evaluate(() =>
    window.fathomCharts.get("latency-series-4").echarts.getOption());
  assert.deepEqual(matrix.yAxis[0].data, ["async A", "lane 2"]);
  assert.deepEqual(matrix.series[0].data.map(({ value }) => value), [[0, 0, 0.98], [0, 1, 0], [1, 1, 0.5]]);
  await shoot(page, "series");
  await close(page);
});

test("of cases that carry the same series one is shown, and any can be chosen; the clock stands in the tip", async () => {
  const run = rich();
  run.results.slice(0, 3).forEach((result, i) => {
    result.sensors = { core_clock: { value: 1.98e9, unit: "Hz" }, temperature: { value: 41, unit: "degC" } };
    result.series = [{
      name: "quantiles", columns: ["p", "response", "low", "high", "samples"],
      data: [[0.5, 1000 * (i + 1), 900, 1100, 60], [0.9, 5000, null, null, 60]],
    }];
  });
  const page = await open(browser, report("picker", run));
  const shown = () => page.evaluate(() => window.fathomCharts.get("latency-series-0").echarts
    .getOption().series.map(({ data }) => data));
  assert.deepEqual(await shown(), [[[1000, 0.5], [5000, 0.9]], [[900, 1100, 0.5]]]);
  await page.selectOption("#latency .picker select", { index: 2 });
  assert.equal(await page.locator("#latency .picker figure").count(), 1);
  assert.deepEqual((await shown())[0], [[3000, 0.5], [5000, 0.9]]);
  await page.focus("#latency-0 .plot");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector("#latency-0 .tip .sensed");
  assert.match(await page.locator("#latency-0 .tip .sensed").first().innerText(), /1.980 GHz, 41.00 °C/);
  await close(page);
});

test("findings stand beside the chart of their benchmark, those from flagged cases in grey", async () => {
  // Given a finding on a level, and a finding that is based on a flagged case.
  const run = demo();
  const [one, other] = [run.results[0], run.results.find(({ benchmark }) => benchmark === "bandwidth")];
  other.verdict = "suspect";
  run.findings = [
    { code: "level", text: `${one.device}: level 1: 16 ns up to 230 KiB`, value: 235520, device: one.device, keys: [one.key] },
    { code: "said", text: "stores cost more", device: one.device, keys: [other.key] },
  ];
  const page = await open(browser, report("findings", run), { folded: true });
  assert.match(await page.locator("#latency .front .findings").innerText(), /L1: 16 ns up to 230 KiB/);
  const flagged = page.locator("#bandwidth .front .findings li.unsure");
  assert.match(await flagged.innerText(), /stores cost more \(from flagged cases\)/);
  await close(page);
});

test("a limit that changes along the curve is drawn as a line of its own", async () => {
  const run = demo();
  const points = run.results.filter(({ benchmark, metrics }) => benchmark === "latency" && metrics.length);
  points.forEach(({ metrics }, i) => { metrics[0].limit = 1 + i; });
  const page = await open(browser, report("ceiling", run));
  const series = await page.evaluate(() => window.fathomCharts.get("latency-0").echarts.getOption().series);
  const ceilings = series.filter(({ type, silent }) => type === "line" && silent);
  assert.ok(ceilings.length > 0);
  assert.equal(ceilings[0].data[0][1], 1);
  assert.match(await page.locator("#latency-0 .subtitle").innerText(), /dashed: limit/);
  await close(page);
});

test("a heat map over many neighbouring numbers is folded into rows of 16", async () => {
  const run = demo();
  const model = run.results.find(({ case: { scope } }) => scope === "matrix");
  const bytes = [16384, 32768];
  const made = bytes.flatMap((size) => Array.from({ length: 40 }, (_, i) => ({
    ...model, key: `bandwidth/scope=matrix/bytes=${size}/groups=${i + 1}`,
    case: { ...model.case, bytes: size, groups: i + 1 },
  })));
  run.results = [...run.results.filter(({ case: { scope } }) => scope !== "matrix"), ...made];
  const page = await open(browser, report("folded", run));
  const option = () => page.evaluate(() => window.fathomCharts.get("bandwidth-1").echarts.getOption());
  const { xAxis, yAxis, series } = await option();
  assert.deepEqual([xAxis[0].data[0], xAxis[0].data.length], ["1", 16]);
  assert.deepEqual(yAxis[0].data, ["+ 0", "+ 16", "+ 32"]);
  assert.equal(series[0].data.length, 40); // one value of y at a time
  assert.deepEqual(series[0].data[39].value.slice(0, 2), [7, 2]); // 40 = 32 + 8
  await page.click('#bandwidth-1 .switch button:has-text("32 KiB")');
  assert.equal((await option()).series[0].data.length, 40);
  await shoot(page, "folded");
  await close(page);
});
