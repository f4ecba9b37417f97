"""Quick looks before the flows of a text are read: has a unit of it a source, and an act that the source may reach."""

from __future__ import annotations

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts import literal_places as near
from skillbag.lint.facts import literals as known
from skillbag.lint.facts.signs import FlowSigns, source_places
from skillbag.lint.signals.tongues import ASKS, ASKS_ELSEWHERE

ENVIRONMENT = FlowSigns(known.ENVIRONMENT, known.SENDS, known.SENDS, near.takes_all)
SECRETS = FlowSigns(known.SECRETS, known.SENDS, known.SENDS, near.is_secret_name)
PASSWORDS = FlowSigns(known.PASSWORDS, known.SENDS, known.SENDS, near.always)
DOWNLOADS = FlowSigns(known.DOWNLOADS, (*known.SHELL_RUNS, *known.CODE_RUNS), known.CODE_RUNS, near.is_run_near)
DECODES = FlowSigns(known.DECODES, (*known.SHELL_RUNS, *known.CODE_RUNS), known.CODE_RUNS, near.is_run_near)


def _may_flow(file: TextFile, signs: FlowSigns) -> bool:
    """Whether there is a unit to be read."""
    if not source_places(file, signs):
        return False
    # The readers of units are imported where there is something to read.
    from skillbag.lint.facts.flows import candidates

    return bool(candidates(file, signs))


def sends_environment(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may send the environment."""
    return _may_flow(text, ENVIRONMENT)


def sends_secrets(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may send a secret file, or a sentence may ask to."""
    if _may_flow(text, SECRETS):
        return True
    return text.language in ("markdown", "text") and any(_may_ask(text, at) for at in source_places(text, SECRETS))


_AROUND = 600
"""Characters around the name of a file in which a sentence, or the next one, may ask to send it."""


def _may_ask(text: TextFile, at: int) -> bool:
    around = text.document.text[max(0, at - _AROUND) : at + _AROUND].lower()
    return any(word in around for word in (*ASKS, *ASKS_ELSEWHERE))


def runs_download(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may run what it downloads."""
    return _may_flow(text, DOWNLOADS)


def runs_decoded(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may run what it decodes."""
    return _may_flow(text, DECODES)


_POWERSHELL = (".ps1", ".psm1", ".psd1", ".bat", ".cmd")


def is_powershell(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a text is a script for PowerShell, or one of Windows that may start it."""
    return text.relative.lower().endswith(_POWERSHELL)
