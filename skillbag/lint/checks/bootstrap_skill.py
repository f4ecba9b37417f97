"""The reserved skill `skillbag-get-skills`: whether it has the tools, parameters and instructions of the standard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Node, Scalar, Sequence
from skillbag.kernel.documents.sentences import read_sentences, without_code, without_comments
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


class _Subject(NamedTuple):
    """What instructions must say: its name in a message, and expressions for a sentence about it.

    Such a sentence `says` it, has one of the words that it `needs`, and does not deny it. One that says it and is
    `against` it, without these words, takes it back.
    """

    name: str
    says: Late
    denies: Late | None = None
    needs: Late | None = None
    against: Late | None = None


_SUBJECTS = (
    _Subject("the context's dependencies (`CONTEXT.md`)", late(r"CONTEXT\.md")),
    _Subject("the check of a source (`AGENTS.md`)", late(r"AGENTS\.md")),
    _Subject("the catalog (`SKILLS.md`)", late(r"SKILLS\.md")),
    _Subject(
        "the extra steps of a source",
        late(
            r"(?i)\b(?:extra|additional|further|own|special|install(?:ation)?|set-?up)\s(?:install(?:ation)?\s)?steps?\b"
        ),
        late(r"(?i)\b(?:ignore|skip|disregard)|(?:\bnot|n't|\bnever)\s(?:follow|run|perform|do)\b"),
        late(r"(?i)\b(?:follow|perform|run|carr(?:y|ied) out|execut|agree|show|appl(?:y|ied)|complete|obey|take|do)"),
    ),
    _Subject(
        "the end of the run at any failure",
        late(r"(?i)\b(?:stop|abort|halt|cancel|end|quit|terminate|give up|break off)|\bnothing (?:is|may be)\b"),
        late(r"(?i)(?<!not )(?<!never )(?<!than )\b(?:continue|carry on|go on|keep going|proceed)\b"),
        late(r"(?i)\b(?:fail|invalid|error|fault|wrong|problem|unsound|does not pass|do not pass)"),
    ),
    _Subject(
        "the default branch of a git source without a version",
        late(r"(?i:\bdefault[ -](?:branch|head)\b|\bhead of (?:the|its) (?:repo|remote))|\bHEAD\b"),
    ),
    _Subject(
        "that a skill which is there is skipped",
        late(
            r"(?i)\bskip(?:s|ping)?\b|\balready\b|\bupgrade\W+(?:is\W+)?false|\bleave\w*\b.*\b(?:is|are|alone|untouched)\b"
        ),
        late(r"(?i)(?:\bnot|n't|\bnever)\sskip"),
    ),
    _Subject(
        "the protection of local edits",
        late(
            r"(?i)\blocal(?:ly)?[ -](?:edit|modif|chang|work)|\b(?:edit|modifi|chang)ed (?:skill|cop|file|locally|by)"
            r"|\bthe user's (?:own )?(?:edits|changes|work)|\b(?:changes|modifications) (?:of|by) the user|\bedits\b"
        ),
        needs=late(r"(?i)\b(?:not|never|n't|no|without|unless|only|keep|preserve|explicit|ask|protect|refuse)"),
        against=late(r"(?i)\b(?:overwrit|replac|discard)"),
    ),
    _Subject(
        "that secrets are not written",
        late(r"(?i)(?<!non)(?<!non-)(?<!not )(?<!not-)\b(?:secret|credential|password)s?\b"),
        needs=late(r"(?i)\b(?:not|never|no|without|except|exclude|omit|forbid|refuse|leave out|out of)|n't\b"),
    ),
)


@Predicate("bootstrap-instructions-incomplete", Subject.SKILL, values=("absent",), needs="bootstrap-skill")
def bootstrap_instructions(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Instructions that leave out a subject the standard requires, or say the opposite."""
    if _is_bootstrap(skill) and isinstance(skill.document, Document):
        body = without_code(without_comments(skill.document.text[skill.body_start :]))
        sentences = [" ".join(each.text.replace("*", "").split()) for each in read_sentences(body)]
        absent = [subject.name for subject in _SUBJECTS if not _is_stated(subject, sentences)]
        if absent:
            yield Match(skill.path, skill.body_start, skill.body_start, {"absent": ", ".join(absent)})


def _is_stated(subject: _Subject, sentences: list[str]) -> bool:
    _, says, denies, needs, against = subject
    about = [sentence for sentence in sentences if says().search(sentence)]
    sound = [sentence for sentence in about if needs is None or needs().search(sentence)]
    if against and any(against().search(sentence) for sentence in about if sentence not in sound):
        return False
    return any(denies is None or not denies().search(sentence) for sentence in sound)
