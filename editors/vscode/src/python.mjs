// The interpreter that the user chose in the Python extension, if that extension is there.
import * as vscode from "vscode";

/**
 * The part of the Python extension's interface that is used here.
 * @typedef {object} Environments
 * @property {(resource?: vscode.Uri) => { path: string } | undefined} getActiveEnvironmentPath
 * @property {vscode.Event<unknown>} onDidChangeActiveEnvironmentPath
 */

/** @returns {Promise<Environments | undefined>} */
async function environments() {
  try {
    return (await vscode.extensions.getExtension("ms-python.python")?.activate())?.environments;
  } catch {
    // Its own failure is its own to tell.
    return undefined;
  }
}

/** @returns {Promise<string | undefined>} */
export async function chosenPython() {
  return (await environments())?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri)?.path;
}

/**
 * @param {() => void} listener
 * @returns {Promise<vscode.Disposable>}
 */
export async function onPythonChange(listener) {
  return (await environments())?.onDidChangeActiveEnvironmentPath(() => listener()) ?? new vscode.Disposable(() => {});
}
