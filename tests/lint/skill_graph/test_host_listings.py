"""What each host shows its model of the skills of a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.lint.skill_graph.listing import HostListing, ListedState, listings
from tests.rows import each_row
from tests.support import Run


def _skill(root: Path, folder: str, *keys: str, text: str = "Tidy a folder.") -> None:
    path = root / folder / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(["---", f"name: {path.parent.name}", f"description: {text}", *keys, "---", "", "Sort."]))


def _listing(root: Path, host: str) -> HostListing:
    return next(one for one in listings(map(Workspace, find_targets([str(root)])), str(root)) if one.host == host)


def _states(root: Path, host: str) -> dict[str, tuple[ListedState, str]]:
    return {row.path: (row.state, row.why) for row in _listing(root, host).skills}


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@each_row(
    ("host", "winner", "loser"),
    [
        ("copilot", ".agents/skills/tidy", ".claude/skills/tidy"),
        ("gemini", ".agents/skills/tidy", ".gemini/skills/tidy"),
        ("amp", ".agents/skills/tidy", ".claude/skills/tidy"),
        ("goose", ".agents/skills/tidy", ".claude/skills/tidy"),
    ],
)
def test_one_of_two_skills_with_a_name_is_shadowed(host: str, winner: str, loser: str, tmp_path: Path) -> None:
    """By the precedence of the host: the first of its folders, or the last."""
    _skill(tmp_path, winner)
    _skill(tmp_path, loser)
    assert _states(tmp_path, host) == {winner: (ListedState.WHOLE, ""), loser: (ListedState.SHADOWED, winner)}


def test_codex_lists_both(tmp_path: Path) -> None:
    """Two skills with one name are two lines."""
    _skill(tmp_path, ".agents/skills/tidy")
    _skill(tmp_path, ".codex/skills/tidy")
    assert {state for state, _ in _states(tmp_path, "codex").values()} == {ListedState.WHOLE}


def test_the_skill_of_the_user_comes_first_in_claude_code_alone(tmp_path: Path, home: Path) -> None:
    """In Gemini that of the project counts."""
    for folder in (".claude/skills/tidy", ".gemini/skills/tidy"):
        _skill(home, folder)
        _skill(tmp_path, folder)
    path = ".claude/skills/tidy"
    assert _states(tmp_path, "claude-code") == {path: (ListedState.SHADOWED, "~/.claude/skills/tidy")}
    assert _states(tmp_path, "gemini") == {".gemini/skills/tidy": (ListedState.WHOLE, "")}


def test_what_is_not_listed(tmp_path: Path) -> None:
    """Each host by the keys that it knows; folders of other hosts are not read at all."""
    _skill(tmp_path, "skills/a", "disable-model-invocation: true")
    _skill(tmp_path, "skills/b", "paths: ['*.py']")
    _skill(tmp_path, "skills/c")
    (tmp_path / "skills" / "c" / "agents").mkdir()
    (tmp_path / "skills" / "c" / "agents" / "openai.yaml").write_text("policy:\n  allow_implicit_invocation: false\n")
    _skill(tmp_path, ".gemini/skills/d")
    unlisted, whole = ListedState.UNLISTED, ListedState.WHOLE
    claude = {path[-1]: state for path, (state, _) in _states(tmp_path, "claude-code").items()}
    codex = {path[-1]: state for path, (state, _) in _states(tmp_path, "codex").items()}
    assert (claude, codex) == (
        {"a": unlisted, "b": unlisted, "c": whole},
        {"a": whole, "b": whole, "c": unlisted},
    )


def test_the_command_says_what_is_shown_and_what_it_costs(tmp_path: Path, run: Run) -> None:
    """As text, and as JSON; the files that are always loaded are named."""
    for number in range(40):
        _skill(tmp_path, f"skills/tidy-{number:03}", text="t" * 400)
    (tmp_path / "CLAUDE.md").write_text("x" * 4000)
    text = run("tree", "--listing", "--workspace", str(tmp_path)).out
    line = next(line for line in text.splitlines() if line.startswith("Claude Code: 40 skills"))
    assert "of 8,000 columns: 18 in full, 22 reduced; with a window of 1,000,000 tokens, " in line
    assert "CLAUDE.md" in text
    assert "An estimate" in text
    answer = json.loads(run("tree", "--listing", "--json", "--workspace", str(tmp_path)).out)
    claude = next(one for one in answer["listings"] if one["host"] == "claude-code")
    assert (claude["sizes"][0]["whole"], claude["memory"], claude["memory_tokens"]) == (18, ["CLAUDE.md"], 1000)
    assert "contradict" in run("tree", "--listing", "--format", "dot", "--workspace", str(tmp_path)).err
