"""The active skills that were found: as a table, one by one, and as JSON (skill runtime, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

from skillbag.kernel.base.json_records import fits
from skillbag.kernel.manifest.names import RISKS, SkillType
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.report.answers.types import OneBased, Program, Reason, Text
from skillbag.report.summary import counted
from skillbag.report.views import Columns, facts_view, lines_view, table_view
from skillbag.runtime.discovery.discovery import Discovered
from skillbag.runtime.sessions.standings import SkillStanding, SkillStandingKind
from skillbag.runtime.skill import FoundSkill, SkillSource

_NONE = "none"


class SkillJson(NamedTuple):
    """A skill."""

    name: Text
    version: Text
    description: str
    types: Annotated[tuple[SkillType, ...], fits(minItems=1)]
    source: SkillSource
    inline: Annotated[bool, "Whether it was named explicitly."]
    state: Annotated[
        SkillStandingKind,
        "`active`: in the session. `blocked`: it can't be activated. `denied`: the settings forbid it.",
    ]
    reason: Reason
    directory: str
    file: Annotated[str, "What it was read from; empty for an MCP server."]
    hides: Annotated[tuple[str, ...], "Files of skills of the same name that do not count."]

    @classmethod
    def of(cls, each: SkillStanding) -> SkillJson:
        """A skill as it stands."""
        found, (name, version, description, types, *_) = each.found, each.found.manifest
        state = (found.source, found.inline, each.standing, each.reason)
        return cls(name, version, description, types, *state, found.directory, found.file, found.hides)


class HiddenJson(NamedTuple):
    """A skill that is hidden by the one in the file `by`."""

    name: Text
    version: str
    source: SkillSource
    file: str
    by: str


class FaultJson(NamedTuple):
    """What is wrong with a manifest, and its place."""

    message: Text
    line: OneBased
    column: OneBased


class BadSkillJson(NamedTuple):
    """A skill that can't be used."""

    file: Text
    source: SkillSource
    faults: Annotated[tuple[FaultJson, ...], fits(minItems=1)]


class SkillsJson(NamedTuple):
    """The skills that were found."""

    skills: Annotated[tuple[SkillJson, ...], "Sorted by name."]
    hidden: Annotated[
        tuple[HiddenJson, ...],
        "Skills that do not count, since the one in the file `by` has their name and comes first.",
    ]
    bad: Annotated[tuple[BadSkillJson, ...], "Skills that can't be used."]

    @classmethod
    def of(cls, found: Discovered, standings: Iterable[SkillStanding]) -> SkillsJson:
        """The skills as they stand, those that they hide, and those that can't be used."""
        hidden = tuple(
            HiddenJson(each.name, each.manifest.version, each.source, each.file, by.file) for each, by in found.shadowed
        )
        bad = (
            BadSkillJson(file, source, tuple(FaultJson(*each[:3]) for each in faults))
            for file, source, faults in found.faults
        )
        return cls(tuple(map(SkillJson.of, standings)), hidden, tuple(bad))


class SkillInfoJson(NamedTuple):
    """All about a skill."""

    skill: SkillJson
    program: Program
    manifest: Annotated[
        object,
        fits(
            type="object",
            required=("name", "version", "description", "types", "permissions", "triggers", "implementation"),
        ),
        "Every field, with its default where the manifest says nothing.",
    ]


_SKILLS: Columns[SkillJson] = {
    "NAME": lambda each: each.name,
    "VERSION": lambda each: each.version,
    "TYPES": lambda each: ",".join(each.types),
    "SOURCE": lambda each: f"{each.source} (named)" if each.inline else each.source,
    "STATE": lambda each: each.state,
}


def list_text(listed: SkillsJson, found: Discovered) -> str:
    """A table of the skills; below it what can't be activated, is hidden, or can't be used, with the reasons."""
    lines = table_view(_SKILLS, listed.skills) if listed.skills else ["No skills found."]
    lines += _section("Why", (f"{each.name}: {each.reason}" for each in listed.skills if each.reason))
    hidden = (f"{each.file}: hidden by {by.file or by.origin}" for each, by in found.shadowed)
    bad = (f"{bad.file}:{fault.line}:{fault.column}: {fault.message}" for bad in found.faults for fault in bad.faults)
    return lines_view([*lines, *_section("Hidden", hidden), *_section("Can't be used", bad)])


