"""Pages of code hosts: which repository, version and folder the address of one means.

The forms are those of GitHub, GitLab, Bitbucket, Gitea and Forgejo (Codeberg), on any host: companies run their own.
Nothing is asked of the network here.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from skillbag.supply.sources.archive_formats import format_at
from skillbag.supply.sources.source import Location

if TYPE_CHECKING:
    from urllib.parse import SplitResult

_KNOWN = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
_RAW_HOST, _GISTS = "raw.githubusercontent.com", ("gist.github.com", "gist.githubusercontent.com")
_FOLDERS, _FILES = frozenset({"tree", "src"}), frozenset({"blob", "raw", "blame", "edit", "media"})
_VERSIONS = frozenset({"commit", "commits"})
_OTHERS = frozenset(
    {
        *("actions", "activity", "branches", "compare", "discussions", "graphs", "issues", "merge_requests", "network"),
        *("packages", "pipelines", "projects", "pull", "pull-requests", "pulls", "pulse", "releases", "security"),
        *("settings", "tags", "wiki", "wikis"),
    }
)
_ANCHORS = ("readme", "readme-ov-file")
"""What people copy from the page of a repository; any other text there could be meant as a version."""

_HEX = re.compile(r"[0-9a-f]{20,40}")


class NoRepositoryError(Exception):
    """The address is that of a page which is no repository; the message says what to write instead."""


def page_of(text: str, own_host: str = "") -> Location | None:
    """The page at an address over HTTP; None if the address is none of a page, but one that is to be taken as it is.

    `own_host` is the host that the user has configured.

    Raises:
        NoRepositoryError: the page shows something else, such as an issue.
    """
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return None
    names = [unquote(name) for name in parts.path.split("/") if name]
    if format_at(parts.path):
        return None
    if any(name in (".", "..") or "/" in name for name in names[:2]):
        return None
    if host == _RAW_HOST and len(names) > 3:
        return Location(_repository(parts, "github.com", names[:2]), rest=_reference(names[2:]), file=True)
    if host in _GISTS:
        return _gist(parts, names)
    marked = _marked(parts, names)
    if marked is not None:
        return marked
    is_known = host in _KNOWN or bool(own_host and host == urlsplit(own_host).hostname)
    has_version = len(names) > 1 and (".git@" in parts.path or (names[-1].endswith(".git") and bool(parts.fragment)))
    return _home(parts, host, names) if is_known or has_version else None


def _gist(parts: SplitResult, names: list[str]) -> Location:
    found = next((name for name in names[:2] if _HEX.fullmatch(name)), None)
    if found is None:
        raise NoRepositoryError("it names no gist; write https://gist.github.com/OWNER/ID")
    return Location(_repository(parts, "gist.github.com", [found]))


def _home(parts: SplitResult, host: str, names: list[str]) -> Location | None:
    """A repository's own address on a known host, without what a browser adds to it."""
    if len(names) < 2:
        raise NoRepositoryError(f"it names no repository; write https://{host}/OWNER/REPOSITORY")
    own_host = parts.netloc.rpartition("@")[2]
    path, _, version = "/".join(names).partition("@")
    if path.endswith(".git") and not version:
        version = parts.fragment
    if version:
        return Location(_repository(parts, own_host, path.split("/")), rest=version.strip("/"))
    if host in ("github.com", "codeberg.org", "bitbucket.org") and len(names) > 2:
        raise _other(parts, names[:2], names[2])
    if parts.fragment and parts.fragment not in _ANCHORS and "tab" not in parse_qs(parts.query):
        raise NoRepositoryError(
            f"`#{parts.fragment[:40]}` may be a place of the page or a version; leave it out, or write "
            f"https://{host}/{'/'.join(names)}@{parts.fragment[:40]}"
        )
    if names[-1].endswith(".git") and not parts.query:
        return None
    return Location(_repository(parts, own_host, names))


def _marked(parts: SplitResult, names: list[str]) -> Location | None:
    """The page that a word after the repository's name tells, such as `tree`."""
    at = next((at for at, name in enumerate(names) if at >= 2 and _is_mark(names, at)), None)
    if at is None:
        return None
    repository, is_gitlab = names[:at], names[at] == "-"
    mark, *rest = names[at + 1 :] if is_gitlab else names[at:]
    address = _repository(parts, parts.netloc.rpartition("@")[2], repository)
    if mark in _VERSIONS and len(rest) == 1:
        return Location(address, version=rest[0])
    if tag := _tag(mark, rest, is_gitlab):
        return Location(address, version=tag)
    if not rest or mark not in _FOLDERS | _FILES | _VERSIONS:
        raise _other(parts, repository, mark)
    return _shown(parts, address, rest, mark in _FILES)


def _tag(mark: str, rest: list[str], is_gitlab: bool) -> str:
    """The tag of a page about a release; empty if it is none."""
    if mark == "releases" and rest[:1] == ["tag"]:
        return "/".join(rest[1:])
    return "/".join(rest) if is_gitlab and mark in ("releases", "tags") and rest[:1] != ["new"] else ""


def _shown(parts: SplitResult, address: str, rest: list[str], is_file: bool) -> Location:
    """The page of a file or folder, of which `rest` is what follows the word that tells so."""
    if rest[0] == "commit" and len(rest) > 1:
        return Location(address, version=rest[1], folder="/".join(rest[2:]), file=is_file)
    if rest[0] in ("branch", "tag") and len(rest) > 1:
        return Location(address, rest="/".join(rest[1:]), file=is_file)
    if named := parse_qs(parts.query).get("at"):
        # Bitbucket names the branch apart from the commit.
        return Location(address, version=named[0], folder="/".join(rest[1:]), file=is_file)
    return Location(address, rest=_reference(rest), file=is_file)


def _is_mark(names: list[str], at: int) -> bool:
    """Whether the name at this place begins the part that is no name of a repository or group."""
    name, after = names[at], names[at + 1 :]
    if name == "-":
        return bool(after)
    if name in _FOLDERS | _FILES | _VERSIONS:
        return bool(after)
    return name in _OTHERS and bool(after) and (after[0].isdigit() or after[0] in ("tag", "download", "new", "latest"))


def _reference(names: list[str]) -> str:
    if names[:2] in (["refs", "heads"], ["refs", "tags"]):
        names = names[2:]
    return "/".join(names)


def _repository(parts: SplitResult, host: str, names: list[str]) -> str:
    """The address of the repository, with the user information of the page's."""
    from urllib.parse import quote

    user, at, _ = parts.netloc.rpartition("@")
    path = "/".join(quote(name, safe="~@:+") for name in names).removesuffix(".git")
    return f"{parts.scheme}://{user}{at}{host.lower().removeprefix('www.')}/{path}.git"


def _other(parts: SplitResult, repository: list[str], mark: str) -> NoRepositoryError:
    host = parts.netloc.rpartition("@")[2].lower()
    where = "/".join(repository)
    return NoRepositoryError(f"its page `{mark}` is no place of skills; write {parts.scheme}://{host}/{where}")
