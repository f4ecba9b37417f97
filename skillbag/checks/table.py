"""The one table of all predicates. Importing it imports them all; whoever needs one of them imports its module."""

from skillbag.checks import (
    agent_skills,
    bootstrap_skill,
    catalog,
    characters,
    context,
    documents,
    executables,
    fields,
    graph,
    hidden_code,
    injection,
    layout,
    layout_files,
    links,
    mentions,
    names,
    parameters,
    prose,
    scripts,
    security,
    source,
    suppressed,
    tags,
)
from skillbag.checks.predicate import Predicate

_MODULES = (
    agent_skills,
    bootstrap_skill,
    catalog,
    characters,
    context,
    documents,
    executables,
    fields,
    graph,
    hidden_code,
    injection,
    layout,
    layout_files,
    links,
    mentions,
    names,
    parameters,
    prose,
    scripts,
    security,
    source,
    suppressed,
    tags,
)

TABLE: dict[str, Predicate] = {predicate.name: predicate for module in _MODULES for predicate in module.PREDICATES}
"""Every predicate by the name that a rule's `check:` gives."""
