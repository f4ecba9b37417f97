"""Code actions: the safe fix of a finding, of all findings in a file, a suppression, and the rule's page."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from skillbag.doors.language_server.diagnostics import diagnostic
from skillbag.doors.language_server.edits import workspace_edit
from skillbag.doors.language_server.positions import EditorText
from skillbag.doors.language_server.session import EditorSession
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.model.findings import Edit, Finding, TextEdit
from skillbag.report.sanitize import shown

FIX_ALL = "source.fixAll.skillbag"
OPEN = "skillbag.openRule"
_KINDS = (types.CodeActionKind.QuickFix, FIX_ALL)


def register(server: LanguageServer, session: EditorSession) -> None:
    """Add the features."""

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions(_KINDS))
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        # Offsets of findings count in the text that was checked.
        await session.settled()
        path = session.path(params.text_document.uri)
        text = session.text(path) if path else None
        if path is None or text is None:
            return []
        findings = session.latest.findings.get(path, ())
        found = [*_of_findings(session, findings, text, params)]
        if _wants(params, FIX_ALL):
            found += _fix_all(session, findings, path)
        return found

    @server.command(OPEN)
    async def open_rule(address: str) -> None:
        if address in {rule.url for rule in session.latest.rules.values()}:
            await server.window_show_document_async(types.ShowDocumentParams(address, external=True))


def _wants(params: types.CodeActionParams, kind: str) -> bool:
    """Whether a kind of action is asked for, itself or one that includes it."""
    only = params.context.only
    return only is None or any(kind == each or kind.startswith(f"{each}.") for each in only)


def _of_findings(
    session: EditorSession, findings: tuple[Finding, ...], text: EditorText, params: types.CodeActionParams
) -> Iterator[types.CodeAction]:
    if not _wants(params, types.CodeActionKind.QuickFix):
        return
    shows = bool(session.client.window and session.client.window.show_document)
    for finding in findings:
        rule = session.latest.rules.get(finding.rule)
        about = diagnostic(finding, text, rule)
        if not _overlap(about.range, params.range):
            continue
        if finding.edits and (edit := workspace_edit(session, finding.edits)):
            title = f"Fix: {shown(finding.fix or finding.message)}"
            yield _quick_fix(title, about, edit, is_preferred=True)
        if (comment := suppression(finding, text)) and (edit := workspace_edit(session, [comment])):
            yield _quick_fix(f"Suppress {finding.rule} here, with a reason", about, edit)
        if shows and rule and rule.url:
            command = types.Command(f"Open the page of {finding.rule}", OPEN, arguments=[rule.url])
            yield types.CodeAction(
                command.title, kind=types.CodeActionKind.QuickFix, diagnostics=[about], command=command
            )


def _quick_fix(
    title: str, about: types.Diagnostic, edit: types.WorkspaceEdit, is_preferred: bool | None = None
) -> types.CodeAction:
    return types.CodeAction(
        title, kind=types.CodeActionKind.QuickFix, diagnostics=[about], edit=edit, is_preferred=is_preferred
    )


def _overlap(one: types.Range, other: types.Range) -> bool:
    return one.start <= other.end and other.start <= one.end


def _fix_all(session: EditorSession, findings: tuple[Finding, ...], path: str) -> Iterator[types.CodeAction]:
    """All fixes that change nothing but the text of this file; of overlapping ones the first."""
    chosen: list[Edit] = []
    taken: list[tuple[int, int]] = []
    for finding in findings:
        edits = [edit for edit in finding.edits if isinstance(edit, TextEdit) and edit.path == path]
        new = [edit for edit in edits if edit not in chosen]
        spans = [(edit.start, edit.end) for edit in new]
        if not new or len(edits) < len(finding.edits) or any(_meet(span, known) for span in spans for known in taken):
            continue
        chosen += new
        taken += spans
    if chosen and (edit := workspace_edit(session, chosen)):
        yield types.CodeAction("Apply all safe fixes of skillbag", kind=FIX_ALL, edit=edit)


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Whether two spans overlap, or begin at one place."""
    return one[0] == other[0] or (one[0] < other[1] and other[0] < one[1])


_REASON = 'reason="why this is right here"'
_FENCE = re.compile(r"[ \t>*+-]*(```+|~~~+)")
_HASHES = frozenset({".py", ".sh", ".bash", ".zsh", ".rb", ".pl", ".yaml", ".yml", ".toml", ".ps1"})
_FAMILY = "suppression-"


def suppression(finding: Finding, text: EditorText) -> TextEdit | None:
    """An edit that puts a comment on a line of its own above the finding; None where no comment can stand."""
    if finding.rule.startswith(_FAMILY):
        return None
    body = text.text[text.mark :]
    lines = body.split("\n")
    number = min(finding.line, len(lines))
    start = sum(len(line) + 1 for line in lines[: number - 1])
    indent = re.match(r"[ \t]*", lines[number - 1])
    end = "\r\n" if "\r\n" in body else "\n"
    words = f"skillbag: ignore[{finding.rule}] {_REASON}"
    extension = os.path.splitext(finding.path)[1].lower()
    if extension in _HASHES:
        if number == 1 and lines[0].startswith("#!"):
            # The first line names the program that runs the file.
            return TextEdit(finding.path, len(lines[0]), len(lines[0]), f"  # {words}")
        return TextEdit(finding.path, start, start, f"{indent[0] if indent else ''}# {words}{end}")
    if extension != ".md":
        return None
    front = bounds(body)
    if front and front.is_closed and start < front.body:
        # No comment can stand above the front matter, or within a text of several lines.
        if number == 1 or (indent and indent[0]):
            return _at_end(finding, body, words, end)
        return TextEdit(finding.path, start, start, f"# {words}{end}")
    if _is_in_fence(lines[: number - 1]):
        return None
    return TextEdit(finding.path, start, start, f"<!-- {words} -->{end}")


def _at_end(finding: Finding, body: str, words: str, end: str) -> TextEdit:
    """A comment about the whole file, after everything else."""
    words = words.replace("ignore[", "ignore-file[", 1)
    gap = "" if body.endswith("\n") else end
    return TextEdit(finding.path, len(body), len(body), f"{gap}{end}<!-- {words} -->{end}")


def _is_in_fence(before: list[str]) -> bool:
    """Whether a line stands in a code fence, in which comments are examples."""
    fence = ""
    for line in before:
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip("`~"):
            fence = ""
    return bool(fence)
