// The files that the server is given.

const NAMES = ["SKILL.md", "SKILL.yaml", "AGENTS.md", "CLAUDE.md", "CONTEXT.md", "USER_CONTEXT.md", "SKILLBAG.md", "SKILLS.md", "skillbag.toml"];

/** Each of these names anywhere, and every file below a folder of skills. */
export const DOCUMENTS = [`**/{${NAMES.join(",")}}`, "**/{skills,.skills}/**"].map((pattern) => ({
  scheme: "file",
  pattern,
}));
