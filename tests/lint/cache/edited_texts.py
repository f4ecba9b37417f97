"""Texts, paths and links for the edits of a small world."""

from __future__ import annotations

TOKEN = "ghp_" + "R7kQ2mVx9TzL4pYc8WnB3sHd6FgJ1aUe5oXi"

SKILL = "---\nname: {0}\ndescription: Tidy {0}. Use when files lie about. #use/{0}\n---\n\n# {0}\n\n"
TEXTS: tuple[bytes, ...] = tuple(
    text.encode("utf-8")
    for text in (
        "",
        "# Words\n",
        *(SKILL.format(name) for name in "abc"),
        SKILL.format("b") + "Run `run c-d`, read [the guide](references/guide.md#words) and [b](../b/SKILL.md).\n",
        SKILL.format("a") + "See [out](../../../outside/note.md), [top](../../NOTES.md) and `scripts/run.sh`.\n",
        SKILL.format("a")
        + "```yaml\ndependencies:\n  - name: b\n  - name: nobody\n```\n\n```sh\n./scripts/run.sh --all\n```\n",
        SKILL.format("c") + "## Dependencies\n\n```yaml\ndependencies:\n  - name: a\n```\n",
        SKILL.format("a") + '<!-- skillbag: ignore-file[link-broken] reason="x" until=2026-06-01 -->\n[x](gone.md)\n',
        SKILL.format("a") + '<!-- skillbag: ignore[nothing] reason="x" until=soon -->\n[x](gone.md)\n',
        f"---\nname: a\ndescription: It uses {TOKEN} always.\n---\n\nKEY={TOKEN}\n",
        "---\nname: [a\n---\n",
        "#!/bin/sh\nif true; then\n  echo 'never closed\n",
        "#!/bin/bash\necho sound\n",
        "def broken(:\n",
        "SkillBag v0.3.0\n",
        "SkillBag v9.9.9\n",
        "# SKILLBAG source\n",
        "- a - Tidy a. Use when files lie about. #use/a\n- b - other words\n- ghost - not there\n",
        "- c - Tidy c. Use when files lie about. #use/c\n",
        "# Context\n\n```yaml\nskills:\n  - name: a\n    source: ./src\ndependencies:\n  - name: b\n```\n",
        '# Context\n\n```yaml\nprohibit:\n  - "gh\\0st"\noverrides:\n  - name: "a\\0b"\n    source: ./x\n```\n',
        "USER_CONTEXT.md\n",
        "!USER_CONTEXT.md\nplain/skills/\n",
        "*.md\n/plain/\n",
        '[levels]\nlink-broken = "note"\n',
        'ignore = ["prose"]\n[paths."**/b/**"]\nignore = ["all"]\n',
        'exclude = ["**/x/", "nothing"]\nrules = ["team"]\n',
        'exclude = ["nothing-here"]\n',
        'exclude = ["*"]\n[levels]\nsecret = "error"\n',
        'rules = ["team"]\n[options.skill-file-missing]\nshared = ["d"]\n',
        "levels = 3\n",
        '[tool.skillbag]\nselect = ["links"]\n',
        "[core]\n\tfilemode = false\n",
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
        "[core]\n\texcludesFile = ~/ignored\n",
    )
)

RULE = """id: {0}
clause: null
level: {1}
heuristic: true
targets: [{2}]
check: skill-nested
summary: A rule of a team.
message: "{3} {{name}}"
fix: Mend it.
why: |
  It is a team's own, and so this one is here.
examples:
  pass:
    - files:
        a: b
  fail:
    - files:
        a: b
      expect: ["a:1:1"]
"""
TEXTS += tuple(
    RULE.format("own", level, targets, words).encode()
    for level, targets, words in (
        ("warning", "workspace", "nested"),
        ("note", "workspace, source, skills", "inner"),
        ("warning", "skills", "nested"),
    )
)

TEXTS += (b"\xff\xfe not text", b"a\0b", b"---\nname: a\n", b"x" * ((1 << 20) + 1))

NAMES = ("a", "b", "c", "d")
PLACES = (
    *(f"ws/.skills/{name}" for name in NAMES),
    *(f"plain/skills/{name}" for name in ("x", "y", ".curated", ".curated/z")),
    "plain/.claude/skills/a",
    "src/.skills/a",
    "ws",
    "ws/.skills",
    "plain",
    "plain/skills",
    "src",
    "outside",
    "team",
    "bin",
    "home/.config/git",
    ".git/info",
    "",
)
FILES = (
    *(f"{place}/SKILL.md" for place in PLACES[:10]),
    *(f"ws/.skills/{name}/{file}" for name in "ab" for file in ("references/guide.md", "scripts/run.sh", "data.json")),
    "ws/.skills/a/skill.md",
    "ws/.skills/a/SKILL.md.txt",
    "ws/.skills/a/scripts/run.py",
    "ws/.skills/a/nested/SKILL.md",
    f"ws/.skills/b/{TOKEN}.md",
    "ws/.skills/SKILLS.md",
    "ws/.skills/loose.md",
    "ws/.skills/d",
    "ws/SKILLBAG.md",
    "ws/AGENTS.md",
    "ws/CONTEXT.md",
    "ws/USER_CONTEXT.md",
    "ws/NOTES.md",
    "ws/.gitignore",
    "ws/skillbag.toml",
    "plain/skillbag.toml",
    "plain/pyproject.toml",
    "plain/skills/notes.md",
    "plain/.gitignore",
    "src/AGENTS.md",
    "src/.skills/SKILLS.md",
    "skillbag.toml",
    "team/own.yaml",
    "rules/team/own.yaml",
    ".gitignore",
    ".git/info/exclude",
    ".git/config",
    ".git/HEAD",
    "home/.gitconfig",
    "home/.config/git/ignore",
    "home/ignored",
    "outside/note.md",
    "outside/SKILL.md",
    "ws/skillbag.lock",
)
LINKS = (
    "../b",
    "../../outside",
    "../../../outside",
    "nowhere",
    "SKILL.md",
    "loop",
    "..",
    "../b/SKILL.md",
    "a",
    ".",
    f"/x/{TOKEN}",
)
SHELL = "#!/bin/sh\necho 'bash: line 2: odd words' >&2\nexit 2\n"
