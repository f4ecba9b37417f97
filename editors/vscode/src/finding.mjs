// Where the server is: which program of this machine is `skillbag`, and how it is installed where it is not.
import { constants, realpathSync } from "node:fs";
import { access, readFile, stat } from "node:fs/promises";
import path from "node:path";

/**
 * What finding depends on.
 * @typedef {object} Surroundings
 * @property {string} setting the value of `skillbag.path`, empty if there is none
 * @property {string[]} folders the folders of the workspace
 * @property {boolean} trusted whether programs of the workspace may be run
 * @property {string} [python] the interpreter that was chosen in the Python extension
 * @property {string} home the user's home folder
 * @property {Record<string, string | undefined>} env the variables of the environment
 * @property {string} [platform] as in `process.platform`
 */

/**
 * How the server is started.
 * @typedef {object} Server
 * @property {string} program
 * @property {string[]} args
 * @property {string} cwd
 * @property {string} origin where it was found, for people
 * @property {string} install a command that installs it there, with what the server needs
 */

/** A program that cannot be found, with what to do. */
export class NotFoundError extends Error {
  /**
   * @param {string} message
   * @param {string} [install] a command that installs the program
   */
  constructor(message, install) {
    super(message);
    this.install = install;
  }
}

const PACKAGE = '"skillbag[lsp]"';

/**
 * The server: from the setting, the workspace's environment, the chosen interpreter, PATH, or by uv.
 * @param {Surroundings} around
 * @returns {Promise<Server>}
 */
export async function findServer(around) {
  if (around.setting) return fromSetting(around);
  return (
    (around.trusted && (await fromWorkspace(around))) ||
    (around.trusted && (await fromPython(around))) ||
    (await fromPath(around)) ||
    (await fromUv(around)) ||
    missing(around)
  );
}

/** @param {Surroundings} around */
async function fromSetting(around) {
  const program = expanded(around);
  if (await isProgram(program)) return server(around, program, "the setting skillbag.path");
  throw new NotFoundError(
    `The setting skillbag.path names ${program}, which is not a program. Correct it, or clear it so that skillbag is searched for.`,
  );
}

/** @param {Surroundings} around */
function expanded({ setting, folders, home }) {
  const first = folders[0] ?? home;
  const value = setting.replace(/^~(?=[/\\]|$)/, () => home).replaceAll("${workspaceFolder}", () => first);
  return path.resolve(first, value);
}

/** @param {Surroundings} around */
async function fromWorkspace(around) {
  for (const folder of around.folders) {
    const program = path.join(folder, ".venv", inEnvironment(around), named("skillbag", around));
    if (await isProgram(program)) return server(around, program, "the workspace's environment .venv", folder);
  }
  return undefined;
}

/** @param {Surroundings} around */
async function fromPython(around) {
  if (!around.python) return undefined;
  const program = path.join(path.dirname(around.python), named("skillbag", around));
  return (await isProgram(program)) ? server(around, program, "the environment chosen for Python") : undefined;
}

/** @param {Surroundings} around */
async function fromPath(around) {
  const program = await onPath("skillbag", around);
  return program ? server(around, program, "PATH") : undefined;
}

/**
 * uv reads settings from the folder that it runs in, package indexes among them, so it runs in the user's home.
 * @param {Surroundings} around
 * @returns {Promise<Server | undefined>}
 */
async function fromUv(around) {
  const program = await onPath("uvx", around);
  const install = `uv tool install ${PACKAGE}`;
  const args = ["--from", "skillbag[lsp]", "skillbag", "agent", "lsp"];
  return program ? { program, args, cwd: around.home, origin: "uvx", install } : undefined;
}

/**
 * @param {Surroundings} around
 * @returns {Promise<never>}
 */
async function missing(around) {
  const pipx = await onPath("pipx", around);
  const message = around.trusted
    ? "skillbag was not found: not in the workspace's .venv, in the environment chosen for Python, or on PATH. Install it, or name the program in the setting skillbag.path."
    : "skillbag was not found on PATH. This workspace is not trusted, so its own environments are not used. Install skillbag for your user, or trust the workspace.";
  throw new NotFoundError(message, pipx ? `pipx install ${PACKAGE}` : `python3 -m pip install --user ${PACKAGE}`);
}

/**
 * @param {Surroundings} around
 * @param {string} program
 * @param {string} origin
 * @param {string} [cwd]
 * @returns {Promise<Server>}
 */
async function server(around, program, origin, cwd = around.folders[0] ?? around.home) {
  return { program, args: ["agent", "lsp"], cwd, origin, install: await installing(around, program) };
}

/**
 * The command that adds what the server needs to the environment of a program, by the tool that made the environment.
 * @param {Surroundings} around
 * @param {string} program
 */
async function installing(around, program) {
  const environment = path.dirname(path.dirname(real(program)));
  const kept = environment.replaceAll("\\", "/");
  if (kept.includes("/uv/tools/")) return `uv tool install --force ${PACKAGE}`;
  if (kept.includes("/pipx/venvs/")) return `pipx install --force ${PACKAGE}`;
  const python = quoted(path.join(environment, inEnvironment(around), named("python", around)));
  const made = await readFile(path.join(environment, "pyvenv.cfg"), "utf8").catch(() => "");
  return /^uv\s*=/m.test(made) ? `uv pip install --python ${python} ${PACKAGE}` : `${python} -m pip install ${PACKAGE}`;
}

/** @param {string} word */
function quoted(word) {
  return /[^\w@%+=:,./\\~-]/.test(word) ? `"${word}"` : word;
}

/**
 * A program of PATH. Relative entries are left out, and those within a workspace that is not trusted.
 * @param {string} name
 * @param {Surroundings} around
 */
async function onPath(name, around) {
  const value = around.env.PATH ?? around.env.Path ?? "";
  const entries = value.split(isWindows(around) ? ";" : ":").filter((entry) => path.isAbsolute(entry));
  for (const entry of entries) {
    const program = path.join(entry, named(name, around));
    if ((around.trusted || !around.folders.some((folder) => isWithin(program, folder))) && (await isProgram(program))) {
      return program;
    }
  }
  return undefined;
}

/**
 * Whether the program, or what it is a link to, is within the folder.
 * @param {string} program
 * @param {string} folder
 */
function isWithin(program, folder) {
  const roots = [folder, real(folder)];
  const places = [program, real(program), path.join(real(path.dirname(program)), path.basename(program))];
  return places.some((place) => roots.some((root) => isBelow(path.relative(root, place))));
}

/** @param {string} relative */
function isBelow(relative) {
  return relative.split(path.sep)[0] !== ".." && !path.isAbsolute(relative);
}

/** @param {string} place */
function real(place) {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}

/** @param {string} place */
async function isProgram(place) {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}

/** @param {Pick<Surroundings, "platform">} around */
function isWindows({ platform = process.platform }) {
  return platform === "win32";
}

/** @param {Surroundings} around */
function inEnvironment(around) {
  return isWindows(around) ? "Scripts" : "bin";
}

/**
 * @param {string} name
 * @param {Surroundings} around
 */
function named(name, around) {
  return isWindows(around) ? `${name}.exe` : name;
}
