// SPDX-License-Identifier: MIT
// The page of committed runs, as readers find it: no chart is empty, no label is cut, no labels overlap;
// it is not too long, too large or too slow; also on a phone, on paper, and without a script.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { close, demo, download, faint, launch, open, reference, report } from "./browser.mjs";

const SCREEN = 900, SCREENS_MAX = 8, BYTES_MAX = 1.5e6, PAINT_MS = 1000, SHEETS_MAX = 6;
let browser, full, newest, two, three, map;

before(async () => {
  browser = await launch();
  full = reference("full", "h200-vulkan-all");
  newest = reference("newest", "h200-vulkan-standard-3");
  two = reference("pair", "h200-vulkan-standard", "h200-cuda-standard");
  three = reference("trio", "h200-vulkan-quick", "h200-vulkan-standard", "lavapipe-quick");
  map = reference("map", "h200-cuda-map");
});
after(() => browser.close());

// Returns the ids of charts in which no shown series has a value.
const emptyCharts = (page) => page.evaluate(() => [...window.fathomCharts].flatMap(([id, chart]) => {
  if (!chart.echarts) return [];
  const { series, legend } = chart.echarts.getOption();
  const isShown = ({ name }) => legend?.[0]?.selected?.[name] !== false;
  const values = series.filter(({ type }) => type !== "custom" || series.length < 3).filter(isShown)
    .flatMap(({ data }) => data).filter((datum) => datum !== "-" && datum !== undefined && datum !== null);
  return values.length === 0 ? [id] : [];
}));

test("of two runs the bandwidth by working set shows whole curves, not what has one point", async () => {
  const page = await open(browser, two, { folded: true });
  const lengths = await page.evaluate(() => {
    const chart = window.fathomCharts.get("bandwidth-0");
    chart.draw();
    const { series, legend } = chart.echarts.getOption();
    return series.filter(({ type, name, silent }) => type === "line" && !silent && legend[0].selected[name] !== false)
      .map(({ data }) => data.length);
  });
  assert.ok(lengths.some((length) => length > 10), lengths.join());
  await close(page);
});

test("the wheel scrolls the page over every chart", async () => {
  const page = await open(browser, full, { folded: true });
  const plots = await page.locator(".front .plot").all();
  assert.ok(plots.length > 8);
  for (const plot of plots) {
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const from = await page.evaluate(() => scrollY);
    const way = from > 300 ? -120 : 120;
    await page.mouse.wheel(0, way);
    await page.waitForFunction((from) => scrollY !== from, from, { timeout: 60000 });
  }
  await close(page);
});

// Returns the labels that leave their drawing, are cut with "…", or overlap.
const troubles = (page, { cut }) => page.evaluate(({ cut }) => {
  const found = [];
  for (const svg of document.querySelectorAll(".plot svg, .pair svg, .still svg")) {
    const outer = svg.getBoundingClientRect();
    if (outer.width === 0) continue;
    const id = svg.closest("[id]")?.id;
    // A legend in pages has the labels of its other pages, too, but clipped.
    const boxes = [...svg.querySelectorAll("text")].filter((text) => !text.closest("[clip-path]")).map((text) => [text.textContent, text.getBoundingClientRect()])
      .filter(([text, { width }]) => text.trim() !== "" && width > 0);
    boxes.forEach(([text, box], i) => {
      if (box.left < outer.left - 1 || box.right > outer.right + 1 || box.top < outer.top - 2 || box.bottom > outer.bottom + 2)
        found.push(`${id}: "${text}" leaves its drawing`);
      if (cut && (text.includes("…") || text.endsWith("..."))) found.push(`${id}: "${text}" is cut`);
      for (const [other, { left, right, top, bottom }] of boxes.slice(i + 1)) {
        const across = Math.min(right, box.right) - Math.max(left, box.left);
        const down = Math.min(bottom, box.bottom) - Math.max(top, box.top);
        if (across > 2 && down > 4) found.push(`${id}: "${text}" lies on "${other}"`);
      }
    });
  }
  return found;
}, { cut });

// To draw every chart of a page takes seconds of processor time, so all questions share one page, and only
// check-long opens every report at every width.
const widths = [1440, 900, 390];
for (const [i, width] of widths.entries())
  test(`no chart is empty, no label is cut or collides, ${width} px`, async () => {
    const others = [newest, two, three, map].filter((_, at) => process.env.FATHOM_LONG || at % widths.length === i);
    for (const html of [full, ...others]) {
      const page = await open(browser, html, { width });
      assert.deepEqual(await emptyCharts(page), [], html);
      assert.deepEqual(await troubles(page, { cut: width > 560 }), [], html);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "too wide");
      if (html === full && width === 1440) assert.deepEqual(await faint(page), []);
      await close(page);
    }
  });

