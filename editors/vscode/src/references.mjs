// What a code lens of the server does: show the places that use a skill.
import * as vscode from "vscode";

/** @typedef {import("vscode-languageclient/node").LanguageClient} LanguageClient */
/** @typedef {import("vscode-languageclient/node").Location} Location */
/** @typedef {import("vscode-languageclient/node").Position} Position */

/**
 * Hand the places that the server gives to the editor, which wants objects of its own.
 * @param {LanguageClient | undefined} client
 * @param {unknown[]} given an address, a position and locations, as in the Language Server Protocol
 */
export async function showReferences(client, ...given) {
  if (!client || given.length < 3) return;
  const [address, position, locations] = /** @type {[string, Position, Location[]]} */ (given);
  const { asUri, asPosition, asLocation } = client.protocol2CodeConverter;
  await vscode.commands.executeCommand(
    "editor.action.showReferences",
    asUri(address),
    asPosition(position),
    locations.map(asLocation),
  );
}
