"""Help texts: as wide as the terminal, in colour where it shows colours."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby

import click

from skillbag.doors.cli.exit_codes import EXIT_USAGE
from skillbag.doors.cli.output_style import colored
from skillbag.doors.cli.streams import columns
from skillbag.doors.cli.suggestions import suggesting_options
from skillbag.kernel.base.lazy_regex import late
from skillbag.report.columns import paint

_IN_A_PIPE, _WIDEST, _NARROWEST = 80, 100, 24
_GAP = 2
"""Blanks between a name and its text."""
_SHORT_NAMES = 3
"""The names take at most this part of the width; where they are longer, the texts stand below them."""

_HEADING, _NAME, _FAINT = "path", "hunk", "faint"
_OPTION = late(r"(?<![\w-])--?\w[\w-]*")
_EXAMPLE = late(r"(?P<command> +\S.*?)(?P<gap> {2,})(?P<text>\S.*)")
_BREAKS = late(r"(?<=[ |])(?=.)")
"""Where a long name of an option with its values may go on in the next line."""


class HelpPage(click.HelpFormatter):
    """A help text. Where click would cut or overrun a narrow terminal, this goes on in the next line."""

    def __init__(self, width: int, color: bool) -> None:
        super().__init__(width=width)
        self.color = color

    def write_heading(self, heading: str) -> None:
        """Write the heading of a section."""
        self.write(f"{' ' * self.current_indent}{self._paint(f'{heading}:', _HEADING)}\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the line of usage: what belongs together stays in one line."""
        first = prefix if prefix is not None else "Usage: "
        lines = _filled([*prog.split(), *args.split()], self.width - len(first))
        text = f"\n{' ' * len(first)}".join(lines)
        self.write(f"{self._paint(first.rstrip(), _HEADING)} {text.replace(prog, self._paint(prog, _NAME), 1)}\n")

    def write_text(self, text: str) -> None:
        """Write paragraphs; those that begin with a line `\\b` keep their lines."""
        for number, paragraph in enumerate(text.split("\n\n")):
            if number:
                self.write("\n")
            first, _, rest = paragraph.lstrip("\n").partition("\n")
            lines = self._kept(rest) if first.strip() == "\b" else self._folded(paragraph)
            for line in lines:
                self.write(f"{' ' * self.current_indent}{line}\n")

    def write_items(self, items: Iterable[str]) -> None:
        """Write a list in as few lines as it needs; each item stays whole."""
        for line in _filled("; \0".join(items).split("\0"), self.width - self.current_indent, glue=""):
            self.write(f"{' ' * self.current_indent}{line.rstrip()}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = _GAP) -> None:
        """Write names and their texts, in two columns where there is room."""
        listed = list(rows)
        room = self.width - self.current_indent
        names = min(max((len(name) for name, _ in listed), default=0), col_max) + col_spacing
        below = names > room // _SHORT_NAMES and room < _IN_A_PIPE - col_max
        indent = " " * self.current_indent
        for name, text in listed:
            column = 2 * _GAP if below else names
            heads = _filled(_BREAKS().split(name), room, glue="")
            texts = _filled(text.split(), room - column)
            beside = not below and texts and len(heads[-1]) <= names - col_spacing
            for head in heads[:-1]:
                self.write(f"{indent}{self._names(head.rstrip())}\n")
            blanks = " " * (column - len(heads[-1]))
            self.write(f"{indent}{self._names(heads[-1])}{blanks + texts.pop(0) if beside else ''}\n")
            for line in texts:
                self.write(f"{indent}{' ' * column}{line}\n")

    def _kept(self, text: str) -> Iterator[str]:
        """Lines as they are, and sentences in them filled again where one is too long."""
        room = self.width - self.current_indent

        def is_example(line: str) -> bool:
            return line.startswith(" ") or (line.endswith(":") and len(line) <= room)

        for are_examples, lines in groupby(text.splitlines(), is_example):
            block = list(lines)
            if are_examples:
                yield from (part for line in block for part in self._example(line))
            elif max(map(len, block)) > room:
                yield from self._folded("\n".join(block))
            else:
                yield from block

    def _example(self, line: str) -> Iterator[str]:
        """A heading, or an example; where it is too long, its comment goes below it."""
        room = self.width - self.current_indent
        parts = _EXAMPLE().fullmatch(line)
        if line.endswith(":") and not line.startswith(" "):
            yield self._paint(line, _HEADING)
        elif parts and len(line) <= room:
            yield parts["command"] + parts["gap"] + self._paint(parts["text"], _FAINT)
        elif parts:
            yield from _hanging(parts["command"], room)
            yield from (self._paint(part, _FAINT) for part in _hanging(f"      {parts['text']}", room, more=0))
        else:
            yield from _hanging(line, room)

    def _folded(self, paragraph: str) -> Iterator[str]:
        indent = len(paragraph) - len(paragraph.lstrip())
        lines = _filled(paragraph.split(), self.width - self.current_indent - indent)
        yield from (" " * indent + line for line in lines)

    def _names(self, text: str) -> str:
        """The names in a text of options, or the text, which is the name of a command."""
        if not text.lstrip().startswith("-"):
            return self._paint(text, _NAME) if text.lower() == text else text
        return _OPTION().sub(lambda found: self._paint(found[0], _NAME), text)

    def _paint(self, text: str, style: str) -> str:
        return paint(text, style, self.color)


def _hanging(line: str, room: int, more: int = 4) -> Iterator[str]:
    """A line in as many as it needs; all but the first are indented by `more`, if there is room."""
    indent = " " * (len(line) - len(line.lstrip()))
    if len(line) <= room:
        yield line
        return
    words = line.split()
    more = max(0, min(more, room - len(indent) - max(map(len, words))))
    first, *others = _filled(words, room - len(indent) - more)
    yield indent + first
    yield from (indent + " " * more + other for other in others)


def _filled(words: Iterable[str], room: int, glue: str = " ") -> list[str]:
    """The words in lines of at most so many characters; a longer word has a line of its own."""
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(glue) + len(word.rstrip()) > room:
            lines.append(word)
        else:
            lines[-1] += glue + word if lines[-1] else word
    return lines if lines[0] else []


class HelpContext(click.Context):
    """The context of a command whose help is a `HelpPage`."""

    def make_formatter(self) -> HelpPage:
        """A page for the terminal; without colours it has those of an error message."""
        wide = min(columns(sys.stdout) or _IN_A_PIPE, self.max_content_width or _WIDEST)
        return HelpPage(max(wide, _NARROWEST), bool(self.color))

    def get_help(self) -> str:
        """The help text, in colour where standard output is."""
        self.color = colored(sys.stdout)
        return super().get_help()


class Explained(click.Command):
    """A command with such a help text."""

    context_class = HelpContext

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; a group that gets none prints its help."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit(EXIT_USAGE)
        with suggesting_options(ctx, args):
            return super().parse_args(ctx, args)


def write_sections(formatter: click.HelpFormatter, sections: Iterable[tuple[str, Iterable[tuple[str, str]]]]) -> None:
    """Write groups of commands with their texts, all texts in one column."""
    listed = [(title, list(rows)) for title, rows in sections]
    widest = max((len(name) for _, rows in listed for name, _ in rows), default=0)
    for title, rows in listed:
        with formatter.section(title):
            formatter.write_dl([(name.ljust(widest), text) for name, text in rows])
