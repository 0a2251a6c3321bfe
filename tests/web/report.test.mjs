// SPDX-License-Identifier: MIT
// The report of the golden demo run: everything is drawn, in both schemes and at both widths;
// hovering, switches, zoom, keys and files work.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { close, demo, download, golden, launch, open, pixelOf, report, shots } from "./browser.mjs";

const curve = "latency-0", matrix = "bandwidth-1", bars = "loads-0", table = "latency-1";
let browser, html;

before(async () => {
  browser = await launch();
  html = report("demo", demo());
});
after(() => browser.close());

const tooltip = (page, id) => page.locator(`#${id} .plot > div:last-child`).innerText();

for (const width of [390, 1920])
  for (const colorScheme of ["light", "dark"])
    test(`every chart is drawn, ${width} px, ${colorScheme}`, async () => {
      const page = await open(browser, html, { width, colorScheme });
      const drawn = await page.evaluate(() => [...window.fathomCharts].map(([id, chart]) => [
        id, chart.plot.querySelectorAll("svg path").length]));
      for (const id of [curve, "bandwidth-0", matrix, bars]) assert.ok(drawn.some(([one]) => one === id), id);
      for (const [id, paths] of drawn) assert.ok(paths > 10, `${id}: ${paths} paths`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(overflow <= 0, `${overflow} px too wide`);
      await page.screenshot({ path: join(shots, `demo-${width}-${colorScheme}.png`), fullPage: true });
      await close(page);
    });

test("hover shows value, interval and n of the point under the pointer", async () => {
  const page = await open(browser, html);
  const at = await pixelOf(page, curve, 0, 40);
  await page.mouse.move(at.x, at.y);
  await page.waitForSelector(`#${curve} .tip`);
  const text = await tooltip(page, curve);
  const result = demo().results[40], metric = result.metrics[0];
  assert.match(text, /^1 MiB/);
  assert.equal(result.case.bytes, 1 << 20);
  assert.ok(text.includes(`${metric.median.toFixed(1)} ns`), text);
  assert.ok(text.includes(`[${metric.ci95[0].toFixed(1)} ns, ${metric.ci95[1].toFixed(1)} ns]`), text);
  assert.match(text, /n=160/);
  await close(page);
});

test("a flagged point says why", async () => {
  const page = await open(browser, html);
  const at = await pixelOf(page, curve, 0, 88);
  await page.mouse.move(at.x - 1, at.y);
  await page.waitForSelector(`#${curve} .tip .flag`);
  assert.match(await tooltip(page, curve), /suspect: samples follow each other/);
  await close(page);
});

test("the switch to cycles changes values and axis", async () => {
  const page = await open(browser, html);
  const value = () => page.evaluate((id) =>
    window.fathomCharts.get(id).echarts.getOption().series[0].data[0].value[1], curve);
  const ns = await value();
  await page.click(`#${curve} .switch button:has-text("cycles")`);
  const cycles = await value();
  assert.ok(Math.abs(cycles / ns - 1.98) < 1e-9);
  assert.match(await page.locator(`#${curve} .subtitle`).innerText(), /^latency_cycles/);
  assert.match(await page.locator(`#${curve} svg`).textContent(), /cycles/);
  await close(page);
});

test("linear and logarithmic axes", async () => {
  const page = await open(browser, html);
  const type = () => page.evaluate((id) =>
    window.fathomCharts.get(id).echarts.getOption().yAxis[0].type, curve);
  assert.equal(await type(), "log");
  await page.click(`#${curve} .switch button:has-text("linear")`);
  assert.equal(await type(), "value");
  await close(page);
});

test("a click in the legend, which narrow pages have, hides a series", async () => {
  const page = await open(browser, html, { width: 390 });
  const selected = () => page.evaluate((id) =>
    window.fathomCharts.get(id).echarts.getOption().legend[0].selected["vector plru"], curve);
  assert.notEqual(await selected(), false);
  await page.locator(`#${curve} svg text`, { hasText: "vector plru" }).click();
  assert.equal(await selected(), false);
  await close(page);
});

test("control and wheel zoom", async () => {
  const page = await open(browser, html);
  const at = await pixelOf(page, curve, 0, 40);
  const span = () => page.evaluate((id) => {
    const zoom = window.fathomCharts.get(id).echarts.getOption().dataZoom[0];
    return zoom.end - zoom.start;
  }, curve);
  assert.equal(await span(), 100);
  await page.mouse.move(at.x, at.y);
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 20 && await span() > 40; turn++) {
    const before = await span();
    await page.mouse.wheel(0, -400);
    await page.waitForFunction(([id, before]) => {
      const zoom = window.fathomCharts.get(id).echarts.getOption().dataZoom[0];
      return zoom.end - zoom.start < before;
    }, [curve, before]);
  }
  await page.keyboard.up("Control");
  // The ticks suit the part in view: each octave has one; before, every second octave had one.
  const labels = await page.locator(`#${curve} svg text`).allTextContents();
  assert.ok(labels.includes("512 KiB") && labels.includes("1 MiB"), labels.join());
  await close(page);
});

test("levels and limits are marked", async () => {
  const page = await open(browser, html);
  assert.match(await page.locator(`#${curve} svg`).textContent(), /230 KiB/);
  assert.match(await page.locator("#bandwidth-0 svg").textContent(), /limit 4.810 TB\/s/);
  await close(page);
});

