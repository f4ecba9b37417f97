"""What the `AGENTS.md` of a source must state: that it is a source, where its skills are, and how to install them."""

from __future__ import annotations

import re

from skillbag.base.lazy_regex import late
from skillbag.workspace.kinds import IDENTITY

_LOCATION = late(r"(?<![\w./-])(?:\./)?\.skills(?:/(?!SKILLS\.md)|(?![\w/-]))")
_STEPS = late(r"\b(?:instal|set(?:ting)?[ -]?up\b|steps?\b|prerequisites?\b|bootstrap)", re.IGNORECASE)


def states_identity(text: str) -> bool:
    """Whether it has the word `SKILLBAG`."""
    return IDENTITY.search(text) is not None


def states_location(text: str) -> bool:
    """Whether it mentions `.skills/` itself; the catalog alone does not say where the skills are."""
    return _LOCATION().search(text) is not None


def states_steps(text: str) -> bool:
    """Whether it has any word about installation."""
    return _STEPS().search(text) is not None
