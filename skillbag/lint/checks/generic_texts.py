"""Predicates for any rule about texts: words and expressions that parts of a skill must have, or must not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.globs import matches
from skillbag.kernel.base.linear_nodes import BadExpressionError
from skillbag.kernel.base.linear_regex import Expression, TooMuchWorkError, expression
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar, Sequence
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.fields import entry_of
from skillbag.lint.checks.predicate import Match, OptionFault, Predicate, Subject, Unjudged, match_at, short
from skillbag.lint.checks.text_parts import glob_faults, parts

_WHERE = ("description", "body")
_EDGE = r"\b"
_OF_MARKDOWN = frozenset(["headings", "code-blocks"])
"""Parts that a Markdown text may be without."""
_SLOW = "the search for an expression of a rule takes too long here"


class TextExpression(NamedTuple):
    """An expression, and the parts and files in which it is searched for."""

    expression: str = ""
    where: tuple[str, ...] = _WHERE
    files: tuple[str, ...] = ()

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from expression_faults(("expression",), self.expression)
        yield from glob_faults(self.files)


class FieldExpression(NamedTuple):
    """A field, the expression that its text has to match, and whether it must not instead."""

    field: str = ""
    expression: str = ""
    reject: bool = False

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        yield from expression_faults(("expression",), self.expression)


class Words(NamedTuple):
    """Words and expressions, and the parts and files in which they are searched for."""

    words: tuple[str, ...] = ()
    expressions: tuple[str, ...] = ()
    where: tuple[str, ...] = _WHERE
    files: tuple[str, ...] = ()
    match_case: bool = False
    whole_words: bool = True

    def faults(self) -> Iterator[OptionFault]:
        """What is wrong with the values."""
        if not (self.words or self.expressions):
            yield OptionFault((), "give `words` or `expressions`")
        for number, word in enumerate(self.words):
            if not word.strip():
                yield OptionFault(("words", str(number)), "the word is empty")
        for number, written in enumerate(self.expressions):
            yield from expression_faults(("expressions", str(number)), written)
        yield from glob_faults(self.files)

    def searches(self) -> list[tuple[str, Expression]]:
        """What is searched for, as it is written and compiled."""
        written = [(word, self._word(word)) for word in self.words] + [(each, each) for each in self.expressions]
        return [(name, expression(each, ignore_case=not self.match_case)) for name, each in written]

    def _word(self, word: str) -> str:
        # Words of a phrase may stand in two lines.
        escaped = r"\s+".join(map(re.escape, word.split()))
        if not self.whole_words:
            return escaped
        first, last = word.strip()[0], word.strip()[-1]
        return _EDGE * _is_letter(first) + escaped + _EDGE * _is_letter(last)


def _is_letter(char: str) -> bool:
    return char.isalnum() or char == "_"


def expression_faults(key: tuple[str, ...], written: str) -> Iterator[OptionFault]:
    """Why an option is no expression that can be searched for."""
    try:
        if not written:
            yield OptionFault(key, "the expression is empty")
        else:
            expression(written)
    except BadExpressionError as error:
        yield OptionFault(key, str(error))


@Predicate("text-matches", Subject.TEXT, values=("text",), options=TextExpression)
def text_matches(file: TextFile, options: TextExpression) -> Iterator[Match | Unjudged]:
    """Each place that matches an expression."""
    yield from _found(file, [("", expression(options.expression))], options.where, options.files)


@Predicate("text-forbidden", Subject.TEXT, values=("text",), options=Words)
def text_forbidden(file: TextFile, options: Words) -> Iterator[Match | Unjudged]:
    """Each place that has one of the words, or matches one of the expressions."""
    yield from _found(file, options.searches(), options.where, options.files)


@Predicate("text-required", Subject.TEXT, values=("text",), options=Words)
def text_required(file: TextFile, options: Words) -> Iterator[Match | Unjudged]:
    """Each word or expression that none of the parts of a file has, at the first of these parts."""
    found = list(parts(file, options.where, options.files))
    is_bare = not found and file.language == "markdown" and not _OF_MARKDOWN.isdisjoint(options.where)
    if not found and not (is_bare and (not options.files or matches(file.relative, options.files))):
        return
    start = found[0].start if found else file.body
    try:
        for name, search in options.searches():
            if not any(search.matches(part.text) for part in found):
                yield Match(file.document.path, start, start, {"text": name})
    except TooMuchWorkError:
        yield Unjudged(file.document.path, _SLOW)


def _found(
    file: TextFile, searches: list[tuple[str, Expression]], where: tuple[str, ...], files: tuple[str, ...]
) -> Iterator[Match | Unjudged]:
    seen = set[tuple[int, int]]()
    try:
        for part in parts(file, where, files):
            for _, search in searches:
                after = 0
                for start, end in search.places(part.text):
                    place = part.place(file.document.text, start, end, after)
                    after = place[1]
                    if place not in seen:
                        seen.add(place)
                        words = " ".join(part.text[start:end].split())
                        yield Match(file.document.path, *place, {"text": short(words)})
    except TooMuchWorkError:
        yield Unjudged(file.document.path, _SLOW)


@Predicate("field-matches", Subject.SKILL, values=("field", "value"), options=FieldExpression)
def field_matches(skill: Skill, options: FieldExpression) -> Iterator[Match | Unjudged]:
    """Texts of a field, or of the items of one, that do not match an expression; with `reject`, those that do."""
    entry = entry_of(skill, options.field)
    value = entry and entry.value
    search = expression(options.expression)
    try:
        for each in value.items if isinstance(value, Sequence) else (value,):
            if isinstance(each, Scalar) and search.matches(each.value.strip()) is options.reject:
                yield match_at(skill.path, each, {"field": options.field, "value": short(each.value.strip())})
    except TooMuchWorkError:
        yield Unjudged(skill.path, _SLOW)