test("a full run is at most eight screens high, two of them not twice that", async () => {
  const height = async (html) => {
    const page = await open(browser, html, { width: 1440, folded: true });
    const found = await page.evaluate(() => document.documentElement.scrollHeight);
    const first = await page.locator("#first").boundingBox();
    assert.ok(html !== full || first.y + first.height <= SCREEN, `the first screen ends at ${first.y + first.height} px`);
    await close(page);
    return found;
  };
  const one = await height(full), pair = await height(reference("full-pair", "h200-vulkan-all", "h200-cuda-all"));
  assert.ok(one <= SCREENS_MAX * SCREEN, `${one} px`);
  assert.ok(pair <= 1.5 * SCREENS_MAX * SCREEN, `${pair} px`);
});

test("a full run is a file of at most 1.5 MB whose first screen is painted before its script has run", async () => {
  assert.ok(statSync(full).size <= BYTES_MAX, `${statSync(full).size} bytes`);
  const page = await open(browser, full, { folded: true });
  const [paint, ready] = await page.evaluate(() => [
    performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.now()]);
  assert.ok(paint < ready, `${paint} ms, ready after ${ready} ms`);
  if (process.env.FATHOM_IDLE) assert.ok(paint <= PAINT_MS, `${paint} ms`); // other work would delay it
  await close(page);
});

test("the first screen tells of latency, bandwidth and the halves of the cache", async () => {
  const page = await open(browser, full, { folded: true });
  assert.match(await page.locator("#first .card").textContent(), /L2 latency[^]*142 ns[^]*DRAM[^]*4\.72 TB\/s[^]*FP32/);
  assert.match(await page.locator("#first .pyramid").textContent(), /near L2 to 26\.9 MiB[^]*far L2[^]*DRAM, 140 GiB/);
  assert.match(await page.locator("#first .notes").innerText(), // two benchmarks measured the same thing
    /DRAM read: 4\.716 TB\/s in bandwidth, 4\.592 TB\/s in stream, 4\.567 TB\/s in roofline; each/);
  await close(page);
});

const titlesOf = (page) => page.evaluate(() => Object.fromEntries([...document.querySelectorAll("section .front .chart h3")]
  .map((title) => [title.closest("section").id, title.textContent])));

test("titles say what came out", async () => {
  const page = await open(browser, full, { folded: true });
  const titles = await titlesOf(page);
  assert.equal(titles.latency, "DRAM: 350 ns; L1: 16.2 ns; the L2 has a near half (142 ns) and a far half (270 ns)");
  const pyramid = await page.locator("#first .pyramid").textContent(); // the pyramid has the same figures
  for (const figure of titles.latency.match(/\d+(\.\d)? ns/g)) assert.ok(pyramid.includes(figure), figure);
  assert.match(titles.bandwidth, /^L1 read: 33\.2 TB\/s \(99 % of its limit\); .*L2 read: 9\.83 TB\/s; DRAM read: 4\.72 TB\/s/);
  assert.match(titles.stream, /^DRAM read: 4\.59 TB\/s \(95 % of its limit\); DRAM copy: 4\.29 TB\/s/);
  assert.match(titles.incore, /^FP32 peak: 66\.1 TFLOP\/s \(99 % of its limit\); .*matrix FP16 peak: 633 TFLOP\/s \(65 % of its limit\)$/);
  assert.equal(titles.loads, "Best: 5.93× (ByteAddressBuffer.Load, uniform); worst: 0.0284× (cbuffer{float4} load, linear)");
  // The title is a finding; the two others are based on flagged cases.
  assert.match(titles.roofline, /^fp16x2: memory is the bound/);
  assert.match(titles.occupancy, /^Best: 48 subgroups/); // not the 64 of the flagged case
  await close(page);
});

test("titles name the devices where there are several", async () => {
  const page = await open(browser, two, { folded: true });
  const titles = await titlesOf(page);
  assert.match(titles.latency, /^DRAM: \d+ ns on vulkan, \d+ ns on cuda; L1: 16\.\d ns on both/);
  assert.match(titles.bandwidth, /^L1 read: 33\.\d TB\/s on (both|vulkan, 33\.\d TB\/s on cuda); /);
  await close(page);
});

test("of cases that are all flagged titles say nothing but what is drawn", async () => {
  const run = JSON.parse(readFileSync(new URL("../../reference/h200-vulkan-all.json", import.meta.url)));
  for (const result of run.results.filter(({ verdict }) => verdict === "ok")) {
    result.verdict = "suspect";
    result.reasons = [{ code: "imprecise", text: "noisy" }];
  }
  const page = await open(browser, report("flagged", run), { folded: true });
  const titles = await titlesOf(page), known = run.benchmarks.flatMap(({ views }) => views.map(({ title }) => title));
  assert.ok(Object.keys(titles).length > 10);
  for (const title of Object.values(titles)) assert.ok(known.includes(title), title);
  assert.equal(await page.locator(".front .findings li:not(.unsure)").count(), 0);
  await close(page);
});

