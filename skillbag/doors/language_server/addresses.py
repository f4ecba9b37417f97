"""URIs of files, and their paths: those of Windows have a drive (`file:///c%3A/bag`) or a host (`file://host/share`)."""

from __future__ import annotations

import ntpath
import os
import posixpath
import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

_ON_WINDOWS = os.name == "nt"
_DRIVE = re.compile(r"[/\\][A-Za-z]:(?=[/\\])")
_HERE = ("", "localhost")


def path_of(uri: str, *, windows: bool = _ON_WINDOWS) -> str | None:
    """The absolute path that a URI names; None for what is no file of this machine, such as an untitled buffer."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or (parts.netloc not in _HERE and not windows):
        return None
    # A `?` or `#` is written in hex digits, but not by every client.
    rest = uri.partition("://")[2]
    path = os.fsdecode(unquote_to_bytes(rest[len(parts.netloc) :]))
    if not path.startswith("/") or "\0" in path:
        return None
    return _of_windows(path, parts.netloc) if windows else posixpath.normpath(path)


def _of_windows(path: str, host: str) -> str | None:
    if host not in _HERE:
        return ntpath.normpath(f"//{host}{path}")
    return ntpath.normpath(path[1:]) if _DRIVE.match(path) else None


def uri_of(path: str, *, windows: bool = _ON_WINDOWS) -> str:
    """The URI of an absolute path."""
    if not windows:
        return "file://" + quote(os.fsencode(path), safe="/:~")
    plain = path.replace("\\", "/")
    # Editors write the drive so, and compare addresses as texts.
    return "file:" + ("" if plain.startswith("//") else "///") + quote(os.fsencode(plain), safe="/~")
