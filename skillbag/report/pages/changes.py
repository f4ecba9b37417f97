"""What `--fix` would change for a finding, as the lines of a small diff: masked, escaped, and cut."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from skillbag.kernel.model.findings import Finding, MakeExecutable, Rename
from skillbag.report.columns import head_or_more
from skillbag.report.edits import Replacement, Texts, replacements
from skillbag.report.sanitize import masked, visible

_MAX_LINES = 12
_LONGEST = 240

Line = tuple[str, str]
"""A sign (`-`, `+`, or `…` for what is left out) and the text of a line."""


def change_values(finding: Finding, texts: Texts, path_of: Callable[[str], str]) -> list[list[object]]:
    """The changes of a finding, a path and its lines each; none where a secret would be shown."""
    plain = [_plain(edit, path_of) for edit in finding.edits if isinstance(edit, Rename | MakeExecutable)]
    if plain:
        return [change for change in plain if change]
    return [[path_of(edit.document.path), list(_lines(edit))] for edit in replacements(finding, texts)]


def _plain(edit: Rename | MakeExecutable, path_of: Callable[[str], str]) -> list[object]:
    if isinstance(edit, MakeExecutable):
        return [path_of(edit.path), [("+", "mode: executable")]]
    new = path_of(os.path.join(os.path.dirname(edit.path), edit.name))
    return [path_of(edit.path), [("-", f"name: {path_of(edit.path)}"), ("+", f"name: {new}")]]


def _lines(edit: Replacement) -> Iterator[Line]:
    """The lines that the edit touches, before and after it, without those that stay."""
    text = edit.document.text
    start, end = edit.document.bounds(edit.start)[0], edit.document.bounds(edit.end)[1]
    # The new text holds no secret, or it would not be shared; the old one may.
    old = masked(text[start:end]).splitlines()
    new = (text[start : edit.start] + edit.text + text[edit.end : end]).splitlines()
    while old and new and old[0] == new[0]:
        old, new = old[1:], new[1:]
    while old and new and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    yield from _cut("-", old)
    yield from _cut("+", new)


def _cut(sign: str, lines: list[str]) -> Iterator[Line]:
    for line in lines[:_MAX_LINES]:
        yield sign, head_or_more(visible(line[: 2 * _LONGEST]), _LONGEST)
    if (more := len(lines) - _MAX_LINES) > 0:
        yield "…", f"{more:,} more"
