"""What the user must confirm before anything is written: changed versions, extra steps of sources, replaced skills."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass, field

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.transaction.agreed_steps import ExtraSteps, is_agreed
from skillbag.supply.install.outcome import Outcome, Problem, ProblemKind, Status, StoppedError
from skillbag.supply.install.plan import InstallPlan


@dataclass(frozen=True, slots=True)
class Prompter:
    """Callbacks that ask the user, and report a wait. Without a user (`present` is false) a question ends the run.
    `person`: whoever started this is a person, whether or not they want to be asked."""

    present: bool = False
    plan: Callable[[Outcome], bool] = field(default=lambda _: False)
    steps: Callable[[Problem], bool] = field(default=lambda _: False)
    moved: Callable[[Problem], bool] = field(default=lambda _: False)
    waiting: Callable[[], None] = field(default=lambda: None)
    person: bool = False


class DeclinedError(UserError):
    """The user did not agree; `fix` says what agrees."""

    fix = "--yes agrees without a question."


def consent(
    moved: Iterable[Problem],
    steps: Iterable[Problem],
    outcome: Outcome,
    prompter: Prompter,
    *,
    new: Iterable[str] = (),
    yes: bool,
    recorded: Container[str] = (),
) -> None:
    """Get agreement to changed versions, extra steps and, without `yes`, to `new` and replaced skills and high risks.

    Skills that become what the lock records (`recorded`) replace older versions unasked. Without a user, new skills and
    high risks are no question.

    Raises:
        StoppedError: the user did not agree, or can't be asked.
    """
    _ask(moved, outcome, prompter, prompter.moved, "take the changed version")
    _ask(steps, outcome, prompter, prompter.steps, "the extra installation steps")
    upgraded = [row.name for row in outcome.skills if row.status is Status.UPGRADED]
    replaced = ", ".join(name for name in upgraded if name not in recorded)
    risky = ", ".join(change.skill for change in outcome.capabilities if change.is_risky and prompter.present)
    added = ", ".join(new) if prompter.present else ""
    if yes or not (replaced or risky or added):
        return
    if not prompter.present:
        question, fix = f"this replaces {replaced}; go ahead?", "--yes accepts the plan; --dry-run shows it."
        problem = Problem(ProblemKind.QUESTION, question, clause="install.place", fix=fix)
        raise StoppedError(problem, skills=outcome.skills, capabilities=outcome.capabilities)
    if not prompter.plan(outcome):
        raise _declined(f"replace {replaced}" if replaced else f"what {risky} can do" if risky else f"install {added}")


def _ask(
    problems: Iterable[Problem], outcome: Outcome, prompter: Prompter, ask: Callable[[Problem], bool], what: str
) -> None:
    questions = tuple(problems)
    if questions and not prompter.present:
        raise StoppedError(*questions, skills=outcome.skills, capabilities=outcome.capabilities)
    for question in questions:
        if not ask(question):
            raise _declined(f"{what} of {question.source}")


def _declined(what: str) -> StoppedError:
    # Without the question and its text: the user has just seen them.
    return StoppedError(Problem(ProblemKind.DECLINED, f"the installation was declined: you did not agree to {what}"))


def steps_of(plan: InstallPlan) -> Iterator[ExtraSteps]:
    """The extra steps of the sources that the plan takes skills from, with these skills."""
    used = {step.fetched.root: step.fetched for step in plan.changes if step.fetched is not None}
    if not used:
        return
    from skillbag.supply.install.post_install import extra_steps

    for root, fetched in used.items():
        if (text := extra_steps(fetched)) is not None:
            names = sorted(step.name for step in plan.changes if step.fetched and step.fetched.root == root)
            yield ExtraSteps(fetched.source.declared, tuple(names), text)


def open_steps(root: str, steps: Iterable[ExtraSteps]) -> Iterator[Problem]:
    """A question for each text that is not agreed to in this workspace."""
    seen = set()
    for source, names, text in steps:
        if text in seen or is_agreed(root, text):
            continue
        seen.add(text)
        yield Problem(
            ProblemKind.QUESTION,
            f"its AGENTS.md may ask for extra installation steps (for {', '.join(names)}): it does not say plainly "
            "that there are none. Read it; do you agree to what it asks for?",
            source=source,
            path="AGENTS.md",
            clause="bootstrap.extra-steps",
            fix="--accept steps agrees. The text is for you or your agent: nothing of it is executed here.",
            text=text,
        )
