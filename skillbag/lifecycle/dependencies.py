"""Declared skills that are not installed: what has to be asked before skill-dependent work (clause entry.missing)."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.lifecycle.questions import Question, QuestionKind
from skillbag.lifecycle.skills import is_installed
from skillbag.standard.declarations import Declarations, Level, Wanted, skill_wants
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT

INITIALISE = "skillbag install"
"""The command that installs what is declared."""


def missing_of_project(workspace: Workspace, declarations: Declarations) -> tuple[Wanted, ...]:
    """The dependencies of `CONTEXT.md` that are not in `.skills/`, each name once; prohibited ones are not missed."""
    return _missing(workspace, declarations, declarations.dependencies, Level.CONTEXT)


def missing_of_skill(workspace: Workspace, declarations: Declarations, skill: Skill) -> tuple[Wanted, ...]:
    """The required dependencies of a skill that are not in `.skills/`, as `missing_of_project`."""
    required = (dependency for dependency in skill_wants(skill.card) if dependency.required)
    return _missing(workspace, declarations, required, Level.SKILL)


def missing_before(workspace: Workspace, declarations: Declarations, skill: Skill) -> tuple[Wanted, ...]:
    """What is missing before a skill may run: of the project and of the skill (clause entry.missing).

    Nothing is before the reserved skill, which is what installs the missing ones.
    """
    if skill.folder == BOOTSTRAP_SKILL:
        return ()
    return (*missing_of_project(workspace, declarations), *missing_of_skill(workspace, declarations, skill))


def dependency_questions(missing: Iterable[Wanted]) -> tuple[Question, ...]:
    """The question for each missing skill, once: whether to install it."""
    first: dict[str, Wanted] = {}
    for wanted in missing:
        first.setdefault(wanted.name, wanted)
    return tuple(
        Question(
            QuestionKind.DEPENDENCY,
            dependency.name,
            f"The skill {dependency.name} is declared and not installed; shall it be installed now?",
            install_command(dependency),
            "entry.missing",
            place=dependency.place,
        )
        for dependency in first.values()
    )


def install_command(missing: Wanted) -> str:
    """What installs a missing skill: all that `CONTEXT.md` declares, or what the skill that declares it needs."""
    _, _, requester = missing.place.file.partition(f"{SKILL_ROOT}/")
    return f"{INITIALISE} {requester.removesuffix(f'/{SKILL_FILE}')}".rstrip()


def _missing(
    workspace: Workspace, declarations: Declarations, wanted: Iterable[Wanted], level: Level
) -> tuple[Wanted, ...]:
    found: dict[str, Wanted] = {}
    for dependency in wanted:
        if not is_installed(workspace, dependency.name) and declarations.prohibits(dependency.name, level) is None:
            found.setdefault(dependency.name, dependency)
    return tuple(found.values())
