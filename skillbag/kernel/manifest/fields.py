"""The fields of a manifest as data, with the messages for what they may not hold (skill runtime, section 1).

`schemas/skill-manifest.schema.json` says the same for other programs; a test holds both to each other.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.manifest import values
from skillbag.kernel.manifest.names import BackendKind, Category, ExecutionMode, Permission, Platform, SkillType
from skillbag.kernel.manifest.shapes import MAX_NUMBER, Choice, Field, FilePath, Flag, ListOf, Number, Record, Text
from skillbag.kernel.manifest.versions import is_version, parse_range

MAX_NAME = 128
MAX_DESCRIPTION = 1024
NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"
TOOL_NAME = r"[A-Za-z][A-Za-z0-9_-]{0,63}"

_STEERING_FILE = late(r"(?!(?:.*/)?\.\.?(?:/|$))[^\s/\\*?,:;\"'`|<>]+(?:/[^\s/\\*?,:;\"'`|<>]+)*/?")

_is_name = re.compile(NAME).fullmatch
_is_tool_name = re.compile(TOOL_NAME).fullmatch


def _named(text: str) -> bool:
    return _is_name(text) is not None


def _steering(text: str) -> bool:
    return _STEERING_FILE().fullmatch(text) is not None


def _tool_named(text: str) -> bool:
    return _is_tool_name(text) is not None


def _ranged(text: str) -> bool:
    return parse_range(text) is not None


def _dependency_named(text: str) -> bool:
    return len(text) <= MAX_NAME and _named(text)


_ANY = Text(may_be_empty=True)
_WORD = Text()
_WORDS = ListOf(_WORD)
_COUNT = Number()
_LIMIT = Number(least=1)
_FILE = FilePath()

_STEERING = Text(
    _steering,
    "invalid steering file {} (must be a name, or a path from the workspace, without blanks and wildcards)",
    200,
)

_TRIGGERS = Record(
    values.Triggers,
    (Field("files", _WORDS), Field("keywords", _WORDS), Field("modes", _WORDS), Field("languages", _WORDS)),
)
_DEPENDENCY = Record(
    values.SkillDependency,
    (
        Field("name", Text(_dependency_named, "invalid dependency name {}"), 'invalid dependency name ""'),
        Field("version", Text(_ranged, "invalid version range {}")),
        Field("optional", Flag()),
    ),
    key="name",
    twice="duplicate dependency {}",
)
_REFERENCE = Record(values.ReferenceFile, (Field("path", _FILE, "reference path is required"), Field("when", _ANY)))
_LIMITS = Record(values.ProcessLimits, (Field("memory_mb", _LIMIT), Field("cpu_s", _LIMIT), Field("processes", _LIMIT)))
_IMPLEMENTATION = Record(
    values.Implementation,
    (
        Field("backend", Choice(BackendKind, "unknown backend {}")),
        Field("entrypoint", _ANY),
        Field("args", ListOf(_ANY)),
        Field("timeout", Number(whole=False)),
        Field("limits", _LIMITS),
    ),
)
_PROMPT = Record(
    values.Prompt,
    (
        Field("system_prompt_file", _FILE),
        Field("context_files", ListOf(_FILE)),
        Field("max_context_tokens", _COUNT),
    ),
)
_TOOL = Record(
    values.ToolDeclaration,
    (
        Field(
            "name",
            Text(_tool_named, f"invalid tool name {{}} (must match ^{TOOL_NAME}$)"),
            "tool name is required",
        ),
        Field("description", _ANY),
        Field("input_schema_file", _FILE),
        Field("requires_approval", Flag()),
    ),
    key="name",
    twice="duplicate tool name {}",
)
_ARGUMENT = Record(
    values.CommandArgument,
    (
        Field("name", _WORD, "command argument name is required"),
        Field("description", _ANY),
        Field("required", Flag()),
    ),
    key="name",
    twice="duplicate command argument {}",
)
_COMMAND = Record(
    values.CommandDeclaration,
    (
        Field("name", _WORD, "command name is required"),
        Field("description", _ANY),
        Field("arguments", ListOf(_ARGUMENT)),
    ),
    key="name",
    twice="duplicate command name {}",
)
_AGENT = Record(
    values.AgentDeclaration,
    (
        Field("name", _WORD, "agent name is required"),
        Field("description", _ANY),
        Field("system_prompt", _ANY),
        Field("tools", _WORDS),
        Field("max_turns", _COUNT),
        Field("max_depth", _COUNT),
        Field("model", _ANY),
        Field("inherit_skills", Flag()),
        Field("extra_skills", _WORDS),
        Field("disable_skills", _WORDS),
    ),
)
_SCANNER = Record(
    values.ScannerDeclaration,
    (
        Field("name", _WORD, "scanner name is required"),
        Field("entrypoint", _FILE, "scanner entrypoint is required"),
    ),
    key="name",
    twice="duplicate scanner name {}",
)
_SECURITY_RULES = Record(
    values.SecurityRules,
    (
        Field("sast_rules_file", _FILE),
        Field("scanners", ListOf(_SCANNER)),
        Field("overrides_file", _FILE),
    ),
)
_SECTION = Record(
    values.WikiSection,
    (
        Field("title", _WORD, "wiki section title is required"),
        Field("template", _FILE),
        Field("analyzer", _WORD),
    ),
)
_DIAGRAM = Record(values.Diagram, (Field("type", _WORD, "wiki diagram type is required"), Field("template", _FILE)))
_WIKI = Record(values.Wiki, (Field("sections", ListOf(_SECTION)), Field("diagrams", ListOf(_DIAGRAM))))
_COMPATIBILITY = Record(
    values.Compatibility,
    (
        Field("agent_version", Text(_ranged, "invalid version range {}")),
        Field("platforms", ListOf(Choice(Platform, "unknown platform {}"), "duplicate platform {}")),
    ),
)

MANIFEST = Record(
    values.Manifest,
    (
        Field("name", Text(_named, f"invalid name {{}} (must match ^{NAME}$)", MAX_NAME), "name is required"),
        Field("version", Text(is_version, "invalid version {}"), "version is required"),
        Field("description", Text(most=MAX_DESCRIPTION), "description is required"),
        Field(
            "types",
            ListOf(Choice(SkillType, "unknown skill type {}"), "duplicate skill type {}"),
            "types is required (at least one skill type)",
        ),
        Field("author", _ANY),
        Field("license", _ANY),
        Field("homepage", _ANY),
        Field("category", Choice(Category, "invalid category {}")),
        Field("tags", _WORDS),
        Field("triggers", _TRIGGERS),
        Field("permissions", ListOf(Choice(Permission, "unknown permission {}"), "duplicate permission {}")),
        Field("steering_files", ListOf(_STEERING)),
        Field("dependencies", ListOf(_DEPENDENCY)),
        Field("priority", Number(least=-MAX_NUMBER)),
        Field("tools_allow", _WORDS),
        Field("tools_deny", _WORDS),
        Field("execution_mode", Choice(ExecutionMode, "unknown execution_mode {} (must be inline or fork)")),
        Field("references", ListOf(_REFERENCE)),
        Field("implementation", _IMPLEMENTATION),
        Field("prompt", _PROMPT),
        Field("tools", ListOf(_TOOL)),
        Field("commands", ListOf(_COMMAND)),
        Field("agents", ListOf(_AGENT)),
        Field("security_rules", _SECURITY_RULES),
        Field("wiki", _WIKI),
        Field("compatibility", _COMPATIBILITY),
    ),
)
"""Every field of `SKILL.yaml`."""
