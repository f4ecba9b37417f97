"""Find the active skills of every source, and decide which of one name counts (skill runtime, section 2)."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import is_within
from skillbag.kernel.manifest.names import BackendKind, Permission, SkillType
from skillbag.kernel.manifest.prompt_skill import UNVERSIONED
from skillbag.kernel.manifest.shapes import quoted
from skillbag.kernel.manifest.values import Implementation, Manifest
from skillbag.kernel.workspace.target import SKILL_ROOT, is_skill_name
from skillbag.runtime.discovery.reading import Reading, ReadingFault, Readings
from skillbag.runtime.discovery.registered import RegisteredSkill, found
from skillbag.runtime.discovery.skill_folders import MANIFEST_NAMES, FoundFolders, search_children, search_tree
from skillbag.runtime.errors import meant
from skillbag.runtime.skill import PRECEDENCE, FoundSkill, SkillSource
from skillbag.runtime.triggers.settings import McpServer

_PERSONAL_NAMES = (*MANIFEST_NAMES, "skill.md")
"""In the personal root, a `SKILL.md` may be spelled in lower case, as everywhere else in this program."""

_NOT_FOUND = "not found in any source"
_READINGS = Readings()


class DiscoveryRequest(NamedTuple):
    """Where to look. All folders are absolute, and may be missing.

    `builtin` are folders of this package that hold skills. `user` is the personal root, `workspace` the root of the
    workspace, whose `.skills/` counts. `configured` are searched with all their folders. `inline` are names of skills,
    or paths of skills and of folders with skills (with a `/`, or beginning with `.` or `~`).
    """

    builtin: tuple[str, ...] = ()
    registered: tuple[RegisteredSkill, ...] = ()
    user: str | None = None
    workspace: str | None = None
    configured: tuple[str, ...] = ()
    mcp_servers: tuple[McpServer, ...] = ()
    inline: tuple[str, ...] = ()


class Shadowed(NamedTuple):
    """A skill that does not count, because `by` has its name and comes first."""

    skill: FoundSkill
    by: FoundSkill


class BadSkill(NamedTuple):
    """A skill that can't be used: `file` is its manifest, a link to its folder, or the name of a server."""

    file: str
    source: SkillSource
    faults: tuple[ReadingFault, ...]


class Discovered(NamedTuple):
    """The skills that count, sorted by name; those that they hide, bad ones, and remarks on what does no harm."""

    skills: tuple[FoundSkill, ...]
    shadowed: tuple[Shadowed, ...]
    faults: tuple[BadSkill, ...]
    remarks: tuple[str, ...]

    @property
    def named(self) -> tuple[FoundSkill, ...]:
        """The skills that were named explicitly, in the order in which they are activated."""
        named = (skill for skill in self.skills if skill.inline)
        return tuple(sorted(named, key=lambda skill: PRECEDENCE[skill.source]))


def discover(request: DiscoveryRequest, readings: Readings = _READINGS) -> Discovered:
    """Find all skills. A bad manifest is a fault of its skill alone.

    Raises:
        UserError: there is no skill of a name in `inline`, or none at a path. OSError: the user's own skills can't be
            listed: among them may be guards.
    """
    named = [word for word in request.inline if not _is_path(word)]
    collection = _Collection(readings)
    for word in request.inline:
        if _is_path(word):
            collection.add_inline(word)
    for folder in request.builtin:
        collection.add(SkillSource.BUILTIN, folder, search_children(os.path.realpath(folder)))
    collection.add_registered(request.registered)
    if request.user is not None:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.scandir(request.user).close()
        collection.add(SkillSource.USER, request.user, search_children(os.path.realpath(request.user), _PERSONAL_NAMES))
    if request.workspace is not None:
        collection.add_project(request.workspace)
    for folder in request.configured:
        collection.add(SkillSource.CONFIGURED, folder, search_tree(os.path.realpath(folder)))
    for server in request.mcp_servers:
        collection.add_server(server)
    return collection.result(named)


def _is_path(word: str) -> bool:
    return "/" in word or os.sep in word or word.startswith((".", "~"))


