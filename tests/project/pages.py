"""README, CONTRIBUTING and the pages of `docs/`: their blocks, and the lines that they have somebody type."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.support import PROJECT

PAGES = [PROJECT / "README.md", PROJECT / "CONTRIBUTING.md", *sorted((PROJECT / "docs").glob("*.md"))]

FENCE = re.compile(r"^(`{3,})(\w*)\n(.*?)^\1$", re.DOTALL | re.MULTILINE)
SPAN = re.compile(r"`([^`\n]+)`")
_OPERATORS = re.compile(r"[&|;<>()]+")
_BESIDE = re.compile(r"(?:^|\s)# .*$")
_EXIT = re.compile(r"# exit (\d+)\n\Z")


class Block(NamedTuple):
    """A fenced block of a page (its name), with the language that it says."""

    page: str
    language: str
    body: str


class Shown(NamedTuple):
    """A line that a page has somebody type, with the output and the exit code that it shows."""

    line: str
    output: str = ""
    exit: int = 0


def read(page: Path) -> str:
    """The text of a page."""
    return page.read_text("utf-8")


def blocks(*languages: str) -> list[Block]:
    """The blocks of these languages, on all pages."""
    found = (Block(page.name, language, body) for page in PAGES for _, language, body in FENCE.findall(read(page)))
    return [block for block in found if block.language in languages]


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
