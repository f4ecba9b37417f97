"""`tree`, `why` and the commands that follow needs, on nets of skills that are deep, wide, knotted or incomplete."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.supply.install.declared import need
from tests.supply.install.outcomes import installed
from tests.supply.install.worlds import call, make_source, make_workspace, skill_text, write
from tests.support import Run

DEEP = 1100


def installed_from(run: Run, folder: Path, skills: Mapping[str, str], *names: str) -> Path:
    """A workspace with skills of one source, requested on the command line."""
    make_source(folder / "one", skills)
    workspace = make_workspace(folder / "work")
    assert run("install", *names, "--source", "../one", cwd=workspace).code == 0
    return workspace


def ladder(steps: int) -> dict[str, str]:
    """Pairs of skills that each need both of the next pair: two ways more at each step."""
    return {
        f"s{step}-{side}": skill_text(f"s{step}-{side}", [f"s{step + 1}-a", f"s{step + 1}-b"] if step < steps else [])
        for step in range(steps + 1)
        for side in "ab"
    }


def test_a_diamond_is_drawn_once_and_has_two_chains(run: Run, tmp_path: Path) -> None:
    skills = {"top": skill_text("top", ["left", "right"]), "left": skill_text("left", ["end"])}
    skills |= {"right": skill_text("right", ["end"]), "end": skill_text("end", ["last"]), "last": skill_text("last")}
    workspace = installed_from(run, tmp_path, skills, "top")
    assert run("tree", cwd=workspace).out == (
        "command line\n"
        "└── top\n"
        "    ├── left\n"
        "    │   └── end\n"
        "    │       └── last\n"
        "    └── right\n"
        "        └── end  (see above)\n"
    )
    assert run("why", "end", cwd=workspace).out == (
        "command line -> top -> left -> end\ncommand line -> top -> right -> end\n"
    )


def test_ways_without_number_are_neither_drawn_nor_listed(run: Run, tmp_path: Path) -> None:
    workspace = installed_from(run, tmp_path, ladder(40), "s0-a")
    assert len(run("tree", cwd=workspace).out.splitlines()) < 200
    lines = run("why", "s40-b", cwd=workspace).out.splitlines()
    assert len(lines) == 101
    assert lines[-1].startswith("… and more")
    assert call(run, workspace, "why", "s40-b")[1]["values"] == {"chains": 100}


def test_dead_ends_do_not_hide_the_way(run: Run, tmp_path: Path) -> None:
    # Unrequired skills lead to it as well, in countless ways.
    skills = {**ladder(40), "s40-a": skill_text("s40-a", ["end"]), "end": skill_text("end")}
    workspace = installed_from(run, tmp_path, skills, "end", "s0-a")
    lock = (workspace / "skillbag.lock").read_text()
    at = lock.index('"s0-a": {')
    write(workspace, {"skillbag.lock": lock[:at] + lock[at:].replace('"command line"', '"gone"', 1)})
    lines = run("why", "end", cwd=workspace).out.splitlines()
    assert lines[0] == "command line -> end"
    assert all(line.startswith("s0-a -> ") and line.endswith("  (required by nothing)") for line in lines[1:-1])


@pytest.mark.slow
def test_a_chain_of_a_thousand_skills(run: Run, tmp_path: Path) -> None:
    names = [f"s{number:04}" for number in range(DEEP)]
    skills = {name: skill_text(name, [after]) for name, after in itertools.pairwise(names)}
    workspace = installed_from(run, tmp_path, {**skills, names[-1]: skill_text(names[-1])}, names[0])
    assert len(installed(workspace)) == DEEP
    assert len(run("tree", cwd=workspace).out.splitlines()) == DEEP + 1
    assert run("why", names[-1], cwd=workspace).out.count(" -> ") == DEEP
    write(workspace, {f".skills/{names[-1]}/SKILL.md": skill_text(names[-1], [names[0]])})
    code, values = call(run, workspace, "install")
    assert (code, values["problems"][0]["kind"]) == (3, "cycle")


def test_circles_own_skills_and_what_is_missing_are_drawn(run: Run, tmp_path: Path) -> None:
    skills = {"a": skill_text("a", ["b"]), "b": skill_text("b"), "c": skill_text("c")}
    workspace = installed_from(run, tmp_path, skills, "a")
    own = {name: skill_text(name, [other]) for name, other in (("x", "y"), ("y", "x"), ("z", "z"), ("own", "x"))}
    write(workspace, {f".skills/{name}/SKILL.md": text for name, text in own.items()})
    write(workspace, {".skills/broken/SKILL.md": "no front matter\n"})
    shutil.rmtree(workspace / ".skills/b")
    shutil.copy(make_workspace(tmp_path / "other", [need("d", "../one", "m")]) / "CONTEXT.md", workspace)
    assert run("tree", cwd=workspace).out == (
        "CONTEXT.md\n"
        "└── d  (missing)\n"
        "command line\n"
        "└── a\n"
        "    └── b  (missing)\n"
        "required by nothing\n"
        "├── broken  (own)\n"
        "├── own  (own)\n"
        "│   └── x  (own)\n"
        "│       └── y  (own)\n"
        "│           └── x  (own)  (see above)\n"
        "└── z  (own)\n"
        "    └── z  (own)  (see above)\n"
    )
    assert run("why", "b", cwd=workspace).out == "command line -> a -> b\n"
    assert run("why", "y", cwd=workspace).out == "own -> x -> y  (required by nothing)\n"
    assert run("why", "z", cwd=workspace).out == "z: nothing requires it\n"
    assert run("why", "d", cwd=workspace).out == "CONTEXT.md:5 -> d\n"
    assert run("why", "nothing", cwd=workspace).code == 2


def test_an_empty_workspace_has_nothing_to_show(run: Run, workspace: Path) -> None:
    for command in ("tree", "list", "outdated"):
        code, values = call(run, workspace, command)
        assert (code, values["skills"], values["text"]) == (0, [], "")
