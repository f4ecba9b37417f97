"""`--except` and `--accept failures`: one bad or vanished skill does not keep the others from being installed."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.supply.install.outcomes import installed, lock_of, values_of
from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import call, make_source, skill_text, snapshot, unchanged, write
from tests.supply.sources.repositories import make_repository
from tests.support import PROJECT, Run

BAD = "---\nname: bad\n---\n"


def plain(folder: Path, *names: str) -> Path:
    """A plain repository of skills with these names; that of `bad` can't be installed."""
    texts = {name: BAD if name == "bad" else skill_text(name) for name in names}
    return write(folder, {f"skills/{name}/SKILL.md": text for name, text in texts.items()})


def why(values: dict[str, Any], name: str) -> tuple[str, str]:
    """Status and reason of a skill; the outcome is held to its schema."""
    Draft202012Validator(json.loads((PROJECT / "schemas/outcome.schema.json").read_text("utf-8"))).validate(values)
    (row,) = [row for row in values["skills"] if row["name"] == name]
    return row["status"], row["why"]


def test_all_but_a_bad_one(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = plain(tmp_path / "p", "a", "bad", "c")
    take = ("install", "--all", "--source", source)
    code, values = call(run, workspace, *take, "--except", "bad")
    assert (code, values["problems"]) == (0, [])
    assert why(values, "bad") == ("left-out", "left out by --except")
    assert installed(workspace) == ["a", "c"]
    assert call(run, workspace, "verify")[0] == 0


def test_going_on_names_what_failed_and_is_no_success(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = plain(tmp_path / "p", "a", "bad", "c")
    outcome = run("install", "--all", "--source", source, "--accept=failures", cwd=workspace)
    assert outcome.code == 1
    assert "left-out" in outcome.out
    assert "2 installed, 1 left-out. Written: " in outcome.out
    assert "skills/bad/SKILL.md" in outcome.err
    assert outcome.err.endswith("note: what failed was left out; the rest is done\n")
    assert installed(workspace) == ["a", "c"]
    values = values_of(run, workspace, "install", "--all", "--source", source, "--accept=failures", code=1)
    status, reason = why(values, "bad")
    assert (status, reason.startswith("left out: ")) == ("left-out", True)
    assert {name for problem in values["problems"] for name in problem["skills"]} == {"bad"}


def test_nameless_folders_and_ambiguous_names_are_left_out(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = plain(tmp_path / "p", "a", "b")
    other = skill_text("b", body="Else.")
    write(source, {"skills/No Name/SKILL.md": skill_text("No Name"), "skills/x/SKILL.md": other})
    code, values = call(run, workspace, "install", "--all", "--source", source, "--accept=failures")
    assert (code, installed(workspace)) == (1, ["a"])
    assert why(values, "b")[0] == "left-out"
    assert why(values, "skills/No Name")[0] == "left-out"


@pytest.mark.parametrize("command", ["add", "install"])
def test_the_command_for_the_rest_of_all_is_named_and_works(
    run: Run, tmp_path: Path, workspace: Path, command: str
) -> None:
    source = plain(tmp_path / "p", "a", "b", "bad", "c")
    write(source, {"skills/No Name/SKILL.md": skill_text("No Name"), "x/b/SKILL.md": skill_text("b", body="Else.")})
    write(source, {"y/d/SKILL.md": skill_text("d"), "z/d/SKILL.md": skill_text("d", body="Else.")})
    with unchanged(workspace):
        outcome = run(command, source, "--all", cwd=workspace)
    last = outcome.err.splitlines()[-1]
    arguments = shlex.split(last.partition("as it was; the other 3 skills can be installed: ")[2])
    assert arguments[:3] == ["skillbag", command, "--all"]
    assert arguments[5:] == ["--except", "No Name", "--except", "bad", "--except", "d"]
    assert run(*arguments[1:], cwd=workspace).code == 0
    assert installed(workspace) == ["a", "b", "c"]
    assert call(run, workspace, "verify")[0] == 0


def test_all_of_a_folder_may_leave_one_out(
    run: Run, tmp_path: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch, git_config: Path
) -> None:
    repo = make_repository(tmp_path / "Org/repo.git", {**skills("a", "b", root="one"), **skills("c", root="two")})
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.{repo.url}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "https://github.com/Org/repo.git")
    assert call(run, workspace, "add", "Org/repo/one", "--all", "--except", "b")[0] == 0
    assert installed(workspace) == ["a"]


@pytest.fixture
def three(run: Run, tmp_path: Path, workspace: Path) -> Path:
    """Three sources with a skill each, `a`, `b`, `c`, all installed; there is something newer of each."""
    for name in "abc":
        make_source(tmp_path / name, [name])
        assert run("install", name, "--source", f"../{name}", cwd=workspace).code == 0
        write(tmp_path / name, {f".skills/{name}/SKILL.md": skill_text(name, body="Two.")})
    return workspace


def test_an_update_goes_on_without_a_source_that_is_gone(run: Run, tmp_path: Path, three: Path) -> None:
    shutil.rmtree(tmp_path / "b")
    with unchanged(three):
        assert call(run, three, "update", "--yes")[0] == 4
    locked = lock_of(three)["b"]
    values = values_of(run, three, "update", "--yes", "--accept=failures", code=4)
    assert [row["status"] for row in values["skills"]] == ["upgraded", "current", "upgraded"]
    assert "no such folder" in why(values, "b")[1]
    assert lock_of(three)["b"] == locked
    assert "Two." in (three / ".skills/c/SKILL.md").read_text()
    assert call(run, three, "verify")[0] == 0


def test_an_update_of_what_fails_touches_nothing_else(run: Run, tmp_path: Path, three: Path) -> None:
    shutil.rmtree(tmp_path / "b")
    with unchanged(three):
        code, values = call(run, three, "update", "b", "--yes", "--accept=failures")
        assert (code, values["changed"]) == (4, [])
    assert "nothing was written" in run("update", "b", "--yes", "--accept=failures", cwd=three).err


def test_an_update_leaves_out_what_is_named(run: Run, tmp_path: Path, three: Path) -> None:
    shutil.rmtree(tmp_path / "b")
    locked = lock_of(three)["b"]
    values = values_of(run, three, "update", "--yes", "--except", "b", code=0)
    assert why(values, "b") == ("current", "left out by --except")
    assert why(values, "a")[0] == "upgraded"
    assert lock_of(three)["b"] == locked


def test_what_is_locked_and_not_there_stays_locked(run: Run, tmp_path: Path, three: Path) -> None:
    shutil.rmtree(three / ".skills/b")
    locked = lock_of(three)["b"]
    assert call(run, three, "install", "--except", "b")[0] == 0
    assert (installed(three), lock_of(three)["b"]) == (["a", "c"], locked)
    shutil.rmtree(tmp_path / "b")
    code, _ = call(run, three, "install", "--accept=failures")
    assert (code, installed(three), lock_of(three)["b"]) == (4, ["a", "c"], locked)


def test_what_needs_what_failed_is_left_out_as_well(run: Run, tmp_path: Path, workspace: Path) -> None:
    needing = skill_text("a", [{"name": "gone", "source": "../gone"}])
    make_source(tmp_path / "one", {"a": needing, "b": skill_text("b"), "top": skill_text("top", ["a"])})
    code, values = call(run, workspace, "install", "--all", "--source", "../one", "--accept=failures")
    assert (code, installed(workspace)) == (4, ["b"])
    assert why(values, "a")[1] == "left out: a: it needs gone, which was left out"
    assert why(values, "top")[1] == "left out: top: it needs a, which was left out"


def test_conflicts_are_left_out_and_circles_stop(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["x", "y"])
    make_source(tmp_path / "two", ["x"])
    items = (("x", "one"), ("x", "two"), ("y", "one"))
    lines = [f"  - {{name: {skill}, version: latest, source: ../{source}}}" for skill, source in items]
    write(workspace, {"CONTEXT.md": "\n".join(["```yaml", "dependencies:", *lines, "```", ""])})
    code, values = call(run, workspace, "install", "--accept=failures")
    assert (code, installed(workspace)) == (3, ["y"])
    assert why(values, "x")[0] == "left-out"
    make_source(tmp_path / "ring", {"p": skill_text("p", ["q"]), "q": skill_text("q", ["p"])})
    with unchanged(workspace):
        assert call(run, workspace, "install", "p", "--source", "../ring", "--accept=failures")[0] == 3


def test_a_dry_run_goes_on_too_and_writes_nothing(run: Run, tmp_path: Path, workspace: Path) -> None:
    before = snapshot(workspace)
    source = plain(tmp_path / "p", "a", "bad")
    code, values = call(run, workspace, "install", "--all", "--source", source, "--accept=failures", "--dry-run")
    assert (code, values["dry_run"], why(values, "a")[0]) == (1, True, "installed")
    assert snapshot(workspace) == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--frozen", "--except", "a"),
        ("--frozen", "--accept=failures"),
        ("a", "--except", "a"),
        ("--except", "No Name"),
        ("--merge", "a", "--except", "a"),
    ],
)
def test_what_does_not_go_together_is_bad_usage(run: Run, three: Path, arguments: tuple[str, ...]) -> None:
    assert call(run, three, "install", *arguments)[0] == 2


