"""The fields of a manifest: frozen values, one class for each mapping of `SKILL.yaml`, and the messages for what they
may not hold (skill runtime, section 1).

`schemas/skill-manifest.schema.json` says the same for other programs; a test holds both to each other.
"""

from __future__ import annotations

import re
from typing import Annotated, NamedTuple

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.manifest.names import BackendKind, Category, ExecutionMode, Permission, Platform, SkillType
from skillbag.kernel.manifest.shapes import MAX_NUMBER, Choice, FilePath, ListOf, Number, Text, Unique
from skillbag.kernel.manifest.versions import is_version, parse_range

MAX_NAME = 128
MAX_DESCRIPTION = 1024
NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
TOOL_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,63}"

_STEERING_FILE = late(r"(?!(?:.*/)?\.\.?(?:/|$))[^\s/\\*?,:;\"'`|<>]+(?:/[^\s/\\*?,:;\"'`|<>]+)*/?")

_is_name = re.compile(NAME).fullmatch


def _is_steering(text: str) -> bool:
    return _STEERING_FILE().fullmatch(text) is not None


def _is_range(text: str) -> bool:
    return parse_range(text) is not None


def _is_dependency(text: str) -> bool:
    return len(text) <= MAX_NAME and _is_name(text) is not None


_FILE = FilePath()
_RANGE = Text(_is_range, "invalid version range {}")
_TOOL_NAME = Text(re.compile(TOOL_NAME).fullmatch, f"invalid tool name {{}} (must match ^{TOOL_NAME}$)")
_PLATFORMS = ListOf(Choice(Platform, "unknown platform {}"), "duplicate platform {}")
_TYPES = ListOf(Choice(SkillType, "unknown skill type {}"), "duplicate skill type {}")
_PERMISSIONS = ListOf(Choice(Permission, "unknown permission {}"), "duplicate permission {}")
_MODE = Choice(ExecutionMode, "unknown execution_mode {} (must be inline or fork)")
_STEERING = Text(
    _is_steering,
    "invalid steering file {} (must be a name, or a path from the workspace, without blanks and wildcards)",
    200,
)


class Triggers(NamedTuple):
    """What activates the skill: globs of files, parts of a message, modes and languages."""

    files: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class SkillDependency(NamedTuple):
    """Another skill that must be active first; `version` is a range of npm's syntax."""

    name: Annotated[str, Text(_is_dependency, "invalid dependency name {}"), 'invalid dependency name ""']
    version: Annotated[str, _RANGE] = "*"
    optional: bool = False


class ReferenceFile(NamedTuple):
    """A file to read, and when."""

    path: Annotated[str, _FILE, "reference path is required"]
    when: str = ""


class ProcessLimits(NamedTuple):
    """Limits of the skill's process: MiB of memory, seconds of the processor, processes. None: the default."""

    memory_mb: Annotated[int | None, Number(least=1)] = None
    cpu_s: Annotated[int | None, Number(least=1)] = None
    processes: Annotated[int | None, Number(least=1)] = None


class Implementation(NamedTuple):
    """What runs the skill's code. `timeout`: seconds of one call."""

    backend: Annotated[BackendKind, Choice(BackendKind, "unknown backend {}")]
    entrypoint: str = ""
    args: Annotated[tuple[str, ...], ListOf(Text(may_be_empty=True))] = ()
    timeout: float | None = None
    limits: ProcessLimits = ProcessLimits()


class Prompt(NamedTuple):
    """Files of the prompt. `max_context_tokens` bounds the context files; 0 for the limit of one skill."""

    system_prompt_file: Annotated[str, _FILE] = ""
    context_files: Annotated[tuple[str, ...], ListOf(_FILE)] = ()
    max_context_tokens: int = 0


class ToolDeclaration(NamedTuple):
    """A tool that the code registers. `requires_approval`: the user is asked before each call."""

    name: Annotated[str, _TOOL_NAME, "tool name is required"]
    description: str = ""
    input_schema_file: Annotated[str, _FILE] = ""
    requires_approval: bool = False