// Opens the page without its script. Counts the sheets of paper that it takes.
const bare = async (html, width) => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height: SCREEN } });
  const page = await context.newPage();
  await page.goto(`file://${html}`);
  return page;
};
const sheetsOf = async (page) => {
  const margin = { top: "1cm", bottom: "1cm", left: "1cm", right: "1cm" };
  const pdf = (await page.pdf({ format: "A4", margin })).toString("latin1");
  return pdf.match(/\/Type\s*\/Page[^s]/g)?.length ?? 0;
};

for (const width of [1440, 390])
  test(`without a script there are the card, the pyramid and a chart of each benchmark, ${width} px`, async () => {
    const page = await bare(full, width);
    assert.equal(await page.locator("h1").innerText(), "NVIDIA H200");
    assert.ok(await page.locator("#first .card").isVisible() && await page.locator("#first .pyramid").isVisible());
    assert.match(await page.locator("noscript p").innerText(), /script/);
    const { results } = JSON.parse(readFileSync(new URL("../../reference/h200-vulkan-all.json", import.meta.url)));
    const measured = new Set(results.filter(({ metrics }) => metrics.length > 0).map(({ benchmark }) => benchmark));
    const charts = await page.locator("noscript svg").all();
    assert.equal(charts.length, measured.size);
    for (const chart of charts)
      assert.match((await chart.locator("text").allTextContents()).join(" "), /NVIDIA H200.* driver NVIDIA 580.159.04 .*fathom 0\.1\.0/);
    assert.deepEqual(await troubles(page, { cut: true }), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "too wide");
    const sheets = await sheetsOf(page);
    assert.ok(sheets > 1 && sheets <= SHEETS_MAX, `${sheets} sheets`);
    await page.context().close();
  });

test("with a script its charts take the place of those", async () => {
  const page = await open(browser, full, { folded: true });
  assert.equal(await page.locator("noscript svg").count(), 0);
  await close(page);
});

test("on paper a full run takes at most six sheets, with its charts", async () => {
  const page = await open(browser, full, { folded: true, width: 1440 });
  const sheets = await sheetsOf(page);
  assert.ok(sheets > 1 && sheets <= SHEETS_MAX, `${sheets} sheets`);
  await close(page);
});

test("saved drawings say what they show, of which device, driver and version", async () => {
  const page = await open(browser, full, { folded: true });
  const svg = (await download(page, "latency-lead", "SVG")).content.toString();
  for (const part of ["a near half (142 ns)", "NVIDIA H200", "driver NVIDIA 580.159.04", "fathom 0.1.0", "vulkan:0", "latency:"])
    assert.ok(svg.replaceAll(/<[^>]+>/g, " ").includes(part), part);
  const [width, height] = ["width", "height"].map((name) => Number(new RegExp(`<svg[^>]* ${name}="([\\d.]+)"`).exec(svg)[1]));
  const png = (await download(page, "latency-lead", "PNG")).content; // twice as wide and as high as the SVG
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * width, 2 * height].map(Math.floor));
  await close(page);
});

// Returns the texts of an SVG file that leave it, are cut, or overlap.
const misplaced = async (svg) => {
  const drawing = await browser.newPage();
  await drawing.setContent(`<body style="margin:0"><div class="plot" id="saved">${svg}</div></body>`);
  const found = await troubles(drawing, { cut: true });
  await drawing.close();
  return found;
};