@pytest.mark.parametrize(
    "command",
    [
        ("update", "--yes"),
        ("install", "--yes"),
        ("install", "--accept=newer", "--accept=failures"),
        ("install", "--dry-run"),
    ],
)
def test_an_unknown_name_to_leave_out_is_refused(run: Run, three: Path, command: tuple[str, ...]) -> None:
    make_source(three.parent / "more", ["alpha"])
    assert run("install", "alpha", "--source", "../more", cwd=three).code == 0
    write(three.parent / "more", {".skills/alpha/SKILL.md": skill_text("alpha", body="Two.")})
    with unchanged(three):
        outcome = run(*command, "--except", "alhpa", cwd=three)
        assert outcome.code == 2
        assert "alhpa: no such skill is installed, declared, offered or needed" in outcome.err
        assert "did you mean alpha?" in outcome.err


def test_an_excluded_name_may_be_offered_declared_needed_or_listed(run: Run, tmp_path: Path, workspace: Path) -> None:
    needing = skill_text("top", [{"name": "deep", "source": "../deep"}])
    make_source(tmp_path / "one", {"top": needing, "other": skill_text("other")})
    make_source(tmp_path / "deep", ["deep"])
    assert call(run, workspace, "install", "--all", "--source", "../one", "--except", "topp")[0] == 2
    everything = ("install", "--all", "--source", "../one", "--dry-run")
    assert call(run, workspace, *everything, "--except", "top", "--except", "other")[0] == 0
    assert call(run, workspace, "install", "other", "--source", "../one", "--except", "top", "--dry-run")[0] == 0
    assert call(run, workspace, "install", "top", "--source", "../one", "--except", "deep", "--dry-run")[0] == 0
    listed = "parameters: {skillbag-get-skills: {skills: [{name: other, source: ../one}]}}"
    declared = "dependencies:\n  - {name: deep, version: latest, source: ../deep}"
    write(workspace, {"CONTEXT.md": f"```yaml\n{declared}\n{listed}\n```\n"})
    assert call(run, workspace, "install", "--except", "deep")[0] == 0
    assert installed(workspace) == ["other"]
    assert call(run, workspace, "install", "--except", "other", "--dry-run")[0] == 0


