"""The marketplace: skills of the user's configured sources, found, installed and removed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from skillbag.marketplace.index import Index, Indexed
    from skillbag.settings.scope import Scope


class Offered(NamedTuple):
    """A skill that a source offers. `ref` is what `install` takes; `source` and `address` are its source's.

    `score`: lower is a better match of a search (0 elsewhere), whole words before prefixes.
    """

    name: str
    description: str
    ref: str
    source: str
    address: str
    score: float = 0.0


class Search(NamedTuple):
    """The matches of a search, best first.

    `loose`: none has all words, these have some. `meant`: similar names, if there is no match.
    """

    skills: tuple[Offered, ...]
    meant: tuple[str, ...] = ()


def search_skills(query: str, limit: int = 20) -> list[Offered]:
    """The skills that match the words best, from the index, offline.

    Raises:
        UserError: no source is configured, or the index is empty.
        OSError: the index can't be read.
    """
    return list(search(query, limit).skills)


def search(query: str, limit: int = 20, source: str | None = None) -> Search:
    """As `search_skills`, in one source or all, with more about the matches."""
    with _index(source) as index:
        found = index.search(query, limit, source)
    return Search(tuple(map(_offered, found.skills)), found.meant)


def list_offered(limit: int | None = None, source: str | None = None) -> list[Offered]:
    """All skills of the index, or those of one source, by source and name. Raises as `search_skills`."""
    with _index(source) as index:
        return [_offered(skill) for skill in index.skills(source, limit)]


def install_skill(scope: Scope, ref: str) -> str:
    """Install a skill into the workspace; return a message.

    `ref` is `owner/name` (the repository github.com/owner/skills), `SOURCE/name` of a configured source, a name that
    one configured source alone offers, or ADDRESS#name.

    Raises:
        UserError: it is none of these, or can't be installed; with every fault.
        OSError: the environment failed; the workspace is unchanged.
    """
    from skillbag.marketplace.install import install

    return install(scope, ref)


def remove_skill(scope: Scope, ref: str) -> str:
    """Remove an installed skill, by its name or its reference; return a message. Raises as `install_skill`."""
    from skillbag.marketplace.install import remove

    return remove(scope, ref)


def list_installed(scope: Scope) -> list[dict[str, str]]:
    """`name` and `description` of each skill of the scope, by name, personal ones too in a user's session."""
    from skillbag.personal.available import available_skills

    skills = available_skills(scope).by_name.values()
    return [{"name": skill.name, "description": skill.description} for skill in skills]


def _offered(skill: Indexed) -> Offered:
    ref = f"{skill.source}/{skill.name}"
    return Offered(skill.name, skill.description, ref, skill.source, skill.address, skill.score)


@contextmanager
def _index(source: str | None) -> Iterator[Index]:
    """The index, which must have the source, or any if none is named."""
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

        # First of all, the source must be configured.
        chosen((source,) if source is not None else ())
        raise
