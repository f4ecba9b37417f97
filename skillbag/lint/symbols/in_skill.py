"""Skills, parameters and tags in the front matter and the blocks of a `SKILL.md`."""

from __future__ import annotations

from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Mapping, Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import entries_of, items_of, scalars_of
from skillbag.kernel.standard.parameters import declared_parameters
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Role, parameter_symbol, skill_symbol


def declared_name(skill: Skill) -> str:
    """The name by which a skill is known: the declared one, else its folder's."""
    name = skill.field("name")
    return name.value if isinstance(name, Scalar) and name.value else skill.folder


def collect_skill(found: Collector, skill: Skill) -> None:
    """Add what the front matter and the blocks of a skill define and name."""
    name = skill.field("name")
    if isinstance(name, Scalar) and name.value:
        found.add_scalar(skill_symbol(name.value), Role.DEFINITION, name)
    else:
        # A skill without a name, as while it is written, is the one of its folder.
        found.add(skill_symbol(skill.folder), Role.DEFINITION, 0, 0)
    _collect_description(found, skill)
    for node in skill.dependency_nodes:
        for item in items_of(node):
            for scalar in scalars_of(item.get("name")) if isinstance(item, Mapping) else ():
                found.add_skill(scalar)
    owner = declared_name(skill)
    for parameter in declared_parameters(skill):
        found.add_scalar(parameter_symbol(parameter.name.value, owner), Role.DEFINITION, parameter.name)
        for key, _ in entries_of(parameter.item.get("required-if")):
            found.add_scalar(parameter_symbol(key.value, owner), Role.REFERENCE, key)


def _collect_description(found: Collector, skill: Skill) -> None:
    node, description = skill.field("description"), skill.description
    if description is None or not isinstance(node, Scalar) or not isinstance(skill.front_matter, FrontMatter):
        return
    quoted = isinstance(skill.document, Document) and skill.document.text[node.start : node.start + 1] in ("'", '"')
    found.add_tags(node.start + quoted, node.end - quoted)
    if description.hidden and description.counts:
        found.add_tags(description.hidden.start, description.hidden.end)
