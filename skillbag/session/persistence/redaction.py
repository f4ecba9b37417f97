"""Values as they are shown, without secrets."""

from __future__ import annotations

from skillbag.kernel.secrets.judges import named_secret
from skillbag.kernel.standard.declarations import Level
from skillbag.session.persistence.secret_detection import TELLS, why_secret
from skillbag.session.settings.value import Value, typed

_MASK = "****"


def redacted(name: str, value: Value, level: Level) -> Value:
    """The value of a parameter, with `****` for each part that is a secret by its name, its key, or the words in it.

    In a conversation everything of that kind is hidden: its author knows the value. From files only random strings
    are hidden, since the agent may need the rest. Secrets of a known form are masked wherever text is put out.
    """
    shown = _redacted(name, value.value, every=level is Level.CONVERSATION)
    return value if shown == value.value else typed(shown)


def _redacted(name: str, plain: object, *, every: bool) -> object:
    if isinstance(plain, list):
        return [_redacted(name, item, every=every) for item in plain]
    if isinstance(plain, dict):
        return {key: _redacted(key, item, every=every) for key, item in plain.items()}
    if plain is None or isinstance(plain, bool):
        return plain

    # What words give away has no form by which the output would mask it.
    if every and (why := why_secret(name, typed(plain))) and (why == TELLS or why != why_secret("", typed(plain))):
        return _MASK
    return _masked(name, plain) if isinstance(plain, str) else plain


def _masked(name: str, text: str) -> str:
    """The text as it is masked in an assignment to the name."""
    from skillbag.kernel.secrets.detection import mask

    if named_secret(name, text):
        return _MASK
    before = f"{name}="
    masked = mask(before + text)
    return masked.removeprefix(before) if masked.startswith(before) else _MASK
