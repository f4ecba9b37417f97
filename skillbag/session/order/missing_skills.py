"""The declared skills that are not installed, and the questions whether to install them."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.standard.declarations import Declaration, Declarations, Level, skill_wants
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.skills.skills import is_installed

INITIALISE = "skillbag install"
"""The command that installs declared skills."""


def missing_of_project(workspace: Workspace, declarations: Declarations) -> tuple[Declaration, ...]:
    """The dependencies of `CONTEXT.md` that are not in `.skills/`, each name once, without prohibited ones."""
    return _missing(workspace, declarations, declarations.dependencies, Level.CONTEXT)


def missing_before(workspace: Workspace, declarations: Declarations, skill: Skill) -> tuple[Declaration, ...]:
    """The missing dependencies of the project, then those that the skill requires (clause entry.missing).

    The reserved skill, which installs them, needs none.
    """
    if skill.folder == BOOTSTRAP_SKILL:
        return ()
    required = (dependency for dependency in skill_wants(skill.card) if dependency.required)
    of_skill = _missing(workspace, declarations, required, Level.SKILL)
    return (*missing_of_project(workspace, declarations), *of_skill)


def dependency_questions(missing: Iterable[Declaration]) -> tuple[Question, ...]:
    """For each missing skill, once, the question whether to install it."""
    questions: dict[str, Question] = {}
    for wanted in missing:
        # Installs what the skill that declares it needs, or what `CONTEXT.md` declares.
        requester = wanted.place.file.partition(f"{SKILL_ROOT}/")[2].removesuffix(f"/{SKILL_FILE}")
        text = f"The skill {wanted.name} is declared and not installed; shall it be installed now?"
        answer = f"{INITIALISE} {requester}".rstrip()
        question = Question(QuestionKind.DEPENDENCY, wanted.name, text, answer, "entry.missing", place=wanted.place)
        questions.setdefault(wanted.name, question)
    return tuple(questions.values())


def _missing(
    workspace: Workspace, declarations: Declarations, wanted: Iterable[Declaration], level: Level
) -> tuple[Declaration, ...]:
    found: dict[str, Declaration] = {}
    for dependency in wanted:
        if not is_installed(workspace, dependency.name) and declarations.prohibits(dependency.name, level) is None:
            found.setdefault(dependency.name, dependency)
    return tuple(found.values())
