"""`upgrade`, `destination` and `skills` of the reserved skill, set in context files: met by `install`, or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.supply.install.outcomes import error_of, installed, lock_of, values_of
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, unchanged, write
from tests.support import Run


def parameters(text: str) -> str:
    """A context file that sets them; the values begin in line 4."""
    return f"```yaml\nparameters:\n  skillbag-get-skills:\n    {text}\n```\n"


def status(values: dict[str, object]) -> str:
    """That of the first skill."""
    rows = values["skills"]
    assert isinstance(rows, list)
    return str(rows[0]["status"])


@pytest.fixture
def world(run: Run, tmp_path: Path, workspace: Path) -> Path:
    """A workspace with `a` of `../one`, of which there is a newer version."""
    make_source(tmp_path / "one", ["a", "b"])
    assert run("install", "a", "--source", "../one", cwd=workspace).code == 0
    write(tmp_path / "one", {".skills/a/SKILL.md": skill_text("a", body="Version two.")})
    return workspace


@pytest.mark.proves("install", "install.place", "bootstrap.parameters")
@pytest.mark.parametrize("file", ["CONTEXT.md", "USER_CONTEXT.md"])
def test_upgrade_takes_newer_versions(run: Run, world: Path, file: str) -> None:
    assert status(call(run, world, "install")[1]) == "current"
    write(world, {file: parameters("upgrade: true")})
    code, values = call(run, world, "install", "--yes")
    assert (code, status(values)) == (0, "upgraded")
    assert f"{file}:4 says `upgrade: true`" in values["notes"][0]
    assert "Version two." in (world / ".skills/a/SKILL.md").read_text()
    assert call(run, world, "install", "--frozen")[0] == 0


@pytest.mark.parametrize(
    "user",
    [
        parameters("upgrade: false"),
        "```yaml\nprohibit: {parameters: {skillbag-get-skills: {upgrade: true}}}\n```\n",
        "```yaml\nprohibit: {parameters: {'*': {upgrade: '*'}}}\n```\n",
    ],
)
def test_upgrade_of_the_project_gives_way_to_the_user(run: Run, world: Path, user: str) -> None:
    write(world, {"CONTEXT.md": parameters("upgrade: true"), "USER_CONTEXT.md": user})
    code, values = call(run, world, "install", "--yes")
    assert (code, status(values), values["notes"]) == (0, "current", [])


def test_the_last_definition_of_a_file_counts(run: Run, world: Path) -> None:
    write(world, {"CONTEXT.md": parameters("upgrade: false") + parameters("upgrade: true")})
    assert status(call(run, world, "install", "--yes")[1]) == "upgraded"


@pytest.mark.proves("install", "bootstrap.parameters")
def test_skills_are_installed_as_if_they_were_named(run: Run, world: Path) -> None:
    write(world, {"CONTEXT.md": parameters("skills: [{name: b, source: ../one}]")})
    assert call(run, world, "install", "--frozen")[0] == 1
    code, _ = call(run, world, "install")
    assert (code, installed(world)) == (0, ["a", "b"])
    assert lock_of(world)["b"]["asked_by"] == ["command line"]
    assert call(run, world, "install", "--frozen")[0] == 0


@pytest.mark.proves("install", "bootstrap.parameters", "bootstrap.target")
def test_skills_alone_are_something_to_install(run: Run, world: Path) -> None:
    fresh = make_workspace(world.parent / "fresh")
    assert call(run, fresh, "install")[0] == 2
    write(fresh, {"USER_CONTEXT.md": parameters("skills: [{name: b, source: ../one}]")})
    assert call(run, fresh, "install")[0] == 0
    assert installed(fresh) == ["b"]


def test_names_on_the_command_line_speak_before_skills(run: Run, world: Path) -> None:
    write(world, {"CONTEXT.md": parameters("skills: [{name: b, source: ../gone}]")})
    assert call(run, world, "install", "a")[0] == 0
    assert installed(world) == ["a"]
    code, values = call(run, world, "install")
    assert (code, values["problems"][0]["kind"]) == (4, "fetch")


def test_a_higher_level_prohibits_what_skills_names(run: Run, world: Path) -> None:
    prohibited = "```yaml\nprohibit: {skills: [b]}\n```\n"
    listed = parameters("skills: [{name: b, source: ../one}]")
    write(world, {"CONTEXT.md": listed, "USER_CONTEXT.md": prohibited})
    assert call(run, world, "install")[0] == 0
    assert installed(world) == ["a"]


def test_a_dependency_from_elsewhere_is_a_conflict(run: Run, world: Path) -> None:
    make_source(world.parent / "two", ["b"])
    declared = "```yaml\ndependencies:\n  - {name: b, version: latest, source: ../two}\n```\n"
    write(world, {"CONTEXT.md": declared + parameters("skills: [{name: b, source: ../one}]")})
    code, values = call(run, world, "install")
    assert (code, values["problems"][0]["kind"]) == (3, "conflict")


@pytest.mark.parametrize("destination", [".skills/", "./.skills", ".skills"])
def test_the_destination_may_be_given(run: Run, world: Path, destination: str) -> None:
    write(world, {"CONTEXT.md": parameters(f"destination: {destination}")})
    assert call(run, world, "install")[0] == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("destination: vendor/skills/", "`destination` is vendor/skills/"),
        ("destination: [x]", '`destination` is ["x"]'),
        ("upgrade: sometimes", "`upgrade` is sometimes; write `true` or `false`"),
        ("skills: [{nome: b}]", "not `{name, source?, version?}`"),
        ("skills: [B!]", "is not a skill's name"),
        ("skills: [{name: b, version: 1.10}]", "the `version` of `b`"),
    ],
)
@pytest.mark.parametrize("command", [("install",), ("add", "b", "--source", "../one"), ("update",)])
def test_unusable_parameters_are_refused_with_their_place(
    run: Run, world: Path, text: str, words: str, command: tuple[str, ...]
) -> None:
    write(world, {"USER_CONTEXT.md": parameters(text)})
    with unchanged(world):
        values = values_of(run, world, *command, code=2)
        assert values["problems"][0]["message"].startswith("USER_CONTEXT.md:4: ")
        assert words in values["problems"][0]["message"]


def test_a_source_without_names_gives_the_skills_that_are_listed_without_one(run: Run, world: Path) -> None:
    make_source(world.parent / "two", ["b", "c", "d"])
    listed = parameters("skills: [c, {name: d}, {name: b, source: ../one}]")
    prohibited = "```yaml\nprohibit: {skills: [d]}\n```\n"
    write(world, {"CONTEXT.md": listed, "USER_CONTEXT.md": prohibited})
    code, values = call(run, world, "install", "--source", "../two")
    assert (code, values["problems"], installed(world)) == (0, [], ["a", "b", "c"])
    lock = lock_of(world)
    assert (lock["b"]["source"], lock["c"]["source"]) == ("../one", "../two")
    assert lock["c"]["asked_by"] == ["command line"]
    assert call(run, world, "install")[0] == 0
    assert call(run, world, "install", "--frozen")[0] == 0


@pytest.mark.parametrize("text", ["upgrade: false", "skills: [{name: b, source: ../one}]"])
def test_a_source_that_nothing_is_listed_for_needs_names(run: Run, world: Path, text: str) -> None:
    write(world, {"CONTEXT.md": parameters(text)})
    outcome = run("install", "--source", "../one", cwd=world)
    assert outcome.code == 2
    assert "which skills of this source? It offers `a`, `b`. Name them" in outcome.err


def test_what_is_frozen_takes_no_moved_tags(run: Run, world: Path) -> None:
    assert "--accept moved" in error_of(run, "install", "--frozen", "--accept=moved", cwd=world)
