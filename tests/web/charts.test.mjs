// SPDX-License-Identifier: MIT
// Charts say what was measured and nothing else: levels, series, bars, words.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, demo, launch, open, report, rich } from "./browser.mjs";

const bars = "loads-0";
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const optionOf = (page, id) => page.evaluate((id) => window.fathomCharts.get(id).echarts.getOption(), id);

test("what waits for several is joined to each by an arrow, and what is no curve is a table", async () => {
  // Given a time line whose last span waited for both others, and series of times beside counts.
  const run = rich();
  run.results[0].details = { "lane 1": "async A" };
  run.results[0].series = [
    { name: "timeline", columns: ["start", "end", "lane", "after"],
      data: [[0, 500, 0, -1], [100, 900, 1, -1], [950, 1200, 0, 0]] },
    { name: "edges", columns: ["from", "to"], data: [[0, 2], [1, 2]] },
    { name: "calibration", columns: ["tick", "offset", "seen"], data: [[1, 1.8e15, 80]] },
    { name: "markers", columns: ["lane", "stamped_start", "polled_start"], data: [[0, 1, 9], [1, 100, 120]] },
  ];
  const page = await open(browser, report("overlap", run));
  // Then edges are arrows of the time line alone, all of them …
  const arrows = (await optionOf(page, "latency-series-0")).series[1].data;
  assert.deepEqual(arrows, [[500, 0, 950, 0], [900, 1, 950, 0]]);
  assert.equal(await page.locator('#latency-series-0 svg path[fill="#5c6770"]').count(), 2, "heads of arrows");
  const headings = await page.locator(".picker h3").allInnerTexts();
  assert.deepEqual(headings.map((text) => text.split(": ")[1]), ["timeline", "calibration", "markers"]);
  // … and the others are tables without a drawing, the lanes by their names.
  assert.equal(await page.locator(".picker svg").count(), 1);
  assert.match(await page.locator("#latency-series-1 tbody").innerText(),
    /tick\s+1\s+offset\s+1800000000000000\s+seen\s+80/);
  assert.match(await page.locator("#latency-series-2 tbody").innerText(), /lane 0\s+1\s+9\s+async A\s+100\s+120/);
  await close(page);
});

test("edges without a time line are a table", async () => {
  const run = rich();
  run.results[0].series = [{ name: "edges", columns: ["from", "to"], data: [[0, 2], [1, 2]] }];
  const page = await open(browser, report("edges", run));
  assert.match(await page.locator("#latency-series-0 tbody").innerText(), /0\s+2\s+1\s+2/);
  assert.equal(await page.locator(".picker svg").count(), 0);
  await close(page);
});

test("the page says what names mean: under titles, on heads and switches, and in a list", async () => {
  // Given a parameter without a unit, and a metric that is called cycles.
  const run = demo();
  const [latency, bandwidth] = run.benchmarks;
  latency.params.find(({ key }) => key === "order").help = "plru: few pages at a time";
  latency.params.find(({ key }) => key === "bytes").unit = "1";
  latency.params.find(({ key }) => key === "bytes").help = "operations a byte";
  bandwidth.metrics[0].name = "cycles";
  bandwidth.metrics[0].unit = "cycle";
  bandwidth.views[1].metric = "cycles";
  for (const { benchmark, metrics } of run.results)
    if (benchmark === "bandwidth" && metrics[0]) Object.assign(metrics[0], { name: "cycles", unit: "cycle", median: 7 });
  const page = await open(browser, report("words", run));
  const subtitle = (id) => page.locator(`#${id} .subtitle`).innerText();
  // Then each chart says what its metric is, and names a unit only once.
  assert.match(await subtitle("latency-0"), /latency: Time of one dependent load\./);
  assert.match(await subtitle("loads-0"), /rate: Loads in a second\./);
  assert.match(await subtitle("bandwidth-1"), /cycles: Bytes read in a second\./);
  assert.doesNotMatch(await subtitle("bandwidth-1"), /cycles cycles|in cycles/);
  assert.equal((await optionOf(page, "latency-0")).xAxis[0].name, "bytes: operations a byte");
  const title = (selector) => page.locator(selector).first().getAttribute("title");
  assert.equal(await title('#latency-1 th:has-text("latency")'), "Time of one dependent load.");
  assert.equal(await title('#latency-0 .switch button:has-text("cycles")'),
    "latency_cycles: The same in cycles of the core clock.");
  await page.click("#latency-0 details.numbers summary");
  assert.equal(await title('#latency-0 .numbers th:has-text("latency")'), "Time of one dependent load.");
  // A click opens the list, so that readers without a mouse pointer can read it.
  const words = page.locator("#latency .words");
  assert.equal(await words.locator("dl").isVisible(), false);
  await words.locator("summary").click();
  assert.match(await words.innerText(), /order\s+plru: few pages[^]*latency\s+Time of one dependent load\. \(ns\)/);
  await close(page);
});

