"""The errors of the runtime, each with its code in the protocol of child processes (skill runtime, section 7.1); and
names that may be meant by one that is not known."""

from __future__ import annotations

from collections.abc import Collection

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.posix import ELSEWHERE


class RuntimeFaultError(UserError):
    """An operation of a skill failed; the message says which and why. `code` is that of JSON-RPC."""

    code = -32603


class NotPermittedError(RuntimeFaultError):
    """A permission is not declared, not approved, or denied."""

    code = -32001


class HookError(NotPermittedError):
    """A hook cancelled a call, or made its result an error; the message is for who called."""


class RateLimitedError(RuntimeFaultError):
    """The limit of a permission for one turn is reached."""

    code = -32002


class TimeLimitError(RuntimeFaultError):
    """A call took longer than its limit."""

    code = -32003


class NotFoundError(RuntimeFaultError):
    """There is no such tool, workflow, skill or file."""

    code = -32004


class BadParametersError(RuntimeFaultError):
    """The arguments of a call do not have the required shape."""

    code = -32602


class ChildError(RuntimeFaultError):
    """A skill's process ended, broke the protocol, or could not be started."""


class SkillUnavailableError(ChildError):
    """A skill needs a package of an extra, which is not installed, or another system."""


_BY_CODE = {
    kind.code: kind for kind in (NotPermittedError, RateLimitedError, TimeLimitError, NotFoundError, BadParametersError)
}


def error_of(code: object, message: str) -> RuntimeFaultError:
    """The error that a code of the protocol names; what is no number of ours is the code of no special kind."""
    if not isinstance(code, int):
        return RuntimeFaultError(message)
    error = _BY_CODE.get(code, RuntimeFaultError)(message)
    error.code = code
    return error


_EXTRA = "'skillbag["
"""What every command that installs an extra has."""


def blocked_error(message: str) -> RuntimeFaultError:
    """The error of a skill that can't be activated, of its own kind where an extra or another system is needed."""
    is_missing = _EXTRA in message or message.endswith(ELSEWHERE)
    return SkillUnavailableError(message) if is_missing else RuntimeFaultError(message)


def meant(name: str, known: Collection[str]) -> str:
    """The end of a message about a name that is not among the known ones; empty if none is like it."""
    return nearest(name[:80], sorted(known), '"{}"')
