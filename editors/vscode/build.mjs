// Makes dist/: the extension as one file, and the licences of what that file contains.
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const ROOT = path.dirname(fileURLToPath(import.meta.url));

const { metafile } = await build({
  absWorkingDir: ROOT,
  bundle: true,
  entryPoints: ["src/extension.mjs"],
  external: ["vscode"],
  format: "cjs",
  legalComments: "none",
  metafile: true,
  minify: true,
  outfile: "dist/extension.js",
  platform: "node",
  target: "node20",
});

/** The folder of each package of which a file is bundled. */
const packages = new Set(
  Object.keys(metafile.inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
);
const texts = await Promise.all([...packages].sort().map(licence));
await writeFile(path.join(ROOT, "dist/THIRD-PARTY-LICENSES.txt"), texts.join("\n"));

/** @param {string} folder */
async function licence(folder) {
  const at = path.join(ROOT, folder);
  const { name, version, license } = JSON.parse(await readFile(path.join(at, "package.json"), "utf8"));
  const file = (await readdir(at)).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${folder} has no file with its licence: it cannot be bundled`);
  const text = (await readFile(path.join(at, file), "utf8")).replaceAll("\r\n", "\n").trim();
  return `${name} ${version} (${license})\n${"=".repeat(60)}\n${text}\n`;
}
