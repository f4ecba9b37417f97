"""The marketplace: skills of the user's configured sources, found, installed and removed."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.agent.scope import Scope


class Offered(NamedTuple):
    """A skill that a source offers. `ref` is what `install` takes; `source` the name of its source, `address` where
    that is; `score` is the rank of a search, the best first (0 elsewhere)."""

    name: str
    description: str
    ref: str
    source: str
    address: str
    score: float = 0.0


def search_skills(query: str, limit: int = 20) -> list[Offered]:
    """The skills that fit the words best, from the index, offline.

    Raises:
        UserError: no source is configured, or the index was never filled; what to do.
    """
    raise NotImplementedError


def list_offered(limit: int | None = None) -> list[Offered]:
    """All skills of the index, by source and name. Raises as `search_skills`."""
    raise NotImplementedError


def install_skill(scope: Scope, ref: str) -> str:
    """Install a skill into the workspace, and say what was done.

    `ref` is `owner/name` (the repository github.com/owner/skills), `SOURCE/name` of a configured source, a name that
    one configured source alone offers, or ADDRESS#name.

    Raises:
        UserError: it is none of these, or can't be installed; why, fault by fault.
        OSError: the environment failed; the workspace is as it was.
    """
    raise NotImplementedError


def remove_skill(scope: Scope, ref: str) -> str:
    """Remove an installed skill, by its name or by what it was installed by. Raises as `install_skill`."""
    raise NotImplementedError


def list_installed(scope: Scope) -> list[dict[str, str]]:
    """`name` and `description` of each skill of the scope, by name, personal ones too in a user's session."""
    raise NotImplementedError
