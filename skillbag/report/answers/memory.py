"""The answer of `remember` and `forget`."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.workspace.target import USER_CONTEXT
from skillbag.report.answers.inputs import at
from skillbag.report.answers.types import Line, Owner, Text, Typed
from skillbag.report.memory_report import earlier
from skillbag.session.remembering.remember import Remembered


class RememberedJson(NamedTuple):
    """The value that was written to `USER_CONTEXT.md` or removed from it."""

    skill: Owner
    name: Annotated[Text, "The parameter."]
    value: Annotated[Typed | None, "The remembered value; null if it was removed."]
    before: Annotated[Typed | None, "The earlier value, or null."]
    file: Annotated[str, fits(const=USER_CONTEXT)]
    line: Line
    changed: Annotated[bool, "Whether the file was written."]
    created: Annotated[bool, "Whether the file was created."]
    ignored_by: Annotated[str | None, "The git exclude file to which it was added, if that was needed."]
    tracked: Annotated[bool, "Whether git tracks the file, so that others see it."]
    exposed: Annotated[bool, "Whether `git add .` would add it."]

    @classmethod
    def of(cls, kept: Remembered) -> RememberedJson:
        """What `remember` or `forget` did; no secret is in it."""
        before, (_, line) = earlier(kept), at(kept.place)
        values = (kept.value and kept.value.value, before and before.value)
        return cls(
            kept.skill,
            kept.name,
            *values,
            USER_CONTEXT,
            line,
            kept.changed,
            kept.created,
            kept.ignored_by,
            kept.tracked,
            kept.exposed,
        )
