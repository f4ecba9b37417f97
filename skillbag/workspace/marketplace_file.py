"""`marketplace.json`: a list of plugins as Claude Code keeps it, read with distrust as a list of where skills lie."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from skillbag.base.errors import UserError
from skillbag.documents.source import DocumentProblem, read_document

_MOST_PLUGINS = 1000
_MOST_PATHS = 1000
_LONGEST = 2000
"""Characters of a path, an address or a version."""

_SKILLS = "skills"
_OWNER = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}")
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\\]")


class BadMarketplaceError(UserError):
    """A `marketplace.json` that can't be read at all: which, and why."""


class Plugin(NamedTuple):
    """Where the skills of one plugin lie.

    `address` is that of a repository (with `version`, a tag, branch or commit, if any), None for the one that the
    marketplace itself is in. `places` are paths within it, relative, with `/`, `.` for its root: each is a skill, or
    a folder of skills. Of these `usual` is where plugins have them, so that there need not be any.
    """

    name: str
    address: str | None
    version: str | None
    places: tuple[str, ...]
    usual: str


class MarketplaceFile(NamedTuple):
    """The plugins of a `marketplace.json`, and a sentence on each that is passed over."""

    plugins: tuple[Plugin, ...]
    remarks: tuple[str, ...]


class _MalformedError(Exception):
    """What is wrong with one plugin."""


def github(owner: str, repository: str = _SKILLS) -> str | None:
    """The address of a repository on GitHub; None where it can't have such a name."""
    if len(owner) > 39 or not _OWNER.fullmatch(owner):
        return None
    if not _REPOSITORY.fullmatch(repository) or repository in (".", ".."):
        return None
    return f"https://github.com/{owner}/{repository}"


def read_marketplace(path: str, root: str) -> MarketplaceFile:
    """The file at the absolute `path`, which must not be a link out of `root`.

    Raises:
        BadMarketplaceError: it can't be read, or is no list of plugins.
    """
    values = _object(path, root)
    plugins, remarks = [], []
    listed = values.get("plugins")
    if not isinstance(listed, list):
        raise BadMarketplaceError(f"{posixpath.basename(path)}: `plugins` must be a list")
    if len(listed) > _MOST_PLUGINS:
        remarks.append(f"it lists {len(listed)} plugins; the first {_MOST_PLUGINS} are looked at")
    for number, item in enumerate(listed[:_MOST_PLUGINS], 1):
        name = item.get("name") if isinstance(item, dict) else None
        called = name[:80] if isinstance(name, str) and name else f"number {number}"
        try:
            plugins.append(_plugin(called, item, values))
        except _MalformedError as error:
            remarks.append(f"plugin {called}: {error}")
    return MarketplaceFile(tuple(plugins), tuple(remarks))


def _object(path: str, root: str) -> dict[str, Any]:
    import json

    file = posixpath.basename(path)
    document = read_document(path, root)
    if isinstance(document, DocumentProblem):
        raise BadMarketplaceError(f"{file}: {document.detail}")
    try:
        values = json.loads(document.text)
    except json.JSONDecodeError as error:
        raise BadMarketplaceError(f"{file}:{error.lineno}: it is not JSON ({error.msg})") from error
    except (ValueError, RecursionError) as error:
        raise BadMarketplaceError(f"{file}: it is not JSON that can be read") from error
    if not isinstance(values, dict):
        raise BadMarketplaceError(f"{file}: it must be an object with a list `plugins`")
    return values


def _base(values: dict[str, Any]) -> str:
    """The folder that paths of plugins count from."""
    metadata = values.get("metadata")
    base = metadata.get("pluginRoot") if isinstance(metadata, dict) else None
    return "." if base is None else _path(base, "`pluginRoot`")


def _plugin(name: str, item: object, values: dict[str, Any]) -> Plugin:
    if not isinstance(item, dict):
        raise _MalformedError("it must be an object with `name` and `source`")
    source = item.get("source")
    if isinstance(source, str):
        path, base = _path(source, "its source"), _base(values)
        # `./plugins/x` is written in full by some who have a `pluginRoot` of `./plugins` as well.
        inside = path == base or path.startswith(f"{base}/") or base == "."
        return _placed(name, None, None, item, path if inside else posixpath.join(base, path))
    if not isinstance(source, dict):
        raise _MalformedError("its `source` must be a path or an object")
    top = _path(source.get("path"), "the path of its source") if source.get("source") == "git-subdir" else "."
    return _placed(name, _address(source), _version(source), item, top)


def _placed(name: str, address: str | None, version: str | None, item: dict[str, Any], top: str) -> Plugin:
    """The plugin whose folder is `top`."""
    usual = posixpath.normpath(posixpath.join(top, _SKILLS))
    return Plugin(name, address, version, tuple(dict.fromkeys(_places(item, top, usual))), usual)


def _places(item: dict[str, Any], top: str, usual: str) -> Iterator[str]:
    """Where the plugin has its skills: in the usual folder, and where it says besides; or there alone."""
    given = item.get("skills", [])
    paths = [given] if isinstance(given, str) else given
    if not isinstance(paths, list) or len(paths) > _MOST_PATHS:
        raise _MalformedError(f"its `skills` must be a path, or a list of up to {_MOST_PATHS}")
    if not paths or item.get("strict", True) is not False:
        yield usual
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


def _address(source: dict[str, Any]) -> str:
    kind = source.get("source")
    if kind == "github":
        return _of_github(_text(source.get("repo"), "the `repo` of its source"))
    if kind in ("url", "git", "git-subdir"):
        url = _text(source.get("url"), "the `url` of its source")
        return _of_github(url) if kind == "git-subdir" and _SHORT.fullmatch(url) else url
    raise _MalformedError(f"sources of the kind {str(kind)[:40]!r} are not taken: git repositories are, and paths")


_SHORT = re.compile(r"[\w-]+/[\w.-]+")


def _of_github(repository: str) -> str:
    owner, slash, name = repository.partition("/")
    address = github(owner, name) if slash else None
    if address is None:
        raise _MalformedError("the `repo` of its source must be OWNER/NAME")
    return address


def _version(source: dict[str, Any]) -> str | None:
    for key in ("sha", "ref"):
        if source.get(key) is not None:
            return _text(source[key], f"the `{key}` of its source")
    return None
