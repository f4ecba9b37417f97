"""The active skill of a session: the one that was invoked last, whose `allowed-tools` apply until the next one.

Its record is beside the lifecycle's state of the session, in the user's state folder, and is deleted with it
(`session.refresh.state.forget_old_sessions`).
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from typing import TYPE_CHECKING, NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.short_hash import short_hash
from skillbag.kernel.base.user_dirs import STATE_VARIABLE, state_folder
from skillbag.kernel.fs.atomic import write_atomic
from skillbag.kernel.fs.read import Unread, Unreadable, is_within, read

if TYPE_CHECKING:
    # A hook waits for whatever is loaded here, before every call of a tool.
    from skillbag.agents.settings.scope import Scope

_VERSION = 2
_LONGEST = 10_000
"""Characters of `allowed-tools`: they are read at each call, and repeated in each refusal."""


class SkillInUse(NamedTuple):
    """`allowed_tools` is the text of its front matter as written, None where it has none. A list is joined by `, `; of
    one with a malformed item it is that item. `folder` is the absolute one of the skill, if it is known. `callers` are
    the skills in use that called this one: what they do not allow stays blocked."""

    name: str
    allowed_tools: str | None
    folder: str | None = None
    callers: tuple[SkillInUse, ...] = ()


NOBODY = SkillInUse("", None)
"""Stands where the skill in use would, if there are only limits."""


class DamagedActiveSkillError(OSError):
    """The record exists and can't be read: everything is blocked."""


class BadAllowedToolsError(UserError):
    """A skill's front matter, or its `allowed-tools`, can't be read: where, and what to do."""


def activate(scope: Scope, skill: SkillInUse) -> None:
    """Make it the active skill of the scope's session, atomically; without a session nothing is recorded.

    Raises:
        OSError: it can't be recorded, so the previous one stays active; the message says what to do.
        UserError: the state folder is named wrongly.
    """
    if scope.session is None:
        return
    path = _path(scope, scope.session)
    record = {**_identity(scope)._asdict(), "skills": [each[:3] for each in (skill, *skill.callers)]}
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        if os.path.islink(path) or os.path.isdir(path):
            _remove(path)
        data = json.dumps(record).encode("ascii")
        # Not durable: no session survives a power failure.
        write_atomic(path, data, root=state_folder(), mode=0o600, durable=False)
    except OSError as error:
        message = f"the active skill can't be recorded here ({error.strerror or error})"
        advice = f"set {STATE_VARIABLE} to a folder that can be written"
        raise OSError(error.errno, f"{message}; {advice}", path) from error


def active_skill(scope: Scope) -> SkillInUse | None:
    """The active skill of the scope's session.

    Raises:
        DamagedActiveSkillError: its record can't be read.
        UserError: the state folder is named wrongly.
    """
    if scope.session is None:
        return None
    path = _path(scope, scope.session)
    # A link, or one of the folder's, may lead to a record of somebody else.
    is_foreign = os.path.islink(path) or not is_within(state_folder(), os.path.dirname(path))
    data = Unreadable(Unread.OUTSIDE) if is_foreign else read(path, state_folder())
    if isinstance(data, Unreadable) and data.reason is Unread.MISSING:
        return None
    skill = None if isinstance(data, Unreadable) else _parse(data, _identity(scope))
    if skill is None:
        message = "the record of the skills in use can't be read, so calls are refused until a person deletes it"
        raise DamagedActiveSkillError(errno.EINVAL, message, path)
    return skill


def clear_active_skill(scope: Scope) -> None:
    """Delete the record, even a damaged one, when a session starts.

    Raises:
        OSError: it can't be deleted.
        UserError: the state folder is named wrongly.
    """
    if scope.session is not None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            _remove(_path(scope, scope.session))


def with_limits(skill: SkillInUse, before: SkillInUse | None) -> SkillInUse:
    """The skill with the limits of those in use `before`: else one could be lifted by calling another skill."""
    used = [each._replace(callers=()) for each in (before, *before.callers)] if before else []
    limits = (each for each in used if each.allowed_tools is not None and each != skill._replace(callers=()))
    return skill._replace(callers=tuple(dict.fromkeys((*skill.callers, *limits))))


def without_limits(active: SkillInUse, name: str) -> SkillInUse | None:
    """What is left in use once the skill of this name is not; None for nothing."""
    left = [each for each in (active._replace(callers=()), *active.callers) if each.name not in (name, NOBODY.name)]
    return NOBODY._replace(callers=tuple(left)) if left else None


def allowed_tools_of(directory: str, file: str) -> str | None:
    """The `allowed_tools` of an `SkillInUse`, from the front matter of the skill in the absolute `directory`.

    Raises:
        BadAllowedToolsError: the front matter can't be read, or `allowed-tools` is neither a text nor a list of texts,
            or too long.
    """
    from skillbag.kernel.documents.frontmatter import front_matter
    from skillbag.kernel.documents.nodes import Scalar, Sequence, core_value
    from skillbag.kernel.documents.source import DocumentProblem, read_document
    from skillbag.kernel.standard.tool_entries import malformed_entry

    path = os.path.join(directory, file)
    document = read_document(path, os.path.dirname(directory))
    matter = document if isinstance(document, DocumentProblem) else front_matter(document)
    if isinstance(matter, DocumentProblem):
        raise BadAllowedToolsError(f"{path}:{matter.line}: {matter.detail}; fix that before the skill is invoked")
    node = matter.mapping.get("allowed-tools")
    if node is None or core_value(node) is None:
        return None
    items = node.items if isinstance(node, Sequence) else (node,)
    texts = [item.value.strip() for item in items if isinstance(item, Scalar)]
    if len(texts) < len(items):
        advice = "write the tools on one line, as in Read, Bash(git:*)"
        raise BadAllowedToolsError(f"{path}: allowed-tools in the front matter is not a list of tools; {advice}")
    # Joined, what one item leaves open could be closed in the next.
    allowed = next((text for text in texts if malformed_entry(text)), ", ".join(filter(None, texts)))
    if len(allowed) > _LONGEST:
        raise BadAllowedToolsError(f"{path}: allowed-tools has more than {_LONGEST:,} characters; shorten it")
    return allowed


def _path(scope: Scope, session: str) -> str:
    workspace = "no-workspace" if scope.root is None else short_hash(os.path.realpath(scope.root))
    return os.path.join(state_folder(), "sessions", workspace, f"{short_hash(session)}.active")


class _Identity(NamedTuple):
    """What a record must contain: one that was moved or linked here belongs to another session."""

    version: int
    root: str | None
    session: str | None


def _identity(scope: Scope) -> _Identity:
    return _Identity(_VERSION, None if scope.root is None else os.path.realpath(scope.root), scope.session)


def _parse(data: bytes, identity: _Identity) -> SkillInUse | None:
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.keys() != {*identity._fields, "skills"}:
        return None
    pairs = [(record[key], getattr(identity, key)) for key in identity._fields]
    is_ours = all(type(value) is type(wanted) and value == wanted for value, wanted in pairs)
    skills = record["skills"]
    if not is_ours or not isinstance(skills, list) or not skills or not all(map(_is_skill, skills)):
        return None
    active, *callers = (SkillInUse(*skill) for skill in skills)
    return active._replace(callers=tuple(callers))


def _is_skill(values: object) -> bool:
    return (
        isinstance(values, list)
        and len(values) == 3
        and isinstance(values[0], str)
        and all(isinstance(value, str | None) for value in values[1:])
    )


def _remove(path: str) -> None:
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil

        shutil.rmtree(path)
    else:
        os.unlink(path)