def test_a_plain_skill_that_cannot_be_had_may_be_left_out(run: Run, tmp_path: Path, workspace: Path) -> None:
    source = plain(tmp_path / "p", "a", "b")
    write(source, {"skills/x/SKILL.md": skill_text("b", body="Else.")})
    take = ("install", "--all", "--source", source)
    assert call(run, workspace, *take, "--except", "b")[0] == 0
    assert installed(workspace) == ["a"]


def test_a_broken_sibling_is_reported_with_source_and_file(run: Run, tmp_path: Path, workspace: Path) -> None:
    broken = "---\nname: alpha\ndescription: [\n---\n"
    make_source(tmp_path / "one", {"alpha": broken, "beta": skill_text("beta")})
    make_source(tmp_path / "two", ["gamma"])
    assert run("install", "gamma", "--source", "../two", cwd=workspace).code == 0
    everything = ("install", "--all", "--source", "../one", "--accept=failures")
    code, values = call(run, workspace, *everything)
    assert (code, installed(workspace)) == (1, ["gamma"])
    for name in ("alpha", "beta"):
        status, reason = why(values, name)
        assert status == "left-out"
        assert reason.startswith("left out: .skills/alpha/SKILL.md of ../one is invalid: ")
    code, values = call(run, workspace, *everything, "--except", "alpha")
    assert (code, installed(workspace)) == (1, ["gamma"])
    assert ".skills/alpha/SKILL.md of ../one" in why(values, "beta")[1]
    source = plain(tmp_path / "p", "a", "bad")
    values = call(run, workspace, "install", "--all", "--source", source, "--accept=failures")[1]
    assert why(values, "bad")[1].startswith(f"left out: skills/bad/SKILL.md of {source} is invalid: ")
