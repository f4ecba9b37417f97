"""`listing-over-budget`: which skills are in the list of which host, and one finding for a target."""

from __future__ import annotations

from pathlib import Path

from tests.lint.checks.rule_runs import messages, places
from tests.rows import each_row

RULE = "listing-over-budget"


def _write(root: Path, folder: str, count: int, length: int, *keys: str, sign: str = "a") -> Path:
    for number in range(count):
        path = root / folder / f"tidy-{number:03}" / "SKILL.md"
        path.parent.mkdir(parents=True)
        lines = ["---", f"name: tidy-{number:03}", f"description: {sign * length}", *keys, "---", "", "Sort.", ""]
        path.write_text("\n".join(lines), encoding="utf-8")
    return root


@each_row(
    ("folder", "count", "length", "sign", "message"),
    [
        (
            "skills",
            40,
            400,
            "a",
            "Claude Code shows the descriptions of 18 of these 40 skills if all are installed",
        ),
        ("skills", 19, 398, "a", ""),
        (
            "skills",
            10,
            400,
            "整",
            "Claude Code shows the descriptions of 9 of these 10 skills if all are installed",
        ),
        (
            "skills",
            800,
            9,
            "a",
            "Claude Code shows the description of none of these 800 skills if all",
        ),
        (
            ".claude/skills",
            40,
            400,
            "a",
            "Claude Code shows the descriptions of 18 of these 40 skills, and of",
        ),
        (".agents/skills", 40, 400, "a", "Codex cuts the descriptions of these 40 skills, to 158 characters"),
        (
            ".agents/skills",
            300,
            9,
            "a",
            "Codex lists 195 of these 300 skills, by name alone, and leaves",
        ),
        (".agents/skills", 20, 400, "a", ""),
        (".gemini/skills", 40, 400, "a", ""),
        ("packages/a/.claude/skills", 40, 400, "a", "Claude Code shows the descriptions of 18 of these 40 skills"),
    ],
)
def test_what_the_model_sees(folder: str, count: int, length: int, sign: str, message: str, tmp_path: Path) -> None:
    """The hosts that read a folder count, and Claude Code where nobody reads it before it is installed."""
    found = messages(_write(tmp_path, folder, count, length, sign=sign), RULE)
    assert [text[: len(message)] for text in found] == [message] * bool(message)


@each_row("key", ["disable-model-invocation: true", "paths: ['**/*.py']"])
def test_skills_that_are_not_in_the_list(key: str, tmp_path: Path) -> None:
    """They cost nothing."""
    assert messages(_write(tmp_path, "skills", 40, 400, key), RULE) == []
    assert len(
        messages(_write(tmp_path / "b", "skills", 40, 400, key.replace("paths", "x").replace("true", "no")), RULE)
    )


def test_a_workspace_counts_once_its_skills_are_linked(tmp_path: Path) -> None:
    """Agents that only follow SKILLBAG.md read the catalog."""
    (tmp_path / "SKILLBAG.md").write_text("# Skills\n", encoding="utf-8")
    _write(tmp_path, ".skills", 40, 400)
    assert messages(tmp_path, RULE) == []
    (tmp_path / ".claude" / "skills").mkdir(parents=True)
    assert places(tmp_path, RULE) == [".skills/tidy-000/SKILL.md:3:14"]
