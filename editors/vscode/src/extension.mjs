// The extension: finds the server, starts it, and says what to do where it cannot.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";

import { clientFor } from "./client.mjs";
import { findServer, NotFoundError } from "./finding.mjs";
import { chosenPython, onPythonChange } from "./python.mjs";
import { showReferences } from "./references.mjs";
import { Status } from "./status.mjs";

/** @typedef {import("vscode-languageclient/node").LanguageClient} LanguageClient */
/** @typedef {import("./finding.mjs").Server} Server */

/** One server for all folders of the window. */
class Extension {
  /** @param {vscode.ExtensionContext} context */
  constructor(context) {
    this.log = vscode.window.createOutputChannel("skillbag", { log: true });
    this.status = new Status();
    /** @type {LanguageClient | undefined} */
    this.client = undefined;
    /** @type {Server | undefined} */
    this.server = undefined;
    /** What starts and stops follow one another. */
    this.queue = Promise.resolve();
    context.subscriptions.push(this.log, this.status);
  }

  /** Start the server that is found now; one that runs is stopped first. */
  restart() {
    this.queue = this.queue.then(() => this.#restart()).catch((error) => this.#failed(error));
    return this.queue;
  }

  /** Start again if another server would be found now. */
  reconsider() {
    this.queue = this.queue
      .then(async () => {
        const server = await findServer(await surroundings());
        if (JSON.stringify(server) !== JSON.stringify(this.server)) await this.#restart();
      })
      .catch((error) => this.#failed(error));
    return this.queue;
  }

  stop() {
    this.queue = this.queue.then(() => this.#stop()).catch((error) => this.log.error(error));
    return this.queue;
  }

  async #restart() {
    await this.#stop();
    this.status.starting();
    const server = await findServer(await surroundings());
    this.server = server;
    this.log.info(`Starting ${server.program} ${server.args.join(" ")} (${server.origin}) in ${server.cwd}`);
    const { client, reason } = clientFor(server, this.log, (error) => this.#failed(error));
    this.client = client;
    client.onDidChangeState(({ newState }) => this.#changed(client, newState));
    try {
      await client.start();
    } catch (error) {
      throw (await reason()) ?? error;
    }
  }

  /**
   * @param {LanguageClient} client
   * @param {State} state
   */
  #changed(client, state) {
    if (client !== this.client || !this.server) return;
    if (state === State.Starting) this.status.starting();
    if (state === State.Running) this.status.running(client.initializeResult?.serverInfo?.version, this.server);
  }

  async #stop() {
    const client = this.client;
    this.client = undefined;
    this.server = undefined;
    if (client?.needsStop()) await client.stop();
  }

  /** @param {unknown} error */
  #failed(error) {
    const message = error instanceof Error ? error.message : String(error);
    this.log.error(message);
    this.status.failed(message);
    void this.#offer(message, error instanceof NotFoundError ? error.install : undefined);
  }

  /**
   * @param {string} message
   * @param {string} [install]
   */
  async #offer(message, install) {
    const actions = [...(install ? ["Install in Terminal"] : []), "Open Settings", "Show Log"];
    const chosen = await vscode.window.showErrorMessage(message, ...actions);
    if (chosen === "Open Settings") await vscode.commands.executeCommand("workbench.action.openSettings", "skillbag.");
    if (chosen === "Show Log") this.log.show();
    if (chosen === "Install in Terminal" && install) {
      const terminal = vscode.window.createTerminal("Install skillbag");
      terminal.show();
      // The user presses Enter, after reading it.
      terminal.sendText(install, false);
    }
  }
}

async function surroundings() {
  return {
    setting: vscode.workspace.getConfiguration("skillbag").get("path", "").trim(),
    folders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    trusted: vscode.workspace.isTrusted,
    python: vscode.workspace.isTrusted ? await chosenPython() : undefined,
    home: homedir(),
    env: process.env,
  };
}

/** @type {Extension | undefined} */
let extension;

/** @param {vscode.ExtensionContext} context */
export async function activate(context) {
  const made = new Extension(context);
  extension = made;
  context.subscriptions.push(
    vscode.commands.registerCommand("skillbag.restart", () => made.restart()),
    vscode.commands.registerCommand("skillbag.showLog", () => made.log.show()),
    vscode.commands.registerCommand("skillbag.showReferences", (...given) => showReferences(made.client, ...given)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => made.reconsider()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("skillbag.path")) void made.reconsider();
    }),
    await onPythonChange(() => made.reconsider()),
  );
  await made.restart();
}

export async function deactivate() {
  await extension?.stop();
}
