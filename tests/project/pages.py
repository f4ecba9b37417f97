"""README, CONTRIBUTING and the pages of `docs/`: their blocks, and the lines that they have somebody type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from tests.support import PROJECT

DOCS = PROJECT / "docs"
TASKS = [*sorted((DOCS / "start").glob("*.md")), *sorted((DOCS / "how-to").glob("*.md"))]
"""Pages that a reader follows from the first line to the last, in a folder that is empty at first."""
PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md")), *TASKS]
COMMANDS = sorted((DOCS / "commands").glob("*.md"))

FENCE = re.compile(r"^ *(`{3,})(\w*)(?: title=\"[^\"\n]*\")?\n(.*?)^ *\1$", re.DOTALL | re.MULTILINE)
_TITLE = re.compile(r' title="([^"\n]*)"')
SPAN = re.compile(r"`([^`\n]+)`")
_OPERATORS = re.compile(r"[&|;<>()]+")
_BESIDE = re.compile(r"(?:^|\s)# .*$")
_EXIT = re.compile(r"# exit (\d+)\n\Z")


class Block(NamedTuple):
    """A fenced block of a page (its name), with the language that it says, and the file that it is, if it is one."""

    page: str
    language: str
    body: str
    title: str = ""


class Shown(NamedTuple):
    """A line that a page has somebody type, with the output and the exit code that it shows."""

    line: str
    output: str = ""
    exit: int = 0


def read(page: Path) -> str:
    """The text of a page."""
    return page.read_text("utf-8")


def name(page: Path) -> str:
    """How tests call a page: its path in `docs/`, or its name."""
    return page.relative_to(DOCS).as_posix() if page.is_relative_to(DOCS) else page.name


def blocks(*languages: str, pages: Iterable[Path] = PAGES) -> list[Block]:
    """The blocks of these languages, or of all, on all pages."""
    found = [(page, match) for page in pages for match in FENCE.finditer(read(page))]
    made = (Block(name(page), match[2], dedent(match[3]), _title(match[0])) for page, match in found)
    return [block for block in made if not languages or block.language in languages]


def _title(block: str) -> str:
    found = _TITLE.search(block.partition("\n")[0])
    return found[1] if found else ""


def typed(block: Block) -> Iterator[Shown]:
    """The lines of a block of `console` (after each `$ `) or of `sh` (all)."""
    if block.language == "console":
        for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            ended = _EXIT.search(output)
            yield Shown(line, _EXIT.sub("", output), int(ended[1]) if ended else 0)
    else:
        for line in block.body.splitlines():
            if line.strip():
                yield Shown(line)


def calls(line: str) -> Iterator[list[str]]:
    """The words after `skillbag`, wherever a line calls it."""
    words = shlex.shlex(re.sub(r"\$\{\{.*?\}\}", "1", _BESIDE.sub("", line)), posix=True, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    call: list[str] = []
    for word in (*words, ";"):
        if _OPERATORS.fullmatch(word):
            if Path(next(iter(call), "")).name == "skillbag":
                yield call[1:]
            call = []
        else:
            call.append(word)


def runs(value: object) -> Iterator[str]:
    """The commands that a workflow, a host's settings or a client's settings hold."""
    if isinstance(value, list):
        for item in value:
            yield from runs(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("run", "entry", "command") and isinstance(item, str):
                yield from (" ".join((line, shlex.join(value.get("args", [])))) for line in item.splitlines())
            else:
                yield from runs(item)
