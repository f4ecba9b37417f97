"""`skillbag install` from folders: what comes where, what stays, and what stops a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.outcomes import checks, error_of, installed, lock_of, statuses, values_of
from tests.supply.install.worlds import STEPS, call, make_source, make_workspace, skill_text, unchanged, write
from tests.support import Run


@pytest.mark.proves(
    "install", "install.place", "install.bootstrap", "install.catalog", "install.trigger", "bootstrap.present"
)
def test_a_folder_s_skill_lands_with_catalog_lock_and_reserved_skill(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "source", ["tidy-up", "other"])
    values = values_of(run, workspace, "install", "tidy-up", "--source", "../source", code=0)
    assert statuses(values) == {"tidy-up": "installed"}
    assert installed(workspace) == ["tidy-up"]
    assert (workspace / ".skills/skillbag-get-skills/SKILL.md").is_file()
    catalog = (workspace / ".skills/SKILLS.md").read_text().splitlines()
    assert [line.partition(":")[0] for line in catalog] == ["skillbag-get-skills", "tidy-up"]
    locked = lock_of(workspace)["tidy-up"]
    assert (locked["source"], locked["kind"], locked["asked_by"]) == ("../source", "folder", ["command line"])
    assert locked["tree"].startswith("sha256:")
    assert not (workspace / ".skillbag").exists()
    assert checks(run, workspace).code == 0


@pytest.mark.proves("install", "context.first", "install.context-first", "install.trigger", "dependencies.recurse")
def test_what_the_context_declares_comes_first_and_with_its_dependencies(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["b"]), "b": skill_text("b")})
    make_source(tmp_path / "two", ["c"])
    workspace = make_workspace(tmp_path / "work", [need("a", "../one", "main")])
    assert call(run, workspace, "install", "c", "--source", "../two")[0] == 0
    assert installed(workspace) == ["a", "b", "c"]
    requested = {name: locked["asked_by"] for name, locked in lock_of(workspace).items()}
    assert requested == {"a": ["CONTEXT.md"], "b": ["a"], "c": ["command line"]}
    assert lock_of(workspace)["b"]["source"] == "../one"


@pytest.mark.proves("install", "context.first", "install.context-first")
def test_what_the_context_declares_is_looked_for_before_what_is_named(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "work", [need("z", "../gone", "main")])
    values = values_of(run, workspace, "install", "a", "--source", "../nowhere", code=4)
    assert [problem["source"] for problem in values["problems"]] == ["../gone", "../nowhere"]


@pytest.mark.proves("install", "install.all-or-nothing", "install.validate", "bootstrap.validate", "source.identity")
def test_one_bad_source_of_two_leaves_the_workspace_as_it_was_to_the_nanosecond(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "good", ["a"])
    make_source(tmp_path / "bad", {"b": "---\nname: b\n---\nNo description.\n"})
    make_source(tmp_path / "worse", {"c": skill_text("other-name")}, agents="Nothing to see.\n")
    declared = [need("a", "../good", "main"), need("b", "../bad", "main"), need("c", "../worse", "main")]
    workspace = make_workspace(tmp_path / "work", declared)
    write(workspace, {"mine.txt": "mine", ".skills/own/SKILL.md": skill_text("own")})
    with unchanged(workspace):
        values = values_of(run, workspace, "install", code=1)
    sources = {problem["source"] for problem in values["problems"]}
    assert sources == {"../bad", "../worse"}
    assert all(problem["kind"] == "invalid-source" for problem in values["problems"])
    clauses = {problem["clause"] for problem in values["problems"]}
    assert {"skill.required-keys", "source.identity"} <= clauses


@pytest.mark.proves("install", "bootstrap.target")
def test_no_target_at_all_is_bad_usage(run: Run, workspace: Path) -> None:
    assert "nothing to install" in error_of(run, "install", cwd=workspace)


@pytest.mark.proves("install", "dependencies.local-name", "bootstrap.no-source")
def test_a_name_without_source_is_never_fetched_for(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["nowhere"])})
    with unchanged(workspace):
        values = values_of(run, workspace, "install", "a", "--source", "../one", code=1)
        assert "nowhere" in values["problems"][0]["message"]
        values = values_of(run, workspace, "install", "elsewhere", code=1)
        assert values["problems"][0]["clause"] == "dependencies.local-name"


@pytest.mark.proves("install", "resolution.order", "dependencies.local-name")
def test_a_dependency_that_is_there_by_name_is_enough(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", ["own"]), "own": skill_text("own", body="Theirs.")})
    write(workspace, {".skills/own/SKILL.md": skill_text("own", body="Mine.")})
    values = values_of(run, workspace, "install", "a", "--source", "../one", code=0)
    assert statuses(values) == {"a": "installed", "own": "skipped"}
    assert "Mine." in (workspace / ".skills/own/SKILL.md").read_text()
    assert "own" not in lock_of(workspace)


def test_optional_dependencies_wait_until_they_are_asked_for(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [{"name": "b", "required": "false"}]), "b": skill_text("b")})
    code, values = call(run, workspace, "install", "a", "--source", "../one")
    assert (code, installed(workspace)) == (0, ["a"])
    assert statuses(values) == {"a": "installed", "b": "left-out"}
    assert "--accept optional" in values["notes"][0]
    assert call(run, workspace, "install", "--accept=optional")[0] == 0
    assert installed(workspace) == ["a", "b"]


@pytest.mark.proves("install", "resolution.dependency-conflict")
def test_one_name_from_two_sources_is_a_conflict_that_shows_both_chains(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["x"])
    make_source(tmp_path / "two", ["x"])
    make_source(tmp_path / "three", {"a": skill_text("a", [{"name": "x", "source": "../two"}])})
    workspace = make_workspace(tmp_path / "work", [need("x", "../one", "main"), need("a", "../three", "main")])
    with unchanged(workspace):
        outcome = run("install", cwd=workspace)
        assert outcome.code == 3
        assert "CONTEXT.md:5 -> x -> ../one main\n" in outcome.err
        assert "CONTEXT.md:8 -> a -> x -> ../two\n" in outcome.err
        assert "resolution.dependency-conflict" in outcome.err


@pytest.mark.proves("install", "resolution.order")
def test_an_override_settles_a_conflict_user_over_project_command_line_over_both(run: Run, tmp_path: Path) -> None:
    for folder in ("one", "two", "three"):
        make_source(tmp_path / folder, {"x": skill_text("x", body=f"From {folder}.")})
    make_source(tmp_path / "asks", {"a": skill_text("a", [{"name": "x", "source": "../two"}])})
    dependencies = [
        need("x", "../one", "main"),
        need("a", "../asks", "main"),
    ]
    override = "```yaml\noverrides:\n  x: {{source: ../{}}}\n```\n"
    workspace = make_workspace(tmp_path / "work", dependencies, override.format("three"))
    with (workspace / "CONTEXT.md").open("a") as context:
        context.write("\n" + override.format("two"))
    assert call(run, workspace, "install")[0] == 0
    assert "From three." in (workspace / ".skills/x/SKILL.md").read_text()
    workspace = make_workspace(tmp_path / "again", dependencies, override.format("three"))
    assert call(run, workspace, "install", "x", "--source", "../one")[0] == 0
    assert "From one." in (workspace / ".skills/x/SKILL.md").read_text()


@pytest.mark.proves("install", "dependencies.acyclic")
def test_a_circle_over_two_sources_stops_the_run(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", {"a": skill_text("a", [{"name": "b", "source": "../two"}])})
    make_source(tmp_path / "two", {"b": skill_text("b", [{"name": "a", "source": "../one"}])})
    with unchanged(workspace):
        values = values_of(run, workspace, "install", "a", "--source", "../one", code=3)
        (problem,) = values["problems"]
        assert (problem["kind"], problem["clause"]) == ("cycle", "dependencies.acyclic")
        assert "a -> b -> a" in problem["message"]


@pytest.mark.proves("install", "bootstrap.extra-steps", "source.extra-steps")
def test_extra_steps_are_confirmed_in_each_workspace_and_shown_each_time(run: Run, tmp_path: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"], agents=STEPS)
    make_source(tmp_path / "two", ["c"])
    workspace, other = make_workspace(tmp_path / "work"), make_workspace(tmp_path / "other")
    dry = ("install", "a", "--source", "../one", "--dry-run")
    assert call(run, workspace, *dry)[1]["steps"] == []
    with unchanged(workspace):
        values = values_of(run, workspace, "install", "a", "--source", "../one", "--yes", code=3)
        assert "Run `make ready`." in values["problems"][0]["text"]
    assert call(run, workspace, *dry, "--accept=steps")[1]["steps"][0]["skills"] == ["a"]
    code, values = call(run, workspace, "install", "a", "--source", "../one", "--accept=steps")
    assert (code, values["steps"]) == (0, [{"source": "../one", "skills": ["a"], "text": STEPS}])
    # What is agreed to here is agreed to nowhere else, and shown whenever something comes with it.
    assert call(run, other, "install", "a", "--source", "../one")[0] == 3
    outcome = run("install", "b", "--source", "../one", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert "Extra installation steps of ../one, for b." in outcome.out
    assert "\n    | 1. Run `make ready`.\n" in outcome.out
    assert call(run, workspace, "install")[1]["steps"] == []
    assert call(run, workspace, "install", "c", "--source", "../two")[1]["steps"] == []


def test_entry_shows_the_extra_steps_of_what_is_installed(run: Run, tmp_path: Path, workspace: Path) -> None:
    make_source(tmp_path / "one", ["a", "b"], agents=STEPS)
    assert json.loads(run("enter", "--json", cwd=workspace).out)["steps"] == []
    assert run("install", "--all", "--source", "../one", "--accept=steps", cwd=workspace).code == 0
    text = run("enter", cwd=workspace).out
    assert "## Extra installation steps of ../one, for a, b\n" in text
    assert "\n> 1. Run `make ready`.\n" in text
    assert "make ready" in run("enter", "--hook", cwd=workspace).out
    assert run("remove", "a", cwd=workspace).code == 0
    (steps,) = json.loads(run("enter", "--json", cwd=workspace).out)["steps"]
    assert steps == {"source": "../one", "skills": ["b"], "text": STEPS}
    assert run("remove", "b", cwd=workspace).code == 0
    assert "make ready" not in run("enter", cwd=workspace).out
