"""`link --user`: personal skills in the folders that agents have for their user, and nothing else touched there."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from skillbag.supply.links.user_links import read_record, record_path
from tests.kernel.transaction.faults import ACTS
from tests.supply.install.forked import count_calls, status_of
from tests.supply.install.worlds import skill_text, write
from tests.supply.links.link_worlds import snapshot
from tests.support import PROJECT, Run

HOMES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with two personal skills in the usual folder."""
    for variable in (*HOMES, "SKILLBAG_PERSONAL_DIR"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    skills = {f".agents/skills/{name}/SKILL.md": skill_text(name) for name in ("sort", "tidy")}
    return write(tmp_path / "home", skills)


def linked(run: Run, home: Path, *arguments: object) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(run(*arguments, "--json", cwd=home).out)
    jsonschema.validate(values, json.loads((PROJECT / "schemas/links.schema.json").read_text("utf-8")))
    return values


def test_personal_skills_are_linked_where_agents_look(run: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", str(home / "moved"))
    before = snapshot(home)
    values = linked(run, home, "link", "--user", "--agents", "claude-code,codex,windsurf")
    places = (".claude/skills", "moved/skills", ".codeium/windsurf/skills")
    assert {row["path"] for row in values["links"]} == {
        str(home / place / s) for place in places for s in ("sort", "tidy")
    }
    for place in places:
        assert (home / place / "tidy/SKILL.md").read_text("utf-8") == skill_text("tidy")
    assert {row["act"] for row in linked(run, home, "link", "--user")["links"]} == {"kept"}
    assert linked(run, home, "unlink", "--user")["agents"] == []
    assert snapshot(home) == before
    assert not os.path.exists(record_path())


def test_a_folder_is_linked_once_and_the_personal_one_not_at_all(run: Run, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor/skills").symlink_to("../.claude/skills")
    (home / ".claude/skills").mkdir(parents=True)
    values = linked(run, home, "link", "--user", "--agents", "claude,cursor,warp,eve")
    assert [row["path"] for row in values["links"]] == [
        str(home / ".claude/skills" / name) for name in ("sort", "tidy")
    ]
    assert [note.split()[0] for note in values["notes"]] == ["eve", "warp"]


def test_what_it_did_not_make_is_never_touched(run: Run, home: Path) -> None:
    write(home, {".claude/skills/tidy/SKILL.md": "mine"})
    (home / ".claude/skills/sort").symlink_to(home / ".agents/skills/sort")
    mine = snapshot(home / ".claude")
    outcome = run("link", "--user", "--agents", "claude", cwd=home)
    assert outcome.code == 1
    assert "something else is here" in outcome.out
    run("unlink", "--user", cwd=home)
    assert snapshot(home / ".claude") == mine


def test_what_the_user_puts_in_place_of_a_link_stays(run: Run, home: Path) -> None:
    run("link", "--user", "--agents", "claude", cwd=home)
    (home / ".claude/skills/tidy").unlink()
    (home / ".claude/skills/tidy").symlink_to("/elsewhere")
    assert run("unlink", "--user", cwd=home).code == 1
    assert os.listdir(home / ".claude/skills") == ["tidy"]


def test_links_follow_what_is_added_and_removed(run: Run, home: Path, tmp_path: Path) -> None:
    run("link", "--user", "--agents", "claude", cwd=home)
    new = write(tmp_path / "new", {"SKILL.md": skill_text("new")})
    assert "Links in folders of agents: 1 made." in run("personal", "add", new, cwd=home).out
    assert run("tool", "skill_remove", '{"name": "tidy"}', cwd=home).code == 0
    assert sorted(os.listdir(home / ".claude/skills")) == ["new", "sort"]
    other = tmp_path / "other"
    run("personal", "add", new, "--personal", other, cwd=home)
    assert (home / ".claude/skills/new").readlink() == home / ".agents/skills/new"


def test_a_skill_that_moves_gets_its_link_again(run: Run, home: Path) -> None:
    run("link", "--user", "--agents", "claude", cwd=home)
    (home / ".agents/skills/tidy").rename(home / ".agents/skills/tidied")
    rows = linked(run, home, "link", "--user")["links"]
    assert [row["act"] for row in rows] == ["kept", "renewed"]
    assert (home / ".claude/skills/tidy/SKILL.md").exists()


def test_one_of_two_agents_is_unlinked(run: Run, home: Path) -> None:
    run("link", "--user", "--agents", "claude,codex", cwd=home)
    assert linked(run, home, "unlink", "--user", "--agents", "codex")["agents"] == ["claude"]
    assert not (home / ".codex").exists()
    assert len(os.listdir(home / ".claude/skills")) == 2


@pytest.mark.parametrize("command", ["link", "unlink"])
def test_a_dry_run_writes_nothing(run: Run, home: Path, command: str) -> None:
    if command == "unlink":
        run("link", "--user", "--agents", "claude", cwd=home)
    before = snapshot(home)
    outcome = run(command, "--user", "--agents", "claude", "--dry-run", cwd=home)
    assert ("made" if command == "link" else "removed") in outcome.out
    assert snapshot(home) == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["link", "--user"], "which agents"),
        (["link", "--user", "--agents", "clade"], "did you mean claude"),
        (["link", "--user", "--agents", "claude", "--copy"], "leave out --copy"),
        (["link", "--user", "--agents", "detected"], "no agent is found"),
    ],
)
def test_mistakes_are_one_line(run: Run, home: Path, arguments: list[str], words: str) -> None:
    outcome = run(*arguments, cwd=home)
    assert outcome.code == 2
    assert words in outcome.err
    assert len(outcome.err.splitlines()) == 1


@pytest.mark.parametrize("text", ["[]", "{", '{"made": {"x": ["y"]}}', '{"made": {"/x": "/y"}}', '{"folders": ["x"]}'])
def test_a_malformed_record_is_named_and_stops_no_change(run: Run, home: Path, tmp_path: Path, text: str) -> None:
    write(Path(record_path()).parent, {"user-links.json": text})
    outcome = run("link", "--user", "--agents", "claude", cwd=home)
    assert outcome.code == 2
    assert "user-links.json:1" in outcome.err
    assert run("personal", "remove", "tidy", cwd=home).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("command", ["link", "unlink"])
def test_after_a_kill_no_link_is_unknown(run: Run, home: Path, tmp_path: Path, command: str) -> None:
    before = snapshot(home)
    arguments: tuple[str, ...] = ("link", "--user", "--agents", "claude,codex")
    # It makes the folder of the state, which is no call of the command.
    run("unlink", "--user", cwd=home)
    if command == "unlink":
        run(*arguments, cwd=home)
        arguments = ("unlink", "--user")
    state, kept = Path(record_path()), tmp_path / "kept"
    shutil.copytree(home, kept / "home", symlinks=True)
    if state.exists():
        shutil.copy(state, kept / "record")
    for number in range(1, count_calls(home, *arguments) + 1):
        shutil.rmtree(home)
        shutil.copytree(kept / "home", home, symlinks=True)
        state.unlink(missing_ok=True)
        if (kept / "record").exists():
            shutil.copy(kept / "record", state)
        assert os.WTERMSIG(status_of(home, *arguments, acts={number: ACTS["kill"]})) == signal.SIGKILL
        assert run("unlink", "--user", cwd=home).code == 0
        assert sorted(snapshot(home)) == sorted(before)
        read_record()
