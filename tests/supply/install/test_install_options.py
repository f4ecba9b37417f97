"""What the options of an installation do, and which sources are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.outcomes import checks, installed, statuses, values_of
from tests.supply.install.worlds import (
    call,
    contents,
    make_source,
    make_workspace,
    skill_text,
    snapshot,
    unchanged,
    write,
)
from tests.support import Run


@pytest.mark.proves("install", "install.place", "resolution.local-edits")
def test_an_upgrade_says_of_each_skill_what_became_of_it(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = make_source(tmp_path / "one", ["same", "newer", "edited"])
    write(workspace, {".skills/own/SKILL.md": skill_text("own")})
    assert call(run, workspace, "install", "--all", "--source", "../one")[0] == 0
    write(workspace, {".skills/edited/SKILL.md": skill_text("edited", body="My edit.")})
    for name in ("newer", "edited"):
        write(source, {f".skills/{name}/SKILL.md": skill_text(name, body="Version two.")})
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "--accept=newer")
        assert (code, values["problems"][0]["kind"]) == (3, "question")
    values = values_of(run, workspace, "update", "--yes", code=0)
    assert statuses(values) == {"same": "current", "newer": "upgraded", "edited": "edited"}
    assert "My edit." in (workspace / ".skills/edited/SKILL.md").read_text()
    assert "Version two." in (workspace / ".skills/newer/SKILL.md").read_text()
    assert not (workspace / ".skillbag").exists()


@pytest.mark.proves("install", "resolution.local-edits")
def test_overwriting_is_asked_for_by_name_and_keeps_a_copy(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    write(workspace, {".skills/a/SKILL.md": skill_text("a", body="My edit."), ".skills/a/notes.md": "Mine.\n"})
    code, values = call(run, workspace, "install", "--overwrite", "a")
    assert (code, statuses(values)) == (0, {"a": "overwritten"})
    assert sorted(contents(workspace / ".skills/a")) == ["SKILL.md"]
    (backup,) = values["backups"]
    assert contents(workspace / backup)["notes.md"] == b"Mine.\n"
    assert (workspace / ".skillbag/.gitignore").read_text() == "*\n"
    assert checks(run, workspace).code == 0


@pytest.mark.proves("install", "resolution.local-edits")
def test_a_skill_of_the_user_s_own_stays_even_if_it_is_asked_for(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a"])
    write(workspace, {".skills/a/SKILL.md": skill_text("a", body="My own.")})
    code, values = call(run, workspace, "install", "a", "--source", "../one", "--accept=newer", "--yes")
    assert (code, statuses(values)) == (0, {"a": "skipped"})
    assert "My own." in (workspace / ".skills/a/SKILL.md").read_text()
    code, values = call(run, workspace, "install", "a", "--source", "../one", "--overwrite", "a")
    assert (code, statuses(values)) == (0, {"a": "overwritten"})
    assert "My own." in (workspace / values["backups"][0] / "SKILL.md").read_text()


def test_a_merge_joins_both_sides_and_stops_where_it_can_t(run: Run, tmp_path: Path, workspace: Path) -> None:
    lines = "".join(f"Line {number}.\n\n" for number in range(12))
    source = make_source(tmp_path / "one", {"a": skill_text("a", body=lines)})
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    skill = workspace / ".skills/a/SKILL.md"
    skill.write_text(skill.read_text().replace("Line 1.", "My line."))
    write(source, {".skills/a/SKILL.md": skill_text("a", body=lines.replace("Line 10.", "Their line."))})
    code, values = call(run, workspace, "update", "--merge", "a")
    # A folder has no history: there is no common version any more.
    assert (code, values["problems"][0]["kind"]) == (1, "drift")
    assert "My line." in skill.read_text()


def test_a_missing_skill_comes_back_as_the_lock_has_it(run: Run, tmp_path: Path, workspace: Path) -> None:
    import shutil

    make_source(tmp_path / "one", ["a", "b"])
    assert call(run, workspace, "install", "--all", "--source", "../one")[0] == 0
    lock = (workspace / "skillbag.lock").read_bytes()
    shutil.rmtree(workspace / ".skills")
    code, values = call(run, workspace, "verify")
    assert (code, statuses(values)) == (1, {"a": "missing", "b": "missing"})
    assert call(run, workspace, "install")[0] == 0
    assert installed(workspace) == ["a", "b"]
    assert (workspace / "skillbag.lock").read_bytes() == lock
    assert call(run, workspace, "verify")[0] == 0


def test_frozen_installs_just_the_lock_and_fails_on_drift(run: Run, tmp_path: Path) -> None:
    import shutil

    source = make_source(tmp_path / "one", ["a", "b"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "main")])
    assert run("install", "--frozen", cwd=workspace).code == 2
    assert call(run, workspace, "install")[0] == 0
    shutil.rmtree(workspace / ".skills/a")
    assert call(run, workspace, "install", "--frozen")[0] == 0
    assert installed(workspace) == ["a"]
    with unchanged(workspace):
        code, values = call(run, workspace, "install", "b", "--source", "../one", "--frozen")
        assert (code, values["problems"][0]["kind"]) == (1, "drift")
    write(workspace, {".skills/a/SKILL.md": skill_text("a", body="Edited.")})
    assert call(run, workspace, "install", "--frozen")[0] == 1
    shutil.rmtree(workspace / ".skills/a")
    write(source, {".skills/a/SKILL.md": skill_text("a", body="The source moved on.")})
    assert call(run, workspace, "install", "--frozen")[0] == 1
    assert not (workspace / ".skills/a").exists()


@pytest.mark.proves("install", "precedence.prohibition")
def test_a_skill_from_the_user_s_prohibitions_is_left_out(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b")})
    prohibited = "```yaml\nprohibit:\n  skills: [b]\n```\n"
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "main")], prohibited)
    code, values = call(run, workspace, "install")
    assert (code, installed(workspace)) == (0, ["a"])
    assert statuses(values)["b"] == "left-out"
    assert "USER_CONTEXT.md:3" in next(row["why"] for row in values["skills"] if row["name"] == "b")
    # The command line stands above every context file.
    assert call(run, workspace, "install", "b", "--source", "../one")[0] == 0
    assert installed(workspace) == ["a", "b"]


@pytest.mark.proves("install", "source.extra-steps")
@pytest.mark.proves("agent", "bootstrap.extra-steps")
def test_a_source_that_does_not_mention_steps_is_a_question(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a"], agents="A `SKILLBAG` source. The skills live under `.skills/`.\n")
    code, values = call(run, workspace, "install", "a", "--source", "../one", "--yes")
    assert (code, values["problems"][0]["clause"]) == (3, "bootstrap.extra-steps")


@pytest.mark.proves("install", "bootstrap.parameters", "bootstrap.present", "install.bootstrap")
def test_the_reserved_skill_has_the_standard_s_parameters_and_stays(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"])
    assert call(run, workspace, "install", "a", "--source", "../one")[0] == 0
    reserved = workspace / ".skills/skillbag-get-skills/SKILL.md"
    text = reserved.read_text()
    for name, default in (
        ("skills", "[]"),
        ("destination", ".skills/"),
        ("upgrade", "false"),
        ("persist-nonsecret-parameters", "true"),
    ):
        assert f"- name: {name}\n    default: {default}\n" in text
    assert "allowed-tools: git curl wget tar unzip cp rsync ln\n" in text
    reserved.write_text(f"{text}Mine.\n")
    assert call(run, workspace, "install", "b", "--source", "../one")[0] == 0
    assert reserved.read_text() == f"{text}Mine.\n"


def test_a_description_that_would_play_tricks_on_a_reader_of_the_catalog_is_refused(run: Run, tmp_path: Path) -> None:
    for name, trick in (("escape", "\\e]0;gone\\a"), ("bidi", "\\u202e")):
        text = f'---\nname: a\ndescription: "Tidy {trick} a folder. Use when files lie about."\n---\n\nDo it.\n'
        source = make_source(tmp_path / name, {"a": text})
        shown = {"escape": "\x1b]0;gone\x07", "bidi": "\u202e"}[name]
        write(source, {".skills/SKILLS.md": f"a: Tidy {shown} a folder. Use when files lie about.\n"})
        workspace = make_workspace(tmp_path / f"work-{name}")
        before = snapshot(workspace)
        outcome = run("install", "a", "--source", f"../{name}", cwd=workspace)
        assert outcome.code == 1, outcome
        assert "control character" in outcome.err
        assert "\x1b" not in outcome.out + outcome.err
        assert snapshot(workspace) == before
