"""References to skills of the marketplace, parsed and resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from skillbag.base.errors import UserError
from skillbag.marketplace.sources import full_address, quoted, unknown
from skillbag.settings.user_settings import MarketSource, read_user_settings
from skillbag.standard.names import fixable, is_name
from skillbag.workspace.marketplace_file import github

if TYPE_CHECKING:
    from skillbag.marketplace.index import Index, Indexed

FORMS = "OWNER/NAME, SOURCE/NAME of a configured source, the name alone, or ADDRESS#NAME"

_LONGEST = 2000


class BadReferenceError(UserError):
    """A reference that is malformed, or that leads to no skill or to several."""


class Reference(NamedTuple):
    """A parsed reference; nothing was looked up. `name` matches the pattern of skills' names.

    `qualifier` is the part before `/`, the name of a source or an owner; `address` the part before `#`. Both are None
    for a name alone.
    """

    name: str
    qualifier: str | None = None
    address: str | None = None


class Wanted(NamedTuple):
    """A skill and where it is fetched from."""

    name: str
    address: str
    version: str | None = None


def parse_reference(text: str) -> Reference:
    """Parse a reference and check its parts against their patterns.

    Raises:
        BadReferenceError: it is malformed.
    """
    if not isinstance(text, str) or not text or len(text) > _LONGEST:
        raise BadReferenceError(f"a reference to a skill is {FORMS}; this one is {'too long' if text else 'empty'}")
    address, mark, name = text.rpartition("#")
    if mark:
        return Reference(_checked(name, text), address=address)
    qualifier, slash, name = text.rpartition("/")
    if not slash:
        return Reference(_checked(name, text))
    if not is_name(qualifier) and github(qualifier) is None:
        raise BadReferenceError(f"{quoted(text)} is no reference to a skill; write {FORMS}")
    return Reference(_checked(name, text), qualifier)


def find_wanted(reference: Reference, root: str) -> Wanted:
    """Resolve a reference; relative addresses count from the absolute `root`.

    Raises:
        BadReferenceError: no configured source offers the name, or several do.
        UserError: the address, the settings or the index can't be used.
    """
    if reference.address is not None:
        return Wanted(reference.name, full_address(reference.address, root))
    sources = {source.name: source for source in read_user_settings().sources}
    if reference.qualifier is None:
        return _found_by_name(reference.name, sources)
    if reference.qualifier in sources:
        return _of_source(sources[reference.qualifier], reference.name)
    address = github(reference.qualifier)
    if address is None:
        raise unknown(reference.qualifier, sources)
    if _was_indexed(reference.qualifier):
        # The index still has skills of this source, which must not be taken from an owner of the same name.
        from skillbag.marketplace.index import UPDATE

        raise BadReferenceError(
            f"{reference.qualifier} is no source any more, though the index still has its skills; {UPDATE} brings it "
            f"up to date; {address}#{reference.name} names the repository of an owner {reference.qualifier}"
        )
    return Wanted(reference.name, address)


def _was_indexed(source: str) -> bool:
    from skillbag.marketplace.index import DamagedIndexError, NoIndexError, reading

    try:
        with reading() as index:
            return source in index.sources()
    except (NoIndexError, DamagedIndexError):
        return False


def _checked(name: str, text: str) -> str:
    if is_name(name):
        return name
    better = fixable(name[:200])
    hint = f"; is {better} meant?" if better else ""
    raise BadReferenceError(f"{quoted(text)}: {quoted(name)} is no name of a skill: a-z, 0-9 and single hyphens{hint}")


def _offering(index: Index, name: str, sources: dict[str, MarketSource]) -> list[Indexed]:
    """The skills of this name in sources that were indexed as they are configured now."""
    same = {source for source, known in index.sources().items() if known[:3] == sources.get(source)}
    return [skill for skill in index.named(name) if skill.source in same]


def _found_by_name(name: str, sources: dict[str, MarketSource]) -> Wanted:
    """The skill of this name, which exactly one configured source must offer."""
    from skillbag.marketplace.index import reading

    if not sources:
        raise BadReferenceError(f"{name}: no source is configured that could offer it; write {FORMS}")
    with reading() as index:
        found = _offering(index, name, sources)
        close = () if found else index.close_names([name])
    if not found:
        hint = f"did you mean {', '.join(close)}?" if close else "skillbag search WORDS looks for what there is"
        raise BadReferenceError(f"{name}: no configured source offers such a skill; {hint}")
    if len(found) > 1:
        refs = ", ".join(f"{skill.source}/{skill.name}" for skill in found)
        raise BadReferenceError(f"{name}: several sources offer a skill of this name; name one of them: {refs}")
    return Wanted(name, found[0].address, found[0].version)


def _of_source(source: MarketSource, name: str) -> Wanted:
    """The skill of a source, by the index, or in the source itself if it was not indexed."""
    from skillbag.marketplace.index import DamagedIndexError, NoIndexError, reading
    from skillbag.marketplace.manifest_sources import is_list

    try:
        with reading() as index:
            found = _offering(index, name, {source.name: source})
    except (NoIndexError, DamagedIndexError):
        found = []
    if found:
        return Wanted(name, found[0].address, found[0].version)
    if is_list(source):
        fault = f"{source.name}/{name}: the index knows no such skill of this source"
        raise BadReferenceError(f"{fault}; skillbag marketplace update {source.name} looks again")
    return Wanted(name, source.address, source.version)
