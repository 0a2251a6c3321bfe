// SPDX-License-Identifier: MIT
// Bundles the report page into one file: node build.mjs PACKAGES OUT NOTICES. PACKAGES: the folder into
// which npm installed; NOTICES: a file for the licences of the bundled packages. @FIRST@ and @RUNS@ stay:
// fathom puts the first screen and the runs there (report/html.c). A report ends at @LIVE@: only the page
// of fathom serve has the script behind it, which uses modules of the first script.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [packages, out, noticesOut] = process.argv.slice(2);
if (!packages || !out || !noticesOut) throw new Error("usage: node build.mjs PACKAGES OUT NOTICES");
const { build } = createRequire(join(packages, "package.json"))("esbuild");

const shared = {
  bundle: true, minify: true, write: false, charset: "utf8", target: "es2021",
  nodePaths: [join(packages, "node_modules")], absWorkingDir: here, legalComments: "none",
  metafile: true,
};

// The script of the live page takes the modules of the report from the global fathomParts, by name.
const used = new Set();
const fromReport = {
  name: "from-report",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\.\// }, ({ path }) => {
      used.add(path.slice("../".length));
      return { path: path.slice("../".length), namespace: "report" };
    });
    onLoad({ filter: /./, namespace: "report" }, ({ path }) =>
      ({ contents: `module.exports = fathomParts[${JSON.stringify(path)}]` }));
  },
};
const live = await build({ ...shared, entryPoints: ["src/live/main.ts"], format: "iife", plugins: [fromReport] });
const parts = [...used].sort();
const script = await build({
  ...shared, format: "iife",
  stdin: {
    resolveDir: join(here, "src"),
    contents: [...parts.map((path, i) => `import * as part${i} from "./${path}";`), 'import "./main";',
      `globalThis.fathomParts = {${parts.map((path, i) => `${JSON.stringify(path)}: part${i}`)}};`].join("\n"),
  },
});
const style = await build({ ...shared, entryPoints: ["src/style.css"] });

// Licences of the packages that are in the bundle, and of no others.
const bundled = [...new Set(Object.keys(script.metafile.inputs)
  .flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1] ?? []))].sort();
const notices = ["fathom: MIT\n\n" + readFileSync(join(here, "../LICENSE"), "utf8")];
for (const name of bundled) {
  const folder = join(packages, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(copying|licen[sc]e|notice)/i.test(file.name))
    .map((file) => readFileSync(join(folder, file.name), "utf8"));
  notices.push(`${name} ${version}: ${license}\n\n${texts.join("\n")}`);
}

const text = (result) => result.outputFiles[0].text.trim();
// Code must not contain what would end or change its <script> element.
const codeOf = (result) => text(result).replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
const code = codeOf(script), liveCode = codeOf(live);
const escape = (html) => html.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const hash = (content) => `sha256-${createHash("sha256").update(content).digest("base64")}`;
const page = readFileSync(join(here, "page.html"), "utf8")
  .replaceAll("@SCRIPT_HASH@", () => hash(code))
  .replace("@LIVE_HASH@", () => hash(liveCode))
  .replace("@STYLE_HASH@", () => hash(text(style)))
  .replace("@STYLE@", () => text(style))
  .replace("@NOTICES@", () => escape(notices.join("\n\n----\n\n")))
  .replace("@SCRIPT@", () => code)
  .replace("@LIVE_SCRIPT@", () => liveCode);
for (const marker of ["@FIRST@", "@RUNS@", "@LIVE@"])
  if (page.split(marker).length !== 2) throw new Error(`the page must name ${marker} exactly once`);
writeFileSync(out, page);
writeFileSync(noticesOut, notices.join("\n\n----\n\n"));
