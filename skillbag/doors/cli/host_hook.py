"""Commands as hooks of an agent, which gives JSON on standard input and takes text: `enter --hook`, `turn --hook`.

A hook of each prompt imports this: keep its imports few.
"""

from __future__ import annotations

import json
import os
import sys

from skillbag.doors.cli.streams import silence, write
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.fs.read import LIMIT
from skillbag.kernel.workspace.discovery import NoWorkspaceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn


class BadHookError(UserError):
    """Standard input holds something else than a hook's JSON."""


class HookEvent:
    """The JSON object that an agent gives a hook."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values

    @classmethod
    def of(cls, data: bytes) -> HookEvent:
        """The object on standard input; one without keys where there is nothing. Raises BadHookError."""
        if len(data) > LIMIT:
            raise _bad("is too long")
        try:
            values = json.loads(data if data.strip() else "{}")
        except (ValueError, RecursionError):
            raise _bad("is not valid JSON") from None
        if not isinstance(values, dict):
            raise _bad("is not a JSON object")
        return cls(values)

    def text(self, key: str) -> str | None:
        """The text of this key. Raises BadHookError if it is something else."""
        value = self._values.get(key)
        if value is not None and not isinstance(value, str):
            raise BadHookError(f"`{key}` on the standard input of the hook is not text; run skillbag enter instead")
        return value

    def folder(self, named: str | None) -> str:
        """The agent's folder, unless one is `named`. Raises BadHookError if there is none."""
        folder = named or self.text("cwd") or "."
        if not os.path.isdir(folder):
            raise BadHookError(f"{folder}: there is no such folder, so no workspace was entered")
        return folder


def _bad(what: str) -> BadHookError:
    return BadHookError(f"the standard input of the hook {what}; run skillbag enter instead")


def _print(text: str) -> None:
    write(text, sys.stdout)


def answer_hook(work: Callable[[], None], say: Callable[[str], object] = _print) -> NoReturn:
    """Do it, `say` what went wrong, and exit with 0: an error is a line of text."""
    try:
        say(_failure_of(work))
    except OSError:
        # Standard output takes nothing: a full disk, say.
        silence(sys.stdout)
        silence(sys.stderr)
    sys.exit(0)


def _failure_of(work: Callable[[], None]) -> str:
    try:
        work()
        return ""
    except NoWorkspaceError:
        # Users start agents in other folders, too.
        return ""
    except (UserError, OSError) as error:
        message = format_error(error)
    except Exception as error:
        import traceback

        traceback.print_exc()
        message = f"entry failed ({type(error).__name__}), which is a bug in skillbag; skillbag enter shows more"
    from skillbag.report.sanitize import shown

    return f"skillbag: {shown('; '.join(message.splitlines()))}\n"
