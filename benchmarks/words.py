"""The words that the corpora are written with, and the few ways in which sentences are made of them."""

from __future__ import annotations

from functools import cache
from random import Random
from string import Formatter


def _split(text: str, separator: str | None = None) -> tuple[str, ...]:
    return tuple(text.split(separator))


_VERBS = _split(
    "archive audit balance batch classify clean collect compare compile compress convert crop deduplicate diff "
    "digest draft encode enrich estimate export extract filter fold format forecast group import index inspect join "
    "label log map mask measure merge migrate mirror normalise number order outline package parse patch plan plot "
    "preview profile prune publish query rank reconcile redact release rename render repair replay resize review "
    "rotate round sample scale schedule score sort split stage summarise tag tally test trace translate trim unpack "
    "upgrade validate verify weigh"
)
_THINGS = _split(
    "address album answer appendix article asset backup badge barcode bill blueprint booking branch brief budget "
    "calendar caption catalogue certificate chapter chart checklist claim column contract course coupon dashboard "
    "dataset deck delivery diagram digest document edition email event expense feed figure folder footnote form "
    "forecast glossary graph handbook image index inventory invoice journal label layout ledger letter licence log "
    "manual manuscript map meeting memo menu message migration minute module note notebook notice offer order outline "
    "package page parcel payment permit photo playlist policy portfolio poster price proposal quote receipt record "
    "recipe reminder report request review roster route schedule script segment sensor shipment sketch slide snapshot "
    "spreadsheet statement storyboard summary survey table template ticket timeline timesheet transcript translation "
    "voucher workbook"
)
_QUALITIES = _split(
    "annual approved archived average broken bulk central certified clean combined complete confirmed consistent daily "
    "dated delayed detailed digital double draft early empty exact external final flat foreign formal frequent global "
    "grouped heavy hourly incoming indexed internal joint large late legacy light linked local long manual merged "
    "missing mixed monthly narrow national nested numbered open outgoing paired partial pending plain printed private "
    "public quarterly rare raw recent regional regular remote returned scanned seasonal shared short signed single "
    "sorted spare standard stored sudden tabular temporary typed unique unsorted urgent valid verified weekly wide"
)
_PLACES = _split(
    "the archive room, the billing desk, the build farm, the call centre, the city office, the design team, "
    "the editorial board, the field crew, the finance group, the front desk, the help line, the lab, the library, "
    "the mail room, the night shift, the print shop, the research unit, the sales floor, the school, the studio, "
    "the supply chain, the test bench, the warehouse, the workshop",
    ", ",
)
_SHAPES = (
    "Keep every {quality} {thing} beside the {thing2} that it came from, so that {place} can {verb} it later.",
    "A {quality} {thing} that {place} has not seen yet goes to the end of the {thing2}.",
    "When the {thing} and the {thing2} disagree, {verb} the {quality} one first and write down why.",
    "Before you {verb} a {thing}, count its parts; a {quality} {thing2} has at least {number}.",
    "Most mistakes begin with a {quality} {thing}, so {verb} it before {place} asks for the {thing2}.",
    "For {number} or more items, {verb} them in groups and leave the {quality} {thing} for {place}.",
    "The {thing} is {quality} for {number} days; after that, {verb} the {thing2} again.",
    "If {place} sends a {quality} {thing}, {verb} the {thing2} with the same date.",
)
_PHRASES = (
    "**{quality} {thing}**: {verb} the {thing2}",
    "{verb} each {quality} {thing}",
    "{number} lines of the {thing}, {quality} first",
    "{thing} and {thing2}: {verb}, {verb} again",
    "**{thing}** for {place}",
)


def verb(random: Random) -> str:
    """One verb, in the infinitive."""
    return _pick(random, _VERBS)


def thing(random: Random) -> str:
    """One noun, singular."""
    return _pick(random, _THINGS)


def quality(random: Random) -> str:
    """One adjective."""
    return _pick(random, _QUALITIES)


def place(random: Random) -> str:
    """Somebody to work for, with the article."""
    return _pick(random, _PLACES)


def sentence(random: Random) -> str:
    """A whole sentence, without characters that mean anything to Markdown or YAML."""
    return filled(random, _pick(random, _SHAPES))


def phrase(random: Random) -> str:
    """A short line, as lists have them."""
    return filled(random, _pick(random, _PHRASES))


def filled(random: Random, shape: str) -> str:
    """A pattern with words in the places of `{verb}`, `{thing}`, `{thing2}`, `{quality}`, `{place}` and `{number}`."""
    return shape.format_map({name: _pick(random, _FIELDS[name]) for name in _fields(shape)})


_FIELDS = {
    "verb": _VERBS,
    "thing": _THINGS,
    "thing2": _THINGS,
    "quality": _QUALITIES,
    "place": _PLACES,
    "number": tuple(map(str, range(3, 401))),
}


@cache
def _fields(shape: str) -> tuple[str, ...]:
    """The names of the fields of a pattern, once each."""
    return tuple({name: None for _, name, _, _ in Formatter().parse(shape) if name})


def _pick(random: Random, several: tuple[str, ...]) -> str:
    """`random.choice`, three times as fast."""
    return several[int(random.random() * len(several))]


def headings(random: Random, count: int) -> list[str]:
    """`count` headings of three words, all different, so that their anchors are as well."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[f"{verb(random).capitalize()} {quality(random)} {thing(random)}"] = None
    return list(found)


def anchor(heading: str) -> str:
    """The anchor of a heading that consists of words and spaces only."""
    return heading.lower().replace(" ", "-")
