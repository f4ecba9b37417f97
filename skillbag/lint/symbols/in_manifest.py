"""Skills and tags in the manifest of an active skill, `SKILL.yaml` (skill runtime, section 1)."""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Mapping, Scalar, YamlError, parse_yaml
from skillbag.kernel.standard.blocks import items_of, scalars_of
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Role, skill_symbol, tag_symbol


def collect_manifest(found: Collector) -> None:
    """Add what a manifest defines and names."""
    node = parse_yaml(found.document.text)
    if isinstance(node, YamlError) or not isinstance(node, Mapping):
        return
    name = node.get("name")
    if isinstance(name, Scalar):
        found.add_scalar(skill_symbol(name.value), Role.DEFINITION, name)
    for item in items_of(node.get("dependencies")):
        for scalar in scalars_of(item.get("name")) if isinstance(item, Mapping) else ():
            found.add_skill(scalar)
    for agent in items_of(node.get("agents")):
        if isinstance(agent, Mapping):
            for scalar in (*scalars_of(agent.get("extra_skills")), *scalars_of(agent.get("disable_skills"))):
                found.add_skill(scalar)
    for scalar in scalars_of(node.get("tags")):
        found.add_scalar(tag_symbol(scalar.value), Role.REFERENCE, scalar)
