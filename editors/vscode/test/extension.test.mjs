// The bundled extension, driven as the editor drives it, with real processes as servers.
import assert from "node:assert/strict";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { places, POSIX } from "./places.mjs";
import { extensionWith, standIn } from "./vscode.mjs";

const BUNDLE = fileURLToPath(new URL("../dist/extension.js", import.meta.url));
/** A program that does what a server must do at least, and writes what it is asked. */
const SERVER = `#!${process.execPath}
let rest = Buffer.alloc(0);
process.stdin.on("data", (data) => {
  rest = Buffer.concat([rest, data]);
  for (;;) {
    const head = rest.indexOf("\\r\\n\\r\\n");
    if (head < 0) return;
    const end = head + 4 + Number(/Content-Length: (\\d+)/.exec(rest.subarray(0, head).toString())[1]);
    if (rest.length < end) return;
    const { id, method, params } = JSON.parse(rest.subarray(head + 4, end).toString());
    rest = rest.subarray(end);
    process.stderr.write("asked " + method + "\\n");
    if (method === "exit") process.exit(0);
    if (method === "initialized" && process.env.ENDS) process.exit(1);
    if (id === undefined) continue;
    const result = method === "initialize" ? { capabilities: {}, serverInfo: { name: "skillbag", version: "9.9.9" } } : null;
    const text = JSON.stringify({ jsonrpc: "2.0", id, result });
    process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
  }
});
`;

/**
 * An extension in a workspace with this program, not yet active.
 * @param {import("node:test").TestContext} context
 * @param {string} program its text
 */
function world(context, program) {
  const at = places(context);
  const { api, seen, workspace } = standIn([at.folder("work")]);
  const extension = extensionWith(api, BUNDLE);
  /** @type {{ dispose(): void }[]} */
  const subscriptions = [];
  context.after(() => extension.deactivate());
  seen.settings["skillbag.path"] = at.file("bin/skillbag", program);
  return { ...at, seen, workspace, extension, activate: () => extension.activate({ subscriptions }) };
}

/**
 * Whether it holds before long.
 * @param {() => boolean} condition
 */
async function eventually(condition) {
  for (let wait = 0; wait < 5_000 && !condition(); wait++) await sleep(20);
  return condition();
}

test("it starts the server, says so, and ends it", { skip: !POSIX }, async (context) => {
  const { seen, extension, activate } = world(context, SERVER);
  await activate();
  assert.equal(seen.status.text, "skillbag 9.9.9");
  assert.equal(seen.status.detail, "from the setting skillbag.path");
  await extension.deactivate();
  assert.deepEqual(seen.errors, []);
  assert.match(seen.log.join(""), /asked initialize\n[^]*asked shutdown\n/);
});

test("a restart starts another process", { skip: !POSIX }, async (context) => {
  const { seen, activate } = world(context, SERVER);
  await activate();
  await seen.commands.get("skillbag.restart")?.();
  const started = () => seen.log.join("").match(/asked initialized\n/g)?.length === 2;
  assert(await eventually(started), seen.log.join(""));
  assert.equal(seen.status.text, "skillbag 9.9.9");
});

for (const [code, said] of /** @type {const} */ ([[4, /lacks what its server needs, the extra lsp/], [2, /is too old to have a server/]])) {
  test(`an exit with ${code} is explained, and an installation offered`, { skip: !POSIX }, async (context) => {
    const { seen, activate } = world(context, `#!/bin/sh\nexit ${code}\n`);
    seen.answer = "Install in Terminal";
    await activate();
    assert.equal(seen.errors.length, 1, seen.errors.join("\n"));
    assert.match(seen.errors[0], said);
    assert.equal(seen.status.text, "skillbag is not running");
    assert.deepEqual(seen.typed.map(({ text, busy }) => [/-m pip install "skillbag\[lsp\]"$/.test(text), busy]), [[true, false]]);
  });
}

