"""Whether a part of a text hides a command, wherever that stands: what other rules take as a second sign."""

from __future__ import annotations

from skillbag.kernel.base.literals import Literals
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.encoded_commands import is_payload
from skillbag.lint.checks.run_flows import decoding
from skillbag.lint.facts.literals import DECODES
from skillbag.lint.facts.units import DECODED
from skillbag.lint.signals.encoded import encoded_texts


def has_payload(part: str) -> bool:
    """Whether a part of a text holds an encoded command, or decodes a text and runs it."""
    return _decodes_and_runs(part) or any(is_payload(found.decoded) for found in encoded_texts(part))


def _decodes_and_runs(part: str) -> bool:
    raw = part.encode("utf-8", "surrogatepass")
    text = TextFile(Document("part", raw, part), DECODED, "text")
    text.places = Literals(DECODES).search(raw)
    return bool(decoding(text))
