// A stand-in for the module `vscode`: what the extension uses is real enough to be looked at, the rest does nothing.
import { createRequire } from "node:module";
import Module from "node:module";
import { pathToFileURL } from "node:url";

/** An event that a test fires. */
class Emitter {
  /** @type {Set<(value: unknown) => unknown>} */
  listeners = new Set();
  event = (/** @type {(value: unknown) => unknown} */ listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };
  dispose() {
    this.listeners.clear();
  }
  fire = (/** @type {unknown} */ value) => Promise.all([...this.listeners].map((listener) => listener(value)));
}

class Uri {
  /** @param {URL} url */
  constructor(url) {
    this.url = url;
    this.scheme = url.protocol.slice(0, -1);
    this.fsPath = decodeURIComponent(url.pathname);
  }
  static file = (/** @type {string} */ place) => new Uri(pathToFileURL(place));
  static parse = (/** @type {string} */ text) => new Uri(new URL(text));
  toString() {
    return this.url.href;
  }
}

class Position {
  /** @param {number} line @param {number} character */
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  /** @param {unknown[]} given two positions, or four numbers */
  constructor(...given) {
    const [a, b, c, d] = /** @type {number[]} */ (given);
    const [start, end] = given.length === 4 ? [new Position(a, b), new Position(c, d)] : given;
    Object.assign(this, { start, end });
  }
}

class Location {
  /** @param {Uri} uri @param {Range} range */
  constructor(uri, range) {
    Object.assign(this, { uri, range });
  }
}

class CodeActionKind {
  static Empty = new CodeActionKind();
  append() {
    return this;
  }
}

class Disposable {
  static from = () => new Disposable();
  dispose() {}
}

/**
 * A module or namespace in which every name exists: events register nothing, functions return a disposable, names with
 * a capital are classes.
 * @param {Record<string, unknown>} known
 * @returns {any}
 */
function whole(known) {
  const made = new Map();
  return new Proxy(known, {
    get(target, name) {
      if (typeof name === "symbol" || name in target) return Reflect.get(target, name);
      if (!made.has(name)) made.set(name, missing(name));
      return made.get(name);
    },
  });
}

/** @param {string} name */
function missing(name) {
  return /^[A-Z]/.test(name) ? class {} : () => ({ dispose() {} });
}

/**
 * The module, with what the extension did to it, and what a test may change.
 * @param {string[]} folders
 */
export function standIn(folders) {
  const trust = new Emitter();
  const configuration = new Emitter();
  const seen = {
    /** @type {Map<string, (...given: unknown[]) => unknown>} */
    commands: new Map(),
    /** @type {unknown[][]} */
    executed: [],
    /** @type {string[]} */
    errors: [],
    /** @type {string[]} */
    log: [],
    /** @type {{ text: string, busy?: boolean }[]} */
    typed: [],
    /** @type {any} */
    status: { dispose() {} },
    /** @type {Map<string, unknown[]>} */
    diagnostics: new Map(),
    /** @type {Record<string, unknown>} */
    settings: {},
    /** @type {string | undefined} */
    answer: undefined,
    trust,
    configuration,
    python: /** @type {unknown} */ (undefined),
  };
  const write = (/** @type {unknown} */ text) => void seen.log.push(`${text}\n`);
  const channel = whole({ info: write, error: write, warn: write, append: write, appendLine: write, debug: write, trace: write, show() {}, dispose() {} });
  const workspace = whole({
    isTrusted: true,
    workspaceFolders: folders.map((folder, index) => ({ uri: Uri.file(folder), name: `${index}`, index })),
    textDocuments: [],
    notebookDocuments: [],
    getConfiguration: (/** @type {string} */ section) => ({
      get: (/** @type {string} */ key, /** @type {unknown} */ standard) => seen.settings[`${section}.${key}`] ?? standard,
    }),
    getWorkspaceFolder: () => undefined,
    createFileSystemWatcher: () => whole({}),
    onDidGrantWorkspaceTrust: trust.event,
    onDidChangeConfiguration: configuration.event,
  });
  const window = whole({
    tabGroups: whole({ all: [] }),
    visibleTextEditors: [],
    visibleNotebookEditors: [],
    createOutputChannel: () => channel,
    showErrorMessage: async (/** @type {string} */ message, /** @type {unknown[]} */ ...actions) => {
      seen.errors.push(message);
      return actions.find((action) => action === seen.answer);
    },
    createTerminal: () => ({ show() {}, sendText: (/** @type {string} */ text, /** @type {boolean} */ enter) => seen.typed.push({ text, busy: enter }) }),
  });
  const languages = whole({
    match: () => 1,
    createLanguageStatusItem: () => seen.status,
    createDiagnosticCollection: () => ({
      set: (/** @type {Uri} */ uri, /** @type {unknown[]} */ found) => seen.diagnostics.set(uri.toString(), found),
      dispose() {},
      clear() {},
    }),
  });
  const commands = {
    registerCommand(/** @type {string} */ name, /** @type {() => unknown} */ run) {
      if (seen.commands.has(name)) throw new Error(`command '${name}' already exists`);
      seen.commands.set(name, run);
      return { dispose: () => seen.commands.delete(name) };
    },
    executeCommand: async (/** @type {unknown[]} */ ...given) => void seen.executed.push(given),
  };
  const extensions = whole({ getExtension: () => seen.python });
  const api = whole({
    ...{ version: "1.91.0", env: { appName: "a stand-in", language: "en" }, workspace, window, languages, commands },
    ...{ extensions, Uri, Position, Range, Location, EventEmitter: Emitter, Disposable, CodeActionKind },
    LanguageStatusSeverity: { Information: 0, Warning: 1, Error: 2 },
  });
  return { api, seen, workspace };
}

/**
 * The extension, as it is bundled, with this module as `vscode`.
 * @param {unknown} api
 * @param {string} bundle
 */
export function extensionWith(api, bundle) {
  const loader = /** @type {any} */ (Module);
  const usual = loader._load;
  loader._load = (/** @type {string} */ request, /** @type {unknown[]} */ ...rest) =>
    request === "vscode" ? api : usual(request, ...rest);
  try {
    const require = createRequire(import.meta.url);
    delete require.cache[require.resolve(bundle)];
    return require(bundle);
  } finally {
    loader._load = usual;
  }
}
