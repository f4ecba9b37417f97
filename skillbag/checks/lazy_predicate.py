"""Predicates as the rule index describes them: their modules are imported at the first call."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.checks.preconditions import NEEDS
from skillbag.checks.predicate import Match, NoOptions, Predicate, Subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LazyPredicate(Predicate):
    """A predicate of `module`; its precondition is tested before the module is imported.

    `check` and `options` are taken from the module's own entry at the first access.
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
        self.name = name
        self.subject = Subject(subject)
        self.values = values
        self.literals = literals
        self.needs = needs
        self._module = module
        if not has_options:
            self.options = NoOptions
        if needs:
            self.check = self._check_if_needed

    def __getattr__(self, name: str) -> Any:
        if name in ("check", "options"):
            return getattr(self._load(), name)
        raise AttributeError(name)

    def _load(self) -> Predicate:
        from importlib import import_module

        module = import_module(f"skillbag.checks.{self._module}")
        known: Predicate = next(predicate for predicate in module.PREDICATES if predicate.name == self.name)
        self.check, self.options = known.check, known.options
        return known

    def _check_if_needed(self, subject: Any, options: Any) -> Iterable[Match]:
        if not NEEDS[self.needs or ""](subject):
            return ()
        return self._load().check(subject, options)
