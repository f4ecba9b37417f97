"""Quick looks before the flows of a text are read: has a unit of it a source, and an act that the source may reach."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts import literal_places as near
from skillbag.lint.facts import literals as known
from skillbag.lint.facts.run_places import is_run_near
from skillbag.lint.facts.signs import FlowSigns, WordSearch, source_places
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.tongues import ASKS, ASKS_ELSEWHERE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ANY = "any"
OUT = frozenset([ActKind.SENDS, ActKind.RESOLVES])
"""Acts that reach a host."""
_RUNS = frozenset([ActKind.RUNS, ActKind.LOADS])
SECRET_KINDS = frozenset([OriginKind.SECRET_FILE, OriginKind.LOGIN_FILE, OriginKind.KEYCHAIN, OriginKind.TOKEN])
_CAPTURED = frozenset([OriginKind.CLIPBOARD, OriginKind.SCREEN])
_SENDS = (WordSearch(known.SENDS),) * 2
_STARTS = (WordSearch((*known.SHELL_RUNS, *known.CODE_RUNS)), WordSearch(known.CODE_RUNS))
SINGLE = frozenset([OriginKind.VARIABLE])
_ALL, _LINKED = frozenset([OriginKind.ENVIRONMENT]), (WordSearch(known.SENDING_CALLS), 2)
_RUNS_TEXT, _NOWHERE = (WordSearch(known.TEXT_RUNS), 1), (WordSearch(()), 0)
ENVIRONMENT = FlowSigns(known.ENVIRONMENT, *_SENDS, near.takes_all, _ALL, *_LINKED)
SECRETS = FlowSigns(known.SECRETS, *_SENDS, near.is_secret_name, SECRET_KINDS, *_LINKED, said=known.SECRETS_SAID)
INPUTS = FlowSigns(known.INPUTS, *_SENDS, near.always, _CAPTURED, *_LINKED)
PASSWORDS = FlowSigns(known.PASSWORDS, *_SENDS, near.always, frozenset([OriginKind.PASSWORD]), *_LINKED)
DOWNLOADS = FlowSigns(
    known.DOWNLOADS, *_STARTS, is_run_near, frozenset([OriginKind.DOWNLOAD]), WordSearch(known.TEXT_RUNS), 1
)
DECODES = FlowSigns(known.DECODES, *_STARTS, is_run_near, frozenset([OriginKind.DECODED]), *_NOWHERE)


SOURCES: tuple[tuple[frozenset[OriginKind], tuple[bytes, ...], FlowSigns, frozenset[ActKind]], ...] = (
    (_ALL, known.ENVIRONMENT, ENVIRONMENT, OUT),
    (SECRET_KINDS, known.SECRETS, SECRETS, OUT),
    (_CAPTURED, known.INPUTS, INPUTS, OUT),
    (frozenset([OriginKind.PASSWORD]), known.PASSWORDS, PASSWORDS, OUT),
    (frozenset([OriginKind.DOWNLOAD]), known.DOWNLOADS, DOWNLOADS, _RUNS),
    (frozenset([OriginKind.DECODED]), known.DECODES, DECODES, _RUNS),
)
"""Kinds of sources: the words without which a text has none, the quick look at flows from them, and its acts."""


def kinds_of(given: Any) -> frozenset[OriginKind]:
    """The kinds of sources that a condition names; `any` leaves single variables out, which most programs read."""
    names = listed(given)
    kinds = frozenset(OriginKind(name) for name in names if name != ANY)
    return kinds | (frozenset(OriginKind) - SINGLE) if ANY in names else kinds


def listed(given: Any) -> tuple[str, ...]:
    """One value or several, as several."""
    return (given,) if isinstance(given, str) else tuple(given)


def acts_of(when: Mapping[str, Any]) -> frozenset[ActKind]:
    """The kinds of acts that the value of `flows-to` names."""
    return frozenset(map(ActKind, when["flows-to"].keys() - {"except"}))


def quick_groups(
    kinds: frozenset[OriginKind], acts: frozenset[ActKind], names: tuple[str, ...] = ()
) -> list[FlowSigns] | None:
    """The quick looks that find each unit with a flow from such a source to such an act; None if they do not.

    `names` are globs of the variables that are meant.
    """
    if kinds == SINGLE and acts <= OUT and (words := fixed_parts(names)):
        return [_of_variables(words)]
    groups = [(signs, reach) for some, _, signs, reach in SOURCES if some & kinds]
    return [signs for signs, _ in groups] if not kinds & SINGLE and all(acts <= reach for _, reach in groups) else None


def fixed_parts(names: tuple[str, ...]) -> tuple[bytes, ...]:
    """The longest part without wildcards of each glob; none where one is too short to look for."""
    parts = [max(re.split(r"[*?\[\]]", name), key=len).encode() for name in names]
    return tuple(parts) if all(len(part) >= _SHORTEST for part in parts) else ()


_SHORTEST = 4


@lru_cache(maxsize=64)
def _of_variables(words: tuple[bytes, ...]) -> FlowSigns:
    return FlowSigns(words, *_SENDS, near.always, SINGLE, *_NOWHERE)


def may_flow(file: TextFile, signs: FlowSigns) -> bool:
    """Whether there is a unit to be read."""
    if not source_places(file, signs):
        return False
    # The readers of units are imported where there is something to read.
    from skillbag.lint.facts.skill_flows import may_begin

    return may_begin(file, signs)


def sends_secrets(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may send a secret file, or a sentence may ask to."""
    if may_flow(text, SECRETS):
        return True
    return text.language in ("markdown", "text") and any(_may_ask(text, at) for at in source_places(text, SECRETS))


_AROUND = 600
"""Characters around the name of a file in which a sentence, or the next one, may ask to send it."""


def _may_ask(text: TextFile, at: int) -> bool:
    around = text.document.text[max(0, at - _AROUND) : at + _AROUND].lower()
    return any(word in around for word in (*ASKS, *ASKS_ELSEWHERE))


def runs_download(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may run what it downloads."""
    return may_flow(text, DOWNLOADS)


def runs_decoded(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a unit may run what it decodes."""
    return may_flow(text, DECODES)


_POWERSHELL = (".ps1", ".psm1", ".psd1", ".bat", ".cmd")


def is_powershell(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a text is a script for PowerShell, or one of Windows that may start it."""
    return text.relative.lower().endswith(_POWERSHELL)
