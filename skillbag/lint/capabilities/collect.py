"""From a target to its facts: every text of every skill, read once; the same answer for the same files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.literals import Literals
from skillbag.kernel.documents.source import DocumentProblem
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import AGENTS, Target, TargetKind
from skillbag.kernel.workspace.text import TextFile, UnreadText, text_files
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.lint.capabilities.comparison import compared
from skillbag.lint.capabilities.declared import declared
from skillbag.lint.capabilities.facts import (
    TAUGHT,
    Fact,
    FactKind,
    FactPlace,
    FoundFact,
    Risk,
    SkillFacts,
    TargetFacts,
    risk_of,
)
from skillbag.lint.capabilities.from_code import code_facts
from skillbag.lint.capabilities.from_dependencies import dependency_facts
from skillbag.lint.capabilities.from_files import opaque_files
from skillbag.lint.capabilities.from_flows import flow_facts
from skillbag.lint.capabilities.from_instructions import instruction_facts, steering_rules
from skillbag.lint.capabilities.from_powershell import powershell_facts
from skillbag.lint.capabilities.from_settings import front_matter_facts, settings_facts
from skillbag.lint.capabilities.from_text import shebang_facts, text_facts
from skillbag.lint.checks.flow_signs import SOURCES
from skillbag.lint.engine.host_runs import inner_texts
from skillbag.lint.facts.inline import inline_code
from skillbag.lint.facts.roles import role_of
from skillbag.lint.facts.units import Unit, units
from skillbag.lint.facts.values import PlaceRole

_ASSIGNED = late(r"(?<!\w)([A-Za-z_]\w*)=")
_INLINE = 2
"""How deep code within code is read."""
_ORDER = {kind: number for number, kind in enumerate(FactKind)}


def all_facts(paths: Iterable[str]) -> list[TargetFacts]:
    """The facts of the targets of absolute `paths`, found as for a check.

    Raises:
        NothingToCheckError: there is no target at a path.
    """
    return [target_facts(target) for target in find_targets(paths)]


def target_facts(target: Target) -> TargetFacts:
    """The facts of every skill of a target, those that are set apart among them, and of what stands around them."""
    skills = [skill_facts(skill) for part in (target, *target.apart) for skill in Workspace(part).skills()]
    return TargetFacts(target.root, (*skills, *_around_facts(target)))


def _around_facts(target: Target) -> Iterator[SkillFacts]:
    """The facts of the files around skills, and of the scripts that they start, for each plugin and project."""
    own = () if target.kind is TargetKind.SKILLS else (os.path.join(target.root, AGENTS),)
    by_root: dict[str, list[HostFile]] = {}
    for file in target.around:
        by_root.setdefault(file.root, []).append(HostFile(file, target.root))
    for root, files in by_root.items():
        seen: set[str] = set()
        inner = [text for file in files for text in inner_texts(file, seen) if text.language != "markdown"]
        known = [text for file in files if file.path not in own and isinstance(text := file.text, TextFile)]
        if facts := merged(_of_texts([*known, *inner])):
            unread = tuple(file.relative for file in files if not isinstance(file.text, TextFile))
            yield SkillFacts(
                f"{os.path.basename(root)}, around its skills", root, "", facts, unread=unread, is_skill=False
            )


def folder_facts(directory: str) -> SkillFacts:
    """The facts of the skill in the absolute folder `directory`."""
    return skill_facts(read_skill(directory, directory, directory))


def skill_facts(skill: Skill) -> SkillFacts:
    """The facts of one skill."""
    texts: list[TextFile] = []
    unread = [skill.file] if _is_unread(skill) else []
    for text in text_files(skill):
        if isinstance(text, UnreadText):
            unread += () if text.is_data else (text.relative,)
        else:
            texts.append(text)
    facts = merged(_all(skill, texts))
    says = declared(skill)
    try:
        content = tree_hash(skill.directory, others=True)
    except OSError:
        content = ""
    comparison = compared(skill, facts, says)
    return SkillFacts(skill.folder, skill.directory, content, facts, says, comparison, tuple(unread))


def _is_unread(skill: Skill) -> bool:
    """Whether there is a `SKILL.md` that can't be read."""
    return isinstance(skill.document, DocumentProblem) and skill.document.kind != "missing"


