"""The host or bucket (`s3://bucket`) that code contacts: a name, one decided at run time, or none of interest."""

from __future__ import annotations

import ipaddress

from skillbag.kernel.base.lazy_regex import late

UNKNOWN = ""
"""The host of an address that is decided at run time."""

_ADDRESS = late(r"(?i)(?:https?|wss?|ftp|sftp|ssh|git)://(?:[^\s/@'\"`]{0,200}@)?([^\s/:?#'\"`)\]>,;\\|]+)")
_HOST = late(r"(?i)(?:[a-z0-9_](?:[a-z0-9_-]{0,62})\.)+(?:[a-z]{2,24}|xn--[a-z0-9-]+)\.?\Z")
_RESERVED = (
    *("localhost", "example.com", "example.org", "example.net", "example.edu"),
    *(".localhost", ".local", ".internal", ".test", ".invalid", ".example", ".example.com", ".example.org", ".lan"),
    *("www.w3.org", "json-schema.org", "schemas.openxmlformats.org", "schemas.microsoft.com", "purl.org"),
)
"""Names for examples and for this machine, and those of schemas, which are names and not contacted."""

_ENDINGS = tuple(name for name in _RESERVED if name.startswith("."))
_STAND_INS = tuple(f"your{sign}{what}" for sign in ("-", "") for what in ("domain", "site", "app", "company"))
"""Names of domains that a reader is to replace."""


def host_of(address: str) -> str | None:
    """The host in lower case, `UNKNOWN` where a variable or a placeholder is in its place; None for all others."""
    match = _ADDRESS().match(address)
    if match is None:
        return None
    host = match[1].lower().strip("[]").rstrip(".")
    if any(sign in host for sign in "${}%"):
        return UNKNOWN
    if _ip(host) is not None:
        return host if is_public(host) else None
    if any(sign in host for sign in "<>*") or not _HOST().match(host):
        return None
    if host in _RESERVED or host.endswith(_ENDINGS) or host.split(".")[-2] in _STAND_INS:
        return None
    return host


def is_public(host: str) -> bool:
    """Whether it is an IP address that is reached over the Internet."""
    address = _ip(host)
    return address is not None and address.is_global and not address.is_multicast


def _ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    if not host[:1].isdigit() and ":" not in host:
        return None
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


_OF_BUCKET = late(r"(?i)(s3a?|gs|r2)://([^\s/'\"`)\]>,;\\|]*)")
_BUCKET = late(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]\Z")
_STAND_IN = late(r"(?:(?:my|your|the|some|example|test)[-_]?)*bucket(?:[-_]?name)?\Z")


def bucket_of(address: str) -> str | None:
    """`s3://` or `gs://` with the bucket, `UNKNOWN` where a variable is in its place; None for all others."""
    match = _OF_BUCKET().match(address)
    if match is None or any(sign in match[2] for sign in "${}"):
        return UNKNOWN if match else None
    is_name = _BUCKET().match(match[2]) and not _STAND_IN().match(match[2])
    return f"{match[1].lower().replace('s3a', 's3')}://{match[2]}" if is_name else None
