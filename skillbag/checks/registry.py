"""All predicates, found by walking this package. Importing this imports them all; the rule index loads single ones."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from skillbag import checks
from skillbag.checks.predicate import Predicate

_ALL = [import_module(f"{checks.__name__}.{module.name}") for module in iter_modules(checks.__path__)]

MODULES = tuple(module for module in _ALL if hasattr(module, "PREDICATES"))
"""The modules that define predicates."""

TABLE: dict[str, Predicate] = {predicate.name: predicate for module in MODULES for predicate in module.PREDICATES}
"""Every predicate by the name that a rule's `check:` gives."""
