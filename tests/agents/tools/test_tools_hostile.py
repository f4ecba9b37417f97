"""Hostile names and paths at every argument that takes one: nothing is read, run, written or deleted for any."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from skillbag.agents.personal.available import available_skill
from skillbag.agents.scripts.run import run_skill_script
from skillbag.agents.scripts.skill_files import read_skill_file
from skillbag.agents.settings.scope import Scope
from skillbag.agents.tools.registry import call_tool, offered_tools
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import traced
from tests.agents.tools.hostile_names import NAMES, PATHS, SECRET, hostile_world
from tests.session.bags import skill_md
from tests.supply.install.worlds import snapshot, write
from tests.support import Run

Call = Callable[[str], tuple[str, Mapping[str, Any]]]

NAME_ARGUMENTS: Mapping[str, Call] = {
    "tool": lambda name: (f"skill_{name}", {}),
    "read_skill_file.skill": lambda name: ("read_skill_file", {"skill": name, "path": "secret.txt"}),
    "run_skill_script.skill": lambda name: ("run_skill_script", {"skill": name, "script": "scripts/run.sh"}),
    "resolve.skill": lambda name: ("resolve", {"skill": name}),
    "refresh.skills": lambda name: ("refresh", {"skills": ["aa", name]}),
    "remember.skill": lambda name: ("remember", {"name": "language", "value": "en", "skill": name}),
    "skill_remove.name": lambda name: ("skill_remove", {"name": name}),
    "marketplace.install": lambda name: ("skill_marketplace", {"action": "install", "skill_ref": name}),
    "marketplace.remove": lambda name: ("skill_marketplace", {"action": "remove", "skill_ref": name}),
    "marketplace.install.owner": lambda name: ("skill_marketplace", {"action": "install", "skill_ref": f"{name}/aa"}),
    "marketplace.install.name": lambda name: ("skill_marketplace", {"action": "install", "skill_ref": f"owner/{name}"}),
}
"""Where a tool takes the name of a skill, or is named by it."""

READS_FIRST = ("skill_remove.name", "marketplace.")
"""Arguments that may hold more than a canonical name, so that something may be read before they are refused."""

HONEST: Mapping[str, frozenset[str]] = {
    "remember.skill": frozenset({"star"}),
    "marketplace.install": frozenset({"into-itself", "hash"}),
    "marketplace.remove": frozenset({"into-itself", "hash"}),
    "marketplace.install.owner": frozenset({"upper", "mixed-case"}),
    "marketplace.install.name": frozenset({"hash"}),
}
"""What is no skill's name and may stand there all the same: `*` for all, an owner and a name, an address and a name."""

PATH_ARGUMENTS: Mapping[str, Call] = {
    "read_skill_file.path": lambda path: ("read_skill_file", {"skill": "aa", "path": path}),
    "run_skill_script.script": lambda path: ("run_skill_script", {"skill": "aa", "script": path}),
    "skill_add.path": lambda path: ("skill_add", {"path": path}),
    "skill_add.path.of-a-skill": lambda path: ("skill_add", {"path": f".skills/aa/{path}"}),
}
"""Where a tool takes a path."""

NO_SKILL_THERE = ("dot", "dot-slash", "empty")
"""Paths that lead nowhere else than to the folder itself, which of a skill is an honest one to add."""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scope]:
    """The hostile world, whose session has entered, and a personal skill; none of it is changed by the test."""
    # A path may be `~`, and the folder of the developer who runs the tests may be large.
    monkeypatch.setenv("HOME", str(tmp_path / "outside"))
    root = hostile_world(tmp_path)
    write(tmp_path / "personal", {"mine/SKILL.md": skill_md("mine", "Mine.")})
    scope = Scope(str(root), str(tmp_path / "personal"), "s1")
    call_tool(scope, "enter", {})
    before = snapshot(tmp_path)
    yield scope
    assert snapshot(tmp_path) == before


def what_slips(scope: Scope, call: Call, table: Mapping[str, str]) -> dict[str, str]:
    """What is not refused as an agent's mistake, by label: what came of it."""
    slipped = {}
    for label, text in table.items():
        try:
            slipped[label] = call_tool(scope, *call(text)).text
        except UserError as error:
            if SECRET in str(error) or len(str(error)) > 1_000:
                slipped[label] = str(error)[:200]
        except Exception as error:
            slipped[label] = repr(error)[:200]
    return slipped


@pytest.mark.parametrize("argument", NAME_ARGUMENTS)
def test_no_hostile_name_gets_anywhere(world: Scope, argument: str) -> None:
    honest = HONEST.get(argument, frozenset())
    table = {label: name for label, name in NAMES.items() if label not in honest}
    assert len(table) >= 60
    assert what_slips(world, NAME_ARGUMENTS[argument], table) == {}


@pytest.mark.parametrize("argument", [entry for entry in NAME_ARGUMENTS if not entry.startswith(READS_FIRST)])
def test_nothing_looks_at_a_hostile_name_before_its_pattern_is_looked_at(world: Scope, argument: str) -> None:
    honest = HONEST.get(argument, frozenset())
    with traced() as accesses:
        what_slips(world, NAME_ARGUMENTS[argument], {key: name for key, name in NAMES.items() if key not in honest})
    assert [access.path for access in accesses] == []


