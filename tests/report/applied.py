"""Programs as others would write them, which apply the edits of a report. They share no code with `check --fix`."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any
from urllib.parse import unquote

Changes = dict[Path, set[tuple[int, int, str]]]
"""By file, the code points of its text from and to which something is replaced, and by what."""


def apply_json(root: Path, report: str) -> None:
    """Apply what `schemas/findings.schema.json` describes."""
    changes: Changes = {}
    others = {}
    for edit in (edit for finding in json.loads(report)["findings"] for edit in finding["edits"]):
        path = root / edit["path"]
        if edit["kind"] == "replace":
            start, end = edit["start"], edit["end"]
            assert (start["offset"], end["offset"]) == tuple(
                offset(path, at["line"], at["column"]) for at in (start, end)
            )
            changes.setdefault(path, set()).add((start["offset"], end["offset"], edit["text"]))
        else:
            others[json.dumps(edit)] = path, edit
    replace(changes)
    # Files are renamed last, after what is written to them under their old name.
    for path, edit in sorted(others.values(), key=lambda other: other[1]["kind"] == "rename"):
        if edit["kind"] == "write":
            path.parent.mkdir(parents=True, exist_ok=True)
            write(path, edit["text"])
        elif edit["kind"] == "make-executable":
            mode = stat.S_IMODE(path.stat().st_mode)
            path.chmod(mode | (mode & 0o444) >> 2)
        else:
            path.rename(root / edit["to"])


def apply_sarif(root: Path, report: str) -> None:
    """Apply the fixes of SARIF 2.1.0 (3.55 to 3.57), whose columns count code points here."""
    (run,) = json.loads(report)["runs"]
    changes: Changes = {}
    for change in (c for r in run["results"] for fix in r.get("fixes", ()) for c in fix["artifactChanges"]):
        path = root / unquote(change["artifactLocation"]["uri"].removeprefix("file://"))
        for each in change["replacements"]:
            at = each["deletedRegion"]
            span = offset(path, at["startLine"], at["startColumn"]), offset(path, at["endLine"], at["endColumn"])
            changes.setdefault(path, set()).add((*span, each["insertedContent"]["text"]))
    replace(changes)


def apply_rdjson(root: Path, report: str) -> None:
    """Apply the suggestions of the Reviewdog Diagnostic Format, whose columns count bytes."""
    changes: Changes = {}
    for diagnostic in json.loads(report)["diagnostics"]:
        path = root / diagnostic["location"]["path"]
        for suggestion in diagnostic.get("suggestions", ()):
            span = (byte_offset(path, suggestion["range"][end]) for end in ("start", "end"))
            changes.setdefault(path, set()).add((*span, suggestion["text"]))
    replace(changes)


def offset(path: Path, line: int, column: int) -> int:
    """The code points before a place; a byte order mark is none."""
    before = path.read_bytes().decode("utf-8-sig").split("\n")[: line - 1]
    return sum(len(text) + 1 for text in before) + column - 1


def byte_offset(path: Path, at: dict[str, Any]) -> int:
    data = path.read_bytes()
    before = sum(len(line) + 1 for line in data.split(b"\n")[: at["line"] - 1]) + at["column"] - 1
    return len(data[:before].decode("utf-8-sig"))


def replace(changes: Changes) -> None:
    """Make the changes from the end on; of those that overlap, the first."""
    for path, spans in changes.items():
        text, last = path.read_bytes().decode("utf-8-sig"), 0
        kept = []
        for start, end, new in sorted(spans):
            if start >= last:
                kept.append((start, end, new))
                last = end
        for start, end, new in reversed(kept):
            text = text[:start] + new + text[end:]
        write(path, text)


def write(path: Path, text: str) -> None:
    marked = path.exists() and path.read_bytes().startswith(b"\xef\xbb\xbf")
    path.write_bytes((b"\xef\xbb\xbf" if marked else b"") + text.encode())