def info_text(each: SkillStanding) -> str:
    """All about a skill, a line for each subject; those that it says nothing about are left out."""
    return facts_view(_facts(each))


def _section(title: str, lines: Iterable[str]) -> list[str]:
    indented = [f"  {line}" for line in lines]
    return ["", f"{title}:", *indented] if indented else []


def _facts(each: SkillStanding) -> Iterator[tuple[str, str]]:
    found, manifest = each.found, each.found.manifest
    yield "Name", found.name
    yield "Version", manifest.version
    yield "Description", manifest.description
    yield "Types", ", ".join(manifest.types)
    yield "Category", manifest.category or ""
    yield "Tags", ", ".join(manifest.tags)
    yield "Author", manifest.author
    yield "License", manifest.license
    yield "Homepage", manifest.homepage
    yield "Source", f"{found.source} (named explicitly)" if found.inline else found.source
    yield "Directory", found.directory
    yield "Hides", ", ".join(found.hides)
    yield "State", f"{each.standing}: {each.reason}" if each.reason else each.standing
    yield "Permissions", ", ".join(f"{name} ({RISKS[name]} risk)" for name in manifest.permissions) or _NONE
    yield "Triggers", "; ".join(_triggers(manifest)) or _NONE
    yield "Dependencies", ", ".join(_dependencies(manifest))
    yield "Components", _components(manifest)
    yield "Tools", ", ".join(_tools(manifest))
    yield "Workflows", _workflows(manifest)
    yield "Prompt", ", ".join(_prompt(found))
    yield "Backend", _backend(found)
    yield "Needs", "; ".join(_needs(manifest))


def _triggers(manifest: Manifest) -> Iterator[str]:
    for kind, words in manifest.triggers._asdict().items():
        if words:
            yield f"{kind} {', '.join(words)}"


def _dependencies(manifest: Manifest) -> Iterator[str]:
    for needed in manifest.dependencies:
        yield f"{needed.name} {needed.version}{' (optional)' if needed.optional else ''}"


def _components(manifest: Manifest) -> str:
    numbers = {
        "tool": len(manifest.tools),
        "command": len(manifest.commands),
        "agent": len(manifest.agents),
        "scanner": len(manifest.security_rules.scanners) if manifest.security_rules else 0,
        "wiki section": len(manifest.wiki.sections) if manifest.wiki else 0,
        "diagram": len(manifest.wiki.diagrams) if manifest.wiki else 0,
        "reference": len(manifest.references),
    }
    return ", ".join(counted(number, name) for name, number in numbers.items() if number) or _NONE


def _workflows(manifest: Manifest) -> str:
    """How to find them: the manifest does not declare them."""
    if SkillType.WORKFLOW not in manifest.types:
        return ""
    command = f"skillbag runtime run {manifest.name}"
    return f"its code registers them; {command} runs the only one, or lists several"


def _tools(manifest: Manifest) -> Iterator[str]:
    for tool in manifest.tools:
        yield f"{tool.name} (asks before each call)" if tool.requires_approval else tool.name


def _prompt(found: FoundSkill) -> Iterator[str]:
    """The files that a prompt takes of the skill."""
    prompt = found.manifest.prompt
    if prompt and prompt.system_prompt_file:
        yield prompt.system_prompt_file
    elif found.instructions:
        yield SKILL_FILE
    yield from prompt.context_files if prompt else ()


def _backend(found: FoundSkill) -> str:
    implementation = found.manifest.implementation
    if implementation is None:
        return _NONE
    words = " ".join((implementation.entrypoint, *implementation.args)).strip()
    return f"{implementation.backend} ({words})" if words else implementation.backend


def _needs(manifest: Manifest) -> Iterator[str]:
    needs = manifest.compatibility
    if needs.agent_version:
        yield f"skillbag {needs.agent_version}"
    if needs.platforms:
        yield f"one of {', '.join(needs.platforms)}"
