"""A Markdown text from its plan: headings, paragraphs, lists, tables, links and fences, as long as is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

import hints
import snippets
import words
from shape import Shape

_MAX_CODE = 0.85
"""The part of a text that fences may take; where they would take more, they are shorter."""
_WIDE_DRAWING = 20
"""Characters beyond ASCII from which some fences have a drawing made of them."""
_WIDE = ("→", "✅", "—", "❌", "•", "≥", "…", "“", "”", "é")


class Plan(NamedTuple):
    """How much of everything a text has; `length` in bytes, with what stands before its first heading."""

    length: int
    headings: int
    links: int
    spans: int
    fences: tuple[int, ...]
    literals: tuple[str, ...]
    wide: int

    def shorter(self) -> Plan:
        """The same with a tenth less of text and code."""
        return self._replace(length=self.length * 9 // 10, fences=tuple(size * 9 // 10 for size in self.fences[:-1]))


class Others(NamedTuple):
    """Other files of the skill: targets that links may have, and paths that the text names in any case."""

    links: Sequence[str] = ()
    mentions: Sequence[str] = ()


def plan(random: Random, shape: Shape, kind: str, at: float) -> Plan:
    """A plan for a `skill` or a `reference` whose length is at that place among all lengths, from 0 to 1."""

    def count(name: str) -> int:
        figure = f"{kind}.{name}"
        place = at if random.random() < shape.together.get(figure, 0.0) else random.random()
        return shape.number(figure, place, random)

    length = int(shape.value(f"{kind}.bytes", at))
    sizes = [int(shape.value("fence.bytes", random.random())) for _ in range(count("fences"))]
    most = int(_MAX_CODE * length)
    if sum(sizes) > most:
        sizes = [size * most // sum(sizes) for size in sizes]
    literals = count("literals")
    # A text that mentions something mentions it again.
    kinds = shape.chosen("words", random, 1 + literals // 3)
    named = tuple(random.choice(kinds) for _ in range(literals))
    return Plan(length, count("headings"), count("links"), count("code spans"), tuple(sizes), named, count("non-ASCII"))


def body(random: Random, shape: Shape, wanted: Plan, title: str, others: Others) -> str:
    """The text under its title, with links and code spans about the other files of the skill."""
    headings = words.headings(random, max(wanted.headings - 1, 0))
    targets = [*others.links, *(f"#{words.anchor(heading)}" for heading in headings)]
    inserts = [f"`{path}`" for path in others.mentions]
    inserts += [_span(random) for _ in range(wanted.spans - len(inserts))]
    inserts += [
        f"[{words.quality(random)} {words.thing(random)}]({_target(random, targets)})" for _ in range(wanted.links)
    ]
    random.shuffle(inserts)
    fences, sentences = _fences(random, shape, wanted)
    wide = max(wanted.wide - sum(not one.isascii() for fence in fences for one in fence), 0)
    used = sum(map(len, (*headings, *fences, *sentences, *inserts))) + 5 * len(headings) + 2 * len(fences) + len(title)
    sentences += _sentences(random, wanted.length - used - 3 * wide, inserts)
    random.shuffle(sentences)
    sentences = _widened(random, sentences, wide)
    parts = [f"# {title}", "", *_dealt(random, sentences, fences, headings)]
    return "\n".join(parts)


def _target(random: Random, targets: Sequence[str]) -> str:
    if targets and random.random() < 0.6:
        return random.choice(targets)
    return f"https://example.com/{words.thing(random)}/{random.randint(1, 9999)}"


def _span(random: Random) -> str:
    return f"`{words.verb(random)}_{words.thing(random)}`" if random.random() < 0.6 else f"`--{words.quality(random)}`"


def _fences(random: Random, shape: Shape, wanted: Plan) -> tuple[list[str], list[str]]:
    """The fences, and sentences with the literals that no fence has."""
    languages = shape.chosen("languages", random, len(wanted.fences))
    within: list[list[str]] = [[] for _ in wanted.fences]
    sentences = []
    for literal in wanted.literals:
        if within and random.random() < 0.7 and hints.code(random, literal):
            random.choice(within).append(literal)
        else:
            sentences.append(hints.sentence(random, literal))
    rows = zip(languages, wanted.fences, within, strict=True)
    made = [
        snippets.fence(random, language, size, literals, wanted.wide > _WIDE_DRAWING)
        for language, size, literals in rows
    ]
    return made, sentences


def _sentences(random: Random, length: int, inserts: list[str]) -> list[str]:
    """Sentences of that many bytes together, with the inserts at their ends."""
    made = []
    while length > 0:
        made.append(words.sentence(random) if random.random() < 0.6 else words.phrase(random))
        length -= len(made[-1]) + 3
    made = made or [words.phrase(random)]
    for number, insert in enumerate(inserts):
        made[number % len(made)] += f" See {insert}."
    return made


def _widened(random: Random, sentences: list[str], wide: int) -> list[str]:
    """The sentences with that many characters beyond ASCII, all in one of three."""
    some = sentences[: max(1, len(sentences) // 3)]
    for number in range(wide):
        some[number % len(some)] += f" {random.choice(_WIDE)}" if number < len(some) else random.choice(_WIDE)
    return some + sentences[len(some) :]


def _dealt(random: Random, sentences: list[str], fences: list[str], headings: list[str]) -> list[str]:
    """Sentences and fences under the headings, each about as many."""
    parts: list[str] = []
    sections = len(headings) + 1
    for number in range(sections):
        if number:
            parts += [f"{'##' if number % 3 else '###'} {headings[number - 1]}", ""]
        start, end = (len(sentences) * place // sections for place in (number, number + 1))
        parts += _paragraph(random, sentences[start:end])
        start, end = (len(fences) * place // sections for place in (number, number + 1))
        for fence in fences[start:end]:
            parts += [fence, ""]
    return parts


def _paragraph(random: Random, sentences: list[str]) -> list[str]:
    if not sentences:
        return []
    kind = random.random()
    if kind < 0.5:
        return [*(f"- {sentence}" for sentence in sentences), ""]
    if kind < 0.7:
        return [*(f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1)), ""]
    if kind < 0.8:
        rows = (f"| {words.quality(random)} {words.thing(random)} | {sentence} |" for sentence in sentences)
        return ["| Case | Do |", "| --- | --- |", *rows, ""]
    return [" ".join(sentences), ""]