const texts = (page, id) => page.locator(`#${id} svg text`).allTextContents();

test("names of bars keep what tells them apart, and bars have their values, wide and narrow", async () => {
  // Given loads whose names differ only at their ends, and ratios.
  const run = demo();
  const loads = run.benchmarks.find(({ name }) => name === "loads");
  loads.metrics[0].unit = "1";
  const patterns = ["uniform", "linear", "random"], name = "Texture2D<RGBA8>.Sample(bilinear)";
  run.results = run.results.filter(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0)
    .slice(0, 3).map((result, i) => ({
      ...result, key: `loads/path=${i}`, case: { path: name, width: 4, pattern: patterns[i] },
      metrics: [{ ...result.metrics[0], unit: "1", median: 1.5 + i, ci95: undefined }],
    }));
  const html = report("labels", run);
  const wide = await open(browser, html, { width: 1280 });
  for (const pattern of patterns)
    assert.ok((await texts(wide, bars)).includes(`${name} · ${pattern}`), (await texts(wide, bars)).join("|"));
  await close(wide);
  const narrow = await open(browser, html, { width: 390 });
  const shown = await texts(narrow, bars);
  for (const pattern of patterns) // in two lines, neither of them cut
    assert.ok(shown.includes(`Sample(bilinear) · ${pattern}`) || shown.includes(pattern), shown.join("|"));
  assert.ok(!shown.some((text) => text.includes("…")), shown.join("|"));
  for (const value of ["1.5", "2.5", "3.5"]) assert.ok(shown.includes(value), shown.join("|"));
  await close(narrow);
});

test("a flagged bar has a dashed edge and the colour of its series, and the subtitle says so", async () => {
  // Given one device, two series and a flag.
  const run = demo();
  const loads = run.results.filter(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0);
  loads[0].verdict = "suspect";
  loads[0].reasons = [{ code: "correlated", text: "samples follow each other" }];
  const page = await open(browser, report("flag", run));
  const { series } = await optionOf(page, bars);
  const [flagged, ...sure] = series[0].data.map(({ itemStyle }) => itemStyle)
    .sort((a, b) => Number(b.borderType === "dashed") - Number(a.borderType === "dashed"));
  assert.equal(flagged.borderType, "dashed");
  assert.ok(sure.every(({ borderType }) => borderType === undefined));
  assert.ok(sure.some(({ color }) => color === flagged.color), "a colour of its own");
  assert.match(await page.locator(`#${bars} .subtitle`).innerText(), /dashed: suspect/);
  await close(page);
});

// Returns the demo with counters for the vector chain in random order, read in `passes` passes. The
// L1 hits up to 208 KiB, the L2 up to 32 MiB; hits and misses of the L1 add up.
function counted(passes) {
  const run = demo();
  for (const result of run.results.filter(({ key }) => key.startsWith("latency/path=vector/order=random"))) {
    const { bytes } = result.case;
    const missed = bytes <= 208 * 1024 ? 0 : 32, held = bytes <= 32 * 2 ** 20 ? missed : 0;
    result.counters = [
      ["l1_read", 32, passes], ["l1_read_hit", 32 - missed, passes], ["l1_read_miss", missed, passes],
      ["l1_requests", 1, 5], ["l2_read", missed, passes],
      ["l2_read_hit", held / 4, passes], ["l2_far_hit", 3 * held / 4, passes],
    ].map(([name, counted, passes]) => ({ name, unit: "B", counted, units: 64, passes }));
  }
  return run;
}