def _all(skill: Skill, texts: Sequence[TextFile]) -> Iterator[FoundFact]:
    yield from front_matter_facts(skill)
    yield from _of_texts(texts)
    yield from opaque_files(skill, {text.relative for text in texts})


def _of_texts(texts: Iterable[TextFile]) -> Iterator[FoundFact]:
    for text in texts:
        text.places = _literals().search(text.document.body)
        readers = (text_facts, instruction_facts, settings_facts, dependency_facts, shebang_facts, flow_facts)
        of_units = (found for unit in units(text) for found in _unit_facts(unit, _INLINE))
        yield from (_in_role(text, found) for found in chain(*(read(text) for read in readers), of_units))


def _in_role(text: TextFile, found: FoundFact) -> FoundFact:
    """A fact with the mark of what is taught, if nobody is to do what stands there; one of low risk stays as it is."""
    if found.place.path != text.relative or not found.place.line or risk_of(found.kind, found.marks) < Risk.MEDIUM:
        return found
    start = text.document.offset(found.place.line, found.place.column)
    role = role_of(text, start, text.document.bounds(start)[1], [(start, start)])
    return found if role in (PlaceRole.MEANT, PlaceRole.TEST) else found._replace(marks=(*found.marks, TAUGHT))


@cache
def _literals() -> Literals:
    """The words without which a text has no flow, and no order that a rule finds."""
    ordering = (rule.literals or rule.predicate.literals or () for rule in steering_rules())
    flowing = (signs.literals.union(words) for _, words, signs, _ in SOURCES)
    return Literals(dict.fromkeys(sorted(frozenset().union(*ordering, *flowing))))


def _unit_facts(unit: Unit, depth: int) -> Iterator[FoundFact]:
    """The facts of a unit and, in shell code, of the code within it."""
    yield from _code_facts(unit)
    inline = [*inline_code(unit)] if depth and unit.language == "shell" else []
    own = {match[1] for match in _ASSIGNED().finditer(unit.text)} if inline else set()
    for inner, place in inline:
        for found in _unit_facts(inner, depth - 1):
            # The shell has found the variables of the whole text, and those that it sets are not the user's.
            if found.kind is FactKind.VARIABLE and (inner.language == "shell" or found.value in own):
                continue
            yield found if place is None else found._replace(place=FactPlace(unit.file.relative, *place))


def _code_facts(unit: Unit) -> Iterator[FoundFact]:
    return powershell_facts(unit) if unit.language == "powershell" else code_facts(unit)


def merged(found: Iterable[FoundFact]) -> tuple[Fact, ...]:
    """One fact for each kind and value, with all its marks and places, sorted."""
    groups: dict[tuple[FactKind, str], list[FoundFact]] = {}
    for one in found:
        groups.setdefault((one.kind, one.value), []).append(one)
    return tuple(_fact(*key, groups[key]) for key in sorted(groups, key=lambda key: (_ORDER[key[0]], key[1])))


def _fact(kind: FactKind, value: str, found: list[FoundFact]) -> Fact:
    # What is taught beside a place where it is done changes nothing.
    done = [one for one in found if TAUGHT not in one.marks] or found
    marks = {mark for one in done for mark in one.marks}
    if marks & {"read", "written", "settings-written"}:
        marks.discard("named")
    if "unpinned" in marks:
        marks.discard("pinned")
    if kind is FactKind.RIGHTS and any("own-file" not in one.marks for one in found):
        marks.discard("own-file")
    detail = next((one.detail for one in sorted(found, key=lambda one: one.place) if one.detail), "")
    places = tuple(sorted({one.place for one in found}))
    return Fact(kind, value, risk_of(kind, marks), tuple(sorted(marks)), detail, places)
