"""What was written into `USER_CONTEXT.md` or removed from it, as text. No secret is in it."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.report.sanitize import shown
from skillbag.session.persistence.secret_detection import why_secret
from skillbag.session.remembering.remember import Remembered
from skillbag.session.settings.value import Value

_MASKED = Value("****", "****")


def remembered_text(remembered: Remembered) -> str:
    """The same as text: where the value is now, and whether git ignores that file."""
    return "".join(f"{shown(line)}\n" for line in _lines(remembered))


def _lines(remembered: Remembered) -> Iterator[str]:
    whose = "" if remembered.skill == ANY_SKILL else f" for {remembered.skill}"
    before = earlier(remembered)
    was = f" (was {before.short})" if before and remembered.changed else ""
    if remembered.value is None:
        yield f"{USER_CONTEXT}: {remembered.name}{whose} is forgotten{was}"
        return
    stands = "" if remembered.changed else " stands there already"
    yield f"{remembered.place}: {remembered.name} = {remembered.value.short}{whose}{stands}{was}"
    if remembered.created:
        yield f"{USER_CONTEXT} was made for it"
    if remembered.ignored_by:
        yield f"git leaves {USER_CONTEXT} alone from now on: a line in {remembered.ignored_by} says so"
    if remembered.tracked:
        yield f"git tracks {USER_CONTEXT}, so others will see it; git rm --cached {USER_CONTEXT} keeps it here alone"
    if remembered.exposed:
        yield f"git would take in {USER_CONTEXT} with all else; a line with its name in .gitignore keeps it here alone"


def earlier(remembered: Remembered) -> Value | None:
    """The earlier value; a secret that the user wrote is not repeated."""
    before = remembered.before
    return _MASKED if before and why_secret(remembered.name, before) else before
