"""What is kept of a session in the user's state folder: the hashes of the files that it has read.

No value of the conversation is kept: it might be a secret.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import STATE_VARIABLE, state_folder
from skillbag.kernel.fs.locking import acquire

LONGEST_ID = 200
KEPT_DAYS = 30
"""Days without a write after which a session is forgotten, when any session enters a workspace."""

ACTIVE, ENDED = "runtime", ".ended"
"""The folder of records with active skills, and how the name of one ends once its session has."""

_VERSION = 1
_LARGEST = 1 << 26
_WAIT = 60.0
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NoSessionError(UserError):
    """The session has not entered this workspace; the message says how to."""


class SessionState(NamedTuple):
    """A session that has entered a workspace.

    `files`: SHA-256 of `SKILLBAG.md`, `CONTEXT.md`, `USER_CONTEXT.md` and `.skills/SKILLS.md` by path, None if missing.
    `catalog`: SHA-256 of each skill's line by name. `loaded`: SHA-256 of each `SKILL.md` that was read, by the skill's
    name, None if it was deleted since. `always`: the known skills that run always. `root` is a real path. `given`: that
    of each `SKILL.md` whose text the agent was given. `is_settled`: it was given all that runs before every response.
    """

    session: str
    root: str
    files: Mapping[str, str | None]
    catalog: Mapping[str, str]
    loaded: Mapping[str, str | None]
    always: tuple[str, ...]
    given: Mapping[str, str] = MappingProxyType({})
    is_settled: bool = False

    def has_given(self, skill: str) -> bool:
        """Whether the agent has the text of the skill as it is now."""
        return self.given.get(skill, "") == self.loaded.get(skill)

    def giving(self, digests: Mapping[str, str | None]) -> SessionState:
        """The state once the agent was given the texts of the skills with these digests."""
        given = {name: digest for name, digest in digests.items() if digest}
        return self._replace(loaded={**self.loaded, **given}, given={**self.given, **given})


def check_id(session: str) -> str:
    """The id itself; it is not normalised.

    Raises:
        UserError: it is not 1 to 200 printable characters without white space at its ends.
    """
    if session and len(session) <= LONGEST_ID and session.isprintable() and session == session.strip():
        return session
    what = f"this one has {len(session)} characters" if len(session) > LONGEST_ID else f"this one is {session!r}"
    raise UserError(
        f"a session's id is 1 to {LONGEST_ID} printable characters without white space at its ends; {what}; "
        "skillbag enter without --session makes a new one"
    )


def named(session: str | None) -> str:
    """As `check_id`, but raises NoSessionError if there is no id."""
    if session is None:
        raise NoSessionError("no session is named; give --session ID, the one that skillbag enter printed")
    return check_id(session)


def new_id() -> str:
    """A random id."""
    return os.urandom(8).hex()


def read_state(root: str, session: str) -> SessionState | None:
    """The state of a session in the workspace; None if it has not entered, or if its file is damaged.

    Raises:
        OSError: the file exists and can't be read; the message says what to do.
    """
    path = _path(root, session)
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            data = file.read() if stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST else b""
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _advised(error, path) from error
    state = _parse(data)
    return state if state and (state.session, state.root) == (session, os.path.realpath(root)) else None


def entered_state(root: str, session: str) -> SessionState:
    """As `read_state`, but raises NoSessionError if the session has not entered."""
    if state := read_state(root, session):
        return state
    from shlex import quote

    raise NoSessionError(
        f"the session {session} has not entered this workspace; skillbag enter --session {quote(session)} does"
    )


@contextlib.contextmanager
def changing(root: str, session: str) -> Iterator[None]:
    """Lock the state of this session against other processes.

    Raises:
        BusyError: another process holds the lock for too long.
        OSError: the folder of states can't be written to; the message says what to do.
    """
    path = _path(root, session).removesuffix(".json") + ".lock"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        lock = acquire(path, _WAIT)
    except TimeoutError as error:
        from skillbag.kernel.transaction.locations import BusyError

        message = f"another process has been at work in the session {session} for {_WAIT:.0f} s; wait for it, or end it"
        raise BusyError(f"{message}, and run the command again") from error
    except OSError as error:
        raise _advised(error, path) from error
    with lock:
        yield


def write_state(state: SessionState) -> None:
    """Write the state atomically; call it within `changing`.

    Raises:
        OSError: it can't be written and is unchanged; the message says what to do.
    """
    # Not needed by a refresh that finds no change.
    from skillbag.kernel.fs.atomic import write_atomic

    path = _path(state.root, state.session)
    data = json.dumps({"version": _VERSION, **state._asdict(), "given": {**state.given}}, separators=(",", ":"))
    try:
        # No session survives a power failure.
        write_atomic(path, data.encode("ascii"), root=state_folder(), mode=0o600, durable=False)
    except OSError as error:
        raise _advised(error, path) from error


def forget_old_sessions(now: float) -> None:
    """Delete what was not written since `KEPT_DAYS` before `now` (seconds since 1970); what can't be deleted stays, and
    so do the guards of a session that has not ended."""
    oldest = now - KEPT_DAYS * 24 * 3600
    for kind, ending in (("sessions", ""), (ACTIVE, ENDED)):
        for folder, _, names in os.walk(os.path.join(state_folder(), kind)):
            for path in (os.path.join(folder, name) for name in names if name.endswith(ending)):
                with contextlib.suppress(OSError):
                    if os.lstat(path).st_mtime < oldest:
                        os.unlink(path)


def _path(root: str, session: str) -> str:
    """Built from the real path, so that every path to a workspace gives one state, and from hashes, since an id may
    contain what a file name may not."""
    return os.path.join(state_folder(), "sessions", short_hash(os.path.realpath(root)), f"{short_hash(session)}.json")


_KINDS = {"session": str, "root": str, "files": dict, "catalog": dict, "loaded": dict, "always": list}


def _parse(data: bytes) -> SessionState | None:
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(values, dict) or values.get("version") != _VERSION:
        return None
    if not all(isinstance(values.get(key), kind) for key, kind in _KINDS.items()):
        return None
    given, settled = values.get("given", {}), values.get("is_settled") is True
    if not isinstance(given, dict):
        return None
    state = SessionState(**{key: values[key] for key in _KINDS}, given=given, is_settled=settled)
    hashes = filter(None, (*state.files.values(), *state.loaded.values(), *given.values()))
    if not all(isinstance(text, str) for text in (*state.always, *state.catalog.values(), *hashes)):
        return None
    # A name that could lead out of `.skills/` is damage, too.
    if not all(name.isascii() and name.replace("-", "").isalnum() for name in state.loaded):
        return None
    return state._replace(always=tuple(state.always))


def _advised(error: OSError, path: str) -> OSError:
    message = f"the session's state can't be kept here ({error.strerror or error}); set {STATE_VARIABLE} to a folder"
    return OSError(error.errno, f"{message} that can be written", path)