for (const width of [1440, 390])
  test(`the first screen is saved as a picture that stands alone, ${width} px`, async () => {
    const page = await open(browser, two, { folded: true, width });
    for (const [i, api] of ["vulkan", "cuda"].entries()) {
      const own = page.locator("#first article").nth(i).locator(".save");
      const saved = async (kind) => {
        const [file] = await Promise.all([page.waitForEvent("download"), own.getByText(kind, { exact: true }).click()]);
        assert.equal(file.suggestedFilename(), `fathom-nvidia-h200-${api}-0.${kind.toLowerCase()}`);
        return readFileSync(await file.path());
      };
      const svg = (await saved("SVG")).toString();
      const text = svg.replaceAll(/<[^>]+>/g, " ");
      for (const part of ["NVIDIA H200", `${api}:0`, "driver NVIDIA 580", "fathom 0.1.0", "L2 latency", "near L2 to", "of limit",
        "What stands out"]) assert.ok(text.includes(part), part);
      assert.doesNotMatch(svg, /color\(|color-mix|var\(/); // only browsers understand these
      assert.deepEqual(await misplaced(svg), []);
      const [across, down] = ["width", "height"].map((name) => Number(new RegExp(`<svg[^>]* ${name}="([\\d.]+)"`).exec(svg)[1]));
      const png = await saved("PNG");
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [2 * across, 2 * down].map(Math.floor));
    }
    await close(page);
  });

test("points of few levels are bars, not a curve", async () => {
  const page = await open(browser, map, { folded: true });
  await page.evaluate(() => window.fathomCharts.forEach((chart) => chart.draw()));
  const types = await page.evaluate(() => window.fathomCharts.get("bandwidth-0").echarts.getOption().series.map(({ type }) => type));
  assert.ok(types.includes("bar") && !types.includes("line"), types.join());
  await close(page);
});

test("bars of one device have one colour, and tables show all their rows", async () => {
  const page = await open(browser, full, { folded: true });
  const colours = await page.evaluate(() => {
    document.querySelectorAll(".more").forEach((one) => { one.open = true; });
    const charts = [...window.fathomCharts.values()].filter(({ desc }) => desc.id.includes("incore"));
    charts.forEach((chart) => chart.draw());
    return charts.flatMap((chart) => chart.echarts.getOption().series.filter(({ type }) => type === "bar"))
      .flatMap(({ data }) => data.map(({ itemStyle }) => itemStyle?.color));
  });
  assert.equal(new Set(colours).size, 1);
  const [scroll, client, rows] = await page.locator("#loads .more .cases .scroll").first().evaluate((one) =>
    [one.scrollHeight, one.clientHeight, one.querySelectorAll("tbody tr").length]);
  assert.equal(rows, 138);
  assert.ok(scroll <= client + 20, `${scroll} px in ${client} px`);
  await close(page);
});

test("how the clocks were checked stands behind the results, in a fold", async () => {
  const page = await open(browser, full, { folded: true });
  assert.equal(await page.locator("#overlap .checks .plain").count() > 0, true);
  assert.equal(await page.locator("#overlap .more > .picker .plain").count(), 0);
  await close(page);
});

test("a device without a counter of cycles has the time in place of cycles", async () => {
  const page = await open(browser, reference("cpu", "lavapipe-quick"));
  const title = await page.locator("#strides-0 h3, #strides-0 .subtitle").allInnerTexts();
  assert.match(title.join(), /counts no cycles/);
  assert.ok((await emptyCharts(page)).length === 0);
  await close(page);
});

test("runs are chosen by name, and what differs comes first", async () => {
  const page = await open(browser, two, { folded: true, width: 1440 });
  assert.equal(await page.locator("main > section").first().getAttribute("id"), "differences");
  const names = page.locator(".runs button");
  assert.deepEqual(await names.allInnerTexts(), ["NVIDIA H200 · vulkan", "NVIDIA H200 · cuda"]);
  await names.nth(1).click();
  assert.equal(await page.locator("#differences").count(), 0);
  assert.equal(await page.locator("#first article:visible").count(), 1);
  assert.equal(await page.locator("#about > .machines > .machine").count(), 1);
  await page.locator(".runs button").nth(1).click();
  assert.equal(await page.locator("#differences").count(), 1);
  await close(page);
});

test("the contents stay beside the sections, and are folded on a phone", async () => {
  const page = await open(browser, full, { folded: true, width: 1440 });
  await page.locator('.side a[href="#roofline"]').click();
  assert.ok(await page.locator(".side nav").isVisible());
  assert.ok((await page.locator("#roofline").boundingBox()).y < SCREEN / 2);
  await close(page);
  const phone = await open(browser, full, { folded: true, width: 390 });
  assert.equal(await phone.locator(".side nav").isVisible(), false);
  await phone.locator(".side summary").click();
  await phone.locator('.side a[href="#incore"]').click();
  assert.equal(await phone.locator(".side nav").isVisible(), false);
  assert.ok((await phone.locator("#incore").boundingBox()).y < SCREEN / 2);
  await close(phone);
});

test("texts have a contrast of 4.5 : 1 at least in the dark, too", async () => {
  const page = await open(browser, full, { width: 1440, colorScheme: "dark" });
  assert.deepEqual(await faint(page), []);
  await close(page);
});

test("a run without numbers has a first screen that says so", async () => {
  const run = demo();
  run.results = [];
  run.findings = [];
  const page = await open(browser, report("bare", run), { folded: true });
  assert.match(await page.locator("#first .warning").innerText(), /Nothing was measured/);
  assert.match(readFileSync(report("bare", run), "utf8"), /Nothing was measured/);
  await close(page);
});
