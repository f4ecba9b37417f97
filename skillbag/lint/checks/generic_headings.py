"""Predicates for any rule about the headings of Markdown: which there must be, and in which order."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.globs import matches
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import Heading
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, OptionFault, Predicate, Subject
from skillbag.lint.checks.text_parts import glob_faults


class Headings(NamedTuple):
    """The texts of headings, in any case; their `level`, or 0 for any; the Markdown files that are meant."""

    headings: tuple[str, ...] = ()
    level: int = 0
    files: tuple[str, ...] = ("/SKILL.md",)

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from glob_faults(self.files)


class Sections(NamedTuple):
    """The texts of headings in their order, and the Markdown files that are meant."""

    headings: tuple[str, ...] = ()
    files: tuple[str, ...] = ("/SKILL.md",)

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from glob_faults(self.files)


def _words(text: str) -> str:
    return " ".join(text.split()).rstrip(":").casefold()


def _headings(file: TextFile, files: tuple[str, ...]) -> tuple[Heading, ...] | None:
    return file.markdown.headings if file.language == "markdown" and matches(file.relative, files) else None


@Predicate("heading-required", Subject.TEXT, values=("heading",), options=Headings)
def heading_required(file: TextFile, options: Headings) -> Iterator[Match]:
    """Headings that a file does not have, at the start of its text."""
    found = _headings(file, options.files)
    if found is None:
        return
    known = {_words(heading.words) for heading in found if options.level in (0, heading.level)}
    for wanted in options.headings:
        if _words(wanted) not in known:
            yield Match(file.document.path, file.body, file.body, {"heading": wanted})


@Predicate("section-order", Subject.TEXT, values=("heading", "before"), options=Sections)
def section_order(file: TextFile, options: Sections) -> Iterator[Match]:
    """Headings that stand after one that they must stand before; those that a file does not have are no fault."""
    order = {_words(heading): number for number, heading in enumerate(options.headings)}
    last: Heading | None = None
    for heading in _headings(file, options.files) or ():
        number = order.get(_words(heading.words))
        if number is None:
            continue
        if last and number < order[_words(last.words)]:
            end = heading.start + len(file.document.text[heading.start : heading.end].partition("\n")[0].rstrip())
            yield Match(file.document.path, heading.start, end, {"heading": heading.words, "before": last.words})
        else:
            last = heading
