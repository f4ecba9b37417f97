// The connection to the server: its process, its documents, and what its end means.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

import { CloseAction, LanguageClient, vsdiag } from "vscode-languageclient/node";

import { DOCUMENTS } from "./documents.mjs";
import { NotFoundError } from "./finding.mjs";

/** @typedef {import("vscode").LogOutputChannel} LogOutputChannel */
/** @typedef {import("./finding.mjs").Server} Server */

/** The exit code of a command that lacks what its extra would bring. */
const LACKS = 4;
/** The exit code of words that the program does not know: it is older than its server. */
const MISUSED = 2;
const ENDED = "The skillbag server ended again and again. The log says why.";
/** Milliseconds in which a process ends whose pipes are closed. */
const GRACE = 2000;

/**
 * A client whose errors go to the log: the extension says what they mean, once. The server publishes the findings of
 * all files, open or not. Asked for as well, those of open files would be shown twice.
 */
class Client extends LanguageClient {
  /** @override @param {import("vscode-languageclient/node").InitializeParams} params */
  fillInitializeParams(params) {
    super.fillInitializeParams(params);
    delete params.capabilities.textDocument?.diagnostic;
    delete params.capabilities.workspace?.diagnostics;
  }

  /** @override @param {string} message @param {unknown} [data] */
  error(message, data) {
    super.error(message, data, false);
  }
}

/**
 * A client that is not started yet. `reason` waits for what the end of its process says, if it says anything.
 * @param {Server} server
 * @param {LogOutputChannel} log
 * @param {(error: Error) => void} gone called when a server that once answered has ended for good
 */
export function clientFor(server, log, gone) {
  /** @type {Promise<Error | undefined>} */
  let ended = Promise.resolve(undefined);
  const start = async () => {
    const child = spawn(server.program, server.args, { cwd: server.cwd });
    await new Promise((resolve, reject) => child.once("spawn", () => resolve(undefined)).once("error", reject));
    ended = new Promise((resolve) => child.once("exit", (code) => resolve(endOf(server, code))));
    return child;
  };
  // The pipes may close a moment before the process ends, or long before if it hangs.
  const reason = () => Promise.race([ended, sleep(GRACE, undefined, { ref: false })]);
  const client = new Client("skillbag", "skillbag", start, {
    documentSelector: DOCUMENTS,
    outputChannel: log,
    // The server itself registers which files it wants watched.
    synchronize: { configurationSection: "skillbag" },
    middleware: { provideDiagnostics: () => ({ kind: vsdiag.DocumentDiagnosticReportKind.full, items: [] }) },
    initializationFailedHandler: () => false,
  });
  const usual = client.createDefaultErrorHandler();
  client.clientOptions.errorHandler = {
    error: (...given) => usual.error(...given),
    async closed() {
      const known = await reason();
      const what = known ? { action: CloseAction.DoNotRestart, handled: true } : await usual.closed();
      if (what.action === CloseAction.DoNotRestart && client.initializeResult) gone(known ?? new Error(ENDED));
      return what;
    },
  };
  return { client, reason };
}

/**
 * What the end of the process says about the program, if it will not work at the next start either.
 * @param {Server} server
 * @param {number | null} code
 */
function endOf({ program, install }, code) {
  if (code === LACKS) {
    return new NotFoundError(`${program} lacks what its server needs, the extra lsp. Install it there: ${install}`, install);
  }
  if (code === MISUSED) {
    return new NotFoundError(`${program} is too old to have a server. Install a newer one: ${install}`, install);
  }
  return undefined;
}
