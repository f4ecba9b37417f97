"""All predicates, found by walking this package. Importing this imports them all; the rule index loads single ones."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from skillbag import checks
from skillbag.checks.predicate import LOADED

for module in iter_modules(checks.__path__):
    import_module(f"{checks.__name__}.{module.name}")

TABLE = LOADED
"""Every predicate by the name that a rule's `check:` gives."""
