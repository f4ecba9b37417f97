"""The model of a manifest: frozen values, one class for each mapping of `SKILL.yaml` (skill runtime, section 1)."""

from __future__ import annotations

from typing import NamedTuple

from skillbag.kernel.manifest.names import BackendKind, Category, ExecutionMode, Permission, Platform, SkillType


class Triggers(NamedTuple):
    """What activates the skill: globs of files, parts of a message, modes and languages."""

    files: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()


class SkillDependency(NamedTuple):
    """Another skill that must be active first; `version` is a range of npm's syntax."""

    name: str
    version: str = "*"
    optional: bool = False


class ReferenceFile(NamedTuple):
    """A file to read, and when."""

    path: str
    when: str = ""


class ProcessLimits(NamedTuple):
    """Limits of the skill's process: MiB of memory, seconds of the processor, processes. None: the default."""

    memory_mb: int | None = None
    cpu_s: int | None = None
    processes: int | None = None


class Implementation(NamedTuple):
    """What runs the skill's code. `timeout`: seconds of one call."""

    backend: BackendKind
    entrypoint: str = ""
    args: tuple[str, ...] = ()
    timeout: float | None = None
    limits: ProcessLimits = ProcessLimits()


class Prompt(NamedTuple):
    """Files of the prompt. `max_context_tokens` bounds the context files; 0 for the limit of one skill."""

    system_prompt_file: str = ""
    context_files: tuple[str, ...] = ()
    max_context_tokens: int = 0


class ToolDeclaration(NamedTuple):
    """A tool that the code registers. `requires_approval`: the user is asked before each call."""

    name: str
    description: str = ""
    input_schema_file: str = ""
    requires_approval: bool = False


class CommandArgument(NamedTuple):
    """An argument of a command."""

    name: str
    description: str = ""
    required: bool = False


class CommandDeclaration(NamedTuple):
    """A command that a user gives, such as a slash command; an MCP prompt."""

    name: str
    description: str = ""
    arguments: tuple[CommandArgument, ...] = ()


class AgentDeclaration(NamedTuple):
    """An agent that a host may run: data for hosts."""

    name: str
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

    name: str
    entrypoint: str


class SecurityRules(NamedTuple):
    """Files and scanners of a `security-rule`."""

    sast_rules_file: str = ""
    scanners: tuple[ScannerDeclaration, ...] = ()
    overrides_file: str = ""


class WikiSection(NamedTuple):
    """A section of generated documentation."""

    title: str
    template: str = ""
    analyzer: str = ""


class Diagram(NamedTuple):
    """A diagram of generated documentation."""

    type: str
    template: str = ""


class Wiki(NamedTuple):
    """Sections and diagrams of generated documentation."""

    sections: tuple[WikiSection, ...] = ()
    diagrams: tuple[Diagram, ...] = ()


class Compatibility(NamedTuple):
    """What the skill needs: a range of versions of this program, and one of the platforms; empty for any."""

    agent_version: str = ""
    platforms: tuple[Platform, ...] = ()


class Manifest(NamedTuple):
    """A valid manifest."""

    name: str
    version: str
    description: str
    types: tuple[SkillType, ...]
    author: str = ""
    license: str = ""
    homepage: str = ""
    category: Category | None = None
    tags: tuple[str, ...] = ()
    triggers: Triggers = Triggers()
    permissions: tuple[Permission, ...] = ()
    steering_files: tuple[str, ...] = ()
    dependencies: tuple[SkillDependency, ...] = ()
    priority: int = 0
    tools_allow: tuple[str, ...] = ()
    tools_deny: tuple[str, ...] = ()
    execution_mode: ExecutionMode = ExecutionMode.INLINE
    references: tuple[ReferenceFile, ...] = ()
    implementation: Implementation | None = None
    prompt: Prompt | None = None
    tools: tuple[ToolDeclaration, ...] = ()
    commands: tuple[CommandDeclaration, ...] = ()
    agents: tuple[AgentDeclaration, ...] = ()
    security_rules: SecurityRules | None = None
    wiki: Wiki | None = None
    compatibility: Compatibility = Compatibility()
