"""What is opened, as the interpreter itself sees it: what the standard allows and the trace shows, and nothing else."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Set
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import pytest

from skillbag.lint.cache.dangers import find_dangers
from skillbag.lint.cache.entry import SETTLED
from tests.session.agents import SESSION
from tests.session.bags import bag, context, parameters, skill_md
from tests.session.forks import forks, witnessed
from tests.supply.install.worlds import write

pytestmark = forks


class Seen(NamedTuple):
    """What a command printed as JSON, and what it opened and listed, by the interpreter's own account."""

    code: int
    values: dict[str, Any]
    opened: list[str]
    listed: list[str]

    @property
    def why(self) -> dict[str, set[str]]:
        """The reasons that the trace gives, by path relative to the workspace."""
        found: dict[str, set[str]] = {}
        root = self.values["root"]
        for item in self.values["trace"]:
            found.setdefault(os.path.relpath(item["path"], root).replace(os.sep, "/"), set()).add(item["why"])
        return found


def observed(root: Path, *arguments: str) -> Seen:
    done, seen = witnessed(root, *arguments, "--json", "--trace")
    assert (done.err, seen["process"]) == ("", [])
    return Seen(done.code, {**json.loads(done.out), "root": str(root)}, seen["open"], seen["list"])


def check_skills(root: Path, *names: str) -> None:
    """Have the security of these skills checked: that opens all of their files, once for each content."""
    # Times that are as late as the check itself are not relied on.
    time.sleep(SETTLED / 1e9)
    for name in names:
        assert find_dangers(str(root / ".skills" / name), str(root)) == ()


def skill_file(name: str) -> str:
    return f".skills/{name}/SKILL.md"


