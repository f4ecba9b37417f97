"""What to do about a rule's findings in general: its template, where no finding gives the values."""

from __future__ import annotations

_ADVICE = ("advice", "remedy")
"""Values that are whole sentences of a finding."""

_MARK = "\0"


class _Word(str):
    """A word that takes the place of a value, whatever form the template gives to it."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return str(self)


class _Words(dict[str, _Word]):
    def __missing__(self, name: str) -> _Word:
        if name in _ADVICE:
            return _Word(_MARK)
        self[name] = _Word(name.upper())
        return self[name]


def general_fix(template: str) -> str | None:
    """The template as prose: names in capitals stand for values, and sentences that only a finding has are left out.

    None: nothing else is there.
    """
    words = _Words()
    text = template.format_map(words)
    if not text.strip(f".{_MARK}"):
        return None
    text = text.replace(f": {_MARK}.", ". The finding says how.").replace(_MARK, "").strip()
    if not words:
        return text
    *most, last = words.values()
    named = f"{', '.join(most)} and {last} are" if most else f"{last} is"
    return f"{text} The finding says what {named}."