// Returns the fields of a CSV line that has no line ends within fields.
const fields = (line) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
  .map(([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare);

test("the CSV of the run is the one that fathom writes", async () => {
  const page = await open(browser, html);
  const [file] = await Promise.all([
    page.waitForEvent("download"), page.click('#provenance button:has-text("Save CSV")'),
  ]);
  assert.equal(file.suggestedFilename(), "fathom-run-1.csv");
  assert.equal(readFileSync(await file.path(), "utf8"),
    // (tests/unit/test_csv.c compares the CSV of fathom with this file.)
    readFileSync(join(golden, "demo.csv"), "utf8"));
  await close(page);
});

test("the CSV of a chart holds those lines that are about its metrics", async () => {
  const page = await open(browser, html);
  const [head, ...lines] = readFileSync(join(golden, "demo.csv"), "utf8").trimEnd().split("\n");
  for (const [id, kind] of [[curve, "latency"], [bars, "loads"]]) {
    const { name, content } = await download(page, id, "CSV");
    assert.equal(name, `fathom-${id}.csv`);
    const [itsHead, ...its] = content.toString().trimEnd().split("\n");
    assert.equal(itsHead, head);
    const wanted = lines.filter((line) => line.startsWith(`${kind}/`) &&
      (kind === "latency" || !line.includes(",loads,time,")));
    assert.deepEqual([...its].sort(), [...wanted].sort());
  }
  await close(page);
});

test("drawings are saved as SVG and PNG", async () => {
  const page = await open(browser, html);
  const svg = await download(page, matrix, "SVG");
  assert.match(svg.content.toString(), /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  const drawing = await download(page, curve, "SVG"); // without the slider, which is a tool
  const ends = await page.locator(`#${curve} svg path`).count();
  assert.ok((drawing.content.toString().match(/<path/g) ?? []).length < ends);
  const png = await download(page, matrix, "PNG");
  assert.deepEqual([...png.content.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(png.content.length > 5000);
  await close(page);
});

test("the run can be had back from the page, but for the medians of its rounds", async () => {
  const page = await open(browser, html);
  const [file] = await Promise.all([
    page.waitForEvent("download"), page.click("#provenance button"),
  ]);
  const { results } = demo();
  assert.ok(results.some(({ metrics }) => metrics.some(({ rounds }) => rounds)));
  const had = JSON.parse(readFileSync(await file.path(), "utf8")).results;
  // An earlier fathom wrote the file, without shares: they were added when it was read.
  assert.ok(had.some(({ metrics }) => metrics.some(({ share }) => share)));
  for (const { metrics } of results) for (const metric of metrics) delete metric.rounds;
  for (const { metrics } of had) for (const metric of metrics) delete metric.share;
  assert.deepEqual(had, results);
  await close(page);
});

test("bars are sorted, tables too", async () => {
  const page = await open(browser, html);
  const labels = () => page.evaluate((id) =>
    window.fathomCharts.get(id).echarts.getOption().yAxis[0].data, bars);
  assert.equal((await labels())[0], "shared · 4 B");
  await page.click(`#${bars} .switch button:has-text("worst first")`);
  assert.equal((await labels())[0], "image · 16 B");
  const first = () => page.locator(`#${table} tbody tr:first-child td:first-child`).innerText();
  assert.equal(await first(), "1 KiB");
  await page.click(`#${table} th button:has-text("bytes")`);
  await page.click(`#${table} th button:has-text("bytes")`);
  assert.equal(await first(), "128 KiB");
  assert.equal(await page.locator(`#${table} th[aria-sort="descending"]`).count(), 1);
  await close(page);
});

test("keys walk through the points and reach every tool", async () => {
  const page = await open(browser, html);
  await page.focus(`#${curve} .plot`);
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(`#${curve} .tip`);
  assert.match(await tooltip(page, curve), /^1 KiB/);
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction((id) =>
    !document.querySelector(`#${id} .tip-title`).textContent.startsWith("1 KiB"), curve);
  await page.focus(`#${curve} .tools button:first-child`);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.getAttribute(`#${curve} .switch button:nth-child(2)`, "aria-pressed"), "true");
  await close(page);
});

test("the numbers of a chart open as a table", async () => {
  const page = await open(browser, html);
  await page.click(`#${curve} details.numbers summary`);
  await page.waitForSelector(`#${curve} details.numbers tbody`);
  assert.equal(await page.locator(`#${curve} details.numbers tbody tr`).count(), 120);
  await close(page);
});

test("light and dark can be chosen", async () => {
  const page = await open(browser, html);
  const ground = () => page.evaluate(() => getComputedStyle(document.querySelector(".chart")).backgroundColor);
  const light = await ground();
  await page.click("button.theme");
  assert.notEqual(await ground(), light);
  await close(page);
});

test("on paper there are charts and no buttons", async () => {
  const page = await open(browser, html, { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".tools").first().isVisible(), false);
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 20000);
  await close(page);
});

test("flags and failures stand below their benchmark", async () => {
  const page = await open(browser, html);
  assert.match(await page.locator("#latency .flags").innerText(), /suspect\s+correlated: [^]*3 cases/);
  assert.match(await page.locator("#bandwidth .flags").innerText(), /failed\s+mismatch: sum of block 0/);
  assert.match(await page.locator("#about .counts").innerText(), /176 ok\s*3 suspect\s*1 skipped\s*1 failed/);
  await close(page);
});
