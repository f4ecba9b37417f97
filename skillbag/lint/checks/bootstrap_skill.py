"""The reserved skill `skillbag-get-skills`: whether it has the tools, parameters and instructions of the standard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Node, Scalar, Sequence
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import entries_of
from skillbag.kernel.standard.parameters import declared_parameters
from skillbag.kernel.standard.reserved import DEFAULTS, TOOLS
from skillbag.kernel.standard.tool_entries import ToolEntry, tool_entries
from skillbag.kernel.standard.tool_names import SHELL
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at


@Predicate("bootstrap-missing", Subject.INVENTORY)
def bootstrap_missing(inventory: Inventory, _: NoOptions) -> Iterator[Match]:
    """A workspace without the folder of the reserved skill."""
    if BOOTSTRAP_SKILL not in inventory.by_folder:
        yield Match(inventory.workspace.path(SKILL_ROOT, BOOTSTRAP_SKILL, SKILL_FILE))


def _is_bootstrap(skill: Skill) -> bool:
    return skill.problem is None and skill.folder == BOOTSTRAP_SKILL


_PROGRAM = re.compile(r"[\w.-]+")


@Predicate("bootstrap-tools-mismatch", Subject.SKILL, values=("fault",), needs="bootstrap-skill")
def bootstrap_tools(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """`allowed-tools` without one of the acquisition tools, or with another program beside them.

    `Bash(git:*)` counts as `git`. Capitalised words are an agent's own tools, which the standard does not restrict.
    """
    if not _is_bootstrap(skill) or not isinstance(skill.front_matter, FrontMatter):
        return
    entry = skill.front_matter.mapping.entry("allowed-tools")
    if entry and not isinstance(entry.value, Scalar):
        return
    text = entry.value.value if entry and isinstance(entry.value, Scalar) else ""
    tools = {_tool(entry) for entry in tool_entries(text)}
    missing = [tool for tool in TOOLS if tool not in tools]
    others = sorted(tool for tool in tools if tool not in TOOLS and tool[:1].islower())
    faults = [f"missing {', '.join(missing)}"] if missing else []
    faults += [f"extra {', '.join(others)}"] if others else []
    if faults:
        at = skill.front_matter.start
        span = (entry.key.start, entry.value.end) if entry else (at, at)
        yield Match(skill.path, *span, {"fault": "; ".join(faults)[:200]})


def _tool(entry: ToolEntry) -> str:
    program = _PROGRAM.match(entry.body) if entry.tool == SHELL and entry.body else None
    return program[0] if program else entry.tool


@Predicate("bootstrap-parameter-mismatch", Subject.SKILL, values=("name", "default", "fault"), needs="bootstrap-skill")
def bootstrap_parameters(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Parameters of the standard that are missing or have another default; required ones have their own rule."""
    if not _is_bootstrap(skill):
        return
    declared = {parameter.name.value: parameter for parameter in declared_parameters(skill)}
    for name, default in DEFAULTS.items():
        parameter = declared.get(name)
        if parameter is None:
            yield Match(skill.path, *_block_span(skill), {"name": name, "default": default, "fault": "is missing"})
        elif not parameter.required and not _is_default(parameter.default, default):
            fault = "has no default" if parameter.default is None else "has a different default"
            place = parameter.default or parameter.name
            yield match_at(skill.path, place, {"name": name, "default": default, "fault": fault})


def _block_span(skill: Skill) -> tuple[int, int]:
    for block in skill.parameter_blocks:
        for key, _ in entries_of(block.value):
            return key.start, key.end
    return skill.body_start, skill.body_start


def _is_default(node: Node | None, default: str) -> bool:
    if default == "[]":
        return isinstance(node, Sequence) and not node.items
    return isinstance(node, Scalar) and node.value.lower().rstrip("/") == default.rstrip("/")


@Predicate("bootstrap-required", Subject.SKILL, values=("name",), needs="bootstrap-skill")
def bootstrap_required(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Required parameters: an equivalent skill needs no input beyond the context files."""
    if _is_bootstrap(skill):
        for parameter in declared_parameters(skill):
            if parameter.required:
                yield match_at(skill.path, parameter.name, {"name": parameter.name.value})


_SUBJECTS = {
    "the context's dependencies (`CONTEXT.md`)": "CONTEXT.md",
    "the check of a source (`AGENTS.md`)": "AGENTS.md",
    "the catalog (`SKILLS.md`)": "SKILLS.md",
}


@Predicate("bootstrap-instructions-incomplete", Subject.SKILL, values=("absent",), needs="bootstrap-skill")
def bootstrap_instructions(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Instructions that leave out a subject the standard requires."""
    if _is_bootstrap(skill) and isinstance(skill.document, Document):
        body = skill.document.text[skill.body_start :]
        absent = [words for words, name in _SUBJECTS.items() if name not in body]
        if absent:
            yield Match(skill.path, skill.body_start, skill.body_start, {"absent": ", ".join(absent)})
