"""The runtime of active skills as doors open it: with the user's settings, personal skills and session."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from skillbag.agents.settings.scope import Scope, scope_at
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.name_lists import split_list

if TYPE_CHECKING:
    # Nothing of the runtime is imported where no active skill is.
    from skillbag.runtime.activation.request import RuntimeRequest, ToolRequest
    from skillbag.runtime.broker.decisions import ApprovalScope
    from skillbag.runtime.broker.questions import PermissionQuestion
    from skillbag.runtime.host.llm import Completer
    from skillbag.runtime.sessions.runtime import Runtime
    from skillbag.runtime.tracing import Trace

SWITCH = "SKILLBAG_RUNTIME"
"""A variable; with the value `off`, no skill is active."""

NAMED = "SKILLBAG_SKILLS"
"""A variable with the names of skills to activate, separated by commas."""

APPROVED = "SKILLBAG_APPROVE_SKILLS"
"""A variable with the names of skills that have their permissions without a question, separated by commas. A person or
a job sets it: an agent that may only run commands of this program can't."""

_MANIFEST = "SKILL.yaml"


def open_runtime(
    folder: str | os.PathLike[str] = ".",
    *,
    session: str | None = None,
    personal: str | None = None,
    skills: Iterable[str] = (),
    approve: Iterable[str] = (),
    mode: str = "interactive",
    completer: Callable[[str], str] | None = None,
    ask: Callable[[PermissionQuestion], ApprovalScope | None] | None = None,
    confirm: Callable[[ToolRequest], bool] | None = None,
    trace: Trace | None = None,
) -> Runtime:
    """The runtime of the active skills of the workspace around `folder`, and of the user's own.

    `skills` are activated by the first message whatever it says: names, or paths of folders. `approve` names skills
    that have their permissions without a question; one name may be a text alone. `completer` completes a prompt for
    skills; `ask` and `confirm` ask the user (see `RuntimeRequest`). Close it, or use it as a context.

    Raises:
        UserError: the settings can't be used, or a skill is not found. OSError: the environment fails.
    """
    scope = scope_at(folder, personal=personal, session=session)
    named = tuple([skills] if isinstance(skills, str) else skills)
    approved = frozenset([approve] if isinstance(approve, str) else approve)
    request = runtime_request(scope, skills=named, approve=approved, mode=mode)
    request = request._replace(completer=completer or request.completer, ask=ask, confirm=confirm)
    from skillbag.runtime.sessions.runtime import Runtime

    return Runtime(request._replace(trace=trace) if trace else request)


def runtime_request(
    scope: Scope, *, skills: tuple[str, ...] = (), approve: frozenset[str] = frozenset(), mode: str = "headless"
) -> RuntimeRequest:
    """What a runtime in this scope is made for.

    Raises:
        UserError: the settings can't be used, or the runtime is switched off.
    """
    from skillbag.agents.settings.runtime_settings import runtime_settings
    from skillbag.kernel.base.user_dirs import state_folder
    from skillbag.runtime.activation.request import RuntimeRequest
    from skillbag.runtime.discovery.builtin import FOLDER

    if is_off():
        raise UserError(f"active skills are switched off: {SWITCH} is `off`; unset it")
    settings = runtime_settings(scope.root)
    personal = scope.personal if scope.user else None
    if personal and not scope.own:
        settings = settings._replace(dirs=(*settings.dirs, personal))
        personal = None
    return RuntimeRequest(
        os.path.realpath(scope.root) if scope.root else None,
        personal,
        state_folder(),
        settings,
        scope.session,
        (*skills, *_names_in(NAMED)),
        approve.union(_names_in(APPROVED)),
        mode,
        _completer(settings.llm_command),
        builtin=(FOLDER,),
    )


def door_request(scope: Scope, mode: str) -> tuple[RuntimeRequest, str]:
    """As `runtime_request`, for a door where the user's guards are asked whatever a workspace says. Where its
    configuration can't be used, the user's settings hold, its skills need a sandbox, and none is activated by itself;
    the sentence says so, and is empty otherwise.

    Raises:
        UserError, OSError: the user's settings can't be used.
    """
    from skillbag.runtime.triggers.settings import Sandbox

    try:
        return runtime_request(scope, mode=mode), ""
    except (UserError, OSError) as error:
        request = runtime_request(scope._replace(root=None), mode=mode)
        settings = request.settings._replace(
            project_threshold=sys.maxsize, own_sandbox=request.settings.sandbox, sandbox=Sandbox.REQUIRE
        )
        message = f"{format_error(error)}; no skill of the workspace is activated by itself until that is repaired"
        root = os.path.realpath(scope.root) if scope.root else None
        return request._replace(workspace=root, settings=settings), message


def approved_by_variable() -> tuple[str, ...]:
    """The skills that the user's environment approves."""
    return _names_in(APPROVED)


def _names_in(variable: str) -> tuple[str, ...]:
    return split_list([os.environ.get(variable, "")])


def _completer(words: Sequence[str]) -> Completer | None:
    if not words:
        return None
    from skillbag.runtime.host.llm import command_completer

    return command_completer(words)


def is_off() -> bool:
    """Whether the user has switched active skills off."""
    return os.environ.get(SWITCH, "").strip().lower() == "off"


def has_active_skills(scope: Scope) -> bool:
    """Whether there may be an active skill: a `SKILL.yaml` in a folder of the workspace's skills or of the personal
    ones, or a section `runtime` in the user's settings. It costs a listing of these folders."""
    if is_off():
        return False
    roots = [os.path.join(scope.root, ".skills")] if scope.root else []
    roots += [scope.personal] if scope.personal and scope.user else []
    if any(holds_manifest(root) for root in roots) or os.environ.get(NAMED):
        return True
    from skillbag.agents.settings.user_settings import settings_path
    from skillbag.kernel.documents import settings_file

    try:
        return bool(settings_file.read(settings_path()).data.get("runtime"))
    except (UserError, OSError):
        # Whoever needs the settings says what is wrong with them.
        return False


def active_skill_names(scope: Scope) -> tuple[str, ...]:
    """The names of the skills that can be activated here, sorted: without those that are a `SKILL.md` alone, and
    built-in ones that the user has not named.

    Raises:
        UserError: the settings can't be used, or a skill that a variable names is not found.
    """
    from skillbag.kernel.workspace.target import SKILL_FILE
    from skillbag.runtime.discovery.builtin import unnamed
    from skillbag.runtime.discovery.discovery import discover

    request = runtime_request(scope)
    found = discover(request.discovery).skills
    plain = {each.name for each in found if os.path.basename(each.file).lower() == SKILL_FILE.lower()}
    blocked = unnamed(found, request.approved | request.settings.approved_skills)
    denies = request.settings.denies
    names = (each.name for each in found if each.name not in plain and not denies(each.name, each.source))
    return tuple(name for name in names if name not in blocked)


def holds_manifest(root: str) -> bool:
    """Whether one of the folders in `root` has a `SKILL.yaml`, or may have one: it can't be read."""
    try:
        with os.scandir(root) as entries:
            return any(_has_manifest(entry) for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True


def _has_manifest(entry: os.DirEntry[str]) -> bool:
    try:
        os.lstat(os.path.join(entry.path, _MANIFEST))
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True
