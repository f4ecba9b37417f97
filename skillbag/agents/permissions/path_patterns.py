"""`Read(src/**)`, `WebFetch(domain:example.com)`: patterns of paths and addresses, held against all those of a call."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from skillbag.agents.permissions.real_paths import real_place
from skillbag.kernel.base.call_input import CallInput
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs.read import is_within

FILE_TOOLS = frozenset({"Read", "Edit", "MultiEdit", "Write", "NotebookRead", "NotebookEdit", "Glob", "Grep", "LS"})
"""Tools that are given paths. A folder stands for all that is below it."""

WEB = "WebFetch"

_PATH_WORDS = ("path", "file", "dir", "folder", "root", "cwd")
_LONGEST_PATH = 4096
_CLIMBS = late(r"^[~\\]|[{,(|][/~\\]|^.:")
_SIGNS = str.maketrans("", "", "{}[]()!@+?*|,^\\")
_BEFORE_SIGNS = late(r"/?(?:[^/{}\[\]()!@+?*|,^\\]+/)*")
_SEARCHES = ("Glob", "Grep", "LS")


def paths_fault(bodies: list[str], tool: str, arguments: CallInput, root: str | None) -> str | None:
    """The first path among the arguments that no pattern allows. A search without one begins at `root`; another call
    without one is not allowed."""
    paths = list(_named(arguments, _PATH_WORDS)) or ([os.curdir] if tool in _SEARCHES else [])
    if tool == "Glob":
        glob = arguments.get("pattern")
        # Neither may an alternative in braces leave the folder that the glob is looked up in.
        if not isinstance(glob, str) or _CLIMBS().search(glob) or ".." in glob.translate(_SIGNS):
            return f"`{glob}` may lead out of its folder"
        begins = _BEFORE_SIGNS().match(glob)
        # It looks no further than below the folders that stand before its first sign.
        paths = [os.path.join(path, begins[0]) if begins and isinstance(path, str) and path else path for path in paths]
    if not paths:
        return "The call names no path"
    for path in paths:
        if not _path_passes(bodies, path, root):
            return f"No pattern allows the path `{path}`"
    return None


def _named(arguments: CallInput, words: tuple[str, ...]) -> Iterator[Any]:
    """The plain values, at any depth, of arguments whose name contains one of the words."""
    pending: list[tuple[Any, bool]] = [(arguments, False)]
    while pending:
        value, matches = pending.pop()
        if isinstance(value, Mapping):
            pending += [
                (item, matches or any(word in str(key).lower() for word in words)) for key, item in value.items()
            ]
        elif isinstance(value, list):
            pending += [(item, matches) for item in value]
        elif matches:
            yield value


def _path_passes(bodies: list[str], path: object, root: str | None) -> bool:
    if not isinstance(path, str) or not 0 < len(path) <= _LONGEST_PATH:
        return False
    # An address, such as `vfs:///x` of chibi, is no path of the file system.
    if not path.isprintable() or path.startswith("~") or "://" in path:
        return False
    if not os.path.isabs(path):
        if root is None:
            return False
        path = os.path.join(root, path)
    # Some tools remove `x/..` before they follow links, others after: both paths have to be allowed.
    places = {real_place(path), real_place(os.path.normpath(path))}
    return all(place and any(_place_passes(body, place, root) for body in bodies) for place in places)


def _place_passes(body: str, place: str, root: str | None) -> bool:
    """`src/**` counts from the workspace, `~/src/**` from home, `//src/**` from the root of the file system."""
    if body.startswith("//"):
        base, pattern = os.path.sep, body[1:]
    elif body.startswith("~/"):
        base, pattern = os.path.expanduser("~"), body[1:]
    elif root is not None:
        base, pattern = root, body.removeprefix("./")
    else:
        return False
    base = os.path.realpath(base)
    if not os.path.isabs(base) or not is_within(base, place):
        return False
    if place == base:
        return pattern.strip("/") == "**"
    relative = os.path.relpath(place, base).replace(os.sep, "/")
    return _matches(pattern, f"{relative}/" if os.path.isdir(place) else relative)


def _matches(pattern: str, relative: str) -> bool:
    """Whether a pattern of `.gitignore` matches; a folder, with `/` at its end, matches with all that is in it."""
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([pattern]).match_file(relative)
    except ValueError:
        return False


_URL = late(r"https?://([A-Za-z0-9.-]+)(?:[/?#][!-\[\]-~]*)?")
_HOST = late(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")


def addresses_fault(bodies: list[str], arguments: CallInput) -> str | None:
    """The first address among the arguments whose host is not a domain, or below one, that a pattern names.

    Addresses are plain ASCII, of HTTP or HTTPS, without user, port, and point after the host.
    """
    domains = {body.removeprefix("domain:").lower() for body in bodies if body.startswith("domain:")}
    domains = {domain for domain in domains if _HOST().fullmatch(domain)}
    addresses = list(_named(arguments, ("url", "uri")))
    if not addresses:
        return "The call names no address"
    for address in addresses:
        match = _URL().fullmatch(address) if isinstance(address, str) else None
        host = match[1].lower() if match else ""
        is_below = any(host == domain or host.endswith(f".{domain}") for domain in domains)
        if not is_below or not _HOST().fullmatch(host):
            return f"No pattern allows the address `{address}`"
    return None
