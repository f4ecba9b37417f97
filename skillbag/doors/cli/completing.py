"""What shells complete: click's scripts and protocol, with our values for options and arguments."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator

import click
from click.shell_completion import (
    CompletionItem,
    ShellComplete,
    _resolve_context,
    _resolve_incomplete,
    add_completion_class,
    get_completion_class,
    shell_complete,
)

from skillbag.doors.cli.completion_values import FILES, FOLDERS, CompletionValue, values_of
from skillbag.kernel.base.lazy_regex import late

VARIABLE = "_SKILLBAG_COMPLETE"
"""With which a script asks for completions."""

SHELLS = tuple(name for name in ("bash", "zsh", "fish", "powershell") if get_completion_class(name))
"""Those that the installed click knows."""

_SAFE = late(r"[\w@%+=:,./~#-]+")
"""A value that no shell takes for anything else: names come from files that others may have written."""


def completer(shell: str, app: click.Command) -> ShellComplete:
    """What makes the script of a shell, and answers it."""
    base = get_completion_class(shell)
    assert base is not None  # noqa: S101 - one of SHELLS
    if not issubclass(base, _Completing):
        # Values may have commas: fish must take the first one alone.
        template = base.source_template.replace('string split ","', 'string split -m 1 ","')
        base = add_completion_class(type(base.__name__, (_Completing, base), {"source_template": template}))
    return base(app, {}, "skillbag", VARIABLE)


def print_completions(app: click.Command) -> int:
    """Print what may follow the line; nothing where that can't be known."""
    instruction = os.environ[VARIABLE]
    # In the middle of a line, an error message would only be in the way.
    with contextlib.suppress(Exception):
        completer(instruction.partition("_")[0], app)
        shell_complete(app, {}, "skillbag", VARIABLE, instruction)
    return 0


class _Completing(ShellComplete):
    """Finds the command and the parameter as click does, and asks for our values first."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        # Bash makes three words of `--option=part`.
        words = [word for word in args if word != "="]
        context = _resolve_context(self.cli, self.ctx_args, self.prog_name, words)
        found, part = _resolve_incomplete(context, words, incomplete)
        known = values_of(context, found) if isinstance(found, click.Parameter) else None
        items = found.shell_complete(context, part) if known is None else list(_matching(known, part))
        # Shells replace the whole word, which may be `--option=part`.
        option = "" if incomplete == "=" else incomplete[: len(incomplete) - len(part)]
        safe = (item for item in items if item.type != "plain" or _SAFE().fullmatch(item.value))
        return [_after(option, item) for item in safe]


def _matching(known: Iterable[CompletionValue], part: str) -> Iterator[CompletionItem]:
    """Those that begin as the part does; of a list such as `root,li` the last one is completed."""
    first, comma, last = part.rpartition(",")
    given = {*first.split(",")} if comma else set()
    for value in dict.fromkeys(known):
        if value in (FILES, FOLDERS):
            yield CompletionItem(part, "file" if value == FILES else "dir")
        elif value.value.startswith(last) and value.value not in given:
            yield CompletionItem(first + comma + value.value, help=" ".join(value.text.split()))


def _after(option: str, item: CompletionItem) -> CompletionItem:
    return CompletionItem(option + item.value, help=item.help) if item.type == "plain" else item
