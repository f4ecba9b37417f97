"""What the commands of `skillbag team rules` print with `--json`, as records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from skillbag.kernel.base.json_records import ABSENT, Absent, fits
from skillbag.kernel.base.records import NamedTuple
from skillbag.report.answers.commands import SetupFileJson
from skillbag.supply.rule_packs.examples import ExampleResult

_SUBJECTS = ("inventory", "skill", "manifest", "text", "unread", "host-file", "host-folder", "suppression")


class WrittenRulesJson(NamedTuple):
    """What was written, or would be, and what to do next."""

    root: str
    files: tuple[SetupFileJson, ...]
    dry_run: bool
    next: Annotated[tuple[str, ...], "What to do next."]
    pack: Annotated[str | Absent, "Of `rules add`: the pinned reference."] = ABSENT


class PackJson(NamedTuple):
    """A pack, and where its files are."""

    pack: str
    folder: Annotated[str, "Where its files are."]


class PacksJson(NamedTuple):
    """The packs of the configuration, which are fetched now."""

    packs: tuple[PackJson, ...]


class TestedJson(NamedTuple):
    """What the examples of rules show."""

    examples: tuple[ExampleResult, ...]
    rules: Annotated[int, fits(minimum=1)]
    failed: Annotated[int, fits(minimum=0), "Examples with faults."]


class PredicateJson(NamedTuple):
    """A predicate that rules can name."""

    name: str
    subject: Annotated[str, fits(enum=_SUBJECTS)]
    values: Annotated[tuple[str, ...], "What messages may use in braces."]
    options: Annotated[Mapping[str, object], "Options with their defaults."]
    about: str


class PredicatesJson(NamedTuple):
    """The predicates that are meant."""

    predicates: tuple[PredicateJson, ...]
