"""What skills say to a model, so that it can't pass for the words of the user, the host or another skill."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbag.kernel.base.lazy_regex import late

_NAMES = (
    r"system|user|human|assistant|developer|skill|hook|antml|invoke|im|sys|(?:function|tool|command|local|bash)[-_]\w+"
)
_MARK = late(rf"[<＜‹〈⟨](?=[\W_]{{0,8}}(?:{_NAMES})(?![A-Za-z0-9]))", re.IGNORECASE)
"""What begins a tag or a token that hosts and models give a meaning, whatever stands between its bracket and its name;
with the marks of other scripts that look like the bracket."""


def unmarked(text: str) -> str:
    """The text, in which no such mark begins anything."""
    return _MARK().sub("&lt;", text)


def quoted(skill: str, text: str) -> str:
    """A text of a skill, between marks with the skill's name, which nothing in it ends."""
    return f'<skill name="{skill}">\n{unmarked(text).strip()}\n</skill>' if text.strip() else ""


def in_line(text: str) -> str:
    """A short text of a skill, which stays in the sentence that names the skill."""
    return " ".join(unmarked(text).split())


def changed_result(skills: Sequence[str]) -> str:
    """The note to a model beside a result that these skills changed; empty if there are none."""
    return f"This result was changed by the hooks of: {', '.join(skills)}." if skills else ""
