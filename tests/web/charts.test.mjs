// SPDX-License-Identifier: MIT
// Charts say what was measured and nothing else: levels, series, bars, words.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { close, demo, launch, open, report } from "./browser.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const optionOf = (page, id) => page.evaluate((id) => window.fathomCharts.get(id).echarts.getOption(), id);

test("a memory level has the bandwidth of reads by the whole device, never that of a link", async () => {
  // Given transfers with a size in a level, and reads of shared memory, writes and one workgroup beside.
  const run = demo();
  const read = run.results.find(({ case: { scope }, metrics }) => scope === "device" && metrics.length > 0);
  const like = (key, more, median) => ({
    ...structuredClone(read), key, case: { bytes: 65536, ...more }, verdict: "ok",
    metrics: [{ ...read.metrics[0], median }],
  });
  run.results = run.results.filter(({ benchmark }) => benchmark !== "bandwidth");
  run.results.push(
    { ...like("transfer/direction=h2d/bytes=65536", { direction: "h2d" }, 8.6e9), benchmark: "transfer" },
    like("bandwidth/path=shared", { scope: "device", path: "shared", op: "read" }, 31e12),
    like("bandwidth/op=write", { scope: "device", path: "global", op: "write" }, 3e12),
    like("bandwidth/scope=workgroup", { scope: "workgroup", path: "global", op: "read" }, 7e10));
  // When the page is made, then no level has a bandwidth …
  const page = await open(browser, report("link", run));
  assert.match(await page.locator(".hierarchy").innerText(), /level 1[^]*ns/);
  assert.doesNotMatch(await page.locator(".hierarchy").innerText(), /B\/s/);
  await close(page);
  // … but that of reads has.
  run.results.push(like("bandwidth/op=read", { scope: "device", path: "global", op: "read" }, 5.5e12));
  const other = await open(browser, report("link", run));
  assert.match(await other.locator(".hierarchy li").first().innerText(), /5\.500 TB\/s at 64 KiB/);
  await close(other);
});