class _Collection:
    """What was found so far, those that win first."""

    def __init__(self, readings: Readings) -> None:
        self._readings = readings
        self._found: list[FoundSkill] = []
        self._bad: list[BadSkill] = []
        self._remarks: list[str] = []
        self._missing: list[str] = []

    def add(self, source: SkillSource, root: str, search: FoundFolders, inline: bool = False) -> None:
        """Read what a search below `root` found."""
        real = os.path.realpath(root)
        origin = f"{source}:{real}"
        self._remarks += search.remarks
        for link in search.refused:
            self._bad.append(BadSkill(link, source, (ReadingFault(f"it is a link that leads out of {real}", 1, 1),)))
        for folder in search.folders:
            read = self._readings.read(folder, real)
            if read.manifest is None:
                self._bad.append(BadSkill(read.file, source, tuple(fault for fault in read.faults if fault.is_error)))
                continue
            self._remarks += _remarks(read)
            skill = FoundSkill(read.manifest, source, folder.directory, read.file, origin, inline)
            self._found.append(skill._replace(instructions=read.instructions))

    def add_inline(self, word: str) -> None:
        """Read the skills at a path that was named explicitly."""
        path = os.path.realpath(os.path.expanduser(word))
        before = len(self._found)
        self.add(SkillSource.CONFIGURED, path, search_tree(path), inline=True)
        if len(self._found) == before:
            self._missing.append(f"{quoted(word)} {_why(self._bad, path) or _NOT_FOUND}")

    def add_project(self, workspace: str) -> None:
        """Read the skills of a workspace; `.skills/` may be a link within it."""
        folder = os.path.join(workspace, SKILL_ROOT)
        if is_within(workspace, folder):
            self.add(SkillSource.PROJECT, workspace, search_children(os.path.realpath(folder)))
        else:
            self.add(SkillSource.PROJECT, workspace, FoundFolders(refused=(folder,)))

    def add_registered(self, skills: Iterable[RegisteredSkill]) -> None:
        """Add skills that need not be read."""
        self._found += map(found, skills)

    def add_server(self, server: McpServer) -> None:
        """Add the skill that stands for an MCP server."""
        name = f"mcp-{server.name}"
        if not is_skill_name(name):
            fault = ReadingFault(
                "the name of an MCP server is at most 60 characters of a-z, 0-9 and single hyphens", 1, 1
            )
            self._bad.append(BadSkill(f"{SkillSource.MCP}:{server.name}", SkillSource.MCP, (fault,)))
            return
        manifest = Manifest(
            name,
            UNVERSIONED,
            f"The tools of the MCP server {server.name}.",
            (SkillType.TOOL,),
            permissions=(Permission.SHELL_EXEC,) if server.command else (),
            implementation=Implementation(BackendKind.MCP, server.name),
        )
        self._found.append(FoundSkill(manifest, SkillSource.MCP, "", "", f"{SkillSource.MCP}:{server.name}"))

    def result(self, named: Iterable[str]) -> Discovered:
        """Decide which skills count, and mark those of these names."""
        winners: dict[str, FoundSkill] = {}
        hidden: dict[str, list[FoundSkill]] = {}
        for skill in self._ordered():
            if skill.name not in winners:
                winners[skill.name] = skill
                continue
            hidden.setdefault(skill.name, []).append(skill)
            first = winners[skill.name]
            if first.source is skill.source:
                self._remarks.append(f'skill "{skill.name}" is there twice: {first.file} counts, {skill.file} does not')
        for name in named:
            if name in winners:
                winners[name] = winners[name]._replace(inline=True)
            else:
                why = _why(self._bad, os.sep + name) or f"{_NOT_FOUND}{meant(name, winners)}"
                self._missing.append(f"{quoted(name)} {why}")
        if self._missing:
            raise UserError("; ".join(f"explicit skill {text}" for text in self._missing))
        for name, others in hidden.items():
            winners[name] = winners[name]._replace(hides=tuple(skill.file for skill in others))
        shadowed = tuple(Shadowed(skill, winners[name]) for name in sorted(hidden) for skill in hidden[name])
        bad = {one.file: one for one in self._bad}
        faults = tuple(bad[file] for file in sorted(bad))
        return Discovered(tuple(winners[name] for name in sorted(winners)), shadowed, faults, tuple(self._remarks))

    def _ordered(self) -> list[FoundSkill]:
        """The skills in order of precedence, each folder once. What was named by its path comes first, and belongs to
        the source that has it anyway."""
        paths = {skill.directory for skill in self._found if skill.inline}
        chosen: dict[str, FoundSkill] = {}
        for skill in sorted(self._found, key=lambda skill: (skill.inline, PRECEDENCE[skill.source], skill.file)):
            is_inline = skill.directory in paths
            same = skill if skill.inline is is_inline else skill._replace(inline=is_inline)
            chosen.setdefault(skill.directory or skill.origin, same)
        return sorted(chosen.values(), key=lambda skill: (not skill.inline, PRECEDENCE[skill.source], skill.file))


def _why(bad: Iterable[BadSkill], path: str) -> str:
    """The end of the message for a skill that was named and is there: what is wrong with it; empty if it is not."""
    for one in bad:
        if one.file == path or os.path.dirname(one.file).endswith(path):
            return f"can't be used: {one.file}: {one.faults[0].message}"
    return ""


def _remarks(reading: Reading) -> Iterator[str]:
    for fault in reading.faults:
        yield f"{reading.file}:{fault.line}:{fault.column}: {fault.message}"
