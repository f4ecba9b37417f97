"""Facts of code: what the readers of `facts` say that it uses, and the command lines that it starts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FoundFact
from skillbag.lint.capabilities.from_runs import run_facts
from skillbag.lint.capabilities.hosts import bucket_of, host_of, is_public
from skillbag.lint.capabilities.places import found_at
from skillbag.lint.capabilities.shortening import shortened
from skillbag.lint.facts.readers import uses_of
from skillbag.lint.facts.units import Unit
from skillbag.lint.facts.uses import UNKNOWN, Use, UseKind
from skillbag.lint.signals.variables import ORDINARY, is_secret
from skillbag.lint.signals.writes import is_system, outside


def code_facts(unit: Unit) -> Iterator[FoundFact]:
    """The facts of a script or a code block in a language whose uses are read."""
    for use in uses_of(unit):
        match use.kind:
            case UseKind.CONTACTS:
                yield from host_facts(unit, use)
            case UseKind.STARTS if use.run:
                yield from run_facts(unit, use.run)
            case UseKind.STARTS:
                yield from _programs(unit, use)
            case UseKind.VARIABLE:
                yield from _variables(unit, use)
            case UseKind.ALL_VARIABLES:
                yield found_at(unit, FactKind.VARIABLE, "(all)", use.start, "all")
            case UseKind.WRITES:
                yield from _writes(unit, use)


def host_facts(unit: Unit, use: Use) -> Iterator[FoundFact]:
    """The hosts that code contacts, or how it has an address that is decided at run time."""
    known = False
    is_given = unit.language == "shell" and bool(_GIVEN().match(use.shown))
    for text in use.texts:
        address = text.replace(UNKNOWN, "{}")
        host = host_of(address) if (store := bucket_of(address)) is None else store
        # A path is one of the server that the code belongs to.
        known = known or bool(host) or (host is None and not is_given and ("://" in text or text[:1] == "/"))
        if host:
            public = "public-address" if is_public(host) else ""
            yield found_at(unit, FactKind.HOST, host, use.start, *use.marks, public)
    if use.shown and not known:
        yield found_at(unit, FactKind.UNKNOWN_HOST, shortened(use.shown, 60), use.start, *use.marks)


_GIVEN = late(r"(?:\w++://)?+(?:[^/@]*+@)?+[^/:]*\$")
"""Where a variable has the host, what is written down is only what it may be."""


def _programs(unit: Unit, use: Use) -> Iterator[FoundFact]:
    unknown = found_at(unit, FactKind.PROGRAM, "(decided at run time)", use.start, "run-time", *use.marks)
    if not use.texts:
        yield unknown
    for line in use.texts:
        if line.lstrip("\"' ").startswith(UNKNOWN):
            yield unknown
        for found in code_facts(unit._replace(language="shell", text=line.replace(UNKNOWN, "$_"), origin=_CALL)):
            if found.kind is not FactKind.VARIABLE:
                own = use.marks if found.kind is FactKind.PROGRAM else ()
                marks = (unit.origin, *(mark for mark in found.marks if mark != _CALL), *own)
                yield found._replace(place=unknown.place, marks=marks)


_CALL = "call"
"""The origin of a command line in a call of another language."""


def _variables(unit: Unit, use: Use) -> Iterator[FoundFact]:
    is_block = unit.language == "shell" and unit.origin not in ("script", _CALL)
    for name in use.texts:
        # What another block computes is not the user's; what a block sets, the user is to fill in.
        is_own = not is_block if use.marks else is_block and name in _computed(unit.file.document.text)
        if name and UNKNOWN not in name and name not in ORDINARY and not is_own:
            yield found_at(unit, FactKind.VARIABLE, name, use.start, "secret" if is_secret(name) else "", *use.marks)


_COMPUTED = late(r"(?<!\w)([A-Z_]\w*)=(?:\"?\$\(|\"?`)")


@lru_cache(maxsize=4)
def _computed(text: str) -> frozenset[str]:
    """The variables that the blocks of a file set to what a command prints."""
    return frozenset(match[1] for match in _COMPUTED().finditer(text))


def _writes(unit: Unit, use: Use) -> Iterator[FoundFact]:
    for text in use.texts:
        path = outside(text.partition(UNKNOWN)[0])
        if path is not None and (len(path) > 1 or UNKNOWN not in text):
            yield found_at(
                unit, FactKind.WRITE_OUTSIDE, path, use.start, "system" if is_system(path) else "", *use.marks
            )
