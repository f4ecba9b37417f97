"""What the scripts of `skillbag completion` ask for: the words that may stand where the cursor is.

A script gives the line up to the cursor in a variable, and reads lines `VALUE<TAB>TEXT`. The texts `:file` and `:dir`
stand for the shell's own names of files or folders.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Iterable, Iterator

import click
from click.shell_completion import CompletionItem, ShellComplete, _resolve_context, _resolve_incomplete

from skillbag.doors.cli.completion_values import FILES, FOLDERS, CompletionValue, values_of
from skillbag.doors.cli.streams import write
from skillbag.kernel.base.lazy_regex import late

SHELL, LINE, WORD = "_SKILLBAG_COMPLETE", "_SKILLBAG_LINE", "_SKILLBAG_WORD"
"""The variables: the shell; the line; and what bash takes for the word, which ends after each `:` and `=`."""

_CURSOR = "\x01"
_SAFE = late(r"[\w@%+=:,./~#-]+")
"""A value that no shell takes for anything else: names come from files that others may have written."""


def print_completions(app: click.Command) -> int:
    """Print what may follow the line; nothing where that can't be known."""
    values: list[CompletionValue] = []
    # In the middle of a line, an error message would only be in the way.
    with contextlib.suppress(Exception):
        values = completions(app, os.environ.get(LINE, ""), os.environ[SHELL])
    typed = _words(os.environ.get(LINE, ""), os.environ[SHELL])[-1]
    rest = os.environ.get(WORD, typed)
    before = len(typed) - len(rest) if typed.endswith(rest) else 0
    lines = (f"{value[before:]}\t{text}\n" for value, text in values)
    write("".join(lines), sys.stdout)
    return 0


def completions(app: click.Command, line: str, shell: str) -> list[CompletionValue]:
    """The values that may stand at the end of the line, with their texts."""
    _, *words, word = _words(line, shell)
    found = _Completer(app, {}, "skillbag", SHELL).get_completions(words, word)
    return list(dict.fromkeys(_value(item) for item in found if item.type != "plain" or _SAFE().fullmatch(item.value)))


def _value(item: CompletionItem) -> CompletionValue:
    if item.type in ("file", "dir"):
        return FILES if item.type == "file" else FOLDERS
    return CompletionValue(item.value, " ".join((item.help or "").split()))


class _Completer(ShellComplete):
    """Finds the command and the parameter as click does, and asks for our values first."""

    name = "any"
    source_template = ""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        context = _resolve_context(self.cli, self.ctx_args, self.prog_name, list(args))
        found, part = _resolve_incomplete(context, list(args), incomplete)
        known = values_of(context, found) if isinstance(found, click.Parameter) else None
        items = found.shell_complete(context, part) if known is None else list(_matching(known, part))
        # Shells replace the whole word, which may be `--option=part`.
        option = incomplete[: len(incomplete) - len(part)]
        return [_after(option, item) for item in items] if option else items


def _matching(known: Iterable[CompletionValue], part: str) -> Iterator[CompletionItem]:
    """Those that begin as the part does; of a list such as `root,li` the last one is completed."""
    first, comma, last = part.rpartition(",")
    given = {*first.split(",")} if comma else set()
    for value in known:
        if value in (FILES, FOLDERS):
            yield CompletionItem(part, "file" if value == FILES else "dir")
        elif value.value.startswith(last) and value.value not in given:
            yield CompletionItem(first + comma + value.value, help=value.text)


def _after(option: str, item: CompletionItem) -> CompletionItem:
    return CompletionItem(option + item.value, help=item.help) if item.type == "plain" else item


def _words(line: str, shell: str) -> list[str]:
    """The words of a line; the last one, which may be empty or in an open quote, is where the cursor is."""
    lexer = shlex.shlex(line + _CURSOR, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    if shell == "powershell":
        lexer.escape = "`"
    words: list[str] = []
    try:
        words.extend(lexer)
    except ValueError:
        # The quote is open.
        words.append(lexer.token)
    return [word.rstrip(_CURSOR) for word in words]
