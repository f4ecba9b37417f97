"""The manual: a page about the program and one about each of its commands, made of the commands' help.

python tools/man_pages.py FOLDER    write the pages; `tools/build_hook.py` does, for the wheel
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from commands import ROOT, below, commands, options, usage

from skillbag import __version__
from skillbag.doors.cli.app import SECTIONS

_OPTION = re.compile(r"(?<![\w-])--?\w[\w-]*")


def man_pages() -> Iterator[tuple[str, str]]:
    """The name of each file with its text."""
    sections = (
        (title, [(f"skillbag-{name}(1)", text) for name, (_, text) in rows.items()]) for title, rows in SECTIONS.items()
    )
    titled = "".join(f'.SS "{title}"\n' + _terms(rows) for title, rows in sections)
    short = "checks, installs and runs skills of AI agents"
    yield "skillbag.1", _page(ROOT, short, [".SH COMMANDS\n" + titled], ["skillbag-check(1)"])
    for context, summary in commands():
        yield f"skillbag-{context.info_name}.1", _page(context, summary, list(_below(context)), ["skillbag(1)"])


def write_pages(folder: Path) -> list[Path]:
    """Write every page; returns where they are."""
    pages = {folder / name: text for name, text in man_pages()}
    for path, text in pages.items():
        path.write_bytes(text.encode())
    return list(pages)


def _page(context: click.Context, short: str, more: Iterable[str], see: Iterable[str]) -> str:
    name = context.command_path.replace(" ", "-")
    command = context.command
    parts = [
        '.\\" Made by tools/man_pages.py from the help of the commands.\n',
        f'.TH {_roff(name.upper())} 1 "" "skillbag {__version__}" "skillbag"\n',
        f".SH NAME\n{_roff(name)} \\- {_roff(short[0].lower() + short[1:].rstrip('.'))}\n",
        f".SH SYNOPSIS\n\\fB{_roff(context.command_path)}\\fR {_roff(usage(context))}\n",
        f".SH DESCRIPTION\n{_text(command.help or '')}",
        f".SH OPTIONS\n{_terms(options(context))}",
        *more,
        *([_epilog(command.epilog)] if command.epilog else []),
        f".SH SEE ALSO\n{', '.join(map(_reference, see))}\n",
    ]
    return "".join(parts)


def _below(context: click.Context) -> Iterator[str]:
    """The commands of a group."""
    if isinstance(context.command, click.Group):
        yield ".SH COMMANDS\n"
    for inner in below(context):
        head = f'.SS "{_roff(inner.command_path)} {_roff(usage(inner))}"\n'
        yield f"{head}{_text(inner.command.help or '')}{_terms(options(inner))}"


def _terms(rows: Iterable[tuple[str, str]]) -> str:
    return "".join(f".TP\n{_names(name)}\n{_line(' '.join(text.split())) or chr(92) + '&'}\n" for name, text in rows)


def _names(text: str) -> str:
    """Options in bold, with their values; a name without any is bold as a whole."""
    if not text.startswith("-"):
        return f"\\fB{_roff(text)}\\fR"
    parts, end = [], 0
    for found in _OPTION.finditer(text):
        parts += [_roff(text[end : found.start()]), f"\\fB{_roff(found[0])}\\fR"]
        end = found.end()
    return "".join((*parts, _roff(text[end:])))


def _epilog(text: str) -> str:
    """Examples and exit codes, under headings of their own."""
    cleaned = inspect.cleandoc(text)
    heading = "EXAMPLES" if "xample" in cleaned.partition(":")[0] else "NOTES"
    return f".SH {heading}\n{_text(re.sub(r'(?m)^Examples?:$', '', cleaned))}"


def _text(text: str) -> str:
    """Paragraphs; the lines of an indented one, and of one after `\\b`, stay as they are."""
    blocks = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line.strip() not in ("", "\b")]
        kept = [line for line in lines if line.startswith(" ")]
        if kept:
            plain = [line for line in lines if not line.startswith(" ")]
            blocks.append("".join(f"{_line(line)}\n" for line in plain) + _example(kept))
        elif lines:
            blocks.append("".join(f"{_line(line.strip())}\n" for line in lines))
    return ".PP\n".join(blocks).removeprefix(".PP\n")


def _example(lines: Iterable[str]) -> str:
    return ".PP\n.RS 4\n.nf\n" + "".join(f"{_line(line.strip())}\n" for line in lines) + ".fi\n.RE\n"


def _reference(page: str) -> str:
    name, _, section = page.partition("(")
    return f"\\fB{_roff(name)}\\fR({section}"


def _line(text: str) -> str:
    # A line that begins with one of these is a request.
    return f"\\&{_roff(text)}" if text[:1] in (".", "'") else _roff(text)


def _roff(text: str) -> str:
    escaped = (
        text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga").replace('"', "\\(dq")
    )
    return "".join(char if char < "\x7f" else f"\\[u{ord(char):04X}]" for char in escaped)


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]))
