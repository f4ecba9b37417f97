"""What registries have answered, in the user's cache: one file for each registry, kind of request, skill and version.

The first line is a JSON object with the time and the `ETag`, the rest is the body of the answer.
"""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from skillbag.kernel.fs.atomic import write_atomic
from skillbag.supply.sources.cache import REGISTRY, Cache, key_of, touch


class Key(NamedTuple):
    """What was asked for. `kind` is `search`, `versions` or `manifest`; `name` is the query of a search."""

    registry: str
    kind: str
    name: str
    version: str = ""


class CachedResponse(NamedTuple):
    """An answer, and when it was given or last confirmed (seconds since 1970)."""

    body: bytes
    etag: str
    at: float


def read(cache: Cache, key: Key) -> CachedResponse | None:
    """The cached answer; None if there is none, or it is damaged."""
    path = _path(cache, key)
    try:
        with open(path, "rb") as file:
            head, _, body = file.read().partition(b"\n")
        value = json.loads(head)
        if value["key"] != list(key) or value["bytes"] != len(body):
            return None
        entry = CachedResponse(body, str(value["etag"]), float(value["at"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    touch(path)
    return entry


def write(cache: Cache, key: Key, entry: CachedResponse) -> None:
    """Store an answer."""
    head = json.dumps({"key": key, "etag": entry.etag, "at": entry.at, "bytes": len(entry.body)}).encode("ascii")
    write_atomic(_path(cache, key), head + b"\n" + entry.body, root=cache.folder, durable=False)


def _path(cache: Cache, key: Key) -> str:
    return os.path.join(cache.folder, REGISTRY, key_of(*key))
