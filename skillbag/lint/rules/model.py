"""Rules, loaded from the index or bound from the data of their files; invalid ones are refused."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from skillbag import DOCUMENTATION
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.checks.lazy_predicate import INDEXED, LazyPredicate, all_predicates
from skillbag.lint.checks.predicate import Predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STANDARD = "standard"
"""The family of the rules for clauses of the standard."""

RUNTIME = "runtime"
"""The family of the rules about manifests of active skills. They are loaded only where there is one."""

SECURITY = "security"
"""The family of the rules about malice and carelessness. Its heuristics are errors where no honest use is known."""

PAGES = f"{DOCUMENTATION}/rules"
"""Where the pages of the rules of this package are: `<id>.md`."""

INDEXES = tuple(os.path.join(os.path.dirname(__file__), name) for name in ("index.py", "manifest_index.py"))
"""The files of the index, made by `tools/generate.py`: the rules of this package without their examples."""

_CAPS = {"MUST": Severity.ERROR, "MUST NOT": Severity.ERROR, "SHOULD": Severity.WARNING, "SHOULD NOT": Severity.WARNING}
_ORDER = (Severity.NOTE, Severity.WARNING, Severity.ERROR)


class Clause(NamedTuple):
    """A normative statement of the standard: its id, level (`MUST`, …), gist, and what proves it."""

    id: str
    level: str
    gist: str
    proved_by: tuple[str, ...]


class Rule(NamedTuple):
    """One rule, bound to its predicate.

    `family` is its folder; `default`: it runs unless disabled; `heuristic`: it may be wrong, so it is no error outside
    the family `security`. `given` are the options as written; `message` and `fix` are templates over the predicate's
    values. `raised` is the level of matches that the predicate marks as stronger; `owasp` are categories of the OWASP
    Agentic Skills Top 10 (`AST01`, …). `once`: findings with the same message are one in a report (`engine.once`).
    `url` is the address of the rule's page; a team's rule has none unless its file gives one.
    """

    id: str
    family: str
    clause: str | None
    level: Severity
    targets: frozenset[TargetKind]
    predicate: Predicate
    given: Mapping[str, Any]
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

    @cached_property
    def options(self) -> Any:
        """The options with their types; `bind` has checked them."""
        return make_options(self.predicate, self.given)


class LoadedRules(NamedTuple):
    """Rules, and a digest of the contents of the packs that some of them are from: empty without packs."""

    rules: tuple[Rule, ...]
    packs: str = ""


def load_rules() -> tuple[Rule, ...]:
    """The rules of this package, by family and id."""
    return tuple(sorted((*load_core_rules(), *load_manifest_rules()), key=lambda rule: (rule.family, rule.id)))


def load_core_rules() -> tuple[Rule, ...]:
    """The rules of this package without those about manifests, by family and id."""
    from skillbag.lint.rules.index import PREDICATES, RULES

    return _indexed(RULES, PREDICATES)


def load_manifest_rules() -> tuple[Rule, ...]:
    """The rules of this package about manifests of active skills, by id."""
    from skillbag.lint.rules.manifest_index import PREDICATES, RULES

    return _indexed(RULES, PREDICATES)


def manifest_rule_ids() -> frozenset[str]:
    """The ids of the rules about manifests, without loading them."""
    from skillbag.lint.rules.index import MANIFEST_RULES

    return frozenset(MANIFEST_RULES)


def _indexed(rows: Collection[tuple[Any, ...]], known: Mapping[str, tuple[Any, ...]]) -> tuple[Rule, ...]:
    # The generator has checked them.
    predicates = {name: LazyPredicate(name, *described) for name, described in known.items()}
    INDEXED.update(predicates)
    # There are few different ones, and a member of an enumeration takes long to look up.
    levels: dict[str | None, Severity | None] = {None: None}
    levels.update((str(level), level) for level in Severity)
    kinds = {targets: frozenset(map(TargetKind, targets)) for targets in {row[4] for row in rows}}
    return tuple([_bound(row, predicates[row[5]], levels, kinds[row[4]]) for row in rows])


def _bound(
    row: tuple[Any, ...], predicate: LazyPredicate, levels: Mapping[str | None, Any], kinds: frozenset[TargetKind]
) -> Rule:
    name, family, clause, level, _, _, given, *rest, raised, owasp, once = row
    known = (name, family, clause, levels[level], kinds, predicate, dict(given))
    return Rule._make((*known, *rest, levels[raised], owasp, once, f"{PAGES}/{name}.md"))


def load_clauses() -> tuple[Clause, ...]:
    """The clauses of the standard, in its order."""
    from skillbag.lint.rules.clause_index import CLAUSES

    return tuple(Clause(*row) for row in CLAUSES)


class RuleBindingError(Exception):
    """A rule whose data does not fit its predicate or its clause; `key` is where in the data."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(key, message)
        self.key, self.message = key, message


