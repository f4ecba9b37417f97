"""The predicates that rules name, by subject; `TABLE` is the one table of them all."""

from skillbag.checks import (
    bootstrap_skill,
    catalog,
    context,
    documents,
    fields,
    graph,
    layout,
    names,
    parameters,
    source,
    tags,
)
from skillbag.checks.predicate import Hit, NoOptions, Predicate, Subject

_MODULES = (
    bootstrap_skill,
    catalog,
    context,
    documents,
    fields,
    graph,
    layout,
    names,
    parameters,
    source,
    tags,
)

TABLE: dict[str, Predicate] = {predicate.name: predicate for module in _MODULES for predicate in module.PREDICATES}
"""Every predicate by the name that a rule's `check:` gives."""

__all__ = ["TABLE", "Hit", "NoOptions", "Predicate", "Subject"]