test("a server that ends again and again is given up", { skip: !POSIX }, async (context) => {
  const { seen, activate } = world(context, SERVER);
  process.env.ENDS = "1";
  context.after(() => delete process.env.ENDS);
  await activate();
  await eventually(() => seen.errors.length > 0);
  assert.deepEqual(seen.errors, ["The skillbag server ended again and again. The log says why."]);
  assert.equal(seen.status.text, "skillbag is not running");
});

test("a program that is not found is explained", { skip: !POSIX }, async (context) => {
  const { seen, activate, root } = world(context, SERVER);
  seen.settings["skillbag.path"] = path.join(root, "gone");
  seen.answer = "Open Settings";
  await activate();
  assert.match(seen.errors.join("\n"), /^The setting skillbag\.path names .*gone, which is not a program/);
  assert.deepEqual(seen.executed, [["workbench.action.openSettings", "skillbag."]]);
});

test("a changed setting starts the other program", { skip: !POSIX }, async (context) => {
  const { seen, activate, file } = world(context, "#!/bin/sh\nexit 4\n");
  await activate();
  seen.settings["skillbag.path"] = file("other/skillbag", SERVER);
  await seen.configuration.fire({ affectsConfiguration: (/** @type {string} */ name) => name === "skillbag.path" });
  await seen.commands.get("skillbag.restart")?.();
  assert.equal(seen.status.text, "skillbag 9.9.9");
});

test("trust changes what may be started", { skip: !POSIX }, async (context) => {
  const { seen, workspace, activate, file } = world(context, SERVER);
  const ours = file("work/.venv/bin/skillbag", SERVER);
  const usual = process.env.PATH;
  context.after(() => (process.env.PATH = usual));
  process.env.PATH = path.dirname(ours);
  seen.settings["skillbag.path"] = "";
  workspace.isTrusted = false;
  await activate();
  assert.match(seen.errors.join("\n"), /This workspace is not trusted/);
  workspace.isTrusted = true;
  await seen.trust.fire(undefined);
  assert.equal(seen.status.text, "skillbag 9.9.9");
});

test("the environment that is chosen for Python is asked for", { skip: !POSIX }, async (context) => {
  const { seen, activate, file } = world(context, SERVER);
  const python = path.join(path.dirname(file("chosen/bin/skillbag", SERVER)), "python");
  seen.settings["skillbag.path"] = "";
  const environments = { getActiveEnvironmentPath: () => ({ path: python }), onDidChangeActiveEnvironmentPath: () => ({ dispose() {} }) };
  seen.python = { activate: async () => ({ environments }) };
  await activate();
  assert.equal(seen.status.detail, "from the environment chosen for Python");
});

test("a code lens shows the places that use a skill", { skip: !POSIX }, async (context) => {
  const { seen, activate } = world(context, SERVER);
  await activate();
  const start = { line: 1, character: 2 };
  const range = { start, end: { line: 1, character: 9 } };
  await seen.commands.get("skillbag.showReferences")?.("file:///a/SKILL.md", start, [{ uri: "file:///b/SKILL.md", range }]);
  const [name, address, position, locations] = /** @type {any[]} */ (seen.executed.at(-1));
  assert.equal(name, "editor.action.showReferences");
  assert.deepEqual([address.fsPath, { ...position }], ["/a/SKILL.md", start]);
  assert.deepEqual([locations.length, locations[0].uri.fsPath, locations[0].range.end.character], [1, "/b/SKILL.md", 9]);
});

test("the real server answers", { skip: !process.env.SKILLBAG && "SKILLBAG names no program" }, async (context) => {
  const { seen, activate, extension } = world(context, SERVER);
  seen.settings["skillbag.path"] = process.env.SKILLBAG;
  await activate();
  assert.deepEqual(seen.errors, []);
  assert.match(seen.status.text, /^skillbag \d+\.\d+\.\d+/);
  await extension.deactivate();
});
