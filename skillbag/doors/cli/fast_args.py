"""Valid command lines of `skillbag check` and of the hooks of agents, parsed without click, whose import takes as long
as checking a dozen skills.

Anything else is left to click, so that all messages about wrong usage come from click.
"""

from __future__ import annotations

import os
import stat

from skillbag.doors.cli.check_options import FILE, FLAG, OPTIONS, CheckOptions, Option, WrongValueError, made
from skillbag.doors.cli.output_style import with_color_values
from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_BY_FIELD = {option.field: option for option in OPTIONS}
_BY_NAME = {name: option for option in OPTIONS for name in option.names}
_EXPANDED = frozenset("*?[~%$")
"""On Windows, click looks for files and variables where these are."""


def read_plain(arguments: list[str]) -> CheckOptions | None:
    """The options of a plain `check …`; None for every other command line, the wrong ones among them."""
    if arguments[:1] != ["check"] or "_SKILLBAG_COMPLETE" in os.environ:
        return None
    if os.name == "nt" and any(_EXPANDED.intersection(argument) for argument in arguments):
        return None
    paths: list[str] = []
    values: dict[str, list[str]] = {}
    found: dict[str, Any] = {}
    rest = iter(with_color_values(arguments[1:]))
    for argument in rest:
        if argument == "-" or not argument.startswith("-"):
            paths.append(argument)
            continue
        name, equals, value = argument.partition("=") if argument.startswith("--") else (argument, "", "")
        option = _BY_NAME.get(name)
        if option is None:
            return None
        if option.takes == FLAG:
            if equals:
                return None
            found[option.field] = True
            continue
        if not equals:
            value = next(rest, "")
        if not _is_plain(option, value):
            return None
        values.setdefault(option.field, []).append(value)
    try:
        found.update((field, _BY_FIELD[field].value(given)) for field, given in values.items())
        options = made(paths, found)
    except WrongValueError:
        return None
    return None if options.quiet and options.verbose else options


def read_hook(arguments: list[str]) -> str | None:
    """The host of a plain `runtime hook --host NAME`; None for every other command line."""
    if len(arguments) != 4 or arguments[:3] != ["runtime", "hook", "--host"] or "_SKILLBAG_COMPLETE" in os.environ:
        return None
    from skillbag.agents.hosts.answering import HOSTS

    return arguments[3] if arguments[3] in HOSTS else None


def is_limit_hook(arguments: list[str]) -> bool:
    """Whether it is `agent hook run --host claude-code`, as `agent hook install` writes it."""
    return arguments == ["agent", "hook", "run", "--host", "claude-code"] and "_SKILLBAG_COMPLETE" not in os.environ


class TurnOptions(NamedTuple):
    """A plain `turn`: the session, and whether it is the hook of a prompt."""

    skills: tuple[str, ...]
    says: tuple[str, ...]
    session: str | None
    is_hook: bool


def read_turn(arguments: list[str]) -> TurnOptions | None:
    """The options of a plain `turn [SKILL]... [--session ID] [--set NAME=VALUE]... [--hook]`; None for all others."""
    if arguments[:1] != ["turn"] or "_SKILLBAG_COMPLETE" in os.environ:
        return None
    found: dict[str, list[str]] = {"": [], "--set": [], "--session": [], "--hook": []}
    rest = iter(arguments[1:])
    for argument in rest:
        name, equals, value = argument.partition("=") if argument.startswith("-") else ("", "=", argument)
        if name not in found or (name == "--hook" and equals) or not (value or (name and not equals)):
            return None
        if name and name != "--hook" and not equals and not (value := next(rest, "")):
            return None
        found[name].append(value)
    session = found["--session"][-1] if found["--session"] else os.environ.get("SKILLBAG_SESSION") or None
    return TurnOptions(tuple(found[""]), tuple(found["--set"]), session, bool(found["--hook"]))


def _is_plain(option: Option, value: str) -> bool:
    """Whether a value is one that its option takes."""
    if not value:
        return False
    if option.choices:
        return value in option.choices
    if option.takes != FILE:
        return True
    try:
        mode = os.stat(value).st_mode
    except OSError:
        return True
    return not stat.S_ISDIR(mode) and os.access(value, os.R_OK)
