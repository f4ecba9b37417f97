"""Files that cannot be read, YAML that is invalid, and keys of the front matter that programs add.

Sources: the pages on skills in the documentation of each program (Claude Code, Cursor, Visual Studio Code, Factory,
OpenHands, OpenClaw, Roo Code, Hermes Agent), as of 2026.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document, DocumentProblem, Position
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.standard.blocks import contexts, seeming_keys
from skillbag.kernel.workspace.model import Inventory, Workspace
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import UnreadText
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject


class Kinds(NamedTuple):
    """`kinds`: the kinds of problem to report, all if empty; `skip`: kinds not to report."""

    kinds: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def covers(self, kind: str) -> bool:
        """Whether to report a problem of this kind."""
        return kind not in self.skip and (not self.kinds or kind in self.kinds)


def _problem_match(problem: DocumentProblem, **values: str) -> Match:
    values["detail"] = problem.detail
    return Match(problem.path, values=values, at=Position(problem.line, problem.column))


@Predicate("skill-problem", Subject.INVENTORY, values=("detail",), options=Kinds)
def skill_problem(inventory: Inventory, options: Kinds) -> Iterator[Match]:
    """Every `SKILL.md` that is missing or can't be read, or has no front matter that can."""
    for card in inventory.all_cards:
        if card.problem is not None and options.covers(card.problem.kind):
            yield _problem_match(card.problem)


@Predicate("document-problem", Subject.INVENTORY, values=("detail",), options=Kinds)
def document_problem(inventory: Inventory, options: Kinds) -> Iterator[Match]:
    """Every `SKILL.md` and every document of the target itself: entrypoint, agents, contexts, catalog, skills root.

    A `SKILL.md` that is missing, or named in another case, is not among them.
    """
    cards = [card.problem for card in inventory.all_cards if card.problem]
    problems = [problem for problem in cards if problem.kind not in ("missing", "wrong-case")]
    for problem in (*problems, *_target_problems(inventory.workspace)):
        if options.covers(problem.kind):
            yield _problem_match(problem)


def _target_problems(workspace: Workspace) -> Iterator[DocumentProblem]:
    documents = (workspace.entrypoint, workspace.agents, workspace.catalog_document)
    for document in (*documents, workspace.context, workspace.user_context):
        if isinstance(document, DocumentProblem):
            yield document
    for root in workspace.target.skill_roots:
        try:
            tracked.entries(root)
        except PermissionError:
            yield DocumentProblem(root, "permission", "the folder of the skills cannot be opened: permission denied")
        except OSError:
            continue


