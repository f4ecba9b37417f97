"""Facts of code: what the readers of `facts` say that it uses, and the command lines that it starts."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.lint.capabilities.facts import FactKind, FoundFact
from skillbag.lint.capabilities.from_shell import called
from skillbag.lint.capabilities.hosts import bucket_of, host_of
from skillbag.lint.capabilities.places import contacted, found_at
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
                yield from _hosts(unit, use)
            case UseKind.STARTS:
                yield from _programs(unit, use)
            case UseKind.VARIABLE:
                yield from _variables(unit, use)
            case UseKind.ALL_VARIABLES:
                yield found_at(unit, FactKind.VARIABLE, "(all)", use.start, "all")
            case UseKind.WRITES:
                yield from _writes(unit, use)


def _hosts(unit: Unit, use: Use) -> Iterator[FoundFact]:
    known = False
    for text in use.texts:
        address = text.replace(UNKNOWN, "{}")
        host = bucket_of(address) if "://" in address[:6] and address[:1] in "sg" else host_of(address)
        # A path is one of the server that the code belongs to.
        known = known or bool(host) or (host is None and ("://" in text or text.startswith("/")))
        if host:
            yield contacted(unit, host, address, use.start, *use.marks)
    if use.shown and not known:
        yield found_at(unit, FactKind.UNKNOWN_HOST, shortened(use.shown, 60), use.start, *use.marks)


def _programs(unit: Unit, use: Use) -> Iterator[FoundFact]:
    unknown = found_at(unit, FactKind.PROGRAM, "(decided at run time)", use.start, "run-time", *use.marks)
    if not use.texts:
        yield unknown
    for line in use.texts:
        if line.lstrip("\"' ").startswith(UNKNOWN):
            yield unknown
        yield from called(unit, line.replace(UNKNOWN, "$_"), unknown.place, *use.marks)


def _variables(unit: Unit, use: Use) -> Iterator[FoundFact]:
    for name in use.texts:
        if name and UNKNOWN not in name and name not in ORDINARY:
            yield found_at(unit, FactKind.VARIABLE, name, use.start, "secret" if is_secret(name) else "")


def _writes(unit: Unit, use: Use) -> Iterator[FoundFact]:
    for text in use.texts:
        path = outside(text.partition(UNKNOWN)[0])
        if path is not None and len(path) > 1:
            yield found_at(
                unit, FactKind.WRITE_OUTSIDE, path, use.start, "system" if is_system(path) else "", *use.marks
            )
