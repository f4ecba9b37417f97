"""Generated documentation as text and as JSON (skill runtime, section 8)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from skillbag.report.encoding import json_object
from skillbag.report.sanitize import shown
from skillbag.runtime.scanning.documentation.pages import PageError
from skillbag.runtime.scanning.documentation.writing import WrittenPages


def wiki_values(folder: str, written: WrittenPages, errors: Iterable[PageError]) -> dict[str, Any]:
    """What was written below a folder, and what could not be made."""
    return json_object(folder=folder, **written._asdict(), errors=list(errors))


def wiki_text(written: WrittenPages) -> str:
    """The same as text, a line a page."""
    lines = [f"written    {path}" for path in written.written]
    lines += [f"unchanged  {path}" for path in written.unchanged]
    lines += [f"kept       {path}  (it was edited, or is not generated)" for path in written.kept]
    return "".join(f"{shown(line)}\n" for line in lines) or "No active skill makes documentation.\n"


def wiki_errors(errors: Iterable[PageError]) -> list[str]:
    """The pages that could not be made, for standard error."""
    return [shown(f"{error.path}: {error.message}") for error in errors]
