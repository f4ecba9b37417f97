"""Which words of a command line give certain options, whichever way they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

Reasons = Mapping[str, str]
"""Options, without their hyphens, each with why it is looked for."""


Commands = Sequence[tuple[str, ...]]
"""Commands of a line in order, each by its words."""


def words(text: str) -> frozenset[str]:
    """The words of a table."""
    return frozenset(text.split())


def option_fault(
    given: Iterable[str], letters: Reasons, names: Reasons, spared: frozenset[str] = frozenset()
) -> str | None:
    """The first of the words that gives one of the options, and why that one is looked for; None where none does.

    `letters` are found anywhere in a cluster (`-xvc`), a value that is attached to another letter included: better one
    too many. `names` are found abbreviated as well, with or without `=value`; `spared` are names that stand for
    themselves, although another one begins with them.
    """
    for word in given:
        if word.startswith("--"):
            option = word[2:].partition("=")[0]
            hits = [why for name, why in names.items() if option and option not in spared and name.startswith(option)]
        else:
            hits = [why for letter, why in letters.items() if word.startswith("-") and letter in word]
        if hits:
            return f"{word} {hits[0]}"
    return None
