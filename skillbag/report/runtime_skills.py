"""The active skills that were found: as a table, one by one, and as JSON (skill runtime, section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from skillbag.kernel.manifest.names import RISKS, SkillType
from skillbag.kernel.manifest.values import Manifest
from skillbag.kernel.workspace.target import SKILL_FILE
from skillbag.report.columns import table
from skillbag.report.encoding import json_object
from skillbag.report.sanitize import shown
from skillbag.report.summary import counted
from skillbag.runtime.discovery.discovery import BadSkill, Discovered
from skillbag.runtime.sessions.standings import SkillStanding
from skillbag.runtime.skill import FoundSkill

HEAD = ("NAME", "VERSION", "TYPES", "SOURCE", "STATE")
_NONE = "none"


def list_values(found: Discovered, standings: Iterable[SkillStanding]) -> dict[str, Any]:
    """The skills, those that they hide, and those that can't be used, as JSON."""
    return {
        "skills": [skill_values(each) for each in standings],
        "hidden": [
            json_object(
                name=each.skill.name,
                version=each.skill.manifest.version,
                source=each.skill.source,
                file=each.skill.file,
                by=each.by.file,
            )
            for each in found.shadowed
        ],
        "bad": [_bad_values(each) for each in found.faults],
    }


def skill_values(each: SkillStanding) -> dict[str, Any]:
    """One skill as JSON."""
    found, manifest = each.found, each.found.manifest
    return json_object(
        name=found.name,
        version=manifest.version,
        description=manifest.description,
        types=manifest.types,
        source=found.source,
        inline=found.inline,
        state=each.standing,
        reason=each.reason,
        directory=found.directory,
        file=found.file,
        hides=found.hides,
    )


def list_text(found: Discovered, standings: Sequence[SkillStanding]) -> str:
    """A table of the skills; below it what can't be activated, is hidden, or can't be used, with the reasons."""
    lines = table([HEAD, *map(_row, standings)]) if standings else ["No skills found."]
    reasons = [f"{each.found.name}: {each.reason}" for each in standings if each.reason]
    hidden = [f"{each.skill.file}: hidden by {each.by.file or each.by.origin}" for each in found.shadowed]
    lines += [*_section("Why", reasons), *_section("Hidden", hidden), *_section("Can't be used", _bad(found.faults))]
    return "".join(f"{line}\n" for line in lines)


def info_values(each: SkillStanding, program: Sequence[str]) -> dict[str, Any]:
    """All about a skill, with its whole manifest."""
    return {"skill": skill_values(each), **json_object(program=program, manifest=each.found.manifest)}


def info_text(each: SkillStanding) -> str:
    """All about a skill, a line for each subject; those that it says nothing about are left out."""
    return "".join(f"{name}: {shown(text)}\n" for name, text in _facts(each) if text)


def _row(each: SkillStanding) -> tuple[str, ...]:
    found = each.found
    source = f"{found.source} (named)" if found.inline else found.source
    return (shown(found.name), shown(found.manifest.version), ",".join(found.manifest.types), source, each.standing)


def _section(title: str, lines: Iterable[str]) -> list[str]:
    shown_lines = [f"  {shown(line)}" for line in lines]
    return ["", f"{title}:", *shown_lines] if shown_lines else []


def _bad(faults: Iterable[BadSkill]) -> Iterator[str]:
    for bad in faults:
        for fault in bad.faults:
            yield f"{bad.file}:{fault.line}:{fault.column}: {fault.message}"


def _bad_values(bad: BadSkill) -> dict[str, Any]:
    faults = [{"message": fault.message, "line": fault.line, "column": fault.column} for fault in bad.faults]
    return json_object(file=bad.file, source=bad.source, faults=faults)


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
