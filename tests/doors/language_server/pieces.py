"""Files and pieces of text of which a random session is made."""

from __future__ import annotations

_SKILL = """---
name: {name}
description: Does {name} things. Use it when {name} is asked for.
---

# {name}

Read [the notes](references/notes.md), then run `scripts/run.sh`.
"""

FILES = {
    ".skills/alpha/SKILL.md": _SKILL.format(name="alpha"),
    ".skills/alpha/references/notes.md": "# Notes\n\nSee [the skill](../SKILL.md).\n",
    ".skills/alpha/scripts/run.sh": "#!/bin/sh\necho hello\n",
    ".skills/beta/SKILL.md": _SKILL.format(name="beta").replace("---\n\n#", "metadata:\n  depends: alpha\n---\n\n#"),
    ".skills/SKILLS.md": "- alpha: Does alpha things. Use it when alpha is asked for.\n",
    "SKILLBAG.md": "# Workspace\n\nRead `.skills/SKILLS.md`.\n",
    "CONTEXT.md": "# Context\n\n```yaml\ndependencies:\n  - name: gamma\n```\n",
}
"""The tree in which a session begins."""

NAMES = (
    *FILES,
    ".skills/gamma/SKILL.md",
    ".skills/gamma/references/notes.md",
    ".skills/beta/references/notes.md",
    "skillbag.toml",
    "AGENTS.md",
    "notes.txt",
)
"""The files that a session touches."""

PIECES = (
    *("", "\n", "\r\n", "\r", "\u2028", "\x0c", "\x85", "\x1b[31m", "\u202e", "\U0001f600 ", "\u00e9", "\ufeff", "\t"),
    *("---\n", "name: alpha\n", "name: beta\n", "description: |\n", "description: ", "metadata:\n  depends: beta\n"),
    *("[gone](references/gone.md)\n", "[notes](references/notes.md)", "](", "`scripts/run.sh`", "# Title\n"),
    *("```yaml\n", "```\n", "````\n", "required:\n  - name: city\n", "dependencies:\n  - name: alpha\n", "<!-- "),
    "<!-- skillbag: ignore link-broken (it comes with the release) -->\n",
    *(" -->", 'ignore = ["links"]\n', "[levels]\n", 'link-broken = "off"\n', "if then\n", "fi\n", "'", '"'),
    _SKILL.format(name="gamma"),
    "- beta: Does beta things.\n",
)
"""What is put into files."""
