"""Skills in `skillbag.lock`: those that were installed, and those that asked for them."""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Mapping, YamlError, parse_yaml
from skillbag.kernel.standard.blocks import entries_of, scalars_of
from skillbag.kernel.workspace.lock_file import COMMAND_LINE
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.lint.symbols.collector import Collector

_NO_SKILLS = (CONTEXT, COMMAND_LINE)


def collect_lock(found: Collector) -> None:
    """Add what a lock names. JSON is YAML, and the reader of YAML has places."""
    node = parse_yaml(found.document.text)
    if isinstance(node, YamlError) or not isinstance(node, Mapping):
        return
    for key, value in entries_of(node.get("skills")):
        found.add_skill(key)
        for requester in scalars_of(value.get("asked_by")) if isinstance(value, Mapping) else ():
            if requester.value not in _NO_SKILLS:
                found.add_skill(requester)
