"""Declared against observed: what is declared and not used, used and not declared, and hosts that are not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.capabilities.facts import Comparison, DeclaredCapabilities, Fact, FactKind

_BASH = late(r"(?:Bash|Shell)\((?P<what>.*)\)\Z")
_SHELL_TOOLS = ("Bash", "Shell", "bash", "shell", "Terminal", "run_command", "*", "all")


def compared(skill: Skill, facts: Sequence[Fact], says: DeclaredCapabilities) -> Comparison:
    """The comparison of a skill's declarations with its facts; where nothing is declared, nothing is undeclared."""
    body = skill.document.text if isinstance(skill.document, Document) else ""
    programs = {fact.value for fact in facts if fact.kind is FactKind.PROGRAM and not fact.value.startswith("(")}
    started = {fact.value for fact in facts if fact.kind is FactKind.PROGRAM and fact.marks != ("shebang",)} & programs
    unused = [
        *_unused_tools(says.tools, programs, body[skill.body_start :]),
        *_unused_requirements(says, programs, facts),
    ]
    undeclared = [*_undeclared_programs(says, started), *_undeclared_variables(says, facts)]
    used = _permissions_used(facts)
    if says.permissions:
        undeclared += [f"permission {name}" for name in sorted(used - set(says.permissions))]
        unused += [f"permission {name}" for name in sorted(_OBSERVED & set(says.permissions) - used)]
    hosts = {fact.value for fact in facts if fact.kind is FactKind.HOST and not _names(body, fact.value)}
    return Comparison(tuple(sorted(set(unused))), tuple(sorted(set(undeclared))), tuple(sorted(hosts)))


def _unused_tools(tools: Sequence[str], programs: set[str], body: str) -> Iterator[str]:
    """Tools of which the files show no use. Reading, writing and searching leave no trace, and are never among them."""
    for tool in tools:
        if match := _BASH().match(tool):
            words = match["what"].replace(":", " ").split()
            first = words[0].rstrip("*") if words else ""
            if first and first.rpartition("/")[2] not in _last_parts(programs) and first not in body:
                yield tool
        elif tool in ("Bash", "Shell") and not programs:
            yield tool
        elif tool.startswith("mcp__"):
            parts = tool.split("__")
            if not any(part and part.strip("*") in body for part in parts[1:]):
                yield tool


def _undeclared_programs(says: DeclaredCapabilities, programs: set[str]) -> Iterator[str]:
    """Programs that the allowed tools do not cover; without any tool, those that `requires` does not name."""
    if says.tools:
        if any(tool in _SHELL_TOOLS or tool in ("Bash(*)", "Bash(*:*)") for tool in says.tools):
            return
        patterns = [match["what"] for tool in says.tools if (match := _BASH().match(tool))]
        covered = {pattern.replace(":", " ").split()[0].rstrip("*") for pattern in patterns if pattern.strip(":* ")}
        yield from (f"program {name}" for name in programs if not _is_covered(name, covered))
    elif says.programs:
        yield from (f"program {name}" for name in programs if name not in says.programs and "/" not in name)


def _is_covered(name: str, covered: set[str]) -> bool:
    return name in covered or name.removeprefix("./") in {pattern.removeprefix("./") for pattern in covered}


def _undeclared_variables(says: DeclaredCapabilities, facts: Sequence[Fact]) -> Iterator[str]:
    if says.variables:
        for fact in facts:
            if fact.kind is FactKind.VARIABLE and "secret" in fact.marks and fact.value not in says.variables:
                yield f"variable {fact.value}"


def _unused_requirements(says: DeclaredCapabilities, programs: set[str], facts: Sequence[Fact]) -> Iterator[str]:
    read = {fact.value for fact in facts if fact.kind is FactKind.VARIABLE}
    last = _last_parts(programs)
    yield from (f"program {name}" for name in says.programs if name not in last)
    yield from (f"variable {name}" for name in says.variables if name not in read)


def _last_parts(programs: set[str]) -> set[str]:
    return {name.rpartition("/")[2] for name in programs}


_OBSERVED = {"shell:exec", "net:fetch", "env:read"}
"""The permissions whose use the files show."""


def _permissions_used(facts: Sequence[Fact]) -> set[str]:
    """The permissions that code of the skill needs; what a text tells an agent to do needs none of them."""
    needed = {
        FactKind.PROGRAM: "shell:exec",
        FactKind.HOST: "net:fetch",
        FactKind.UNKNOWN_HOST: "net:fetch",
        FactKind.VARIABLE: "env:read",
    }
    return {needed[fact.kind] for fact in facts if fact.kind in needed and "script" in fact.marks}


def _names(body: str, host: str) -> bool:
    """Whether a text names a host, or the domain that it belongs to."""
    folded = body.lower()
    parts = host.split(".")
    return host in folded or (len(parts) > 2 and not host[:1].isdigit() and ".".join(parts[-2:]) in folded)
