"""Files of a skill that are neither Markdown nor scripts of Python and the shell: data, patches, pages."""

from __future__ import annotations

import json
from random import Random

import snippets
import words

_LANGUAGES = {".ts": "typescript", ".tsx": "tsx", ".js": "javascript", ".jsx": "jsx", ".html": "html", ".xml": "xml"}
_LANGUAGES |= {".xsd": "xml", ".css": "css", ".cs": "csharp", ".sql": "sql"}
_BINARY = {".pyc", ".pdf", ".gz", ".db-shm", ".db-wal"}


def suffix_of(suffix: str) -> str:
    """The suffix that a made-up file has in place of a published one's: binary files become data."""
    return ".dat" if suffix in _BINARY or not suffix else suffix


def text_of(random: Random, suffix: str, length: int) -> str:
    """A text of about that many bytes that a reader of its format accepts."""
    if suffix == ".json":
        return _json(random, length)
    if suffix in (".yaml", ".yml"):
        return "".join(f"{row}\n" for row in _rows(random, length, ": {quality} {thing} of {number}"))
    if suffix == ".csv":
        return "".join(f"{row}\n" for row in _rows(random, length, ",{thing},{quality},{number}"))
    if suffix == ".patch":
        return "".join(f"{row}\n" for row in _rows(random, length, "+{verb}_{thing} = {number}  {quality}"))
    if suffix in _LANGUAGES:
        return snippets.lines(random, _LANGUAGES[suffix], length, [])
    return "".join(f"{row}\n" for row in _rows(random, length, ". The {quality} {thing} of {place}."))


def _rows(random: Random, length: int, pattern: str) -> list[str]:
    """Lines of that many bytes together, numbered."""
    rows: list[str] = []
    while length > 0:
        rows.append(f"{len(rows) + 1}{words.filled(random, pattern)}")
        length -= len(rows[-1]) + 1
    return rows


def _json(random: Random, length: int) -> str:
    rows = _rows(random, max(length - 8, 1), ": {quality} {thing} {number}")
    return json.dumps(rows, indent=1) + "\n"
