"""`marketplace.json`, the list of plugins of Claude Code, as untrusted input: where the skills of its plugins are."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.documents.source import DocumentProblem, read_document

_MAX_PLUGINS = 1000
_MAX_PATHS = 1000
_LONGEST = 2000
"""Characters of a path, an address or a version."""

_SKILLS = "skills"
_OWNER = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}")
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")


class BadMarketplaceError(UserError):
    """A `marketplace.json` that can't be read; the message begins with its name."""


class Plugin(NamedTuple):
    """Where the skills of one plugin are.

    `address` is that of a repository (with `version`, a tag, branch or commit, if any), None for the marketplace's own.
    `places` are paths within it, relative, with `/`, `.` for its root: each is a skill, or a folder of skills. The one
    at `usual`, the default, need not exist; empty if it is listed as well.
    """

    name: str
    address: str | None
    version: str | None
    places: tuple[str, ...]
    usual: str


class MarketplaceFile(NamedTuple):
    """The plugins of a `marketplace.json`, and a sentence for each one that is skipped.

    `remarks` are about malformed ones, `elsewhere` about those whose source is of a kind that is not supported.
    """

    plugins: tuple[Plugin, ...]
    remarks: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()


class _Listing(NamedTuple):
    """What the file has: the plugins, and the folder that their paths begin in, as it is given."""

    plugins: list[object]
    plugin_root: object


class _MalformedError(Exception):
    """What is wrong with one plugin."""


class _ElsewhereError(_MalformedError):
    """Its source is of a kind that is not supported."""


def github(owner: str, repository: str = _SKILLS) -> str | None:
    """The address of a repository on GitHub; None if the name is invalid."""
    is_valid = len(owner) <= 39 and _OWNER.fullmatch(owner) and _REPOSITORY.fullmatch(repository)
    return f"https://github.com/{owner}/{repository}" if is_valid and repository not in (".", "..") else None


def read_marketplace(path: str, root: str) -> MarketplaceFile:
    """The file at the absolute `path`, which must not be a link out of `root`.

    Raises:
        BadMarketplaceError: it can't be read, or is no list of plugins.
    """
    listing = _listing(path, root)
    plugins: list[Plugin] = []
    remarks: list[str] = []
    elsewhere: list[str] = []
    if len(listing.plugins) > _MAX_PLUGINS:
        remarks.append(f"it lists {len(listing.plugins)} plugins; only the first {_MAX_PLUGINS} are read")
    for number, item in enumerate(listing.plugins[:_MAX_PLUGINS], 1):
        given = item.get("name") if isinstance(item, dict) else None
        name = given[:80] if isinstance(given, str) and given else f"number {number}"
        try:
            plugins.append(_plugin(name, item, listing.plugin_root))
        except _MalformedError as error:
            kept = elsewhere if isinstance(error, _ElsewhereError) else remarks
            kept.append(f"plugin {name}: {error}")
    return MarketplaceFile(tuple(plugins), tuple(remarks), tuple(elsewhere))


def _listing(path: str, root: str) -> _Listing:
    file = posixpath.basename(path)
    document = read_document(path, root)
    if isinstance(document, DocumentProblem):
        raise BadMarketplaceError(f"{file}: {document.detail}")
    try:
        values = json_value(document.text)
    except BadJsonError as error:
        raise BadMarketplaceError(f"{file}:{error.line}: {error}") from error
    if not isinstance(values, dict):
        raise BadMarketplaceError(f"{file}: it must be an object with a list `plugins`")
    plugins, metadata = values.get("plugins"), values.get("metadata")
    if not isinstance(plugins, list):
        raise BadMarketplaceError(f"{file}: `plugins` must be a list")
    return _Listing(plugins, metadata.get("pluginRoot") if isinstance(metadata, dict) else None)


def _plugin(name: str, item: object, plugin_root: object) -> Plugin:
    if not isinstance(item, dict):
        raise _MalformedError("it must be an object with `name` and `source`")
    source, address, version, top = item.get("source"), None, None, "."
    if isinstance(source, str):
        top = _path(source, "its source")
        base = "." if plugin_root is None else _path(plugin_root, "`pluginRoot`")
        # Some write `./plugins/x` in full in spite of a `pluginRoot` of `./plugins`.
        if base != "." and top != base and not top.startswith(f"{base}/"):
            top = posixpath.join(base, top)
    elif isinstance(source, dict):
        if source.get("source") == "git-subdir":
            top = _path(source.get("path"), "the path of its source")
        address = _address(source.get("source"), source.get("repo"), source.get("url"))
        key = next((key for key in ("sha", "ref") if source.get(key) is not None), None)
        version = _text(source[key], f"the `{key}` of its source") if key else None
    else:
        raise _MalformedError("its `source` must be a path or an object")
    usual = posixpath.normpath(posixpath.join(top, _SKILLS))
    listed = [*_listed(item.get("skills", []), top)]
    has_usual = not listed or item.get("strict", True) is not False
    places = dict.fromkeys([usual, *listed] if has_usual else listed)
    return Plugin(name, address, version, tuple(places), "" if usual in listed else usual)


def _listed(given: object, top: str) -> Iterator[str]:
    """Where the plugin says that it has skills."""
    paths = [given] if isinstance(given, str) else given
    if not isinstance(paths, list) or len(paths) > _MAX_PATHS:
        raise _MalformedError(f"its `skills` must be a path, or a list of up to {_MAX_PATHS}")
    for path in paths:
        yield posixpath.normpath(posixpath.join(top, _path(path, "a path of its `skills`")))


def _path(value: object, what: str) -> str:
    """A path within a repository, in its shortest form."""
    text = _text(value, what)
    path = posixpath.normpath(text)
    if _UNFIT.search(text) or text.startswith(("/", "~")) or ".." in text.split("/") or ":" in text:
        raise _MalformedError(f"{what} must be a path within its repository, such as ./skills, without `..`")
    return path


def _text(value: object, what: str) -> str:
    if not isinstance(value, str) or not value or len(value) > _LONGEST:
        raise _MalformedError(f"{what} must be a text, of at most {_LONGEST} characters")
    return value


def _address(kind: object, repository: object, url: object) -> str:
    if kind == "github":
        return _of_github(_text(repository, "the `repo` of its source"))
    if kind in ("url", "git", "git-subdir"):
        address = _text(url, "the `url` of its source")
        return _of_github(address) if kind == "git-subdir" and _SHORT.fullmatch(address) else address
    raise _ElsewhereError(f"sources of the kind {str(kind)[:40]!r} are not supported; git repositories and paths are")


_SHORT = re.compile(r"[\w-]+/[\w.-]+")


def _of_github(repository: str) -> str:
    owner, slash, name = repository.partition("/")
    address = github(owner, name) if slash else None
    if address is None:
        raise _MalformedError("the `repo` of its source must be OWNER/NAME")
    return address
