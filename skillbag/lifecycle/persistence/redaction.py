"""Values as they may be shown: without what is a secret because of the name that it has."""

from __future__ import annotations

from skillbag.lifecycle.value import Value, typed
from skillbag.standard.declarations import Level

_VEIL = "****"


def veiled(name: str, value: Value, level: Level) -> Value:
    """The value of a parameter with `****` for what its name, or a key in it, makes a secret; else itself.

    Whoever says something in a conversation knows it: there everything under such a name is hidden, however weak. Of
    what files say only what was drawn is: the rest may be no secret, and nobody else tells the agent. Secrets that are
    known by their form are masked wherever text is put out.
    """
    shown = _veiled(name, value.value, said=level is Level.CONVERSATION)
    return value if shown == value.value else typed(shown)


def _veiled(name: str, plain: object, *, said: bool) -> object:
    if isinstance(plain, list):
        return [_veiled(name, item, said=said) for item in plain]
    if isinstance(plain, dict):
        return {key: _veiled(key, item, said=said) for key, item in plain.items()}
    if plain is None or isinstance(plain, bool):
        return plain
    if said and _is_secret_by_name(name, plain):
        return _VEIL
    return _assigned(name, plain) if isinstance(plain, str) else plain


def _is_secret_by_name(name: str, plain: object) -> bool:
    from skillbag.lifecycle.persistence.secret_detection import why_secret

    value = typed(plain)
    return why_secret(name, value) != why_secret("", value)


def _assigned(name: str, text: str) -> str:
    """The text as it is masked where it is assigned to the name."""
    from skillbag.secrets.detection import mask

    before = f"{name}="
    masked = mask(before + text)
    return masked.removeprefix(before) if masked.startswith(before) else _VEIL