@pytest.mark.parametrize("argument", PATH_ARGUMENTS)
def test_no_hostile_path_gets_anywhere(world: Scope, argument: str) -> None:
    itself = NO_SKILL_THERE if argument.endswith("of-a-skill") else ()
    table = {label: path for label, path in PATHS.items() if label not in itself}
    assert len(table) >= 60
    assert what_slips(world, PATH_ARGUMENTS[argument], table) == {}


@pytest.mark.parametrize("name", ["linked", "slipped"])
def test_a_skill_that_leads_out_of_the_workspace_is_none(world: Scope, name: str) -> None:
    for arguments in ({"path": "SKILL.md"}, {"path": "secret.txt"}):
        with pytest.raises(UserError, match="is a link out of the workspace"):
            call_tool(world, "read_skill_file", {"skill": name, **arguments})
    with pytest.raises(UserError, match="there is no such tool"):
        call_tool(world, f"skill_{name}", {})


@pytest.mark.parametrize("replaced", [".skills", ".skills/aa"])
def test_a_folder_that_is_replaced_by_a_link_once_the_skill_is_found_leads_nowhere(
    tmp_path: Path, replaced: str
) -> None:
    scope = Scope(str(hostile_world(tmp_path)), None)
    found = available_skill(scope, "aa")
    _replace_by_a_link(tmp_path, replaced)

    assert (tmp_path / "w/.skills/aa/secret.txt").read_text() == SECRET
    for reaches in (read_skill_file, run_skill_script):
        with pytest.raises(UserError, match="Path traversal not allowed"):
            reaches(found.directory, "secret.txt")


@pytest.mark.parametrize("replaced", [".skills", ".skills/aa"])
def test_a_folder_that_is_replaced_by_a_link_while_the_skill_is_looked_for_is_none(
    tmp_path: Path, replaced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scope = Scope(str(hostile_world(tmp_path)), None)

    def swapped(*_: object) -> bool:
        _replace_by_a_link(tmp_path, replaced)
        return True

    monkeypatch.setattr("skillbag.agents.personal.available.is_available", swapped)
    with pytest.raises(UserError, match="there is no such skill"):
        available_skill(scope, "aa")


def test_where_the_folder_of_all_skills_leads_out_of_the_workspace_there_are_none(tmp_path: Path) -> None:
    scope = Scope(str(hostile_world(tmp_path)), None)
    _replace_by_a_link(tmp_path, ".skills")
    write(tmp_path / "evil", {"SKILLS.md": (tmp_path / "away/SKILLS.md").read_text()})

    assert not [tool.name for tool in offered_tools(scope).tools if tool.skill]
    with pytest.raises(UserError, match="is a link out of the workspace"):
        call_tool(scope, "read_skill_file", {"skill": "aa", "path": "secret.txt"})


def _replace_by_a_link(folder: Path, replaced: str) -> None:
    """Put a link to a look-alike outside of the workspace in the place of one of its folders."""
    text = skill_md("aa", "Evil.")
    write(folder / "evil", {"aa/SKILL.md": text, "aa/secret.txt": SECRET, "SKILL.md": text, "secret.txt": SECRET})
    place = folder / "w" / replaced
    place.rename(folder / "away")
    place.symlink_to(folder / "evil")


def test_what_is_within_the_skill_can_be_read_and_run(world: Scope) -> None:
    read = call_tool(world, "read_skill_file", {"skill": "aa", "path": "references/a.md"})
    assert read.text == "What anybody may read.\n"
    ran = call_tool(world, "run_skill_script", {"skill": "aa", "script": "scripts/run.sh"})
    assert ran.text == "done\n"
    # What is out of reach of `aa` is the sibling's own.
    assert SECRET in call_tool(world, "read_skill_file", {"skill": "aab", "path": "secret.txt"}).text


@pytest.mark.usefixtures("a_job")
def test_on_the_command_line_every_hostile_name_and_path_is_reported_as_a_mistake(world: Scope, run: Run) -> None:
    calls = [NAME_ARGUMENTS["read_skill_file.skill"](name) for name in NAMES.values() if len(name) < 10_000]
    calls += [NAME_ARGUMENTS["skill_remove.name"](name) for name in NAMES.values() if len(name) < 10_000]
    for argument in ("read_skill_file.path", "run_skill_script.script"):
        calls += [PATH_ARGUMENTS[argument](path) for path in PATHS.values() if len(path) < 10_000]
    for tool, arguments in calls:
        outcome = run(
            "tool", tool, json.dumps(arguments), "--workspace", world.root or "", "--personal", world.personal or ""
        )
        assert outcome.code in (1, 2), (tool, arguments)
        assert outcome.out.startswith("Error: ") == (outcome.code == 1)
        assert outcome.err.startswith("error: ") == (outcome.code == 2)
        assert SECRET not in outcome.out + outcome.err
        assert all(line.isprintable() for line in (outcome.out + outcome.err).split("\n"))


@pytest.mark.usefixtures("a_job")
def test_a_hostile_path_gets_nowhere_through_a_real_process(world: Scope) -> None:
    arguments = json.dumps({"skill": "aa", "script": PATHS["fullwidth"]})
    command = [
        sys.executable,
        "-m",
        "skillbag",
        "agent",
        "tool",
        "run_skill_script",
        "-",
        "--workspace",
        str(world.root),
    ]
    done = subprocess.run(command, input=arguments.encode(), capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.startswith(b"Error: ")
    assert SECRET.encode() not in done.stdout
