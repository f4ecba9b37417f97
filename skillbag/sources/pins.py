"""A version `sha256:…`: the one version that an archive can have, since its bytes can be held to it."""

from __future__ import annotations

import re

from skillbag.sources.address import BadSourceError, Source, SourceKind

HASH = "sha256:"
_DIGITS = re.compile(r"[0-9a-fA-F]{64}")


def pinned_hash(source: Source, version: str | None) -> str | None:
    """`sha256:<hex>`, in lower case, that the bytes of an archive must have; None where `version` asks for none.

    Any other text is a mere word for an archive or a folder. A git source has versions of its own, which git reads.

    Raises:
        BadSourceError: the version begins like a hash and is none, or asks for the hash of a folder: passed over, it
            would look like a promise that is kept.
    """
    if source.kind is SourceKind.GIT or version is None or not version.lower().startswith(HASH):
        return None
    if not _DIGITS.fullmatch(version[len(HASH) :]):
        raise BadSourceError(
            f"source {source.declared!r}: version {version!r} is not a SHA-256; write `{HASH}` and 64 hexadecimal "
            "digits, as `sha256sum` prints them for the archive"
        )
    if source.kind is SourceKind.FOLDER:
        raise BadSourceError(
            f"source {source.declared!r}: a folder has no SHA-256 that it could be held to; pack it as a zip, or "
            "leave the version out"
        )
    return version.lower()
