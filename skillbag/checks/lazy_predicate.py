"""Predicates as the rule index describes them: their modules are imported at the first call, if at all."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from skillbag.checks.predicate import LOADED, Match, Predicate, Subject, Unjudged
from skillbag.documents.source import Document
from skillbag.workspace.skill import Skill
from skillbag.workspace.target import BOOTSTRAP_SKILL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _has_declarations(skill: Skill) -> bool:
    text = skill.document.text if isinstance(skill.document, Document) else ""
    return any(text.find(f"{key}:", skill.body_start) >= 0 for key in ("required", "optional", "dependencies"))


NEEDS: Mapping[str, Callable[[Any], bool]] = {
    "parameters": lambda skill: bool(skill.parameter_blocks),
    "allowed-tools": lambda skill: skill.field("allowed-tools") is not None,
    "bootstrap-skill": lambda skill: skill.folder == BOOTSTRAP_SKILL,
    "declarations": _has_declarations,
}
"""Preconditions by the name that a predicate gives: whether a subject can have a match at all."""


class LazyPredicate(Predicate):
    """A predicate of `module`; its precondition is tested before the module is imported.

    `check` and `options` are taken from the loaded predicate at the first access.
    """

    def __init__(
        self,
        name: str,
        module: str,
        subject: str,
        values: tuple[str, ...],
        literals: tuple[bytes, ...] | None,
        needs: str | None,
        has_options: bool,
    ) -> None:
        super().__init__(name, Subject(subject), values, literals=literals, needs=needs)
        self._module = module
        if has_options:
            del self.options
        if needs:
            self.check = self._check_if_needed

    def __getattr__(self, name: str) -> Any:
        if name in ("check", "options"):
            return getattr(self._load(), name)
        raise AttributeError(name)

    def _load(self) -> Predicate:
        from importlib import import_module

        import_module(f"skillbag.checks.{self._module}")
        known = LOADED[self.name]
        self.check, self.options = known.check, known.options
        return known

    def _check_if_needed(self, subject: Any, options: Any) -> Iterable[Match | Unjudged]:
        return self._load().check(subject, options) if NEEDS[self.needs or ""](subject) else ()


def all_predicates() -> Mapping[str, Predicate]:
    """Every predicate by the name that a rule's `check:` gives; imports all modules of this package."""
    from importlib import import_module
    from pkgutil import iter_modules

    for module in iter_modules([os.path.dirname(__file__)]):
        import_module(f"skillbag.checks.{module.name}")
    return LOADED
