"""URIs of files, and their paths."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote_to_bytes, urlsplit


def path_of(uri: str) -> str | None:
    """The absolute path that a URI names; None for what is no file of this machine, such as an untitled buffer."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    # A `?` or `#` is written in hex digits, but not by every client.
    rest = uri.partition("://")[2]
    path = os.fsdecode(unquote_to_bytes(rest[len(parts.netloc) :]))
    return os.path.normpath(path) if path.startswith("/") and "\0" not in path else None


def uri_of(path: str) -> str:
    """The URI of an absolute path."""
    return "file://" + quote(os.fsencode(path), safe="/:~")
