// SPDX-License-Identifier: MIT
// Opens reports in a browser, and checks what no report may do: errors, messages, requests.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const work = process.env.WORK;
const { chromium } = createRequire(join(process.env.PACKAGES, "package.json"))("playwright-core");
const here = dirname(fileURLToPath(import.meta.url));
export const golden = join(here, "../golden");

export const demo = () => JSON.parse(readFileSync(join(golden, "demo.json"), "utf8"));
export const rich = () => JSON.parse(readFileSync(join(golden, "rich.json"), "utf8"));
export const shots = join(work, "shots");
mkdirSync(shots, { recursive: true });

export const launch = () => chromium.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
});

// Writes a report of these runs (objects as in a run file), and returns its path.
export function report(name, ...runs) {
  const files = runs.map((run, i) => {
    const file = join(work, `${name}-${i}.json`);
    writeFileSync(file, JSON.stringify(run));
    return file;
  });
  return write(name, files);
}

// Writes a report of committed runs, named as in "h200-vulkan-all".
export const reference = (name, ...runs) =>
  write(name, runs.map((run) => join(here, "../../reference", `${run}.json`)));

function write(name, files) {
  const html = join(work, `${name}.html`);
  execFileSync(process.env.FATHOM, ["report", ...files, "-o", html], { stdio: ["ignore", "ignore", "inherit"] });
  return html;
}

// Closed pages, for use again: their process has compiled the script, and opens another report in half of
// the time.
const spares = [];

async function blank(browser) {
  const page = await browser.newPage();
  page.spares = spares;
  page.setDefaultTimeout(60000);
  page.on("console", (message) => page.complaints.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    page.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`request: ${request.url()}`);
  });
  return page;
}

// Opens a report, with all charts unfolded and drawn unless `folded`. page.complaints collects errors,
// messages and requests.
export async function open(browser, html, { width = 1280, colorScheme = "light", folded = false } = {}) {
  const page = spares.pop() ?? await blank(browser);
  page.complaints = [];
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme, media: null });
  await page.goto(`file://${html}`, { timeout: 120000 });
  await page.waitForSelector("body[data-ready]", { timeout: 60000 });
  if (!folded) await page.evaluate(() => {
    document.querySelectorAll(".more, .checks, #provenance").forEach((one) => { one.open = true; });
    window.fathomCharts.forEach((chart) => chart.draw());
  });
  return page;
}

// Closes a page. If the page has `spares`, it is emptied and put there for later use.
export async function close(page) {
  assert.deepEqual(page.complaints, []);
  if (!page.spares) return page.close();
  await page.evaluate(() => sessionStorage.clear());
  await page.mouse.move(-1, -1); // beside the page
  await page.goto("about:blank"); // otherwise an address that differs only in its fragment would not load
  page.spares.push(page);
}

// Returns where a point of the n-th drawn series stands on the screen.
export const pixelOf = (page, id, series, data) => page.evaluate(([id, series, data]) => {
  const chart = window.fathomCharts.get(id);
  chart.plot.scrollIntoView({ block: "center" });
  const option = chart.echarts.getOption();
  const value = option.series[series].data[data].value;
  const [x, y] = chart.echarts.convertToPixel({ seriesIndex: series }, value);
  const box = chart.plot.getBoundingClientRect();
  return { x: box.x + x, y: box.y + y };
}, [id, series, data]);

export async function download(page, id, kind) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.click(`#${id} .save button:has-text("${kind}")`),
  ]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

// Returns the texts whose contrast is below 4.5 by WCAG 2. Transparent grounds are looked through.
export const faint = (page) => page.evaluate(() => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map(); // a page has thousands of texts in a few colours
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      known.set(colour, [...canvas.getImageData(0, 0, 1, 1).data]);
    }
    return known.get(colour);
  };
  const luminance = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4))
    .reduce((sum, one, i) => sum + one * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] > 250) return colour;
    }
    return [255, 255, 255];
  };
  // Returns the colour under a text of the pyramid, whose steps are SVG rectangles.
  const step = (text) => {
    const { left, top } = text.getBoundingClientRect();
    const rect = [...text.ownerSVGElement.querySelectorAll("rect.s")].reverse().find((one) => {
      const box = one.getBoundingClientRect();
      return box.left <= left && box.top <= top && box.bottom > top;
    });
    return rect && rgba(getComputedStyle(rect).fill);
  };
  const found = [];
  for (const element of document.querySelectorAll("main *, .side *")) {
    const isText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!isText || element.getClientRects().length === 0 || element.closest("title, style, script")) continue;
    const style = getComputedStyle(element);
    const isSvg = element instanceof SVGElement;
    const ink = rgba(isSvg ? style.fill : style.color);
    // Such a text stands on a colour of a heat map.
    if (element.closest(".plot") && /^rgb\(255, 255, 255\)$|^rgb\(16, 22, 27\)$/.test(style.fill)) continue;
    const under = (isSvg && element.ownerSVGElement?.classList.contains("pyramid") && step(element)) || ground(element.closest("div, p, section, main, aside, figure, li") ?? element);
    const own = isSvg ? under : ground(element);
    const [light, dark] = [luminance(ink), luminance(own)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.push(`${contrast.toFixed(2)}: ${element.tagName} ${element.getAttribute("class") ?? ""} "${element.textContent.slice(0, 30)}" in ${element.closest("[id]")?.id}`);
  }
  return [...new Set(found)];
});
