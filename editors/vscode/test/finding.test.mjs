// Finding the server: which program is taken, and what is said where there is none.
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { findServer, NotFoundError } from "../src/finding.mjs";
import { places, POSIX } from "./places.mjs";

/**
 * A workspace and a home with nothing in them.
 * @param {import("node:test").TestContext} context
 */
function world(context) {
  const at = places(context);
  const around = {
    setting: "",
    folders: [at.folder("work")],
    trusted: true,
    home: at.folder("home"),
    env: { PATH: at.folder("bin") },
  };
  return { ...at, around };
}

/**
 * The message and the command of a search that fails.
 * @param {import("../src/finding.mjs").Surroundings} around
 */
async function failure(around) {
  try {
    await findServer(around);
  } catch (error) {
    assert(error instanceof NotFoundError);
    return { message: error.message, install: error.install };
  }
  throw new Error("a server was found");
}

test("the places are searched in their order", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  const uvx = file("bin/uvx");
  const byUv = await findServer(around);
  assert.deepEqual([byUv.program, byUv.args], [uvx, ["--from", "skillbag[lsp]", "skillbag", "agent", "lsp"]]);
  const program = file("bin/skillbag");
  assert.equal((await findServer(around)).program, program);
  const chosen = file("chosen/bin/skillbag");
  const python = path.join(path.dirname(chosen), "python");
  assert.equal((await findServer({ ...around, python })).program, chosen);
  const environment = file("work/.venv/bin/skillbag");
  assert.equal((await findServer({ ...around, python })).program, environment);
  const named = file("elsewhere/mine");
  const last = await findServer({ ...around, python, setting: named });
  assert.deepEqual([last.program, last.args, last.cwd], [named, ["agent", "lsp"], around.folders[0]]);
});

test("an interpreter without the program is passed over", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  const program = file("bin/skillbag");
  assert.equal((await findServer({ ...around, python: file("chosen/bin/python") })).program, program);
});

test("the environment of any folder counts", { skip: !POSIX }, async (context) => {
  const { around, file, folder } = world(context);
  const program = file("second/.venv/bin/skillbag");
  const found = await findServer({ ...around, folders: [...around.folders, folder("second")] });
  assert.deepEqual([found.program, found.cwd], [program, folder("second")]);
});

test("what is no program is passed over", { skip: !POSIX }, async (context) => {
  const { around, file, folder } = world(context);
  file("work/.venv/bin/skillbag", "", 0o644);
  folder("bin/skillbag");
  assert.match((await failure(around)).message, /^skillbag was not found: /);
});

test("the setting may name the home and the workspace", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  const mine = file("home/bin/mine");
  const ours = file("work/tools/ours");
  assert.equal((await findServer({ ...around, setting: "~/bin/mine" })).program, mine);
  assert.equal((await findServer({ ...around, setting: "${workspaceFolder}/tools/ours" })).program, ours);
  assert.equal((await findServer({ ...around, setting: "tools/ours" })).program, ours);
  assert.equal((await findServer({ ...around, folders: [], setting: "~/bin/mine" })).cwd, around.home);
});

test("a setting that names no program is an error, and nothing else is started", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  file("bin/skillbag");
  const { message, install } = await failure({ ...around, setting: "gone" });
  assert.match(message, /^The setting skillbag\.path names .*\/work\/gone, which is not a program\. Correct it/);
  assert.equal(install, undefined);
});

test("without trust, nothing of the workspace is run", { skip: !POSIX }, async (context) => {
  const { root, around, file, folder } = world(context);
  file("work/.venv/bin/skillbag");
  file("work/bin/skillbag");
  const python = file("work/.venv/bin/python");
  symlinkSync(folder("work/bin"), path.join(root, "linked"));
  symlinkSync(file("work/hidden"), path.join(folder("links"), "skillbag"));
  const entries = ["linked", "links", "work/bin", "work/.venv/bin"].map((name) => path.join(root, name));
  const untrusted = { ...around, trusted: false, python, env: { PATH: entries.join(":") } };
  assert.match((await failure(untrusted)).message, /not trusted, so its own environments are not used/);
  const program = file("bin/skillbag");
  const env = { PATH: [...entries, path.dirname(program)].join(":") };
  assert.equal((await findServer({ ...untrusted, env })).program, program);
  assert.equal((await findServer({ ...untrusted, env, trusted: true, python: undefined })).program, path.join(root, "work/.venv/bin/skillbag"));
});

test("uv runs in the home: a workspace may bring settings for it", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  file("bin/uvx");
  assert.equal((await findServer(around)).cwd, around.home);
});

test("relative entries of PATH are left out", { skip: !POSIX }, async (context) => {
  const { around } = world(context);
  assert.match((await failure({ ...around, env: { PATH: ":.:bin" } })).message, /not found/);
  assert.match((await failure({ ...around, env: {} })).message, /not found/);
});

test("the command that installs is that of the user's tools", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  assert.equal((await failure(around)).install, 'python3 -m pip install --user "skillbag[lsp]"');
  file("bin/pipx");
  assert.equal((await failure(around)).install, 'pipx install "skillbag[lsp]"');
});

test("an extra is installed by what made the environment", { skip: !POSIX }, async (context) => {
  const { root, around, file } = world(context);
  const installing = async (/** @type {string} */ setting) => (await findServer({ ...around, setting })).install;
  const link = path.join(root, "bin/skillbag");
  symlinkSync(file("home/.local/share/uv/tools/skillbag/bin/skillbag"), link);
  assert.equal(await installing(link), 'uv tool install --force "skillbag[lsp]"');
  const pipx = file("home/.local/pipx/venvs/skillbag/bin/skillbag");
  assert.equal(await installing(pipx), 'pipx install --force "skillbag[lsp]"');
  const plain = file("my work/.venv/bin/skillbag");
  assert.equal(await installing(plain), `"${root}/my work/.venv/bin/python" -m pip install "skillbag[lsp]"`);
  const made = file("work/.venv/bin/skillbag");
  file("work/.venv/pyvenv.cfg", "home = /usr/bin\nuv = 0.9.2\n");
  assert.equal(await installing(made), `uv pip install --python ${root}/work/.venv/bin/python "skillbag[lsp]"`);
});

test("on Windows, programs end with .exe and environments have Scripts", { skip: !POSIX }, async (context) => {
  const { around, file } = world(context);
  const windows = { ...around, platform: "win32", env: { Path: `${path.dirname(file("bin/uvx.exe"))};` } };
  assert.equal((await findServer(windows)).origin, "uvx");
  const program = file("work/.venv/Scripts/skillbag.exe");
  assert.equal((await findServer(windows)).program, program);
});