test("hit rates stand below the curve of their cases, over the same sizes from 0 to 100 %", async () => {
  // Given one line with counters, read in one pass, beside lines without counters.
  const page = await open(browser, report("hits", counted(1)));
  const above = await optionOf(page, "latency-lead"), { series, xAxis, yAxis, grid, legend } =
    await optionOf(page, "latency-hits");
  // Then that line has hit rates, one line for each cache, at 100 % up to the cache's size.
  const lines = series.filter(({ type }) => type === "line");
  assert.deepEqual(legend[0].data, ["vector random L1", "vector random L2"]);
  const last = (line) => 2 ** Math.max(...line.data.filter(({ value }) => value[1] === 100).map(({ value }) => value[0]));
  assert.equal(lines.length, 2);
  assert.equal(Math.round(last(lines[0])), 185344);
  assert.equal(Math.round(last(lines[1])), 33554432);
  assert.deepEqual(new Set(lines.flatMap(({ data }) => data.map(({ value }) => value[1]))), new Set([0, 100]));
  assert.equal(lines[0].color, above.series[0].color, "the colour of its line above");
  assert.notEqual(lines[0].lineStyle.type, lines[1].lineStyle.type);
  // And both drawings have the same horizontal axis and the same level.
  assert.deepEqual([xAxis[0].min, xAxis[0].max, grid[0].right],
    [above.xAxis[0].min, above.xAxis[0].max, above.grid[0].right]);
  assert.deepEqual([yAxis[0].min, yAxis[0].max], [0, 100]);
  assert.ok((await texts(page, "latency-hits")).some((text) => text.startsWith("100 %")));
  const [top, bottom] = await Promise.all(["latency-lead", "latency-hits"].map((id) => page.locator(`#${id}`).boundingBox()));
  assert.ok(bottom.y >= top.y + top.height && bottom.x === top.x, "below it");
  await page.click("#latency-hits .numbers summary");
  assert.match(await page.locator("#latency-hits .numbers tbody").innerText(), /vector random L1\s+1 KiB\s+100 %/);
  await close(page);
});

test("a rate whose parts were counted in different passes is not drawn, and without counters there is none", async () => {
  const several = await open(browser, report("passes", counted(5)));
  assert.equal(await several.locator("#latency-hits h3").innerText(), "Hit rate of the L1");
  assert.equal((await optionOf(several, "latency-hits")).series.filter(({ type }) => type === "line").length, 1);
  await close(several);
  // A rate without its hits is not known, as in the tables of the terminal.
  const run = counted(1);
  for (const { counters = [] } of run.results) counters.splice(0, Infinity, ...counters.filter(({ name }) => name !== "l2_read_hit"));
  const unknown = await open(browser, report("no-hits", run));
  assert.equal(await unknown.locator("#latency-hits h3").innerText(), "Hit rate of the L1");
  await close(unknown);
  const without = await open(browser, report("uncounted", demo()));
  assert.equal(await without.locator("#latency-lead").count(), 1);
  assert.equal(await without.locator("#latency-hits, .stacked").count(), 0);
  await close(without);
});

test("heads of numbers stand over them", async () => {
  const page = await open(browser, report("heads", demo()));
  const side = (selector) => page.locator(selector).first().evaluate((one) => getComputedStyle(one).textAlign);
  for (const table of ["#latency-1", "#latency-0 .numbers"]) {
    if (table.includes("numbers")) await page.click(`${table} summary`);
    assert.equal(await side(`${table} th:has-text("latency")`), "right");
    assert.equal(await side(`${table} td.number`), "right");
  }
  assert.equal(await side('#latency-0 .numbers th:has-text("series")'), "left");
  await close(page);
});