@Predicate("byte-order-mark", Subject.SKILL, needs="bom")
def byte_order_mark(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A `SKILL.md` whose front matter is not its very beginning, because a byte order mark is before it."""
    if isinstance(skill.document, Document) and skill.document.has_bom:
        yield Match(skill.path)


# What follows a mark and looks like a second part of the front matter.
_MORE_KEYS = late(r"\s*[A-Za-z][\w-]{0,60}:(?:[ \t][^\n]*)?\n(?:[^\n]*\n){0,50}?---[ \t]*\r?(?:\n|\Z)")


@Predicate("unclear-end", Subject.SKILL, values=("fault",), needs="odd-marks")
def unclear_end(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A `---` that ends the front matter for some readers only: its line end differs, or blanks follow it."""
    document, matter = skill.document, skill.front_matter
    if isinstance(document, DocumentProblem) or isinstance(matter, DocumentProblem):
        return
    text = document.text
    opening, closing = text[3 : matter.start], text[matter.end + 3 : matter.body]
    ends = {mark.endswith("\r\n") for mark in (opening, closing) if mark.endswith("\n")}
    fault = "has another line end than the first one" if len(ends) > 1 else ""
    if not fault and closing.strip("\r\n") and _MORE_KEYS().match(text, matter.body):
        fault = "has blanks after it, and more keys and a `---` follow"
    if fault:
        yield Match(skill.path, matter.end, matter.end + 3, {"fault": fault})


@Predicate("context-block-problem", Subject.INVENTORY, values=("detail",), options=Kinds)
def context_block_problem(inventory: Inventory, options: Kinds) -> Iterator[Match]:
    """The `yaml` blocks of the context files that declare something and have no value."""
    for context in contexts(inventory.workspace):
        for block in context.blocks:
            # A broken block without our keys may be part of another tool's file, and is no violation.
            declares = block.problem and seeming_keys(context.document.text, block.start, block.end)
            if declares and block.problem and options.covers(block.problem.kind):
                yield _problem_match(block.problem)


BINARIES = (
    *((b"MZ", "a Windows program"), (b"\x7fELF", "a Linux program"), (b"\xca\xfe\xba\xbe", "a macOS or Java program")),
    *((head, "a macOS program") for head in (b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xfe\xed\xfa")),
    *((b"PK\x03\x04", "a zip archive"), (b"Rar!", "a RAR archive")),
    *((b"7z\xbc\xaf", "a 7z archive"), (b"\x1f\x8b", "a gzip archive")),
)
"""What files are by their first bytes."""


def binary_kind(found: Document | DocumentProblem) -> str | None:
    """What a file is that is no text: a program or an archive by its first bytes; None for all others."""
    if isinstance(found, Document) or found.kind != "encoding":
        return None
    raw = read(found.path, os.path.dirname(found.path))
    return next((kind for head, kind in BINARIES if raw.startswith(head)), None) if isinstance(raw, bytes) else None


@Predicate("unread-text", Subject.UNREAD, values=("file", "detail"))
def unread_text(unread: UnreadText, _: NoOptions) -> Iterator[Match]:
    """A text beside `SKILL.md` that can't be read; a program or archive named as one has a rule of its own."""
    if binary_kind(unread.problem) is None:
        yield _problem_match(unread.problem, file=unread.relative)


_PROGRAMS = {
    "Claude Code": (
        "agent argument-hint arguments context disable-model-invocation disallowed-tools effort hooks model paths shell"
        " user-invocable version when_to_use"
    ),
    "VS Code": "argument-hint disable-model-invocation user-invocable user-invokable",
    "Cursor": "disable-model-invocation globs paths",
    "Factory": "disable-model-invocation user-invocable",
    "Pi": "disable-model-invocation",
    "Mistral Vibe": "user-invocable",
    "OpenClaw": (
        "command-arg-mode command-dispatch command-tool disable-model-invocation emoji homepage install os requires"
        " user-invocable"
    ),
    "OpenHands": "inputs mcp_tools paths triggers type version",
    "Hermes Agent": "author platforms prerequisites required_credential_files required_environment_variables version",
    "Roo Code": "mode modeSlugs",
    "oh-my-claudecode": "agent aliases handoff handoff-policy level model pipeline triggers",
    "SkillBag": "dependencies",
}

_CATALOGS = (
    "authors categories category contributors copyright created created_at date date_added difficulty displayName"
    " display_name documentation domain icon keywords language last_updated maintainer maintainers origin priority"
    " repository risk source status tags title updated updated_at url"
)
"""Keys for people and for the catalogs that list skills. No agent is known to act on them."""

_OTHER_FILES = {
    "Claude Code reads it in the files of agents only": (
        "background color disallowedTools isolation maxTurns mcpServers memory permissionMode skills tools"
    ),
    "GitHub Copilot reads it in files of instructions only": "applyTo excludeAgent",
    "Codex reads it in `agents/openai.yaml` only": "interface policy",
    "Codex reads it within `metadata` only": "short-description",
    "Kiro reads it in steering files only": "fileMatchPattern inclusion",
    "Cursor reads it in rules only": "alwaysApply",
    "Windsurf reads it in rules only": "trigger",
}


LOOKS = ("background", "color")
"""Those of other files that only change how something is shown: nothing is lost without them."""


# Skills of one author have the same few keys.
@lru_cache(maxsize=256)
def readers(key: str) -> str | None:
    """Who reads a key beyond the format, as a clause of a sentence; None for an unknown key."""
    programs = [program for program, keys in _PROGRAMS.items() if key in keys.split()]
    if programs:
        return f"only {_joined(programs)} read{'s' * (len(programs) == 1)} it"
    is_shown = key in _CATALOGS.split()
    return "agents ignore it, and only some catalogs of skills show it" if is_shown else None


def vendor_keys() -> list[str]:
    """The known keys beyond the format."""
    return [*_CATALOGS.split(), *(key for keys in _PROGRAMS.values() for key in keys.split())]


def other_files() -> dict[str, str]:
    """The keys that have no effect in a skill, and where they have one, as a clause of a sentence."""
    return {key: where for where, keys in _OTHER_FILES.items() for key in keys.split()}


def _joined(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
