"""Short hashes of texts, for names of files and marks."""

from __future__ import annotations


def short_hash(text: str, digits: int = 32) -> str:
    """The first digits of the SHA-256 of a text, which may be a path that is not UTF-8."""
    # Most commands need none, and OpenSSL takes a while to load.
    from hashlib import sha256

    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
