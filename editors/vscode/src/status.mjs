// The item among those of the language: which server runs, or why none does.
import * as vscode from "vscode";

import { DOCUMENTS } from "./documents.mjs";

/** @typedef {import("./finding.mjs").Server} Server */

export class Status {
  constructor() {
    this.item = vscode.languages.createLanguageStatusItem("skillbag", DOCUMENTS);
    this.item.name = "skillbag";
    this.item.command = { command: "skillbag.showLog", title: "Show Log" };
  }

  starting() {
    this.#show("skillbag: starting", "", vscode.LanguageStatusSeverity.Information, true);
  }

  /**
   * @param {string | undefined} version
   * @param {Server} server
   */
  running(version, server) {
    this.#show(`skillbag ${version ?? ""}`.trim(), `from ${server.origin}`, vscode.LanguageStatusSeverity.Information);
  }

  /** @param {string} message */
  failed(message) {
    this.#show("skillbag is not running", message, vscode.LanguageStatusSeverity.Error);
    this.item.command = { command: "skillbag.restart", title: "Restart" };
  }

  /**
   * @param {string} text
   * @param {string} detail
   * @param {vscode.LanguageStatusSeverity} severity
   * @param {boolean} busy
   */
  #show(text, detail, severity, busy = false) {
    Object.assign(this.item, { text, detail, severity, busy });
    this.item.command = { command: "skillbag.showLog", title: "Show Log" };
  }

  dispose() {
    this.item.dispose();
  }
}
