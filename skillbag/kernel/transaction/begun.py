"""The journals that this user has begun, in the user's state folder.

A journal lies in a tree that may have come with a clone, a pull or a download, and tells us what to write. It is
followed only if its digest is here. A random key in it makes the digest one that nobody else can know beforehand.
"""

from __future__ import annotations

import contextlib
import os
import stat
from hashlib import sha256

from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.fs import durable
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW

_DIGEST = 64


def remember(stage: str, journal: bytes = b"") -> None:
    """Record that the folder `stage` (a real path) is ours, durably with its journal.

    Raises:
        OSError: it can't be recorded, so the journal must not be written.
    """
    record = _record(stage)
    write_atomic(record, _digest(journal), root=state_folder(), mode=0o600, durable=False)
    if journal:
        # The journal is put in place after this: if it survives a system crash, so does its record.
        durable.sync(record)
        durable.sync(os.path.dirname(record))


def is_remembered(stage: str, journal: bytes) -> bool:
    """Whether this user has begun the change of which this is the journal."""
    return _remembered(stage) == _digest(journal)


def is_any_remembered(stage: str) -> bool:
    """Whether this user has begun any change there that has not ended."""
    return _remembered(stage) is not None


def forget(stage: str) -> None:
    """Remove the record of a change that has ended."""
    with contextlib.suppress(OSError):
        os.unlink(_record(stage))


def _remembered(stage: str) -> bytes | None:
    try:
        descriptor = os.open(_record(stage), FLAGS | NO_FOLLOW)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        return file.read(_DIGEST + 1) if stat.S_ISREG(status.st_mode) and is_ours(status) else None


def _record(stage: str) -> str:
    return os.path.join(state_folder(), "journals", sha256(os.fsencode(stage)).hexdigest())


def _digest(journal: bytes) -> bytes:
    return sha256(journal).hexdigest().encode("ascii")
