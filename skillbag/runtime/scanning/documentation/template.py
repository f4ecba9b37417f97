"""Templates of generated documentation: `{{key}}` stands for a value (skill runtime, section 8)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from skillbag.kernel.documents.source import Document
from skillbag.kernel.manifest.shapes import quoted
from skillbag.runtime.errors import RuntimeFaultError
from skillbag.runtime.skill import Json

_HOLE = re.compile(r"\{\{([^{}\n]{0,200})\}\}")

LONGEST_PAGE = 4 << 20
"""Characters of a filled template."""


def fill(template: Document, name: str, values: Mapping[str, Json]) -> str:
    """The template with the values of its keys: a text as it is, another value as JSON. `name` is its path for errors.

    Raises:
        RuntimeFaultError: there is no such value, or the page is too long; the message has the place.
    """
    parts: list[str] = []
    length, end = 0, 0
    for hole in _HOLE.finditer(template.text):
        key = hole[1].strip()
        if key not in values:
            at = template.position(hole.start())
            known = ", ".join(sorted(values)[:20]) or "none"
            raise RuntimeFaultError(
                f"{name}:{at.line}:{at.column}: there is no value {quoted(key)}; the values are {known}"
            )
        value = values[key]
        parts += [template.text[end : hole.start()], value if isinstance(value, str) else _as_json(value)]
        length += len(parts[-1]) + len(parts[-2])
        end = hole.end()
        if length > LONGEST_PAGE:
            raise RuntimeFaultError(f"{name}: the page has more than {LONGEST_PAGE:,} characters")
    return "".join((*parts, template.text[end:]))


def _as_json(value: Json) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
