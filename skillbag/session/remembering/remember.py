"""Values that last beyond a session: written to `USER_CONTEXT.md`, and removed from it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import flow
from skillbag.kernel.documents.source import Document
from skillbag.kernel.fs.changes import open_appending
from skillbag.kernel.fs.read import LIMIT, because, is_within
from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.standard.declarations import Level, Place
from skillbag.kernel.standard.reserved import PERSISTENCE
from skillbag.kernel.transaction.journal import Transaction
from skillbag.kernel.transaction.locations import Notice
from skillbag.kernel.transaction.writer import writing
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.model import ContextFile, Workspace
from skillbag.kernel.workspace.target import USER_CONTEXT, TargetKind, installed
from skillbag.session.inputs.cli_inputs import read_conversation
from skillbag.session.inputs.inputs import resolve_inputs
from skillbag.session.inputs.interface import Interface, read_interface
from skillbag.session.persistence.lasting import why_ephemeral
from skillbag.session.persistence.secret_detection import is_secret, leaves, why_secret
from skillbag.session.remembering.memory_policy import where_unwanted
from skillbag.session.remembering.user_context import definitions, place_of, with_parameter, without_parameter
from skillbag.session.settings.settings import SessionSettings, some
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.settings.value import Value, typed
from skillbag.session.skills.skills import find_skill, listed_skills, load_skill

_TITLE = "# User context\n"
_LONGEST_NAME = 100
_LONGEST = 8_000
_INSTEAD = (
    "which every later session would read; "
    "put it into an environment variable or a secret store, and remember where it is"
)
_ANYWAY = "nothing was written; --explicit keeps it anyway"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class NotKeptError(UserError):
    """The value is not kept; the message says why, and whether `--explicit` would keep it."""


class NoSuchValueError(UserError):
    """There is no such value to remove; the message lists the existing ones."""


class Remembered(NamedTuple):
    """What was written or removed: `before` is the previous value; `place` is None after a removal.

    `created`: the file is new. The last three are those of `GitStatus`.
    """

    skill: str
    name: str
    value: Value | None
    before: Value | None
    place: Place | None
    changed: bool
    created: bool = False
    ignored_by: str | None = None
    tracked: bool = False
    exposed: bool = False


def remember(
    root: str,
    name: str,
    value: Value,
    skill: str = ANY_SKILL,
    *,
    explicit: bool = False,
    wait: float = 60.0,
    on_wait: Callable[[], None] | None = None,
    notice: Notice | None = None,
) -> Remembered:
    """As `Session.remember`, for a `value` with its spelling; every other byte of the file stays.

    Another writer is awaited for up to `wait` seconds, after a call of `on_wait`; `notice` gets each repair of a killed
    writer's changes. After an error the file is unchanged.

    Raises:
        HandEditError: the file can't be edited safely.
        BusyError, OSError: the file can't be written.
    """
    _check(name, value)
    with writing(root, wait, on_wait, notice):
        workspace = Workspace(installed(TargetKind.WORKSPACE, root))
        settings = read_settings(workspace)
        interface = None if skill == ANY_SKILL else _interface(workspace, skill, name, value)
        if not explicit:
            _check_worth(root, settings, interface, name, value)
        context = _context(workspace)
        before = _last(context, skill, name)
        after = context if before == value else with_parameter(context, skill, name, _spelled(value))
        git_status = keep_untracked(context.document.path)
        _write(root, context, after, notice)
        place = place_of(after, definitions(after, skill, name)[-1])
        changed = after.document.raw != context.document.raw
        return Remembered(skill, name, value, before, place, changed, workspace.user_context is None, *git_status)


def forget(
    root: str,
    name: str,
    skill: str = ANY_SKILL,
    *,
    wait: float = 60.0,
    on_wait: Callable[[], None] | None = None,
    notice: Notice | None = None,
) -> Remembered:
    """As `Session.forget`; the other options are those of `remember`."""
    with writing(root, wait, on_wait, notice):
        workspace = Workspace(installed(TargetKind.WORKSPACE, root))
        settings = read_settings(workspace)
        context = _context(workspace)
        if not definitions(context, skill, name):
            raise NoSuchValueError(_not_there(settings, name, skill))
        before = _last(context, skill, name)
        _write(root, context, without_parameter(context, skill, name), notice)
        return Remembered(skill, name, None, before, None, changed=True)


def _check(name: str, value: Value) -> None:
    """Checks that `explicit` does not skip."""
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= _LONGEST_NAME or "=" in name:
        raise UserError(f"a parameter's name is one line of at most {_LONGEST_NAME} characters without `=`")
    if is_secret(name):
        raise NotKeptError("the name itself looks like a secret; nothing was written, and no option changes that")
    if value.value is None:
        raise UserError(f"{name}: null is not a value; skillbag session forget {name} removes the value")
    if len(value.written) > _LONGEST:
        raise UserError(f"{name}: the value has more than {_LONGEST} characters; put it into a file, and keep its path")
    text = "".join(str(leaf) for _, leaf in leaves(name, value))
    # The bytes of a command line may be anything.
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise UserError(f"{name}: the value is not text; nothing was written")
    if control := _CONTROL.search(text):
        raise UserError(f"{name}: the value has the control character U+{ord(control[0]):04X}; nothing was written")
    if reason := why_secret(name, value):
        raise NotKeptError(f"{name}: it {reason}, {_INSTEAD}; nothing was written, and no option changes that")


def _interface(workspace: Workspace, skill: str, name: str, value: Value) -> Interface:
    """The interface of a skill that has the parameter."""
    listed = find_skill(workspace, listed_skills(workspace), skill)
    interface = read_interface(load_skill(workspace, listed.name, "its parameters"))
    if interface.parameter(name) is None and name != PERSISTENCE:
        # Raises an error that suggests a name.
        read_conversation(interface, plain={name: value.value})
        raise NotKeptError(f"{name}: this is not a parameter of {skill}, and answers for one occasion alone")
    return interface


def _check_worth(root: str, settings: SessionSettings, interface: Interface | None, name: str, value: Value) -> None:
    """Raise if the value is kept only on request (clauses inputs.skill-persistence, inputs.persist-not)."""
    declared = interface and interface.parameter(name)
    if declared and declared.persist is False:
        raise NotKeptError(f"{name}: {declared.place} says that it is not to be kept (persist: false); {_ANYWAY}")
    if name != PERSISTENCE and (where := _unwanted(root, settings, interface)):
        raise NotKeptError(f"{name}: {PERSISTENCE} is false ({where}); {_ANYWAY}")
    if not (declared and declared.persist) and (reason := why_ephemeral(name, value)):
        raise NotKeptError(f"{name}: it {reason}, which rarely lasts; {_ANYWAY}")


def _unwanted(root: str, settings: SessionSettings, interface: Interface | None) -> str:
    if interface is None:
        return where_unwanted(settings, ANY_SKILL)
    # Few skills have the parameter; the inputs of the others need not be resolved.
    has_parameter = interface.parameter(PERSISTENCE) is not None
    resolution = resolve_inputs(interface, settings, root) if has_parameter else None
    return where_unwanted(settings, interface.skill, resolution)


def _context(workspace: Workspace) -> ContextFile:
    """`USER_CONTEXT.md`, or its first content if it does not exist."""
    found = workspace.user_context
    if isinstance(found, ContextFile):
        return found
    return ContextFile(Document(workspace.path(USER_CONTEXT), b"", _TITLE), ())


def _last(context: ContextFile, skill: str, name: str) -> Value | None:
    """The effective value; None if there is none or it is unset."""
    found = definitions(context, skill, name)
    return found[-1].value if found else None


def _spelled(value: Value) -> str:
    """A value as YAML, numbers as they were spelt."""
    if isinstance(value.value, list):
        return f"[{', '.join(_spelled(item) for item in value.items or map(typed, value.value))}]"
    return flow(value.value) if isinstance(value.value, str | dict) else value.written


def _write(root: str, before: ContextFile, after: ContextFile, notice: Notice | None) -> None:
    old, new = before.document, after.document.raw
    if new == old.raw:
        return
    if len(new) > LIMIT:
        raise UserError(f"{USER_CONTEXT} would be larger than {LIMIT >> 20} MiB, and could not be read any more")
    is_new = old.text and not old.raw
    with because("it is written"), Transaction(root) as transaction:
        transaction.put_file(USER_CONTEXT, new, expected=None if is_new else old.raw)
        for kept in transaction.commit():
            if notice:
                notice(f"{USER_CONTEXT} was saved by another program at the same time; that version is kept as {kept}")


def _not_there(settings: SessionSettings, name: str, skill: str) -> str:
    of = "" if skill == ANY_SKILL else f" of {skill[:80]}"
    what = "that name" if is_secret(name) else name[:80]
    names = dict.fromkeys(
        value.name if value.skill == ANY_SKILL else f"{value.name} (--skill {value.skill})"
        for value in settings.given
        if value.level is Level.USER_CONTEXT
    )
    return f"{USER_CONTEXT} gives no value for {what}{of}; {f'it has {some(names)}' if names else 'it has none at all'}"


_SPECIAL = re.compile(r"([\\*?\[\]])")


class GitStatus(NamedTuple):
    """`ignored_by` is the file that was changed to make git ignore it, relative if it is below the folder.

    `exposed`: `git add` of everything would add the file, because the user's rules want it or `info/exclude` can't be
    changed.
    """

    ignored_by: str | None = None
    tracked: bool = False
    exposed: bool = False


def keep_untracked(path: str) -> GitStatus:
    """Make git ignore the file at the absolute `path`, which need not exist.

    If no rule ignores it, add a line to git's `info/exclude`, which affects only this clone.
    """
    folder = os.path.realpath(os.path.dirname(path))
    path = os.path.join(folder, os.path.basename(path))
    top = git.repository(folder)
    if top is None:
        return GitStatus()
    if git.is_tracked(path):
        return GitStatus(tracked=True)
    if git.ignored([path]):
        return GitStatus()
    # The user has a rule to not ignore it.
    exclude = None if git.has_rule(path) else git.exclude_file(folder)
    relative = os.path.relpath(path, top).replace(os.sep, "/")
    # No line can contain a path with a line break.
    line = f"**/{os.path.basename(path)}" if "\n" in relative else "/" + _SPECIAL.sub(r"\\\1", relative)
    if exclude is None or not _add(exclude, line) or not git.ignored([path]):
        return GitStatus(exposed=True)
    return GitStatus(os.path.relpath(exclude, folder) if is_within(folder, exclude) else exclude)


def _add(exclude: str, line: str) -> bool:
    """Append a line to a regular file, which need not exist; other processes may append at the same time."""
    try:
        os.makedirs(os.path.dirname(exclude), exist_ok=True)
        with open_appending(exclude) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return False
            if status.st_size:
                file.seek(-1, os.SEEK_END)
                line = line if file.read(1) == b"\n" else f"\n{line}"
            file.write(os.fsencode(f"{line}\n"))
    except OSError:
        return False
    return True
