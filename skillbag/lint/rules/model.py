"""Rules and clauses as values, and the options of a rule's predicate."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag import DOCUMENTATION
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.package_data import schema_fault, schema_place, schema_words
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, Predicate
from skillbag.lint.facts.stated import is_lesson
from skillbag.lint.facts.values import PlaceRole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    OptionValue: TypeAlias = bool | int | str | tuple[str, ...] | Mapping[str, Any]

STANDARD = "standard"
"""The family of the rules for clauses of the standard."""

RUNTIME = "runtime"
"""The family of the rules about manifests of active skills. They are loaded only where there is one."""

HOSTS = "hosts"
"""The family of the rules about files around skills, which hosts read. They are loaded only where there is one."""

LATE = frozenset({RUNTIME, HOSTS})
"""The families of rules that are loaded late."""

SECURITY = "security"
"""The family of the rules about malice and carelessness. Its heuristics are errors where no honest use is known."""

PAGES = f"{DOCUMENTATION}/rules"
"""Where the pages of the rules of this package are: `<id>.md`."""


class Clause(NamedTuple):
    """A normative statement of the standard: its id, level (`MUST`, …), gist, and what proves it."""

    id: str
    level: str
    gist: str
    proved_by: tuple[str, ...]


class Rule(NamedTuple):
    """One rule, bound to its predicate.

    `family` is its folder; `default`: it runs unless disabled; `heuristic`: it may be wrong, so outside the family
    `security` its `level` is no error. `given` are options, by field; `message` and `fix` are templates over the
    predicate's values. `raised` is the level of matches that the predicate marks as stronger; `roles` are those of the
    others by their role (None: no finding), if they differ. `owasp` are categories of the OWASP Agentic Skills Top 10
    (`AST01`, …). `once`: findings with the same message are one in a report (`engine.causes`). `url` is the address of
    the rule's page; a team's rule has none unless its file gives one. `literals` are those of its options, which take
    the place of the predicate's. `sign` is the kind of malice that a finding is a sign of: warnings of two kinds about
    one skill are errors. `plain` is the rule as it is in plain skills, if it is another there.
    """

    id: str
    family: str
    clause: str | None
    level: Severity
    targets: frozenset[TargetKind]
    predicate: Predicate
    given: Mapping[str, OptionValue]
    message: str
    fix: str | None
    why: str
    summary: str
    default: bool = True
    heuristic: bool = False
    raised: Severity | None = None
    owasp: tuple[str, ...] = ()
    once: bool = False
    url: str | None = None
    roles: Mapping[str, Severity | None] = {}
    literals: tuple[bytes, ...] | None = None
    sign: str = ""
    plain: Rule | None = None

    @cached_property
    def options(self) -> Any:
        """The options in the predicate's class."""
        return self.predicate.options(**self.given)

    def level_of(self, match: Match, subject: object) -> Severity | None:
        """The level of a match of its predicate in a subject; None for no finding."""
        if match.raised and self.raised:
            return self.raised
        if not self.roles:
            return self.level
        role = PlaceRole.TAUGHT if isinstance(subject, TextFile) and is_lesson(subject) else PlaceRole.MEANT
        return self.roles.get(match.role or role)


class LoadedRules(NamedTuple):
    """Rules, and a digest of the contents of the packs that some of them are from: empty without packs."""

    rules: tuple[Rule, ...]
    packs: str = ""


class RuleBindingError(Exception):
    """A rule whose data does not fit its predicate or its clause; `key` is where in the data."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(key, message)
        self.key, self.message = key, message


def read_options(predicate: Predicate, raw: Mapping[str, Any]) -> Mapping[str, OptionValue]:
    """The options of a predicate, as people write them, by the names of their fields.

    Raises:
        RuleBindingError: an option that the predicate does not have, or a value of another type.
    """
    known = predicate.options.__annotations__
    values: dict[str, OptionValue] = {}
    for key, value in raw.items():
        name = key.replace("-", "_")
        if name not in known:
            hint = nearest(key, [field.replace("_", "-") for field in known])
            raise RuleBindingError(f"options.{key}", f"{predicate.name} has no option {key!r}{hint}")
        values[name] = _option(key, value, _kind(known[name]))
    return values


def _kind(annotation: Any) -> str:
    """The type of an option as it is written, in whatever form a named tuple keeps it."""
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return annotation.__name__
    return str(getattr(annotation, "__forward_arg__", annotation))


def _option(key: str, value: Any, kind: str) -> OptionValue:
    if kind.startswith("tuple"):
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise RuleBindingError(f"options.{key}", f"{key} takes a list of strings")
    if kind.startswith("Mapping"):
        if isinstance(value, dict):
            return value
        raise RuleBindingError(f"options.{key}", f"{key} takes a mapping of keys and values")
    if type(value).__name__ != kind:
        words = {"int": "a whole number", "bool": "true or false", "str": "a string"}[kind]
        raise RuleBindingError(f"options.{key}", f"{key} takes {words}")
    checked: OptionValue = value
    return checked


def literals_of(predicate: Predicate, given: Mapping[str, OptionValue]) -> tuple[bytes, ...] | None:
    """The literals that follow from options; None where those of the predicate count."""
    narrow = getattr(predicate.options, "literals", None)
    return narrow(predicate.options(**given)) if narrow else None


def check_options(predicate: Predicate, given: Mapping[str, OptionValue]) -> None:
    """Check the values of options, after their types: of a generic predicate all that its schema and code ask for.

    Raises:
        RuleBindingError: a value that can't be used.
    """
    written = {name.replace("_", "-"): list(v) if isinstance(v, tuple) else v for name, v in given.items()}
    if error := schema_fault("rule", written, f"options-{predicate.name}"):
        keys = ".".join(["options", *map(str, schema_place(error))])
        raise RuleBindingError(keys, f"{keys.removeprefix('options.')}: {schema_words(error)}")
    faults = getattr(predicate.options(**given), "faults", None)
    for fault in faults() if faults else ():
        raise RuleBindingError(".".join(("options", *fault.keys)), ": ".join([*fault.keys[:1], fault.message]))
