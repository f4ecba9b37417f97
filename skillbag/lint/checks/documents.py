"""Files that cannot be read, and YAML that is invalid."""

from __future__ import annotations

import os
from collections.abc import Iterator

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
            folder = os.path.dirname(os.path.dirname(problem.path)) if problem.kind == "dangling" else ""
            yield _problem_match(problem)._replace(cause=folder)


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
_KEY_BELOW = late(r"\n[A-Za-z][\w-]{0,60}:")


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


@Predicate("front-matter-cut", Subject.SKILL, needs="inner-marks")
def front_matter_cut(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """A `---` within the front matter, where one host ends it; raised if keys stand below it.

    Where words alone are lost, it is one only in the folder of that host.
    """
    document, matter = skill.document, skill.front_matter
    if isinstance(document, Document) and not isinstance(matter, DocumentProblem):
        at = document.text.find("---", matter.start, matter.end)
        if at >= 0 and document.text[at : matter.end].strip("- #\r\n"):
            below = bool(_KEY_BELOW().search(document.text, at, matter.end))
            if below or ".claude" in skill.path.split(os.sep):
                yield Match(skill.path, at, at + 3, raised=below)


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
