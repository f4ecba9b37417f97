"""Buckets of object stores, which code and commands contact by their names: `s3://bucket`, `gs://bucket`."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.hosts import UNKNOWN

_ADDRESS = late(r"(?i)(s3a?|gs|r2)://([^\s/'\"`)\]>,;\\|]*)")
_BUCKET = late(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]\Z")
_STAND_IN = late(r"(?:(?:my|your|the|some|example|test)[-_]?)*bucket(?:[-_]?name)?\Z")


def bucket_of(address: str) -> str | None:
    """`s3://` or `gs://` with the bucket, `UNKNOWN` where a variable is in its place; None for all others."""
    match = _ADDRESS().match(address)
    return bucket(match[2], match[1].lower().replace("s3a", "s3")) if match else None


def bucket(name: str, store: str = "s3") -> str | None:
    """As `bucket_of`, for the name of a bucket."""
    if any(sign in name for sign in "${}"):
        return UNKNOWN
    if not _BUCKET().match(name) or _STAND_IN().match(name):
        return None
    return f"{store}://{name}"
