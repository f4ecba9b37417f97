"""Units of remembered work: what judging one skill gave, with the questions to the disk that it hung on."""

from __future__ import annotations

import json
import os
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence

from skillbag.base.records import NamedTuple
from skillbag.cache.codec import pack
from skillbag.fs import tracked
from skillbag.fs.read import read
from skillbag.fs.tracked import Trace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.engine.verdict import Verdict

SETTLED = 2_000_000_000
"""Nanoseconds that a file must have been left alone for its times to be relied on: those of some systems are coarse."""

SEPARATOR = "\0"
"""Between two questions: no path has it."""


class Unit(NamedTuple):
    """One unit: `questions`, joined, with `stamps` and a `digest` of the answers; a `verdict`, empty if all is well.

    The digest is in hex digits; `files` counts the files that were read; `card` is that of a skill, packed. A unit
    without a digest holds for the run that made it, and no longer: what it hung on can't be told, or it has something
    in it that is never to be kept.
    """

    questions: str
    stamps: bytes
    digest: bytes
    files: int
    verdict: bytes
    card: bytes

    @property
    def asked(self) -> list[str]:
        """The questions."""
        return self.questions.split(SEPARATOR) if self.questions else []


def recorded(work: Callable[[], tuple[Verdict, bytes]]) -> Unit:
    """The unit of what `work` gives (a verdict, and a card), with what it asks of the disk meanwhile."""
    begun = time.time_ns()
    with tracked.recording() as trace:
        verdict, card = work()
    packed = b"" if verdict.is_empty else pack(verdict)
    questions = SEPARATOR.join(trace.questions)
    sure = trace.sure and trace.touched <= begun - SETTLED
    sure = sure and not (_names_secrets(questions) or holds_secrets(packed) or holds_secrets(card))
    return Unit(
        questions,
        _settled(trace, begun) if sure else _unknown(len(trace.questions)),
        trace.digest if sure else b"",
        verdict.files,
        packed,
        card,
    )


def _settled(trace: Trace, begun: int) -> bytes:
    if os.name == "nt" or trace.freshest() > begun - SETTLED:
        # Windows has no time that a program could not set back.
        return _unknown(len(trace.questions))
    return trace.stamps.tobytes()


def _unknown(questions: int) -> bytes:
    """Stamps that nothing bears."""
    return array("q", (-1,)).tobytes() * (questions * tracked.WIDTH)


def holds_secrets(line: bytes) -> bool:
    """Whether something in a line of JSON would be masked wherever it is shown: that is never kept."""
    if not line:
        return False
    from skillbag.secrets.detection import mask, may_tell

    if not may_tell(line):
        return False
    text = "\n".join(_texts(json.loads(line)))
    return mask(text) != text


def _texts(value: object) -> Iterator[str]:
    """The texts in a value of JSON, those that are keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def _names_secrets(questions: str) -> bool:
    from skillbag.secrets.detection import mask, may_tell

    if not may_tell(questions.encode("utf-8", "surrogatepass")):
        return False
    text = questions.replace(SEPARATOR, "\n")
    return mask(text) != text


def redact_for_cache(unit: Unit) -> Unit | None:
    """The unit without what is never to be kept; None where not even that may be kept which it is about."""
    if unit.digest:
        return unit
    bare = unit._replace(verdict=b"", card=b"")
    if not _names_secrets(unit.questions):
        return bare
    first = unit.questions.partition(SEPARATOR)[0]
    return None if _names_secrets(first) else bare._replace(questions=first, stamps=_unknown(1))


_AGAIN: dict[str, Callable[[str], object]] = {
    tracked.NAMES: tracked.probe_dir,
    tracked.MODE: tracked.mode,
    tracked.KIND: tracked.exists,
    tracked.REAL: tracked.real,
    tracked.LINK: tracked.link,
    tracked.VERSION: tracked.version,
}


def ask_again(questions: Iterable[str], root: str) -> Trace:
    """The trace of the same questions, asked now of files within `root`."""
    with tracked.recording() as trace:
        for question in questions:
            kind, path = question[0], question[1:]
            if kind == tracked.CONTENT:
                read(path, root)
            else:
                _AGAIN[kind](path)
    return trace


def revalidate(root: str, units: Sequence[Unit]) -> list[Unit | None]:
    """The units whose questions still have the same answers, with the stamps of now; None for the others."""
    found: list[Unit | None] = []
    for unit in units:
        begun = time.time_ns()
        trace = ask_again(unit.asked, root) if unit.digest else None
        same = trace is not None and trace.sure and trace.digest == unit.digest
        found.append(unit._replace(stamps=_settled(trace, begun)) if trace and same else None)
    return found
