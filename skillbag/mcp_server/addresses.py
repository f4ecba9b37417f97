"""`skill://NAME/PATH`: the addresses of skills' files."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

from skillbag.base.errors import UserError
from skillbag.personal.names import check_name

TEMPLATE = "skill://{name}/{+path}"
"""As RFC 6570 has it: the path with its slashes."""

_SCHEME = "skill://"
_LONGEST = 4096


class Address(NamedTuple):
    """A file of a skill: `path` is relative to the skill's folder, with `/`. Whether they exist is not looked at."""

    name: str
    path: str


def address(name: str, path: str) -> str:
    """The address of a skill's file."""
    return f"{_SCHEME}{name}/{quote(path, errors='surrogateescape')}"


def read_address(uri: str) -> Address:
    """The file that is meant: the name is one by its pattern, and no step of the path leads up or hides in escapes.

    Raises:
        UserError: it is no such address.
    """
    name, slash, path = uri.removeprefix(_SCHEME).partition("/")
    if not uri.startswith(_SCHEME) or not slash or len(uri) > _LONGEST or any(mark in uri for mark in "?#\\"):
        raise _unfit(uri)
    check_name(name)
    if "%2f" in path.lower() or "%5c" in path.lower() or "%00" in path:
        raise _unfit(uri)
    try:
        plain = unquote_to_bytes(path).decode()
    except UnicodeError:
        raise _unfit(uri) from None
    if not plain.isprintable() or any(step in ("", ".", "..") for step in plain.split("/")):
        raise _unfit(uri)
    return Address(name, plain)


def _unfit(uri: str) -> UserError:
    told = "is no address of a skill's file; write skill://NAME/PATH, such as skill://NAME/SKILL.md"
    return UserError(f"{uri[:80]!a} {told}")