class CommandArgument(NamedTuple):
    """An argument of a command."""

    name: Annotated[str, Text(), "command argument name is required"]
    description: str = ""
    required: bool = False


class CommandDeclaration(NamedTuple):
    """A command that a user gives, such as a slash command; an MCP prompt."""

    name: Annotated[str, Text(), "command name is required"]
    description: str = ""
    arguments: Annotated[tuple[CommandArgument, ...], Unique("name", "duplicate command argument {}")] = ()


class AgentDeclaration(NamedTuple):
    """An agent that a host may run: data for hosts."""

    name: Annotated[str, Text(), "agent name is required"]
    description: str = ""
    system_prompt: str = ""
    tools: tuple[str, ...] = ()
    max_turns: int = 0
    max_depth: int = 0
    model: str = ""
    inherit_skills: bool = False
    extra_skills: tuple[str, ...] = ()
    disable_skills: tuple[str, ...] = ()


class ScannerDeclaration(NamedTuple):
    """A scanner that the code registers."""

    name: Annotated[str, Text(), "scanner name is required"]
    entrypoint: Annotated[str, _FILE, "scanner entrypoint is required"]


class SecurityRules(NamedTuple):
    """Files and scanners of a `security-rule`."""

    sast_rules_file: Annotated[str, _FILE] = ""
    scanners: Annotated[tuple[ScannerDeclaration, ...], Unique("name", "duplicate scanner name {}")] = ()
    overrides_file: Annotated[str, _FILE] = ""


class WikiSection(NamedTuple):
    """A section of generated documentation."""

    title: Annotated[str, Text(), "wiki section title is required"]
    template: Annotated[str, _FILE] = ""
    analyzer: Annotated[str, Text()] = ""


class Diagram(NamedTuple):
    """A diagram of generated documentation."""

    type: Annotated[str, Text(), "wiki diagram type is required"]
    template: Annotated[str, _FILE] = ""


class Wiki(NamedTuple):
    """Sections and diagrams of generated documentation."""

    sections: tuple[WikiSection, ...] = ()
    diagrams: tuple[Diagram, ...] = ()


class Compatibility(NamedTuple):
    """What the skill needs: a range of versions of this program, and one of the platforms; empty for any."""

    agent_version: Annotated[str, _RANGE] = ""
    platforms: Annotated[tuple[Platform, ...], _PLATFORMS] = ()


class Manifest(NamedTuple):
    """A valid manifest."""

    name: Annotated[str, Text(_is_name, f"invalid name {{}} (must match ^{NAME}$)", MAX_NAME), "name is required"]
    version: Annotated[str, Text(is_version, "invalid version {}"), "version is required"]
    description: Annotated[str, Text(most=MAX_DESCRIPTION), "description is required"]
    types: Annotated[tuple[SkillType, ...], _TYPES, "types is required (at least one skill type)"]
    author: str = ""
    license: str = ""
    homepage: str = ""
    category: Annotated[Category | None, Choice(Category, "invalid category {}")] = None
    tags: tuple[str, ...] = ()
    triggers: Triggers = Triggers()
    permissions: Annotated[tuple[Permission, ...], _PERMISSIONS] = ()
    steering_files: Annotated[tuple[str, ...], ListOf(_STEERING)] = ()
    dependencies: Annotated[tuple[SkillDependency, ...], Unique("name", "duplicate dependency {}")] = ()
    priority: Annotated[int, Number(least=-MAX_NUMBER)] = 0
    tools_allow: tuple[str, ...] = ()
    tools_deny: tuple[str, ...] = ()
    execution_mode: Annotated[ExecutionMode, _MODE] = ExecutionMode.INLINE
    references: tuple[ReferenceFile, ...] = ()
    implementation: Implementation | None = None
    prompt: Prompt | None = None
    tools: Annotated[tuple[ToolDeclaration, ...], Unique("name", "duplicate tool name {}")] = ()
    commands: Annotated[tuple[CommandDeclaration, ...], Unique("name", "duplicate command name {}")] = ()
    agents: tuple[AgentDeclaration, ...] = ()
    security_rules: SecurityRules | None = None
    wiki: Wiki | None = None
    compatibility: Compatibility = Compatibility()
