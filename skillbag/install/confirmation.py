"""What the user must confirm before anything is written: moved tags, extra steps of sources, replaced skills."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from skillbag.install.outcome import Outcome, Problem, ProblemKind, Status, StoppedError
from skillbag.install.plan import InstallPlan
from skillbag.transaction.agreed_steps import ExtraSteps, is_agreed
from skillbag.workspace.lock_file import Lock


@dataclass(frozen=True, slots=True)
class Prompter:
    """Callbacks that ask the user, and report a wait. Without a user (`present` is false) a question ends the run."""

    present: bool = False
    plan: Callable[[Outcome], bool] = field(default=lambda _: False)
    steps: Callable[[Problem], bool] = field(default=lambda _: False)
    moved: Callable[[Problem], bool] = field(default=lambda _: False)
    waiting: Callable[[], None] = field(default=lambda: None)


def steps_of(plan: InstallPlan) -> Iterator[ExtraSteps]:
    """The extra steps of the sources that something is newly taken from, with the skills that come with them."""
    used = {step.fetched.root: step.fetched for step in plan.changes if step.fetched is not None}
    if not used:
        return
    from skillbag.install.post_install import extra_steps

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
            fix="--accept-steps agrees. The text is for you or your agent: nothing of it is executed here.",
            text=text,
        )


def moved_tags(plan: InstallPlan, before: Lock) -> Iterator[Problem]:
    """A question for each tag that means other content than the lock `before` has from it."""
    found: dict[tuple[str, str, str, str, str], list[str]] = {}
    for step in plan.steps:
        old, new = before.skills.get(step.name), step.locked
        if step.moved and old is not None and new is not None:
            commits = (old.resolved or "", new.resolved or "")
            found.setdefault((new.source, new.requested or "", step.moved, *commits), []).append(step.name)
    for (source, version, moved, old_commit, new_commit), names in found.items():
        yield Problem(
            ProblemKind.QUESTION,
            f"the version {version} {moved}: it meant {old_commit[:10]} when it was installed, and means "
            f"{new_commit[:10]} (for {', '.join(names)}). Its publisher has rewritten it, or somebody tampered with "
            "the source; take the new content?",
            source=source,
            fix=f"Look at it first: skillbag diff {names[0]} --upstream. --accept-moved takes it.",
        )


def consent(
    plan: InstallPlan,
    steps: Iterable[ExtraSteps],
    outcome: Outcome,
    asker: Prompter,
    before: Lock,
    *,
    yes: bool,
    accept_steps: bool,
    accept_moved: bool,
) -> None:
    """Get agreement to moved tags, to extra steps and to what gives way; `before` is the lock as it is.

    Raises:
        StoppedError: there was no agreement.
    """
    if not accept_moved:
        _ask_moved(tuple(moved_tags(plan, before)), outcome, asker)
    if not accept_steps:
        _ask_steps(tuple(open_steps(outcome.root, steps)), outcome, asker)
    replaced = [row.name for row in outcome.skills if row.status is Status.UPGRADED]
    if replaced and not yes:
        if not asker.present:
            raise StoppedError(_replacing(replaced), skills=outcome.skills)
        if not asker.plan(outcome):
            raise StoppedError(_declined(f"you did not agree to replace {', '.join(replaced)}"))


def _ask_moved(questions: tuple[Problem, ...], outcome: Outcome, asker: Prompter) -> None:
    if questions and not asker.present:
        raise StoppedError(*questions, skills=outcome.skills)
    for question in questions:
        if not asker.moved(question):
            raise StoppedError(_declined(f"you did not agree to take the moved tag of {question.source}"))


def _ask_steps(questions: tuple[Problem, ...], outcome: Outcome, asker: Prompter) -> None:
    if questions and not asker.present:
        raise StoppedError(*questions, skills=outcome.skills)
    for question in questions:
        if not asker.steps(question):
            raise StoppedError(_declined(f"you did not agree to the extra installation steps of {question.source}"))


def _declined(why: str) -> Problem:
    # The user has just seen the question and its text.
    return Problem(ProblemKind.DECLINED, f"the installation was declined: {why}")


def _replacing(names: list[str]) -> Problem:
    return Problem(
        ProblemKind.QUESTION,
        f"this replaces {', '.join(names)}; go ahead?",
        clause="install.place",
        fix="--yes accepts the plan; --dry-run shows it.",
    )
