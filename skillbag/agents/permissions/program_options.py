"""Which words of a command line give certain options, whichever way they are written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from skillbag.kernel.base.lazy_regex import late

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
            return f"`{word}` {hits[0]}"
    return None


class Options(NamedTuple):
    """Options that are known to be harmless.

    `plain` take no value (`-l`, `--all`, `-name`), `valued` take one, attached, after `=` or as the next word.
    `attached` are beginnings of words that may go on in any way (`-W` in `-Wall`). `clusters` says whether letters may
    stand together; else a hyphen begins one long name, as with `find`.
    """

    plain: frozenset[str]
    valued: frozenset[str]
    attached: tuple[str, ...]
    numbers: bool
    clusters: bool


_NUMBER = late(r"-\d+[a-zA-Z]?")


def options_of(table: str) -> Options:
    """A table read: `-l --all` plain, `-n: --max:` with a value, `-W*` with any end, `-#` for numbers (`-20`)."""
    entries = table.split()
    names = {entry.rstrip(":*") for entry in entries}
    return Options(
        frozenset(entry for entry in entries if not entry.endswith((":", "*"))) - {"-#"},
        frozenset(entry[:-1] for entry in entries if entry.endswith(":")),
        tuple(entry[:-1] for entry in entries if entry.endswith("*")),
        "-#" in entries,
        not any(len(name) > 2 and name[1] != "-" for name in names),
    )


def unknown_option(given: Sequence[str], known: Options) -> str | None:
    """The first word with a hyphen that is none of the known options, None where all are.

    Values of options count as well where they begin with a hyphen, and all words after `--`: no program reads a line in
    another way than this, however it takes options and their values apart.
    """
    return next(
        (word for word in given if word[:1] == "-" and word not in ("-", "--") and not _knows(known, word)), None
    )


def _knows(known: Options, word: str) -> bool:
    if word in known.plain or word in known.valued or (known.numbers and _NUMBER().fullmatch(word)):
        return True
    if word.startswith(known.attached):
        return True
    name, equals, _ = word.partition("=")
    if equals and name in known.valued:
        return True
    return known.clusters and word[1] != "-" and _cluster_fits(known, word[1:])


def _cluster_fits(known: Options, letters: str) -> bool:
    """Whether each letter is known, up to one whose value is what follows."""
    for letter in letters:
        if f"-{letter}" in known.valued:
            return True
        if f"-{letter}" not in known.plain:
            return False
    return True
