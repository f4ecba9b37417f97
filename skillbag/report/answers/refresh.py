"""The answer of `refresh`, and what other commands say of their session."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from skillbag.report.answers.types import SkillName, Text
from skillbag.session.refresh.refresh import Changed, Refresh


class RefreshJson(NamedTuple):
    """What changed since the session read it; with `--watch`, one line for each change."""

    session: Annotated[Text, "The session."]
    changed: Annotated[
        tuple[Changed, ...],
        "The files that changed since the session read them, relative to the workspace, with `/`.",
    ]
    read: Annotated[tuple[Text, ...], "The files to read now, again or for the first time."]
    added: Annotated[tuple[SkillName, ...], "Skills that are new in the catalog."]
    removed: Annotated[tuple[SkillName, ...], "Skills that are no longer in the catalog."]
    described: Annotated[tuple[SkillName, ...], "Skills with a changed description."]
    always: Annotated[tuple[SkillName, ...], "Skills that newly have `#run/always`."]
    nothing: Annotated[bool, "Whether nothing changed."]

    @classmethod
    def of(cls, refresh: Refresh) -> RefreshJson:
        """The answer of `refresh`, also where another command says what is pending."""
        return cls(*refresh, refresh.is_nothing)


class SessionPartJson(NamedTuple):
    """What an answer says of its session."""

    session: Annotated[str | None, "The session's id; null without a session."]
    pending: Annotated[RefreshJson | None, "What the session should read again first; null without a session."]

    @classmethod
    def of(cls, session: str | None, pending: Refresh | None) -> SessionPartJson:
        """Of a session, if there is one."""
        return cls(session, RefreshJson.of(pending) if pending else None)
