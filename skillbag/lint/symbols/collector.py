"""Collects the occurrences of one file, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from operator import itemgetter

from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.summary import TAG
from skillbag.lint.symbols.values import FileSymbols, Form, Occurrence, Role, Symbol, skill_symbol, tag_symbol

_COMPANION = "use"


def digest_of(document: Document) -> bytes:
    """A digest of a file's content."""
    return blake2b(document.raw, digest_size=16).digest()


class Collector:
    """The occurrences of one document so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._found: dict[tuple[int, int], tuple[Symbol, Role, Form]] = {}

    def add(self, symbol: Symbol, role: Role, start: int, end: int, form: Form = Form.NAME) -> None:
        """Add an occurrence; of several at one place the first counts."""
        if symbol.name:
            self._found.setdefault((start, end), (symbol, role, form))

    def add_scalar(self, symbol: Symbol, role: Role, scalar: Scalar) -> None:
        """Add a YAML value that is a name: without its quotes, or as a whole if it has escapes."""
        extra = scalar.end - scalar.start - len(scalar.value)
        written = self.document.text[scalar.start : scalar.end]
        if extra == 2 and not scalar.plain and written[1:-1] == scalar.value:
            self.add(symbol, role, scalar.start + 1, scalar.end - 1)
        else:
            self.add(symbol, role, scalar.start, scalar.end, Form.NAME if written == scalar.value else Form.VALUE)

    def add_skill(self, scalar: Scalar, role: Role = Role.REFERENCE) -> None:
        """Add a YAML value that names a skill."""
        self.add_scalar(skill_symbol(scalar.value), role, scalar)

    def add_tags(self, start: int, end: int) -> None:
        """Add the tags in a piece of text; what `#use/` names is a skill."""
        piece = self.document.text[start:end]
        for match in TAG.finditer(piece) if "#" in piece else ():
            self.add_tag(match[1], match[2], start + match.start())

    def add_tag(self, group: str, name: str, start: int) -> None:
        """Add the tag `#group/name`, whose `#` is at `start`."""
        at = start + len(group) + 2
        if group == _COMPANION:
            symbol = skill_symbol(name)
            if is_name(symbol.name):
                self.add(symbol, Role.REFERENCE, at, at + len(name))
        else:
            self.add(tag_symbol(f"#{group}/{name}"), Role.REFERENCE, start, at + len(name))

    def result(self) -> FileSymbols:
        """What was collected. Of occurrences that overlap, the first one counts."""
        occurrences = tuple(self._distinct())
        text = self.document.text
        numbers = set() if text.isascii() else {occurrence.line for occurrence in occurrences}
        lines = {number: self.document.line(number) for number in numbers}
        odd = {number: line for number, line in lines.items() if not line.isascii()}
        odd_ends = "\r" in text and text.count("\r") != text.count("\r\n")
        return FileSymbols(self.document.path, digest_of(self.document), occurrences, odd, odd_ends)

    def _distinct(self) -> Iterator[Occurrence]:
        text, path = self.document.text, self.document.path
        at, line, counted = -1, 1, 0
        for (start, end), (symbol, role, form) in sorted(self._found.items(), key=itemgetter(0)):
            if start >= at:
                # Few places of many lines: counting goes on from the one before.
                line += text.count("\n", counted, start)
                counted, at = start, end
                column = start - text.rfind("\n", 0, start)
                yield Occurrence(symbol, role, path, start, end, line, column, form)
