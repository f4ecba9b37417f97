"""What is kept of a session between processes: its active skills with what they may do, and what they have used up.

A command line and the hooks of a host are many short processes of one session. The file is in the user's state folder.
No text of the conversation is kept: it might hold a secret.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_reading import from_json
from skillbag.kernel.base.json_records import FILE_NAME, fits, to_json
from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.time_limit import rest
from skillbag.kernel.fs.atomic import replace, write_atomic
from skillbag.kernel.fs.read import FLAGS, NO_FOLLOW
from skillbag.kernel.manifest.names import Permission, Phase
from skillbag.runtime.broker.admission import Admission
from skillbag.runtime.skill import SkillSource
from skillbag.session.refresh.state import ACTIVE, ENDED, check_id

_VERSION = 1
_LARGEST = 1 << 20
_WAIT, _LEAST_WAIT = 60.0, 1.0
_MAX_REPORTED = 256
_UNKNOWN = "unknown"


class SessionPlace(NamedTuple):
    """Where a session is kept: the absolute folder `state`, for the workspace at `root` (None outside of any)."""

    state: str
    root: str | None
    session: str

    @property
    def path(self) -> str:
        """The file. Raises UserError for an id that is not allowed."""
        return os.path.join(self.folder, short_hash(check_id(self.session))) + ".json"

    @property
    def folder(self) -> str:
        """The folder of the records of all sessions of the workspace."""
        return os.path.join(self.state, ACTIVE, short_hash(self.root or os.sep))


class HookFailures(NamedTuple):
    """How often in a row the hook of a number, among those of a phase, has failed."""

    phase: Phase
    number: int
    times: int


class ActiveRecord(NamedTuple):
    """A skill that was active when a process of the session ended: its name, origin and content, what it may do, the
    phases that it has hooks for, the failures of these, and the file of the approvals that it was admitted by
    (`standings.database_of`)."""

    skill: str
    origin: Annotated[str, FILE_NAME]
    tree_hash: str
    admission: Admission
    hooks: tuple[Phase, ...]
    failures: tuple[HookFailures, ...] = ()
    database: int = 0

    @property
    def is_unknown(self) -> bool:
        """Whether nobody can tell if it should be active, until a step activates skills; see `missed`."""
        return self.tree_hash == _UNKNOWN

    @property
    def is_missed(self) -> bool:
        """Whether it is a guard that never began; see `missed`. A skill without code has no content either."""
        return self.is_guard and self.tree_hash in ("", _UNKNOWN)

    @property
    def is_guard(self) -> bool:
        """Whether it has a hook before calls."""
        return Phase.BEFORE_TOOL_CALL in self.hooks


def missed(skill: str, *, unknown: bool = False) -> ActiveRecord:
    """The record of a guard of the user's that should be active and could not begin: it has no files that it could go
    on with. `unknown`: whether it should be active is not known."""
    content = _UNKNOWN if unknown else ""
    return ActiveRecord(skill, f"{SkillSource.USER}:", content, Admission(frozenset()), (Phase.BEFORE_TOOL_CALL,))


class SessionRecord(NamedTuple):
    """A session: whether its conversation has started, its active skills in order, and the operations of this turn by
    skill, origin and permission. `turn` numbers the turns. `reported` are digests of sentences that the user has
    read, the oldest first."""

    started: bool = False
    turn: int = 0
    active: tuple[ActiveRecord, ...] = ()
    used: Mapping[tuple[str, str, Permission], int] = {}
    reported: tuple[str, ...] = ()


class _Use(NamedTuple):
    """Operations of this turn."""

    skill: str
    origin: Annotated[str, FILE_NAME]
    permission: Permission
    times: int


class _KeptSession(NamedTuple):
    """The file of a session; `digest` is that of the rest."""

    version: Annotated[int, fits(const=_VERSION)]
    digest: str
    started: bool
    turn: int
    reported: tuple[str, ...]
    used: tuple[_Use, ...]
    active: tuple[ActiveRecord, ...]

    @property
    def text(self) -> str:
        """Its JSON."""
        return json.dumps(to_json(self), separators=(",", ":"))

    @property
    def digested(self) -> _KeptSession:
        """With the digest, which differs if it is damaged: in a phase, a changed letter could cost a guard."""
        return self._replace(digest=short_hash(self._replace(digest="").text))


def read_session(place: SessionPlace) -> SessionRecord:
    """The record of a session; an empty one if there is none.

    Raises:
        UserError: the id of the session is not allowed. OSError: there is one that can't be read. It may name guards,
            so nothing may be done as if there were none.
    """
    return _read(place.path)


def read_folder(folder: str) -> Iterator[SessionRecord]:
    """All records in a folder of sessions, also of those that have ended. Raises OSError as `read_session`."""
    with contextlib.suppress(FileNotFoundError):
        for name in sorted(os.listdir(folder)):
            if name.endswith((".json", ENDED)):
                yield _read(os.path.join(folder, name))


def recorded_guards(state: str) -> Iterator[ActiveRecord]:
    """The skills with a hook before calls that sessions of any workspace have active. Raises OSError as
    `read_session`."""
    for folder, _, _ in os.walk(os.path.join(state, ACTIVE)):
        for record in read_folder(folder):
            yield from (each for each in record.active if each.is_guard)


def update_session(place: SessionPlace, before: SessionRecord, after: SessionRecord) -> None:
    """Write what has changed from `before`, which was read, to `after`. What other processes wrote meanwhile stays.

    Raises:
        OSError: the record can't be read or kept. BusyError: another process holds it for too long.
    """
    if before != after:
        with _locked(place):
            _write(place, merged(_read(place.path), before, after))


def end_session(place: SessionPlace) -> None:
    """Forget the session but for its guards: an agent may have sent the event that ends it, and calls may follow. Once
    nobody has read it for long, `forget_old_sessions` deletes the rest.

    Raises:
        OSError: as `update_session`.
    """
    if not os.path.lexists(place.path):
        return
    with _locked(place):
        if guards := tuple(each for each in _read(place.path).active if each.is_guard):
            _write(place, SessionRecord(active=guards))
            replace(place.path, place.path + ENDED)
        else:
            os.unlink(place.path)


def _locked(place: SessionPlace) -> AbstractContextManager[None]:
    from skillbag.kernel.transaction.writer import locked

    return locked(place.folder, wait=max(_LEAST_WAIT, rest(_WAIT)))


def _write(place: SessionPlace, record: SessionRecord) -> None:
    data = _encoded(record)
    if len(data) > _LARGEST:
        # Failing hooks of some skills must not cost the session the guards of others.
        data = _encoded(record._replace(active=tuple(each._replace(failures=()) for each in record.active)))
    write_atomic(place.path, data, root=os.path.realpath(place.state), mode=0o600, durable=False)


def _encoded(record: SessionRecord) -> bytes:
    used = tuple(_Use(*key, count) for key, count in record.used.items())
    kept = _KeptSession(_VERSION, "", record.started, record.turn, record.reported, used, record.active)
    return kept.digested.text.encode()


def merged(stored: SessionRecord, before: SessionRecord, after: SessionRecord) -> SessionRecord:
    """`stored` with the changes from `before` to `after`. A turn that began meanwhile has its own numbers."""
    kept = {active.skill for active in after.active}
    known = {active.skill: active.tree_hash for active in before.active}
    gone = known.keys() - kept
    there = {active.skill: active for active in stored.active}
    others = [active for active in stored.active if active.skill not in kept | gone]
    # What another process has deactivated meanwhile stays so.
    mine = [active for active in after.active if active.skill in there or active.skill not in known]
    for number, active in enumerate(mine):
        if active.tree_hash == known.get(active.skill) != there[active.skill].tree_hash:
            # It has activated this one anew, with other files.
            mine[number] = there[active.skill]
    used = dict(after.used)
    if after.turn == stored.turn:
        for key in stored.used.keys() | after.used.keys():
            used[key] = stored.used.get(key, 0) + after.used.get(key, 0) - before.used.get(key, 0)
    return after._replace(
        started=stored.started or after.started,
        active=(*others, *mine),
        used=used,
        turn=max(stored.turn, after.turn),
        reported=_reported(stored, before, after),
    )


def _reported(stored: SessionRecord, before: SessionRecord, after: SessionRecord) -> tuple[str, ...]:
    """The newest digests of both processes, without those that one of them removed."""
    forgotten = set(before.reported) - set(after.reported)
    reported = dict.fromkeys((*(each for each in stored.reported if each not in forgotten), *after.reported))
    return tuple(reported)[-_MAX_REPORTED:]


def read_elsewhere(place: SessionPlace) -> Iterator[SessionRecord]:
    """The records of the session in other workspaces: its own may have moved, or another one begins in it now. Raises
    OSError as `read_session`."""
    folder, name = os.path.split(place.folder)
    with contextlib.suppress(FileNotFoundError):
        for each in os.listdir(folder):
            # A file is none of ours: a desktop may leave one in any folder.
            if each != name and os.path.isdir(os.path.join(folder, each)):
                yield _read(os.path.join(folder, each, os.path.basename(place.path)))


def _read(path: str, *, is_again: bool = False) -> SessionRecord:
    """The record; an empty one if there is none. Raises OSError if there is something else."""
    try:
        # A link could lead to the record of another session, and anything but a file has nothing to read.
        with open(path, "rb", opener=lambda name, _: os.open(name, FLAGS | NO_FOLLOW)) as file:
            data = file.read(_LARGEST + 1)
            is_own = is_ours(os.fstat(file.fileno()))
        kept = from_json(_KeptSession, json.loads(data))
        if not is_own or len(data) > _LARGEST or kept != kept.digested:
            raise ValueError
        used = {(each.skill, each.origin, each.permission): each.times for each in kept.used}
        return SessionRecord(kept.started, kept.turn, kept.active, used, kept.reported)
    except FileNotFoundError:
        if is_again:
            return SessionRecord()
        # If it has ended, it goes on; another process may have seen that just now.
        with contextlib.suppress(FileNotFoundError):
            replace(path + ENDED, path)
        return _read(path, is_again=True)
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is damaged, not your own, or of a newer skillbag"
        message = f"the record of this session can't be read ({why}), so it is not known which skills guard its calls"
        raise OSError(errno.EINVAL, f"{message}; begin another session", path) from error
