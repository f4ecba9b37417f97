"""`skillbag agent plugin install` and `uninstall`: the plugin where a host finds it, and nothing else touched."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.agents.plugins.plain_host import PlainHost
from tests.session.bags import bag
from tests.supply.install.worlds import make_workspace, skill_text, snapshot, write
from tests.support import Run

PLUGIN = "agent-skills/agent-skills"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "some host's/plugins"


def test_the_plugin_is_an_executable_that_serves_the_folder_it_runs_in(folder: Path, tmp_path: Path, run: Run) -> None:
    outcome = run("agent", "plugin", "install", folder)
    assert outcome.code == 0
    assert outcome.out == f"installed: {folder / PLUGIN}\n"
    assert os.access(folder / PLUGIN, os.X_OK)
    assert [path.name for path in folder.rglob("*")] == ["agent-skills", "agent-skills"]
    assert PlainHost(folder, tmp_path).schema()


def test_what_is_fixed_holds_wherever_the_host_works(folder: Path, tmp_path: Path, run: Run) -> None:
    workspace = bag(tmp_path / "it's a $(workspace)", ["aa"])
    personal = write(tmp_path / "mine", {"pp/SKILL.md": skill_text("pp")})
    outcome = run(
        "agent", "plugin", "install", folder, "--workspace", workspace.name, "--personal", "mine", cwd=tmp_path
    )
    assert outcome.code == 0, outcome.err
    (tmp_path / "elsewhere").mkdir()
    host = PlainHost(folder, tmp_path / "elsewhere")
    assert {"skill_aa", "skill_pp"} <= {entry["name"] for entry in host.schema()}
    assert str(personal) in (folder / PLUGIN).read_text()


@pytest.mark.parametrize("how", ["before", "behind", "variable", "both"])
def test_what_stands_before_the_command_or_in_a_variable_is_fixed_as_well(
    folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    for name in ("notes", "other"):
        make_workspace(tmp_path / name)
    notes = ["--workspace", "notes", "--session-type", "other"]
    if how in ("variable", "both"):
        monkeypatch.setenv("SKILLBAG_WORKSPACE", "notes" if how == "variable" else "other")
        monkeypatch.setenv("SKILLBAG_SESSION_TYPE", "other")
    before = {"before": [*notes, "--personal", "mine"], "both": ["--workspace", "other"]}.get(how, [])
    behind = {"behind": [*notes, "--personal", "mine"], "both": ["--workspace", "notes"]}.get(how, [])
    outcome = run("agent", "plugin", *before, "install", folder, *behind, cwd=tmp_path)
    assert outcome.code == 0, outcome.err
    text = (folder / PLUGIN).read_text()
    assert f"--workspace={tmp_path}/notes " in text
    assert "--session-type=other " in text
    assert (f"--personal={tmp_path}/mine " in text) is (how in ("before", "behind"))


def test_what_stands_before_the_command_stands_above_a_variable(
    folder: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    bag(tmp_path / "notes", ["aa"])
    make_workspace(tmp_path / "other")
    monkeypatch.setenv("SKILLBAG_WORKSPACE", "other")
    assert run("agent", "plugin", "--workspace", "notes", "install", folder, cwd=tmp_path).code == 0
    assert f"--workspace={tmp_path}/notes " in (folder / PLUGIN).read_text()
    for words in (["--schema", "serve"], ["serve", "--schema"]):
        assert "skill_aa" in run("agent", "plugin", "--workspace", "notes", *words, cwd=tmp_path).out


@pytest.mark.parametrize(
    ("before", "name"),
    [
        (["--session", "s1"], "install"),
        (["--schema"], "install"),
        (["--workspace", "."], "uninstall"),
        (["--personal", "."], "uninstall"),
    ],
)
def test_what_a_command_has_no_use_for_is_refused_before_it(
    folder: Path, run: Run, before: list[str], name: str
) -> None:
    outcome = run("agent", "plugin", *before, name, folder)
    assert outcome.code == 2
    assert f"skillbag agent plugin {name} does not take {before[0]}\n" in outcome.err
    assert not folder.exists()


@pytest.mark.parametrize("workspace", ["gone", "empty", ""])
def test_a_workspace_that_is_none_is_refused(folder: Path, tmp_path: Path, run: Run, workspace: str) -> None:
    (tmp_path / "empty").mkdir()
    for words in (["install", folder, "--workspace", workspace], ["--workspace", workspace, "install", folder]):
        outcome = run("agent", "plugin", *words, cwd=tmp_path)
        assert outcome.code == 2
        assert outcome.err.startswith("error: ")
    assert not folder.exists()


def test_a_skill_that_is_meant_is_reported_from_a_folder(tmp_path: Path, run: Run) -> None:
    outcome = run("agent", "plugin", "install", "team/pdf-forms", cwd=tmp_path)
    assert outcome.code == 2
    assert "skillbag team marketplace install team/pdf-forms" in outcome.err
    assert list(tmp_path.iterdir()) == []
    assert run("agent", "plugin", "install", "./team/pdf-forms", cwd=tmp_path).code == 0
    assert run("agent", "plugin", "install", "team/more", cwd=tmp_path).code == 0


@pytest.mark.usefixtures("a_person")
def test_installing_again_changes_nothing_and_other_options_replace_it(folder: Path, tmp_path: Path, run: Run) -> None:
    run("agent", "plugin", "install", folder)
    before = snapshot(folder)
    assert run("agent", "plugin", "install", folder).out.startswith("unchanged: ")
    assert snapshot(folder) == before
    assert run("agent", "plugin", "install", folder, "--personal", tmp_path).out.startswith("replaced: ")
    assert str(tmp_path) in (folder / PLUGIN).read_text()


def test_a_lost_executable_bit_comes_back(folder: Path, run: Run) -> None:
    run("agent", "plugin", "install", folder)
    (folder / PLUGIN).chmod(0o644)
    assert run("agent", "plugin", "install", folder).out.startswith("replaced: ")
    assert os.access(folder / PLUGIN, os.X_OK)


@pytest.mark.parametrize("kind", ["file", "flat", "folder", "link", "link-folder", "dangling"])
@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_what_is_not_ours_stays(folder: Path, tmp_path: Path, run: Run, command: str, kind: str) -> None:
    place = folder / PLUGIN
    other = write(tmp_path / "other", {"agent-skills": "#!/bin/sh\necho theirs\n"}) / "agent-skills"
    folder.mkdir(parents=True)
    if kind == "flat":
        (folder / "agent-skills").write_text("#!/bin/sh\n")
    elif kind == "link-folder":
        (folder / "agent-skills").symlink_to(other.parent)
    else:
        place.parent.mkdir()
        if kind == "file":
            place.write_text("#!/bin/sh\n# Mentions `skillbag agent plugin install` only\n")
        elif kind == "folder":
            place.mkdir()
        else:
            place.symlink_to(other if kind == "link" else "nowhere")
    before = snapshot(tmp_path)
    outcome = run("agent", "plugin", command, folder)
    assert outcome.code == 2
    assert "skillbag did not make" in outcome.err
    assert snapshot(tmp_path) == before


@pytest.mark.usefixtures("a_person")
def test_uninstalling_takes_away_what_was_made_and_nothing_else(folder: Path, run: Run) -> None:
    run("agent", "plugin", "install", folder)
    assert run("agent", "plugin", "uninstall", folder).out == f"removed: {folder / PLUGIN}\n"
    assert list(folder.iterdir()) == []
    assert run("agent", "plugin", "uninstall", folder).out.startswith("absent: ")
    run("agent", "plugin", "install", folder)
    (folder / "agent-skills/notes.txt").write_text("mine")
    run("agent", "plugin", "uninstall", folder)
    assert [path.name for path in folder.rglob("*")] == ["agent-skills", "notes.txt"]


def test_json_tells_what_was_done_and_mistakes_too(folder: Path, run: Run) -> None:
    outcome = run("agent", "plugin", "install", folder, "--json")
    values = json.loads(outcome.out)
    assert (outcome.code, values["exit"], values["status"]) == (0, 0, "installed")
    assert values["path"] == str(folder / PLUGIN)
    (folder / PLUGIN).write_text("other")
    outcome = run("agent", "plugin", "install", folder, "--json")
    assert outcome.code == 2
    assert "skillbag did not make" in json.loads(outcome.out)["error"]


def test_a_folder_that_can_not_be_written_is_the_environments_fault(tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").write_text("")
    assert run("agent", "plugin", "install", tmp_path / "file/plugins").code == 4
