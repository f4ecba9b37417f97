"""The guards of a session whose event can't be answered: a call must not pass them in silence.

The event may be no JSON at all, so what it says is looked for in its text. What a call's input says of itself can only
add sessions and folders to look into.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from skillbag.agents.hosts.active_skills import is_off
from skillbag.agents.hosts.claude_events import CALL, project_folder
from skillbag.agents.hosts.event import BEGINNING, HostEvent
from skillbag.agents.settings.scope import Scope, root_around
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.user_dirs import state_folder
from skillbag.session.refresh.state import ACTIVE, check_id

UNKNOWN = "It is not known whether active skills guard this call: the session can't be read."
"""Why a call is refused where the guards' names can't be read."""

_APPROVALS = "runtime.db"


def unasked_guards(data: bytes) -> tuple[str, ...]:
    """The active skills with a hook before calls, sorted, if the event `data` may be such a call. Those of the session
    that it names, or the user's known ones if that has no record; of all sessions of the workspace, if it names none.

    Raises:
        UserError, OSError: the user's folders are not known, or can't be read.
    """
    text = data.decode("utf-8", "replace")
    names = _texts(text, "hook_event_name")
    if is_off() or (names and CALL not in names):
        return ()
    sessions = _texts(text, "session_id")
    return tuple(sorted({name for folder in _folders(text) for name in _guards(folder, sessions)}))


def session_in(data: bytes) -> str | None:
    """The session that the event `data` names; None if it names none, or several."""
    sessions = [each for each in _texts(data.decode("utf-8", "replace"), "session_id") if _is_id(each)]
    return sessions[0] if len(sessions) == 1 else None


def recorded_guards(scope: Scope) -> tuple[str, ...]:
    """The skills with a hook before calls that the session of the scope has active, sorted; none without a session.

    Raises:
        UserError, OSError: as `unasked_guards`.
    """
    if is_off() or not scope.session:
        return ()
    return tuple(sorted(_guards(scope.root or os.sep, {scope.session})))


@contextmanager
def missing(event: HostEvent) -> Iterator[None]:
    """The step of the event. If it fails, and it was to activate skills, no call passes the known guards of the user's
    until such a step succeeds."""
    try:
        yield
    except Exception:
        miss_guards(event)
        raise


def miss_guards(event: HostEvent) -> bool:
    """Record that it is not known which guards of the user's are active, since the step of the event could not be
    taken; whether there may be any.

    Raises:
        UserError, OSError: the session can't be read or kept.
    """
    names = known_guards(own=False) if event.step in BEGINNING else ()
    if not names:
        return False
    from skillbag.runtime.broker.session_records import SessionPlace, missed, read_session, update_session

    place = SessionPlace(state_folder(), _root(event.folder), event.session)
    record = read_session(place)
    recorded = {each.skill for each in record.active}
    new = (missed(name, unknown=True) for name in names if name not in recorded)
    update_session(place, record, record._replace(active=(*record.active, *new)))
    return True


def known_guards(*, own: bool = True) -> tuple[str, ...]:
    """The guards of the user's that have guarded calls in any session, sorted: those of the personal root, or all if
    that is not known or they need not be its `own`.

    Raises:
        UserError: they can't be read.
    """
    state = state_folder()
    if is_off() or not os.path.lexists(os.path.join(state, _APPROVALS)):
        return ()
    from skillbag.agents.settings.user_settings import personal_root
    from skillbag.runtime.broker.approvals import Approvals
    from skillbag.runtime.broker.store import RuntimeStore
    from skillbag.runtime.skill import is_of_user, own_origin

    origin = ""
    with suppress(UserError, OSError):
        origin = own_origin(personal_root()) if own else ""
    with closing(RuntimeStore(state, lambda sentence: None)) as store:
        known = Approvals(store).guards()
    return tuple(sorted({each.skill for each in known if is_of_user(each.origin) and origin in ("", each.origin)}))


def _guards(folder: str, sessions: set[str]) -> set[str]:
    state = state_folder()
    try:
        os.stat(os.path.join(state, ACTIVE))
    except FileNotFoundError:
        # Most users have no session with active skills, and need not wait for the imports.
        return set()
    from skillbag.runtime.broker.session_records import SessionPlace, read_elsewhere, read_folder, read_session

    root = _root(folder)
    places = [SessionPlace(state, root, each) for each in sorted(sessions) if _is_id(each)]
    records = [record for place in places for record in (read_session(place), *read_elsewhere(place))]
    if not records:
        records = list(read_folder(SessionPlace(state, root, "").folder))
    is_begun = any(os.path.lexists(place.path) for place in places) or any(each.active for each in records)
    unknown = () if is_begun or not places else known_guards()
    return {*unknown, *(each.skill for record in records for each in record.active if each.is_guard)}


def _texts(text: str, key: str) -> set[str]:
    """All texts that stand as `key` anywhere."""
    found = set()
    for literal in re.findall(rf'"{key}"\s*:\s*("(?:[^"\\]|\\.)*")', text):
        with suppress(ValueError):
            found.add(json.loads(literal, strict=False))
    return found


def _folders(text: str) -> set[str]:
    """Where the agent may work: a host starts its hooks there, too, and Claude Code names where the session began."""
    named = {*_texts(text, "cwd"), project_folder()}
    folders = {folder for folder in named if os.path.isabs(folder) and "\0" not in folder}
    with suppress(OSError):
        folders.add(os.getcwd())
    return folders


def _root(folder: str) -> str | None:
    root = root_around(folder)
    return os.path.realpath(root) if root else None


def _is_id(session: str) -> bool:
    try:
        check_id(session)
    except UserError:
        return False
    return True
