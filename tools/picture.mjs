// SPDX-License-Identifier: MIT
// node tools/picture.mjs REPORT.html OUT [TITLE]: saves the chart with that title as OUT-light.svg
// and OUT-dark.svg, as the page's own button does. Without a title it saves the page's first screen
// as OUT-light.png and OUT-dark.png (tools/pictures.sh).
import { copyFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [report, out, title] = process.argv.slice(2);
const { chromium } = createRequire(join(process.env.PACKAGES, "package.json"))("playwright-core");
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu"],
});
for (const colorScheme of ["light", "dark"]) {
  const viewport = title ? { width: 1000, height: 900 } : { width: 1440, height: 900 };
  const page = await browser.newPage({ viewport, colorScheme });
  await page.goto(`file://${resolve(report)}`);
  await page.waitForSelector("body[data-ready]");
  if (!title) {
    await page.screenshot({ path: `${out}-${colorScheme}.png` });
    await page.close();
    continue;
  }
  await page.evaluate(() => document.querySelectorAll(".more").forEach((one) => { one.open = true; }));
  const chart = page.locator("figure.chart", { has: page.getByRole("heading", { name: title, exact: true }) });
  const [file] = await Promise.all([
    page.waitForEvent("download"), chart.locator(".save button", { hasText: "SVG" }).click(),
  ]);
  copyFileSync(await file.path(), `${out}-${colorScheme}.svg`);
  await page.close();
}
await browser.close();
