"""The index that the package loads instead of the rule files: as a module, which Python keeps compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rule_set import Entry, RuleSet

from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.checks.lazy_predicate import all_predicates
from skillbag.lint.checks.predicate import NoOptions, Predicate
from skillbag.lint.rules.model import LATE, Rule
from skillbag.supply.rule_packs.new import generic_predicates

TABLE = all_predicates()
_MADE = "Made by tools/generate.py from the files in rules/{}: change those, then `make generate`."

_RULES = f'''\
"""{_MADE.format(", and from the predicates")}

RULES: id, family, clause, level, targets, predicate, options, message, fix, why, summary, default, heuristic,
    raised level, OWASP categories, whether equal messages are one finding, levels by role,
    literals of the options, kind of malice, and the rule as it is in plain skills.
PREDICATES: by name: module, subject, values, literals, needs, whether it has options, and roles.
LATE_RULES: the families of the rules in `late_index.py`, by id.
"""
'''

_LATE_RULES = f'''\
# ruff: noqa: E501
# fmt: off
"""{_MADE.format("{runtime,hosts}/, and from the predicates")}

RULES and PREDICATES: as in `index.py`. They are loaded only where a file is that they are about.
"""
'''

_IMPORTS = """
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
"""


def index(rules: RuleSet) -> str:
    """The text of `skillbag/lint/rules/index.py`: rules without examples, and the predicates that are named or generic.

    Of the rules that are loaded late it has the ids and families alone.
    """
    core = [entry for entry in rules.entries if entry.rule.family not in LATE]
    late = [entry.rule for entry in rules.entries if entry.rule.family in LATE]
    return "".join(
        (
            _RULES,
            _IMPORTS,
            *_tables(core, generic_predicates()),
            "\nLATE_RULES = {\n",
            *(f"    {_text(rule.id)}: {_text(rule.family)},\n" for rule in late),
            "}\n",
        )
    )


def late_index(rules: RuleSet) -> str:
    """The text of `skillbag/lint/rules/late_index.py`: the rules about manifests and about files around skills."""
    late = [entry for entry in rules.entries if entry.rule.family in LATE]
    return "".join((_LATE_RULES, _IMPORTS, *_tables(late)))


def _tables(entries: Sequence[Entry], further: Iterable[str] = ()) -> Iterator[str]:
    forms = [form for entry in entries for form in (entry.rule, entry.rule.plain) if form]
    used = {*further, *(form.predicate.name for form in forms)}
    modules = {name: TABLE[name].check.__module__.rpartition(".")[2] for name in TABLE if name in used}
    # By module, and in one module in the order of the definitions.
    listed = sorted(modules, key=modules.__getitem__)
    yield "\nRULES: tuple[tuple[Any, ...], ...] = (\n"
    yield from (f"    {_text(_rule(entry.rule, entry.file.written.targets))},\n" for entry in entries)
    yield ")\n\nPREDICATES: dict[str, tuple[Any, ...]] = {\n"
    yield from (f"    {_text(name)}: {_text(_predicate(TABLE[name], modules[name]))},\n" for name in listed)
    yield "}\n"


def _text(value: object) -> str:
    # What of Unicode can be printed depends on the version of Python.
    return ascii(value)


def _rule(rule: Rule, targets: Sequence[TargetKind]) -> tuple[object, ...]:
    return (
        rule.id,
        rule.family,
        rule.clause,
        rule.level.value,
        tuple(str(target) for target in targets),
        rule.predicate.name,
        tuple(rule.given.items()),
        rule.message,
        rule.fix,
        rule.why,
        rule.summary,
        rule.default,
        rule.heuristic,
        rule.raised and rule.raised.value,
        rule.owasp,
        rule.once,
        tuple((role, level and level.value) for role, level in rule.roles.items()),
        rule.literals,
        rule.sign,
        rule.plain and _rule(rule.plain, targets),
    )


def _predicate(predicate: Predicate, module: str) -> tuple[object, ...]:
    return (
        module,
        predicate.subject.value,
        predicate.values,
        predicate.literals,
        predicate.needs,
        predicate.options is not NoOptions,
        *([True] if predicate.has_roles else []),
    )
