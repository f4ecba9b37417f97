"""Extra steps of sources, which the plan of an installation makes a question for the user."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.transaction.agreed_steps import ExtraSteps, is_agreed
from skillbag.supply.install.outcome import Problem, ProblemKind
from skillbag.supply.install.plan import InstallPlan


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
            fix="--accept-steps agrees. The text is for you or your agent: nothing of it is executed here.",
            text=text,
        )
