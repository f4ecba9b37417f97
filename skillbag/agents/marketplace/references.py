"""References to skills of the marketplace, parsed and resolved."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from skillbag.agents.marketplace.index import UPDATE, DamagedIndexError, NoIndexError, Offered, reading
from skillbag.agents.marketplace.manifest_sources import is_list
from skillbag.agents.marketplace.sources import full_address, quoted, unknown
from skillbag.agents.settings.user_settings import MarketSource, read_user_settings
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.names import fixable, is_name
from skillbag.kernel.workspace.marketplace_file import github
from skillbag.supply.install.request import is_of_registry, parse_origin

FORMS = "OWNER/NAME, SOURCE/NAME of a configured source, the name alone, ADDRESS#NAME, or registry:NAME"

_MAX_LENGTH = 2000


class BadReferenceError(UserError):
    """A reference is malformed, or matches no skill or several."""


class SkillReference(NamedTuple):
    """A parsed reference. `name` matches the pattern of skills' names.

    `qualifier` is the part before `/`, the name of a source or an owner; `address` the part before `#`. Both are None
    for a name alone.
    """

    name: str
    qualifier: str | None = None
    address: str | None = None


class SkillToFetch(NamedTuple):
    """A skill and where it is fetched from."""

    name: str
    address: str
    version: str | None = None


def parse_reference(text: str) -> SkillReference:
    """Parse a reference and check its parts against their patterns.

    Raises:
        BadReferenceError: it is malformed.
    """
    if not isinstance(text, str) or not text or len(text) > _MAX_LENGTH:
        raise BadReferenceError(f"a reference to a skill is {FORMS}; this one is {'too long' if text else 'empty'}")
    if is_of_registry(text):
        return SkillReference(_checked(parse_origin(text).name, text), address=text)
    address, mark, name = text.rpartition("#")
    if mark:
        return SkillReference(_checked(name, text), address=address)
    qualifier, slash, name = text.rpartition("/")
    if not slash:
        return SkillReference(_checked(name, text))
    if not is_name(qualifier) and github(qualifier) is None:
        raise BadReferenceError(f"{quoted(text)} is no reference to a skill; write {FORMS}")
    return SkillReference(_checked(name, text), qualifier)


def find_wanted(reference: SkillReference, root: str) -> SkillToFetch:
    """Resolve a reference; relative addresses count from the absolute `root`.

    Raises:
        BadReferenceError: no configured source offers the name, or several do.
        UserError: the address, the settings or the index can't be used.
    """
    if reference.address is not None and is_of_registry(reference.address):
        origin = parse_origin(reference.address)
        return SkillToFetch(reference.name, origin.source or "", origin.version)
    if reference.address is not None:
        return SkillToFetch(reference.name, *full_address(reference.address, root))
    sources = {source.name: source for source in read_user_settings().sources}
    if reference.qualifier is None:
        return _find_by_name(reference.name, sources)
    if reference.qualifier in sources:
        return _find_in_source(sources[reference.qualifier], reference.name)
    address = github(reference.qualifier)
    if address is None:
        raise unknown(reference.qualifier, sources)

    with suppress(NoIndexError, DamagedIndexError), reading() as index:
        if reference.qualifier in index.sources():
            # Skills of this source must not be taken from an owner of the same name.
            raise BadReferenceError(
                f"{reference.qualifier} is not a source any more, but the index still has its skills; {UPDATE} brings "
                f"it up to date; {address}#{reference.name} names the repository of an owner {reference.qualifier}"
            )
    return SkillToFetch(reference.name, address)


def _checked(name: str, text: str) -> str:
    if is_name(name):
        return name
    better = fixable(name[:200])
    hint = f"; is {better} meant?" if better else ""
    raise BadReferenceError(f"{quoted(text)}: {quoted(name)} is not a skill's name: a-z, 0-9 and single hyphens{hint}")


def _offering(name: str, sources: dict[str, MarketSource]) -> tuple[list[Offered], tuple[str, ...]]:
    """The skills of this name in sources that were indexed as they are configured now; without any, similar names."""

    with reading() as index:
        current = {source for source, known in index.sources().items() if known[:3] == sources.get(source)}
        found = [skill for skill in index.named(name) if skill.source in current]
        return found, () if found else index.similar_names([name])


def _find_by_name(name: str, sources: dict[str, MarketSource]) -> SkillToFetch:
    """The skill of this name, which exactly one configured source must offer."""
    if not sources:
        raise BadReferenceError(f"{name}: no source is configured that could offer it; write {FORMS}")
    found, similar = _offering(name, sources)
    if not found:
        hint = f"did you mean {', '.join(similar)}?" if similar else "search with skillbag search WORDS"
        raise BadReferenceError(f"{name}: no configured source offers such a skill; {hint}")
    if len(found) > 1:
        refs = ", ".join(f"{skill.source}/{skill.name}" for skill in found)
        raise BadReferenceError(f"{name}: several sources offer a skill of this name; name one of them: {refs}")
    return SkillToFetch(name, found[0].address, found[0].version)


def _find_in_source(source: MarketSource, name: str) -> SkillToFetch:
    """The skill of a source, by the index, or in the source itself if it was not indexed."""

    with suppress(NoIndexError, DamagedIndexError):
        found, _ = _offering(name, {source.name: source})
        if found:
            return SkillToFetch(name, found[0].address, found[0].version)
    if is_list(source):
        fault = f"{source.name}/{name}: the index has no such skill of this source"
        raise BadReferenceError(f"{fault}; skillbag team marketplace update {source.name} updates it")
    return SkillToFetch(name, source.address, source.version)
