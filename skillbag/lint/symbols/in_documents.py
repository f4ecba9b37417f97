"""Skills, parameters and tags in `SKILL.md`, context files, catalogs, locks and manifests."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.documents.catalog import parse_catalog
from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Mapping, Scalar, YamlError, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import declared_items, entries_of, items_of, mappings, scalars_of
from skillbag.kernel.standard.context_blocks import (
    ANY_SKILL,
    is_ours,
    parameter_entries,
    prohibited_entries,
    tag_entries,
)
from skillbag.kernel.standard.context_declared import override_entries
from skillbag.kernel.standard.parameters import declared_parameters
from skillbag.kernel.workspace.lock_file import COMMAND_LINE
from skillbag.kernel.workspace.model import ContextFile
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import CONTEXT
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Role, parameter_symbol, skill_symbol, tag_symbol


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


def collect_context(found: Collector, context: ContextFile) -> None:
    """Add what the blocks of a context file name."""
    for mapping in mappings(context):
        for scalar in _skills(mapping):
            if scalar.value != ANY_SKILL:
                found.add_skill(scalar)
        for skill, entry in (*parameter_entries(mapping), *prohibited_entries(mapping)):
            found.add_scalar(parameter_symbol(entry.key.value, skill.key.value), Role.REFERENCE, entry.key)
        for _, tag, _ in tag_entries(mapping):
            found.add_tags(tag.start if tag.plain else tag.start + 1, tag.end if tag.plain else tag.end - 1)


def _skills(mapping: Mapping) -> Iterator[Scalar]:
    """The names of skills in one block."""
    for item in declared_items(mapping):
        if isinstance(item, Mapping):
            yield from scalars_of(item.get("name"))
    yield from (entry.key for entry in override_entries(mapping))
    for item in items_of(mapping.get("conflict-resolution")):
        if isinstance(item, Mapping):
            yield from (*scalars_of(item.get("skills")), *scalars_of(item.get("winner")))
    for key in ("parameters", "tags"):
        if is_ours(mapping, key):
            yield from (entry.key for entry in entries_of(mapping.get(key)))
    prohibit = mapping.get("prohibit")
    if isinstance(prohibit, Mapping):
        yield from scalars_of(prohibit.get("skills"))
        yield from (entry.key for entry in entries_of(prohibit.get("parameters")))


def collect_catalog(found: Collector) -> None:
    """Add what the lines of a catalog name."""
    for line in parse_catalog(found.document).lines:
        found.add(skill_symbol(line.name), Role.REFERENCE, line.start, line.start + len(line.name))
        found.add_tags(line.end - len(line.description), line.end)


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
