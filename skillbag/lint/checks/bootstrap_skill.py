"""The reserved skill `skillbag-get-skills`: whether it has the tools, parameters and instructions of the standard."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.frontmatter import FrontMatter
from skillbag.kernel.documents.nodes import Node, Scalar, Sequence
from skillbag.kernel.documents.sentences import without_comments
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
    """What instructions must say: its name in a message, and the words of a sentence about it, in lower case.

    It `says` one of them, `needs` one of the others, and none `denies` it. A sentence with one `against` it, without
    what it needs, takes it back.
    """

    name: str
    says: tuple[str, ...]
    needs: tuple[str, ...] = ("",)
    denies: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


_NEVER = (" not ", " never ", " no ", "n't ", "without", "refuse")
_SUBJECTS = (
    _Subject("the context's dependencies (`CONTEXT.md`)", (" context.md",)),
    _Subject("the check of a source (`AGENTS.md`)", ("agents.md",)),
    _Subject(
        "that the sorted catalog (`SKILLS.md`) is written anew",
        ("skills.md", "catalog"),
        (
            "generat",
            "ascend",
            "alphabet",
            "sort",
            "anew",
            " again ",
            " again,",
            "rewr",
            "rebuil",
            "writ",
            "updat",
            "renew",
        ),
        ("order of install",),
    ),
    _Subject(
        "that nothing is fetched without a source",
        ("source", "name only", "only by name", "local name"),
        ("local", " not fetch", "n't fetch", "never fetch", "nothing is fetched", "no fetch", "without fetch"),
    ),
    _Subject(
        "the extra steps of a source",
        (
            *(
                f"{kind} steps"
                for kind in ("extra", "additional", "further", "own", "installation", "install", "setup")
            ),
            *(f"steps {where} agents.md" for where in ("in", "of", "from", "that")),
        ),
        ("follow", "perform", " run", "carr", "execut", "agree", "show", "appl", "complete", "obey", "take", " do "),
        (*("ignore", "skip", "disregard"), *(f"{no}follow" for no in _NEVER[:4]), *(f"{no}run" for no in _NEVER[:4])),
    ),
    _Subject(
        "the end of the run at any failure",
        ("stop", "abort", "halt", "cancel", " end ", " ends ", " quit", " exit", "give up", "nothing", "no changes"),
        ("fail", "invalid", "error", "fault", "wrong", "problem", "unsound", "not pass"),
        ("continue", "carry on", " go on", "keep going", "proceed"),
    ),
    _Subject(
        "the default branch of a git source without a version",
        ("default branch", "default-branch", "default head", " head of ", "'s head"),
    ),
    _Subject(
        "that a skill which is there is skipped",
        (" skip ", " skips ", " skipping ", "already ", "upgrade=false", " leave ", "untouched", " present", " exist"),
        ("skip", " leave", "untouched", " keep", " stay", "ignore", "unless", "upgrade", " only", *_NEVER),
        ("not skip", "never skip", "n't skip"),
    ),
    _Subject(
        "the protection of local edits",
        (
            *(
                "local edit",
                "local modif",
                "local chang",
                "local work",
                "locally",
                " edits",
                "user's changes",
                "customi",
            ),
            *(f"{how}ed {what}" for how in ("edit", "modifi", "chang") for what in ("skill", "file", "cop", "by the")),
        ),
        (*_NEVER, "unless", " only", "keep", "preserve", "explicit", " ask", "protect"),
        against=("overwrit", "replac", "discard"),
    ),
    _Subject(
        "that secrets are not written",
        ("secret", "credential", "password", "token", "api key"),
        (*_NEVER, "except", "exclude", "omit", "forbid", "leave out", "out of "),
    ),
)
_ENDS = ("\n\n", "\n- ", "\n* ", "; ", ";\n", ". ", ".\n", "! ")


@Predicate("bootstrap-instructions-incomplete", Subject.SKILL, values=("absent",), needs="bootstrap-skill")
def bootstrap_instructions(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Instructions that leave out a subject the standard requires, or say the opposite."""
    if _is_bootstrap(skill) and isinstance(skill.document, Document):
        sentences = _sentences(without_comments(skill.document.text[skill.body_start :]))
        absent = [subject.name for subject in _SUBJECTS if not _is_stated(subject, sentences)]
        if absent:
            yield Match(skill.path, skill.body_start, skill.body_start, {"absent": ", ".join(absent)})


def _sentences(body: str) -> list[str]:
    """The sentences in lower case and without marks: there is one such skill, for which no expression is compiled."""
    text = body.lower().replace("*", "").replace("`", "").replace("non-secret", "").replace("not secret", "")
    for no in ("not", "never", "than", "must not"):
        for word in ("continue", "proceed", "go on"):
            text = text.replace(f"{no} {word}", no)
    for end in _ENDS:
        text = text.replace(end, "\0")
    return [f" {' '.join(part.split())} " for part in text.split("\0")]


def _is_stated(subject: _Subject, sentences: list[str]) -> bool:
    about = [sentence for sentence in sentences if _has(sentence, subject.says)]
    sound = [sentence for sentence in about if _has(sentence, subject.needs)]
    if any(_has(sentence, subject.against) for sentence in about if sentence not in sound):
        return False
    return any(not _has(sentence, subject.denies) for sentence in sound)


def _has(sentence: str, words: tuple[str, ...]) -> bool:
    return any(word in sentence for word in words)
