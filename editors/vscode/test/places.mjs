// Folders and programs of a test, in a temporary folder that is removed after it.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const POSIX = process.platform !== "win32";

/** @param {import("node:test").TestContext} context */
export function places(context) {
  const root = realpathSync(mkdtempSync(path.join(tmpdir(), "skillbag-")));
  context.after(() => rmSync(root, { recursive: true, force: true }));
  return {
    root,
    /** @param {string} name */
    folder(name) {
      const place = path.join(root, name);
      mkdirSync(place, { recursive: true });
      return place;
    },
    /**
     * @param {string} name
     * @param {string} text
     * @param {number} mode
     */
    file(name, text = "#!/bin/sh\n", mode = 0o755) {
      const place = path.join(root, name);
      mkdirSync(path.dirname(place), { recursive: true });
      writeFileSync(place, text);
      chmodSync(place, mode);
      return place;
    },
  };
}