test("a time line counts from its first span in round times; quantiles are steps", async () => {
  // Given spans that begin at an odd time, and quantiles with nothing between them.
  const run = rich(), from = 1234567;
  run.results[0].series = [
    { name: "timeline", columns: ["start", "end", "lane"], data: [[from, from + 2e7, 0], [from + 5e6, from + 5.9e7, 1]] },
    { name: "quantiles", columns: ["p", "response", "low", "high"], data: [[0.5, 1e6, 9e5, 1.1e6], [0.9, 9e6, null, null]] },
  ];
  const page = await open(browser, report("times", run));
  const line = await optionOf(page, "latency-series-0");
  assert.deepEqual(line.series[0].data, [[0, 2e7, 0], [5e6, 5.9e7, 1]]);
  const ticks = (await texts(page, "latency-series-0")).filter((text) => text.endsWith("s"));
  assert.deepEqual(ticks.slice(0, 3), ["0 ns", "10 ms", "20 ms"]);
  assert.ok(!ticks.includes("59 ms"), ticks.join());
  assert.equal((await optionOf(page, "latency-series-1")).series[0].step, "end");
  await close(page);
});

test("a median and a quantile that are lower bounds are shown as such", async () => {
  // Given a median and the second of two quantiles that are lower bounds.
  const run = rich();
  run.results[0].metrics[0].at_least = true;
  run.results[0].series = [{
    name: "quantiles", columns: ["p", "response", "low", "high", "samples", "at_least"],
    data: [[0.5, 1e6, 9e5, 1.1e6, 300, 0], [0.95, 9e6, 8e6, null, 300, 1]],
  }];
  const page = await open(browser, report("bounds", run));
  // Then the table of numbers has "≥" only in that row …
  await page.click("#latency-0 details.numbers summary");
  await page.waitForSelector("#latency-0 .numbers tbody");
  const numbers = await page.locator("#latency-0 .numbers td").allTextContents();
  assert.equal(numbers.filter((text) => text.startsWith("≥ ")).length, 1, numbers.join("|"));
  // … and so does the tooltip of the second quantile.
  const tips = await page.evaluate(() => {
    const { tooltip } = window.fathomCharts.get("latency-series-0").echarts.getOption();
    return [[1e6, 0.5], [9e6, 0.95]].map((value, dataIndex) => tooltip[0].formatter({ value, dataIndex }));
  });
  assert.deepEqual(tips, ["50 % within 1.000 ms", "95 % within ≥ 9.000 ms"]);
  await close(page);
});

test("bars of which most would be invisible have a logarithmic axis, and a switch back", async () => {
  // Given many short responses and one long one.
  const run = demo();
  const loads = run.results.filter(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0);
  loads.forEach(({ metrics }, i) => {
    const median = i === 0 ? 196e9 : 2e9 + 1e8 * i;
    metrics[0] = { ...metrics[0], median, ci95: [median * 0.5, median * 1.1], limit: 2 * median, share: 0.5 };
  });
  const html = report("steep", run);
  const page = await open(browser, html);
  const axis = async () => (await optionOf(page, bars)).xAxis[0];
  const { type, min } = await axis();
  assert.equal(type, "log");
  assert.ok(min > 0 && min < 1.05e9 * 1.1, `${min}`); // the shortest has a length
  // And each bar says its share of the limit.
  const shown = await texts(page, bars);
  assert.equal(shown.filter((text) => text.endsWith("50.0 %")).length, loads.length, shown.join("|"));
  await page.locator(`#${bars} .switch button`, { hasText: /^linear$/ }).click();
  assert.deepEqual([(await axis()).type, (await axis()).min], ["value", 0]);
  await close(page);
  const narrow = await open(browser, html, { width: 390 });
  assert.equal((await texts(narrow, bars)).filter((text) => text === "50.0 %").length, loads.length);
  await close(narrow);
});

