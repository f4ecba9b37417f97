"""The configured sources of the marketplace: added, removed, and found by name."""

from __future__ import annotations

import os
from typing import NamedTuple

from skillbag.agents.settings.user_settings import (
    MarketSource,
    UserSettings,
    change_user_settings,
    read_user_settings,
)
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import did_you_mean
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.workspace.marketplace_file import github
from skillbag.supply.sources.address import parse_source, without_credentials
from skillbag.supply.sources.archive_formats import without_end
from skillbag.supply.sources.configured_hosts import code_host
from skillbag.supply.sources.location import read_location

HOW_TO_ADD = "skillbag team marketplace add ADDRESS adds one, such as https://example.com/team/skills.git"


class NoSourceError(UserError):
    """No source is configured, or none of this name."""


class Added(NamedTuple):
    """A source that was added; `known`: it was configured before."""

    source: MarketSource
    known: bool


def configured() -> dict[str, MarketSource]:
    """The sources by name, in the order of the settings.

    Raises:
        NoSourceError: there is none.
        UserError: the settings can't be read.
    """
    sources = {source.name: source for source in read_user_settings().sources}
    if not sources:
        raise NoSourceError(f"the marketplace has no source yet; {HOW_TO_ADD}")
    return sources


def chosen(names: tuple[str, ...]) -> tuple[MarketSource, ...]:
    """The sources of these names, or all. Raises as `configured`, and for an unknown name."""
    sources = configured()
    for name in names:
        if name not in sources:
            raise unknown(name, sources)
    return tuple(sources[name] for name in dict.fromkeys(names or sources))


def unknown(name: str, known: dict[str, MarketSource]) -> NoSourceError:
    """The error for an unknown source, with a suggestion."""
    hint = did_you_mean(name[:200], known, f"there are {', '.join(list(known)[:10])}", "{}")
    return NoSourceError(f"{quoted(name)}: the marketplace has no source of this name; {hint}")


def quoted(text: str) -> str:
    """User input for a message: shortened, escaped, without credentials."""
    from skillbag.session.settings.value import short

    return short(ascii(without_credentials(text)))


def add_source(address: str, name: str | None, version: str | None, folder: str) -> Added:
    """Add a source to the user's settings; relative paths count from `folder`. Nothing is fetched.

    Raises:
        UserError: the address, name or version can't be used, or the name is taken.
        OSError: the settings can't be written.
    """
    address, named = full_address(address, folder)
    if version and named and version != named:
        raise UserError(f"{address}: the address names the version {named}, and --version {version}; give one of them")
    source = MarketSource(name if name is not None else _name_of(address), address, version or named)
    before: list[MarketSource] = []

    def added(settings: UserSettings) -> UserSettings:
        before.extend(known for known in settings.sources if known.name == source.name)
        if before and before[0] != source:
            fault = f"{source.name} is a source already, of {before[0].address}"
            raise UserError(f"{fault}; give another name with --name, or remove that one first")
        return settings if before else settings._replace(sources=(*settings.sources, source))

    change_user_settings(added)
    return Added(source, bool(before))


def remove_source(name: str) -> MarketSource:
    """Remove a source from the user's settings and its skills from the index; return it.

    Raises:
        UserError: there is none of this name.
        OSError: the settings or the index can't be written.
    """
    (source,) = chosen((name,))
    change_user_settings(
        lambda settings: settings._replace(sources=tuple(other for other in settings.sources if other.name != name))
    )
    from skillbag.agents.marketplace.index import index_path

    if os.path.lexists(index_path()):
        from skillbag.agents.marketplace.index_builder import rewriting

        with rewriting() as writer:
            writer.drop(name)
    return source


def full_address(text: str, folder: str) -> tuple[str, str | None]:
    """The full address and the version for OWNER/REPOSITORY on the host of code, OWNER (its repository `skills`), a
    page of a code host, or a path from `folder`.

    Raises:
        UserError: it is not valid, ambiguous with a folder, or names a part of a repository.
    """
    owner, slash, repository = text.partition("/")
    hosted = github(owner, repository) if slash else github(owner)
    if hosted is not None:
        hosted = hosted.replace("https://github.com", code_host(), 1)
        if os.path.lexists(os.path.join(folder, text)):
            raise UserError(f"{text} is a path here, and could be {hosted} as well; write ./{text} or that address")
        return hosted, None
    location = read_location(text, folder)
    text = location.address
    source = parse_source(text, folder)
    if location.folder or location.rest:
        raise UserError(
            f"{source.declared}: the address leads to a part of the repository, and a source is all of it; write this "
            "address, and a version with --version. skillbag install --source takes the skills of a folder"
        )
    if source.credentials or source.query:
        raise UserError(
            f"{source.declared}: the address holds credentials, which would be kept in the settings; leave them out, "
            "and give them to git's credential helper or ~/.netrc"
        )
    if source.remote or "://" in text:
        return text, location.version
    if not os.path.exists(source.address):
        raise UserError(
            f"{source.address}: there is no such folder or file; a repository's address begins with https://, "
            "ssh:// or git@"
        )
    return source.address, None


def _name_of(address: str) -> str:
    """A name for a source, from the last suitable part of its address."""
    parts = [part for part in address.replace(":", "/").rstrip("/").split("/") if part]
    for part in reversed(parts):
        stem = without_end(part).removesuffix(".git").removesuffix(".json")
        name = canonical("".join(char if char.isalnum() else "-" for char in stem))
        if is_name(name) and name not in _GENERIC:
            return name
    raise UserError(f"{address}: nothing in it can name the source; give a name with --name")


_GENERIC = ("skills", "marketplace", "claude-plugin", "plugins")