def bind(raw: Mapping[str, Any], clauses: Mapping[str, Clause], own: Mapping[str, Predicate] = {}) -> Rule:
    """The rule for its plain data, with its predicate, which may be one of a pack's `own`.

    Raises:
        RuleBindingError: an unknown predicate, clause, option or message value, or a level too high for the clause.
    """
    # Importing the module of every predicate takes longer than checking a hundred skills.
    predicate = own.get(raw["check"]) or INDEXED.get(raw["check"]) or all_predicates().get(raw["check"])
    if predicate is None:
        near = _nearest(raw["check"], [*all_predicates(), *own])
        raise RuleBindingError("check", f"there is no predicate {raw['check']!r}{near}")
    clause = raw.get("clause")
    if clause is not None and clause not in clauses:
        raise RuleBindingError("clause", f"the standard has no clause {clause!r}{_nearest(clause, clauses)}")
    for key in ("message", "fix"):
        _check_template(key, raw.get(key), predicate)
    given = raw.get("options", {})
    make_options(predicate, given)
    heuristic = bool(raw.get("heuristic", False))
    level = _level(raw, clauses.get(clause) if clause else None, heuristic and raw["family"] != SECURITY)
    raised = Severity(raw["raised"]["level"]) if "raised" in raw else None
    if raised and _ORDER.index(raised) <= _ORDER.index(level):
        raise RuleBindingError("raised.level", f"the raised level {raised.value} is not above {level.value}")
    return Rule(
        id=raw["id"],
        family=raw["family"],
        clause=clause,
        level=level,
        targets=frozenset(TargetKind(kind) for kind in raw["targets"]),
        predicate=predicate,
        given=given,
        message=raw["message"],
        fix=raw.get("fix"),
        why=raw["why"],
        summary=raw["summary"],
        default=bool(raw.get("default", True)),
        heuristic=heuristic,
        raised=raised,
        owasp=tuple(raw.get("owasp", ())),
        once=bool(raw.get("once", False)),
        url=raw.get("url"),
    )


def _level(raw: Mapping[str, Any], clause: Clause | None, capped: bool) -> Severity:
    given = Severity(raw["level"]) if raw.get("level") else None
    if clause is None and given is None:
        raise RuleBindingError("level", "a rule without a clause says its level: error, warning or note")
    highest = _CAPS.get(clause.level, Severity.NOTE) if clause else Severity.ERROR
    if capped:
        highest = min(highest, Severity.WARNING, key=_ORDER.index)
    level = given or highest
    if _ORDER.index(level) > _ORDER.index(highest):
        reason = "it is heuristic" if capped else f"the clause gives at most {highest.value}"
        raise RuleBindingError("level", f"the level {level.value} is too high: {reason}")
    return level


def make_options(predicate: Predicate, raw: Mapping[str, Any]) -> Any:
    """The typed options of a predicate.

    Raises:
        RuleBindingError: an option that the predicate does not have, or a value of another type.
    """
    known = predicate.options.__annotations__
    values: dict[str, Any] = {}
    for key, value in raw.items():
        name = key.replace("-", "_")
        if name not in known:
            hint = _nearest(key, [field.replace("_", "-") for field in known])
            raise RuleBindingError(f"options.{key}", f"{predicate.name} has no option {key!r}{hint}")
        values[name] = _option(key, value, _kind(known[name]))
    return predicate.options(**values)


def _kind(annotation: Any) -> str:
    """The type of an option as it is written, in whatever form a named tuple keeps it."""
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return annotation.__name__
    return str(getattr(annotation, "__forward_arg__", annotation))


def _option(key: str, value: Any, kind: str) -> Any:
    if kind.startswith("tuple"):
        if isinstance(value, list | tuple) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise RuleBindingError(f"options.{key}", f"{key} takes a list of strings")
    if type(value).__name__ != kind:
        words = {"int": "a whole number", "bool": "true or false", "str": "a string"}[kind]
        raise RuleBindingError(f"options.{key}", f"{key} takes {words}")
    return value


def _check_template(key: str, template: str | None, predicate: Predicate) -> None:
    import string

    try:
        names = {name for _, name, _, _ in string.Formatter().parse(template or "") if name is not None}
    except ValueError as error:
        raise RuleBindingError(key, f"the template can't be read: {error}") from error
    for name in sorted(names - set(predicate.values)):
        known = ", ".join(f"{{{value}}}" for value in predicate.values) or "none"
        raise RuleBindingError(key, f"{predicate.name} gives no value {{{name}}}; it gives {known}")


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, list(known), 1)
    return f"; did you mean {close[0]!r}?" if close else ""
