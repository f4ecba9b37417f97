"""Fixes that were not made, as a unified diff."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from skillbag.fixes import Change
from skillbag.report.paths import shown_path
from skillbag.report.shown import masked, visible

_COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
_PLAIN = "\x1b[0m"


def render_diff(
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes],
    moved: Mapping[str, Change],
    cwd: str,
    color: bool,
) -> Iterator[str]:
    """The lines of the diff, file by file; renames and modes as git names them. Secrets are masked."""
    for path in sorted(after):
        old, new = before[path], after[path]
        name = shown_path(path, cwd)
        change = moved.get(path)
        if change and change.renamed:
            yield f"rename from {name}\nrename to {shown_path(change.renamed, cwd)}\n"
        if change and change.mode is not None:
            yield f"new mode {0o100000 | change.mode:o} {name}\n"
        if old != new:
            for line in _unified(old, new, name):
                yield f"{_COLORS[line[0]]}{line}{_PLAIN}\n" if color and line[0] in _COLORS else f"{line}\n"


def _unified(old: bytes | None, new: bytes, name: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        _lines(old or b""),
        _lines(new),
        "/dev/null" if old is None else f"a/{name}",
        f"b/{name}",
        lineterm="",
    )
    for line in lines:
        # Headers hold only what `shown_path` gave; the others are the user's text, masked already.
        yield line if line.startswith(("---", "+++", "@@")) else line[0] + visible(line[1:])


def _lines(data: bytes) -> list[str]:
    # Masked as a whole: a hunk may show the midst of a key, which does not tell by itself what it is.
    return [line.removesuffix("\r") for line in masked(data.decode("utf-8", "replace")).split("\n")]
