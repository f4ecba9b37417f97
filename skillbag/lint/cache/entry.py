"""Cache entries: the result of linting one skill, with the file-system queries that it depends on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.fs.trace import Trace, recording
from skillbag.lint.cache.codec import dump, pack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.lint.engine.verdict import Verdict

SETTLED = 2_000_000_000
"""Nanoseconds without a change after which a file's times are relied on: those of some systems are coarse."""

SEPARATOR = "\0"
"""Between two questions: no path has it."""

STAMP = tracked.WIDTH * 8
"""Bytes of a stamp."""


class CacheEntry(NamedTuple):
    """One entry: `questions`, joined, with `stamps` and a `digest` of the answers; a `verdict`, empty if all is well.

    The digest is in hex digits; `files` counts the files that were read; `summary` is that of a skill, packed. An entry
    without a digest is valid only in the process that made it: its dependencies are unknown, or it holds something that
    must not be stored.
    """

    questions: str
    stamps: bytes
    files: int
    digest: bytes
    verdict: bytes
    summary: bytes

    @property
    def subject(self) -> str:
        """The path of the first question: for a skill its folder, whose names are asked for first."""
        return self.questions.partition(SEPARATOR)[0][1:]


def split_questions(joined: Iterable[str]) -> Iterator[str]:
    """The questions of several entries, in order."""
    return (question for text in joined if text for question in text.split(SEPARATOR))


def entry_of(trace: Trace, verdict: Verdict, summary: bytes = b"") -> CacheEntry:
    """The entry for a verdict and a packed summary, with the questions of which they are made."""
    packed = b"" if verdict.is_empty else pack(verdict)
    is_sure = trace.sure and trace.touched <= trace.begun - SETTLED
    if is_sure and not holds_secrets(b"[%b,%b,%b]" % (dump(trace.questions), packed or b"0", summary or b"0")):
        stamps, digest = _settled(trace), trace.digest
    else:
        stamps, digest = _unknown(len(trace.questions)), b""
    return CacheEntry(SEPARATOR.join(trace.questions), stamps, verdict.files, digest, packed, summary)


def _settled(trace: Trace) -> bytes:
    if os.name == "nt" or max(trace.stamps[:: tracked.WIDTH], default=0) > trace.begun - SETTLED:
        # Windows has no time that a program could not set back.
        return _unknown(len(trace.questions))
    return trace.stamps.tobytes()


def _unknown(questions: int) -> bytes:
    """Stamps that differ from those of every file."""
    return b"\xff" * (questions * STAMP)


def holds_secrets(line: bytes) -> bool:
    """Whether something in a line of JSON would be masked in output; that is never stored."""
    from skillbag.kernel.secrets.detection import mask, may_tell

    if not may_tell(line):
        return False
    text = "\n".join(_texts(json.loads(line)))
    return mask(text) != text


def _texts(value: object) -> Iterator[str]:
    """The strings in a value of JSON, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)


def redact_for_cache(entry: CacheEntry) -> CacheEntry:
    """The entry as it is stored: without a digest, no more than its subject."""
    if entry.digest:
        return entry
    first = entry.questions.partition(SEPARATOR)[0]
    return CacheEntry(first, _unknown(bool(first)), 0, b"", b"", b"")


_QUERIES: dict[str, Callable[[str], object]] = {
    tracked.NAMES: tracked.probe_dir,
    tracked.MODE: tracked.mode,
    tracked.KIND: tracked.exists,
    tracked.REAL: tracked.real,
    tracked.LINK: tracked.link,
    tracked.VERSION: tracked.version,
}


def revalidate(root: str, entries: Sequence[CacheEntry]) -> list[CacheEntry | None]:
    """The entries whose questions still have the same answers, with new stamps; None for the others.

    Files are read within `root`.
    """
    found: list[CacheEntry | None] = []
    queries: dict[str, Callable[[str], object]] = {**_QUERIES, tracked.CONTENT: partial(read, root=root)}
    for entry in entries:
        with recording() as trace:
            for question in split_questions([entry.questions] if entry.digest else []):
                queries[question[0]](question[1:])
        is_same = entry.digest and trace.sure and trace.digest == entry.digest
        found.append(entry._replace(stamps=_settled(trace)) if is_same else None)
    return found
