"""`skill://NAME/PATH`: the URIs of skills' files."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from skillbag.base.errors import UserError
from skillbag.personal.names import check_name

TEMPLATE = "skill://{name}/{+path}"
"""A template of RFC 6570: the path keeps its slashes."""

_SCHEME = "skill://"
_LONGEST = 4096


class Address(NamedTuple):
    """A file of a skill, which may not exist. `path` is relative to the skill's folder, with `/`."""

    name: str
    path: str


def address(name: str, path: str) -> str:
    """The address of a skill's file."""
    return f"{_SCHEME}{name}/{quote(path, errors='surrogateescape')}"


def read_address(uri: str) -> Address:
    """Parse a URI. The name matches the pattern of names; no step of the path is `..` or contains an escaped separator.

    Raises:
        UserError: it is not such a URI.
    """
    name, slash, path = uri.removeprefix(_SCHEME).partition("/")
    if not uri.startswith(_SCHEME) or not slash or len(uri) > _LONGEST or any(mark in uri for mark in "?#\\"):
        raise _malformed(uri)
    check_name(name)
    if "%2f" in path.lower() or "%5c" in path.lower() or "%00" in path:
        raise _malformed(uri)
    try:
        plain = unquote_to_bytes(path).decode()
    except UnicodeError:
        raise _malformed(uri) from None
    if not plain.isprintable() or any(step in ("", ".", "..") for step in plain.split("/")):
        raise _malformed(uri)
    return Address(name, plain)


def _malformed(uri: str) -> UserError:
    hint = "write skill://NAME/PATH, such as skill://NAME/SKILL.md"
    return UserError(f"{uri[:80]!a} is no address of a skill's file; {hint}")
