"""Fixes that were not made, as a patch that `git apply` and `patch -p1` take."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterator, Mapping

from skillbag.lint.engine.fixes import FixedFile
from skillbag.report.columns import paint
from skillbag.report.options import shown_path
from skillbag.report.sanitize import masked, visible

_STYLES = {"+": "fix", "-": "removed", "@": "hunk"}
_NO_END = "\\ No newline at end of file\n"


def render_diff(
    before: Mapping[str, bytes | None],
    after: Mapping[str, bytes],
    moved: Mapping[str, FixedFile],
    cwd: str,
    color: bool,
) -> Iterator[str]:
    """The patch, file by file, with renames and modes as git has them. A hunk with a masked secret does not apply."""
    for path in sorted(after):
        change = moved.get(path)
        name = shown_path(path, cwd)
        new_name = shown_path(change.renamed, cwd) if change and change.renamed else name
        yield f"diff --git a/{name} b/{new_name}\n"
        yield from _headers(path, before[path], change, name, new_name)
        for line in _unified(before[path], after[path], name, new_name):
            text = line.rstrip("\r\n")
            style = _STYLES.get(line[0]) if color else None
            yield paint(text, style, color) + line[len(text) :] if style else line


def _headers(path: str, old: bytes | None, change: FixedFile | None, name: str, new_name: str) -> Iterator[str]:
    if old is None:
        yield "new file mode 100644\n"
    if change and change.mode is not None:
        yield f"old mode {_mode(os.stat(path).st_mode)}\nnew mode {_mode(change.mode)}\n"
    if new_name != name:
        yield f"rename from {name}\nrename to {new_name}\n"


def _mode(mode: int) -> str:
    # Git knows two modes of a file.
    return "100755" if stat.S_IMODE(mode) & 0o100 else "100644"


def _unified(old: bytes | None, new: bytes, name: str, new_name: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        _lines(old or b""), _lines(new), "/dev/null" if old is None else f"a/{name}", f"b/{new_name}"
    )
    for number, line in enumerate(lines):
        if number < 2 or line.startswith("@@"):
            yield line
            continue
        text = line.rstrip("\r\n")
        end = line[len(text) :]
        yield line[0] + visible(text[1:]) + (end or f"\n{_NO_END}")


def _lines(data: bytes) -> list[str]:
    # Masked as a whole: a hunk may show the midst of a key, which does not tell by itself what it is.
    *lines, rest = masked(data.decode("utf-8", "replace")).split("\n")
    return [f"{line}\n" for line in lines] + ([rest] if rest else [])
