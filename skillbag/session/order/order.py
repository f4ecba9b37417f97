"""The skills that run at entry and before each response, in order, and the tags that bring in no skill."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from skillbag.kernel.standard.declarations import Declaration, Declarations, Level, Place, skill_wants
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT
from skillbag.session.inputs.questions import Question, QuestionKind
from skillbag.session.settings.effective_settings import ALWAYS, LAST, USE, Disabled, Dropped, Tagging
from skillbag.session.skills.skills import is_installed


class RunReason(StrEnum):
    """Why a skill runs."""

    ALWAYS = "always"
    CHOSEN = "chosen"
    COMPANION = "companion"
    LAST = "last"


class ExecutionStep(NamedTuple):
    """One skill to run; `because` is the tag, or who chose it; `place` is that of the tag."""

    name: str
    phase: RunReason
    because: str
    place: Place | None


class Order(NamedTuple):
    """The skills to run in order, each once, and what was disabled."""

    turns: tuple[ExecutionStep, ...]
    disabled: tuple[Disabled, ...]


Available = Callable[[str], bool]
"""Whether a skill is listed and its `SKILL.md` exists."""


def entry_order(tagging: Tagging, available: Available) -> Order:
    """The skills to run at workspace entry (clause tags.run-always)."""
    return _order(tagging, available, _tagged(tagging, ALWAYS))


def always(tagging: Tagging, order: Order) -> tuple[str, ...]:
    """The skills of an order that run always, without their companions."""
    return tuple(turn.name for turn in order.turns if tagging.tag(turn.name, ALWAYS))


def response_order(tagging: Tagging, available: Available, chosen: Iterable[str] = ()) -> Order:
    """The skills to run before a response: always, chosen, last by name; companions first (clause tags.run-last)."""
    picked = [_turn(tagging, ExecutionStep(name, RunReason.CHOSEN, "the conversation", None)) for name in chosen]
    return _order(tagging, available, [*_tagged(tagging, ALWAYS), *picked, *_tagged(tagging, LAST)])


def companions(tagging: Tagging, available: Available, skill: str) -> tuple[ExecutionStep, ...]:
    """The whole chain of companions of a skill, in the order in which they run before it (clause tags.use)."""
    chain = _chains(tagging, available, [ExecutionStep(skill, RunReason.CHOSEN, "", None)])
    return tuple(_last_at_the_end(turn for turn in chain if turn.name != skill))


def dropped_companions(
    tagging: Tagging, available: Available, turns: Collection[str], tags: Collection[str] = ()
) -> tuple[Dropped, ...]:
    """The skills that only a prohibition keeps from running beside `turns`: each once, with the first tag for it.

    These are companions of the turns, and skills with one of the `tags`.
    """
    found: dict[str, Dropped] = {}
    for loss in tagging.dropped:
        matters = loss.tag in tags or (loss.owner in turns and loss.tag.startswith(USE))
        if matters and loss.brings not in turns and available(loss.brings):
            found.setdefault(loss.brings, loss)
    return tuple(found.values())


def _tagged(tagging: Tagging, tag: str) -> list[ExecutionStep]:
    held = ((name, tagging.tag(name, tag)) for name in sorted(tagging.tags))
    return [_turn(tagging, ExecutionStep(name, RunReason.ALWAYS, tag.text, tag.place)) for name, tag in held if tag]


def _turn(tagging: Tagging, otherwise: ExecutionStep) -> ExecutionStep:
    """The step that the skill's own tags give, else the other."""
    for tag, phase in ((LAST, RunReason.LAST), (ALWAYS, RunReason.ALWAYS)):
        held = tagging.tag(otherwise.name, tag)
        if held:
            return ExecutionStep(otherwise.name, phase, tag, held.place)
    return otherwise


def _order(tagging: Tagging, available: Available, starts: Iterable[ExecutionStep]) -> Order:
    # Companions of the skills that run last come after all others.
    starts = _last_at_the_end(turn for turn in starts if turn.name not in tagging.barred)
    absent = {turn.name: turn for turn in starts if not available(turn.name)}
    turns = _last_at_the_end(_chains(tagging, available, (turn for turn in starts if turn.name not in absent)))
    missing = (
        Disabled(
            turn.name, "" if turn.phase is RunReason.CHOSEN else turn.because, "its SKILL.md is not there", turn.place
        )
        for turn in absent.values()
    )
    return Order(tuple(turns), (*tagging.disabled, *missing))


def _chains(tagging: Tagging, available: Available, starts: Iterable[ExecutionStep]) -> Iterator[ExecutionStep]:
    """Each skill once: those of `starts`, each directly after its companions and theirs, depth first.

    A companion prepares what its skill needs. In a circle the skill that was reached first comes last.
    """
    seen: set[str] = set()
    # No recursion: a chain may be as long as the workspace has skills.
    waiting = [(turn, False) for turn in starts][::-1]
    while waiting:
        turn, is_prepared = waiting.pop()
        if is_prepared:
            yield turn
        elif turn.name not in seen:
            seen.add(turn.name)
            waiting.append((turn, True))
            for tag in reversed(tagging.tags.get(turn.name, ())):
                name = tag.text.removeprefix(USE)
                if name != tag.text and is_name(name) and available(name):
                    step = ExecutionStep(name, RunReason.COMPANION, tag.text, tag.place)
                    waiting.append((_turn(tagging, step), False))


def _last_at_the_end(turns: Iterable[ExecutionStep]) -> list[ExecutionStep]:
    """The turns in order, but the `#run/last` skills by name after all others."""
    turns = list(turns)
    last = sorted(turn for turn in turns if turn.phase is RunReason.LAST)
    return [*(turn for turn in turns if turn.phase is not RunReason.LAST), *last]


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
