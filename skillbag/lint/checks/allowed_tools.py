"""The entries of `allowed-tools`: misspelled tools allow nothing, and neither does a malformed list.

The names are those of `hosts/*.yaml`. Claude Code compares them with case.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import closest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.hosts.tools import CLAUDE_TOOLS, OTHER_TOOLS
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.standard.blocks import scalars_of
from skillbag.kernel.standard.tool_entries import ToolEntry, tool_entries
from skillbag.kernel.standard.tool_names import NAMES, SHELL, tool_of_entry
from skillbag.kernel.workspace.skill import Skill
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at, short

_OTHERS = frozenset({*OTHER_TOOLS, *(name for name in NAMES if not name.islower())})
_NAME = late(r"[A-Za-z][A-Za-z0-9]*")


class KnownTools(NamedTuple):
    """`known`: names of further tools."""

    known: tuple[str, ...] = ()


class _Place(NamedTuple):
    """An entry, and where it stands in the text of `SKILL.md`: the whole value where it is written in another way."""

    entry: ToolEntry
    start: int
    end: int


@Predicate("tool-unknown", Subject.SKILL, values=("tool", "nearest"), options=KnownTools, needs="odd-tools")
def unknown_tool(skill: Skill, options: KnownTools) -> Iterator[Match]:
    """Entries whose tool no known host has; raised where it is one of Claude Code's, misspelled.

    Names with other characters than letters and digits are those of MCP servers, plugins and other hosts. A list of
    commands, such as the SkillBag standard has it, is left alone.
    """
    places = [place for place in _places(skill) if _NAME().fullmatch(place.entry.tool)]
    entries = [place.entry for place in places]
    in_style = any(entry.tool in CLAUDE_TOOLS or entry.body is not None for entry in entries)
    known = {*CLAUDE_TOOLS, *_OTHERS, *(name.lower() for name in _OTHERS), *options.known}
    lowered = {name.lower(): name for name in (*sorted(_OTHERS), *sorted(CLAUDE_TOOLS))}
    plain = all(entry.tool.lower() in lowered for entry in entries)
    for entry, start, _ in places:
        name = entry.tool
        if name in known or not (in_style or plain or name[0].isupper()):
            continue
        nearest = _nearest(name, lowered)
        if nearest or name[0].isupper():
            values = {"tool": short(name), "nearest": f"; did you mean `{nearest}`?" if nearest else ""}
            misspelled = bool(nearest) and (in_style or not plain)
            yield Match(skill.path, start, start + len(name), values, raised=misspelled)


@Predicate("tools-malformed", Subject.SKILL, values=("entry", "fault"), needs="odd-tools")
def malformed_tools(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """The first piece of the list that is no entry."""
    for entry, start, end in _places(skill):
        if entry.fault:
            yield Match(skill.path, start, end, {"entry": short(entry.text), "fault": entry.fault})
            return


@Predicate("tools-with-commas", Subject.SKILL, values=("tools",), needs="comma-tools")
def comma_tools(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A list with commas between its entries."""
    value = skill.field("allowed-tools")
    if isinstance(value, Scalar):
        entries = tool_entries(value.value)
        tools = " ".join(entry.text for entry in entries)
        if "," in _outside(value.value):
            safe = value.plain and "\n" not in value.value and not any(entry.fault for entry in entries)
            edits = (TextEdit(skill.path, value.start, value.end, tools),) if safe else ()
            yield match_at(skill.path, value, {"tools": short(tools)}, edits)


def _outside(text: str) -> str:
    """What is between the entries."""
    for entry in tool_entries(text):
        text = text.replace(entry.text, " ", 1)
    return text


_ALL = late(r"\*+|\*:\*|:\*")


@Predicate("allowed-tools-unlimited", Subject.SKILL, values=("entry",), needs="odd-tools")
def unlimited_tools(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Entries of `allowed-tools` that stand for every tool or every command."""
    for entry, start, end in _places(skill):
        is_shell = tool_of_entry(entry.tool) == SHELL and entry.body is not None and _ALL().fullmatch(entry.body)
        if entry.text == "*" or is_shell:
            yield Match(skill.path, start, end, {"entry": entry.text})


def _places(skill: Skill) -> Iterator[_Place]:
    document = skill.document
    if not isinstance(document, Document):
        return
    for scalar in scalars_of(skill.field("allowed-tools")):
        at = scalar.start
        for entry in tool_entries(scalar.value):
            found = document.text.find(entry.text, at, scalar.end)
            at = found + len(entry.text) if found >= 0 else at
            yield _Place(entry, found, at) if found >= 0 else _Place(entry, scalar.start, scalar.end)


def _nearest(name: str, lowered: dict[str, str]) -> str | None:
    for spelled in (name.lower(), name.lower().removesuffix("tool")):
        if spelled in lowered:
            return lowered[spelled]
    return lowered.get(closest(name.lower()[:40], lowered, 0.75))