ROOT_FILES = {"SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"}
ALWAYS = ["skill-0100", "skill-0500"]
COUNT = 1_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of 1,000 skills with tags, parameters, companions and supporting files."""
    skills = {f"skill-{number:04}": "Does something. Use it when it is needed." for number in range(COUNT)}
    skills |= dict.fromkeys(ALWAYS, "Does it always. #run/always")
    skills["skill-0200"] = "Does it with others. #use/skill-0300"
    skills["skill-0900"] = "Does it last. #run/last"
    body = parameters("required:\n  - name: format\noptional:\n  - name: page\n    discover: docs/*.md", "Do it.")
    files: dict[str, str | bytes] = {
        "CONTEXT.md": context("parameters: {skill-0200: {format: pdf}}"),
        "USER_CONTEXT.md": context("parameters: {skill-0200: {format: html}}"),
        "docs/only.md": "# Only\n",
        skill_file("skill-0200"): skill_md("skill-0200", skills["skill-0200"], body),
        ".skills/skill-0200/scripts/work.py": "print()\n",
        ".skills/skill-0200/references/more.md": "# More\n",
    }
    return bag(tmp_path_factory.mktemp("large") / "w", skills, files)


def holds(seen: Seen, opened: Set[str], listed: Set[str] = frozenset()) -> None:
    """Hold a command to the files that it may open and the folders that it may list, and to its own trace."""
    assert seen.code == 0, seen.values
    assert set(seen.opened) == opened
    # The one other place that is looked at is where an interrupted change would be.
    assert set(seen.listed) - {".skillbag"} == listed
    assert seen.why.keys() == opened
    assert all(why and "to find the workspace" not in why for whys in seen.why.values() for why in whys)
    assert len(seen.values["trace"]) == len(seen.opened)
    if seen.values["command"] in ("enter", "refresh"):
        assert len(seen.opened) == len(opened), "a file is opened twice"


IN_SESSION = ("--session", SESSION)
ALWAYS_FILES = set(map(skill_file, ALWAYS))


@pytest.mark.proves("lifecycle", "files.catalog-first", "entry.order", "refresh.minimal", "refresh.trigger")
def test_a_whole_session_on_a_thousand_skills_opens_what_it_needs(large: Path) -> None:
    check_skills(large, *ALWAYS, "skill-0200")
    seen = observed(large, "enter", *IN_SESSION)
    # The folder is listed to see whether there are active skills.
    holds(seen, ROOT_FILES | ALWAYS_FILES, {".skills", *(f".skills/{name}" for name in ALWAYS)})
    in_order = ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"]
    assert seen.opened == [*in_order, *map(skill_file, ALWAYS)]
    assert seen.why[skill_file(ALWAYS[0])] == {"it runs always"}
    assert len(seen.values["catalog"]) == COUNT
    holds(observed(large, "enter", *IN_SESSION), set())

    seen = observed(large, "order", "skill-0200", *IN_SESSION)
    holds(seen, ROOT_FILES | ALWAYS_FILES)
    assert [turn["name"] for turn in seen.values["order"]] == [*ALWAYS, "skill-0300", "skill-0200", "skill-0900"]
    assert seen.why[skill_file(ALWAYS[0])] == {"whether it is what the session has read"}
    holds(observed(large, "order", "skill-0200"), ROOT_FILES)

    used, listed = skill_file("skill-0200"), {*folders("skill-0200"), ".", "docs"}
    seen = observed(large, "resolve", "skill-0200", *IN_SESSION)
    holds(seen, ROOT_FILES | {used}, listed)
    assert seen.why[used] == {"inputs are resolved"}
    seen = observed(large, "resolve", "skill-0200", "--set", "x=1")
    assert (seen.code, seen.opened) == (2, [".skills/SKILLS.md", used])

    seen = observed(large, "run", "skill_0200", *IN_SESSION)
    holds(seen, ROOT_FILES | ALWAYS_FILES | {used}, listed)
    assert "it is run" in seen.why[used]
    assert seen.values["files"] == ["references/more.md", "scripts/work.py"]

    names = ("skill-0001", "skill-0002")
    seen = observed(large, "winner", *names)
    holds(seen, {*ROOT_FILES, *map(skill_file, names)}, {f".skills/{name}" for name in names})
    assert seen.why[skill_file("skill-0001")] == {"whether it is risky"}
    refreshes_open_what_has_changed(large, ROOT_FILES | ALWAYS_FILES | {used})


def refreshes_open_what_has_changed(large: Path, loaded: Set[str]) -> None:
    """Change a file of a session that has loaded these, step by step, and refresh."""
    seen = observed(large, "refresh", *IN_SESSION)
    holds(seen, loaded)
    assert seen.values["nothing"] is True

    catalog = (large / ".skills/SKILLS.md").read_text("utf-8").replace("skill-0700: Does", "skill-0700: Did")
    write(large, {".skills/SKILLS.md": catalog, skill_file("skill-0700"): "x"})
    seen = observed(large, "refresh", *IN_SESSION)
    holds(seen, loaded)
    assert (seen.values["described"], seen.values["read"]) == (["skill-0700"], [".skills/SKILLS.md"])

    seen = observed(large, "refresh", "skill-0800", *IN_SESSION)
    holds(seen, loaded | {skill_file("skill-0800")})
    assert seen.why[skill_file("skill-0800")] == {"it is newly chosen, or runs always from now on"}

    write(large, {"USER_CONTEXT.md": context("tags: {skill-0400: {add: ['#run/always']}}")})
    seen = observed(large, "refresh", *IN_SESSION)
    holds(seen, loaded | {skill_file("skill-0800"), skill_file("skill-0400")})
    assert seen.values["always"] == ["skill-0400"]


def folders(name: str) -> set[str]:
    """A skill's own folders, where its supporting files are."""
    return {f".skills/{name}", f".skills/{name}/scripts", f".skills/{name}/references"}


@pytest.mark.proves("lifecycle", "files.catalog-first")
def test_a_hook_opens_what_an_entry_opens(large: Path) -> None:
    with TemporaryFile("w+") as hook:
        hook.write('{"session_id": "of the hook"}')
        hook.seek(0)
        done, seen = witnessed(large, "enter", "--hook", stdin=hook)
    assert done.code == 0
    assert "Session: of the hook" in done.out
    opened = seen["open"]
    assert opened[:4] == ["SKILLBAG.md", "CONTEXT.md", "USER_CONTEXT.md", ".skills/SKILLS.md"]
    assert {skill_file(name) for name in ALWAYS} <= set(opened[4:]) <= {skill_file(n) for n in (*ALWAYS, "skill-0400")}


@pytest.mark.proves("lifecycle", "files.catalog-first")
def test_what_is_asked_of_a_skill_that_there_is_not_opens_no_skill(large: Path) -> None:
    seen = observed(large, "run", "skill_9999")
    assert seen.code == 2
    # The context files tell whether it is declared, and so only missing.
    assert seen.opened == [".skills/SKILLS.md", "CONTEXT.md", "USER_CONTEXT.md"]
