"""The comment that suppresses a finding, in the form of its file (`lint.checks.suppressions`)."""

from __future__ import annotations

import os
import re

from skillbag.doors.language_server.positions import EditorText
from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.model.findings import Finding, TextEdit

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
