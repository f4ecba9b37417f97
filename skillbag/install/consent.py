"""What must be agreed to before anything is written: the extra steps of sources, and skills that give way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from skillbag.install.outcome import Outcome, Status, StoppedError, Trouble, TroubleKind
from skillbag.install.plan import Plan


@dataclass(frozen=True, slots=True)
class Asker:
    """Whom to ask, and to tell of a wait (`waiting`); without a person (`present` false) a question ends the run."""

    present: bool = False
    plan: Callable[[Outcome], bool] = field(default=lambda _: False)
    steps: Callable[[Trouble], bool] = field(default=lambda _: False)
    waiting: Callable[[], None] = field(default=lambda: None)


def open_steps(plan: Plan) -> Iterator[Trouble]:
    """The extra steps of sources that something is newly taken from, each text once, if nobody has agreed to it yet."""
    used = {step.fetched.root for step in plan.changes if step.fetched is not None}
    if not used:
        return
    from skillbag.install.steps import accepted, extra_steps

    asked = set()
    for root, (fetched, names) in plan.fetched.items():
        text = extra_steps(fetched) if root in used else None
        if text is None or text in asked or accepted(text):
            continue
        asked.add(text)
        yield Trouble(
            TroubleKind.QUESTION,
            f"its AGENTS.md has extra installation steps (for {', '.join(sorted(names))}); agree to follow them?",
            source=fetched.source.declared,
            path="AGENTS.md",
            clause="bootstrap.extra-steps",
            fix="Read them; --accept-steps agrees. They are text for you or your agent: none is executed here.",
            text=text,
        )


def consent(plan: Plan, outcome: Outcome, asker: Asker, *, yes: bool, accept_steps: bool) -> None:
    """Get agreement to extra steps and to what gives way.

    Raises:
        StoppedError: there was no agreement.
    """
    steps = list(open_steps(plan))
    if not accept_steps:
        unanswered = [trouble for trouble in steps if not (asker.present and asker.steps(trouble))]
        if unanswered:
            raise StoppedError(*unanswered, skills=outcome.skills)
    replaced = [row.name for row in outcome.skills if row.status is Status.UPGRADED]
    if replaced and not yes and not (asker.present and asker.plan(outcome)):
        raise StoppedError(_replacing(replaced), skills=outcome.skills)
    if steps:
        from skillbag.install.steps import accept

        for trouble in steps:
            accept(trouble.text)


def _replacing(names: list[str]) -> Trouble:
    return Trouble(
        TroubleKind.QUESTION,
        f"this replaces {', '.join(names)}; go ahead?",
        clause="install.place",
        fix="--yes accepts the plan; --dry-run shows it.",
    )
