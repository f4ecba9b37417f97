"""What a command of a shell takes and does, as a value."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.uses import Use, UseKind
from skillbag.lint.facts.values import Act, ActKind, Origin, OriginKind
from skillbag.lint.signals.programs import ProgramRun
from skillbag.lint.signals.shell_commands import Word


class Effect(NamedTuple):
    """What a command takes and does. `reads`, `writes` and `folders` are names of files that it reads and fills.

    `aside`: starts of words whose values do not go on. `is_quiet`: with its output in a file nothing
    goes on in the pipe.
    `has_input`: what a pipe brings counts. `contacts`: the hosts, where `sources` and `acts` do not name each.
    """

    sources: tuple[Origin, ...] = ()
    acts: tuple[Act, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    aside: frozenset[int] = frozenset()
    is_quiet: bool = True
    has_input: bool = True
    contacts: tuple[Use, ...] = ()


NOTHING = Effect()


def _span(run: ProgramRun) -> tuple[int, int]:
    return run.start, run.arguments[-1].end if run.arguments else run.start + len(run.name)


def act(kind: ActKind, run: ProgramRun, means: str, to: str = "") -> Act:
    return Act(kind, to, means, *_span(run))


def source(kind: OriginKind, run: ProgramRun, what: str) -> Origin:
    return Origin(kind, what, *_span(run))


def address(text: str) -> str:
    """A host or an address as an address: one without a scheme is reached over HTTP."""
    return text if "://" in text or text.startswith("$") else f"http://{text}"


def contact(word: Word, text: str, *, sends: bool = False) -> Use:
    """The use of a host or a bucket that a word names."""
    return Use(UseKind.CONTACTS, (address(text),), word.start, ("sends",) if sends else (), word.text)


def plain_files(run: ProgramRun) -> Iterator[str]:
    """The names of files among the arguments."""
    for text in run.texts:
        if not text.startswith("-"):
            yield file_name(text)
        elif "=" in text:
            yield file_name(text.partition("=")[2])