test("intervals are whole on a logarithmic axis, or end at its end", async () => {
  // Given the lowest point with an interval to below 0, and the highest with one to beyond the axis.
  const run = demo();
  const medians = run.results.flatMap(({ benchmark, metrics: [metric] }) => benchmark === "latency" && metric ? [metric] : [])
    .sort((a, b) => a.median - b.median);
  const lowest = medians[0], highest = medians[medians.length - 1];
  lowest.ci95 = [-1, 1.2 * lowest.median];
  highest.ci95 = [0.9 * highest.median, 1.9 * highest.median];
  const page = await open(browser, report("whiskers", run));
  const { yAxis: [{ type, min, max }], series } = await optionOf(page, "latency-0");
  const ends = series.filter(({ type }) => type === "custom").flatMap(({ data }) => data);
  assert.equal(type, "log");
  assert.ok(max >= highest.ci95[1], `the axis ends at ${max}`);
  assert.ok(ends.some(([, low, high]) => low === highest.ci95[0] && high === highest.ci95[1]));
  assert.ok(ends.some(([, low, high]) => low >= min && low <= lowest.median / 2 && high === lowest.ci95[1]), "to the lower end");
  // And bars, whose axis ends close to the longest one.
  const loads = run.results.flatMap(({ benchmark, metrics: [metric] }) => benchmark === "loads" && metric ? [metric] : []);
  loads.forEach((metric, i) => { metric.median = i === 0 ? 199e9 : 2e9; metric.ci95 = [1e9, i === 0 ? 330e9 : 3e9]; });
  await close(page);
  const second = await open(browser, report("whiskers-of-bars", run));
  const option = await optionOf(second, bars), drawn = option.series[option.series.length - 1].data;
  assert.equal(option.xAxis[0].type, "log");
  assert.ok(option.xAxis[0].max >= 330e9 && drawn.some(([, high]) => high === 330e9), `${option.xAxis[0].max}`);
  await close(second);
});

test("no label of a logarithmic axis is cut", async () => {
  // Given bandwidths between powers of ten, so that ticks have longer labels than those.
  const run = demo();
  const reads = run.results.flatMap(({ benchmark, metrics: [metric] }) => benchmark === "bandwidth" && metric ? [metric] : []);
  reads.forEach((metric, i) => {
    const median = (6.1 + 2.8 * i / reads.length) * 1e9;
    Object.assign(metric, { median, limit: undefined, ci95: [median - 1e7, median + 1e7] });
  });
  for (const width of [1280, 400]) {
    const page = await open(browser, report("cut", run), { width });
    await page.click("#bandwidth-0 .switch button:has-text('log')");
    const shown = await page.evaluate(() => {
      const svg = document.querySelector("#bandwidth-0 svg"), { left } = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].map((text) => ({ text: text.textContent, x: text.getBoundingClientRect().left - left }));
    });
    assert.ok(shown.some(({ text }) => text === "7.5 GB/s"), JSON.stringify(shown));
    assert.deepEqual(shown.filter(({ x }) => x < 0), []);
    await close(page);
  }
});

test("small numbers have as many digits as on a terminal, and no margin is wider than 999 %", async () => {
  const run = demo();
  run.benchmarks.find(({ name }) => name === "loads").metrics[0].unit = "1";
  const loads = run.results.flatMap(({ benchmark, metrics: [metric] }) => benchmark === "loads" && metric ? [metric] : []);
  loads.forEach((metric, i) => Object.assign(metric, { unit: "1", median: i === 0 ? 0.00015 : 0.0283, ci95: [0, 1] }));
  const page = await open(browser, report("small", run));
  const shown = await texts(page, bars);
  assert.ok(shown.some((text) => text.startsWith("0.00015")) && shown.some((text) => text.startsWith("0.0283")), shown.join("|"));
  await page.click(`#${bars} details.numbers summary`);
  assert.match(await page.locator(`#${bars} .numbers tbody`).innerText(), /±999 %/);
  await close(page);
});

test("a number of a title that rounds to a thousand has the next unit", async () => {
  const run = demo();
  const loads = run.results.filter(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0);
  loads.forEach((result, i) => {
    Object.assign(result, { verdict: "ok", reasons: [] });
    Object.assign(result.metrics[0], { median: 999.7e9 / (1 + i), ci95: [1e9, 1e12] });
  });
  const page = await open(browser, report("thousand", run));
  assert.match(await page.locator("#loads .front h3").first().innerText(), /1\.00 Top\/s/);
  await close(page);
});

test("operations of floats are counted in FLOP/s, beside those of integers", async () => {
  // Given rates, all but one of floating-point operations.
  const run = demo();
  const rates = run.results.filter(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0);
  rates.slice(1).forEach(({ metrics }) => { metrics[0].floating = true; });
  const page = await open(browser, report("floats", run));
  // Then each bar says its own unit …
  const units = (shown) => shown.flatMap((text) => /^[\d.]+ [GT](\S+) {2}×/.exec(text)?.[1] ?? []).sort();
  const mixed = units(await texts(page, bars));
  assert.deepEqual(mixed, [...rates.slice(1).map(() => "FLOP/s"), "op/s"]);
  await close(page);
  // … and if all are of floating-point operations, the axis says so, too.
  rates[0].metrics[0].floating = true;
  const other = await open(browser, report("floats", run));
  const shown = await texts(other, bars);
  assert.ok(!shown.some((text) => text.includes("op/s")), shown.join("|"));
  assert.ok(shown.some((text) => /^[\d.]+ TFLOP\/s$/.test(text)), shown.join("|"));
  await close(other);
});

