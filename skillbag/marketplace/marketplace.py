"""The marketplace: skills of the user's configured sources, found, installed and removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skillbag.marketplace.index import Index, Indexed
    from skillbag.settings.scope import Scope


class Offered(NamedTuple):
    """A skill that a source offers. `ref` is what `install` takes; `source` the name of its source, `address` where
    that is; `score` is lower the better a search fits (0 elsewhere)."""

    name: str
    description: str
    ref: str
    source: str
    address: str
    score: float = 0.0


class Search(NamedTuple):
    """The matches of a search, best first; without any, `meant` holds similar names."""

    skills: tuple[Offered, ...]
    meant: tuple[str, ...] = ()


def search_skills(query: str, limit: int = 20) -> list[Offered]:
    """The skills that fit the words best, from the index, offline.

    Raises:
        UserError: no source is configured, or the index was never filled; what to do.
        OSError: the index can't be read.
    """
    return list(search(query, limit).skills)


def search(query: str, limit: int = 20, source: str | None = None) -> Search:
    """As `search_skills`, of one source or of all, with what else a search has to tell."""
    with _index(source) as index:
        found = index.search(query, limit, source)
    return Search(tuple(map(_offered, found.skills)), found.meant)


def list_offered(limit: int | None = None, source: str | None = None) -> list[Offered]:
    """All skills of the index, or those of one source, by source and name. Raises as `search_skills`."""
    with _index(source) as index:
        return [_offered(one) for one in index.skills(source, limit)]


def install_skill(scope: Scope, ref: str) -> str:
    """Install a skill into the workspace, and say what was done.

    `ref` is `owner/name` (the repository github.com/owner/skills), `SOURCE/name` of a configured source, a name that
    one configured source alone offers, or ADDRESS#name.

    Raises:
        UserError: it is none of these, or can't be installed; why, fault by fault.
        OSError: the environment failed; the workspace is as it was.
    """
    from skillbag.marketplace.install import install

    return install(scope, ref)


def remove_skill(scope: Scope, ref: str) -> str:
    """Remove an installed skill, by its name or by what it was installed by. Raises as `install_skill`."""
    from skillbag.marketplace.install import remove

    return remove(scope, ref)


def list_installed(scope: Scope) -> list[dict[str, str]]:
    """`name` and `description` of each skill of the scope, by name, personal ones too in a user's session."""
    from skillbag.personal.available import available_skills

    skills = available_skills(scope).by_name.values()
    return [{"name": one.name, "description": one.description} for one in skills]


def _offered(one: Indexed) -> Offered:
    return Offered(one.name, one.description, f"{one.source}/{one.name}", one.source, one.address, one.score)


@contextmanager
def _index(source: str | None) -> Iterator[Index]:
    """The index, if it knows any source, and the one that is asked for."""
    from skillbag.marketplace.index import UPDATE, NoIndexError, reading

    try:
        with reading() as index:
            known = index.sources()
            if not known or (source is not None and source not in known):
                raise NoIndexError(
                    f"{f'the source {source}' if known else 'no source'} was indexed yet; {UPDATE} does it"
                )
            yield index
    except NoIndexError:
        from skillbag.marketplace.sources import chosen

        # Whoever has no source yet, or none of this name, is told that.
        chosen((source,) if source is not None else ())
        raise
