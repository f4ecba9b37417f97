"""Whether a text has a phrase that steers an agent: the phrases themselves, without the rules about them."""

from __future__ import annotations

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.english import WEAK
from skillbag.lint.signals.phrases import FormTable
from skillbag.lint.signals.tongues import HIDING, IGNORING

# Nearly every path of a secret file has one of these, and most texts have none.
SECRET_PARTS = (".ssh", "id_", ".aws", ".env", ".gnupg", "redentials", "eychain", "allet", "ookies", ".netrc", ".kube")
_IN_REMARKS = ("uardrails", "system prompt", "previous instr", "system instr", "developer instr", "your instr")


def may_hide(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a text may tell an agent to hide something from its user."""
    if _says(text, HIDING):
        return True
    return WEAK.may_stand_in(text) and any(part in text.document.text for part in SECRET_PARTS) and _says(text, WEAK)


def may_override(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a text may tell an agent to ignore its instructions."""
    return is_read(text) and next(IGNORING.matches(text), None) is not None


def is_read(text: TextFile) -> bool:
    """Whether a text is prose, or has words of such a phrase in a remark."""
    return text.language in ("markdown", "text") or any(word in text.document.text for word in _IN_REMARKS)


def _says(text: TextFile, phrases: FormTable) -> bool:
    return text.language in ("markdown", "text") and next(phrases.matches(text), None) is not None