test("a curve shows the sensors of its view in place of its metric", async () => {
  // Given latencies during which the clock fell.
  const run = demo();
  const { views } = run.benchmarks.find(({ name }) => name === "latency");
  const table = { kind: "table", title: "Sensors", x: "bytes", metric: "latency" };
  views[0].sensors = "core_clock,fan";
  views.push({ ...table, sensors: "fan" }, { ...table, sensors: "fan,core_clock" });
  run.results.filter(({ benchmark }) => benchmark === "latency").forEach((result, i) => {
    result.sensors = { core_clock: { value: 1.98e9 - 5e6 * i, unit: "Hz" } };
  });
  const page = await open(browser, report("sensors", run));
  const buttons = (await page.locator("#latency-0 .switch button").allInnerTexts()).join();
  assert.match(buttons, /core clock/);
  assert.doesNotMatch(buttons, /fan/);
  await page.click('#latency-0 .switch button:has-text("core clock")');
  const first = (await optionOf(page, "latency-0")).series[0].data[0];
  assert.ok(JSON.stringify(first).includes("1980000000"), JSON.stringify(first));
  assert.ok((await texts(page, "latency-0")).some((text) => text.endsWith("GHz")));
  // A table has a column for each sensor that the run has; without any there is no table.
  const tables = page.locator(".cases", { hasText: "Sensors" });
  assert.equal(await tables.count(), 1);
  assert.match(await tables.locator("thead").innerText(), /latency\s+core_clock/);
  assert.match(await tables.locator("tbody tr").first().innerText(), /1\.980 GHz/);
  await close(page);
});

test("where devices stand side by side the axes say what the names of a row are", async () => {
  // Given pairs of devices, measured in both directions.
  const run = demo();
  const model = run.results.find(({ case: { scope } }) => scope === "matrix");
  run.devices.push({ ...run.devices[0], id: "model:1" });
  run.benchmarks = [{
    ...run.benchmarks.find(({ name }) => name === "bandwidth"),
    params: ["from", "to"].map((key) => ({ key, type: "text", unit: "1", role: "axis" })),
    views: [{ kind: "heatmap", title: "Peers", x: "to", y: "from", metric: "bandwidth" }],
  }];
  run.results = run.devices.flatMap(({ id: device }) => ["a", "b"].flatMap((from) => ["a", "b"].map((to) =>
    ({ ...model, device, key: `bandwidth/from=${from}/to=${to}`, case: { from, to } }))));
  run.findings = [];
  const page = await open(browser, report("peers", run));
  const { xAxis, yAxis } = await optionOf(page, "bandwidth-0");
  assert.deepEqual([yAxis[0].name, yAxis[0].data[1]], ["from · to", "a · b"]);
  assert.equal(xAxis[0].name, "measured on");
  assert.match(await page.locator("#bandwidth-bars .subtitle").innerText(), /by from, to/);
  await close(page);
});

test("values of more bars than are in view do not stand under the slider", async () => {
  const run = demo();
  const model = run.results.find(({ benchmark, metrics }) => benchmark === "loads" && metrics.length > 0);
  run.results.push(...Array.from({ length: 160 }, (_, i) =>
    ({ ...model, key: `loads/path=p${i}`, case: { ...model.case, path: `p${i}` } })));
  const page = await open(browser, report("many", run), { width: 390 });
  const slider = (await optionOf(page, bars)).dataZoom[0];
  const plot = await page.locator(`#${bars} .plot`).boundingBox();
  const value = await page.locator(`#${bars} svg text`, { hasText: /^\d[\d.]{4} \S+\/s$/ }).first().boundingBox();
  assert.ok(value.x + value.width <= plot.x + plot.width - slider.right - slider.width, JSON.stringify(value));
  await close(page);
});
