"""Regular expressions of skills, searched in a bounded child process (skill runtime, section 8).

One child searches all texts that may have a match. When a search takes too long, the child ends; a new one finds out
which expression it was, which is left out from then on.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

from skillbag.kernel.processes.talking import Program, TalkingChild
from skillbag.kernel.workspace.text import TextFile
from skillbag.runtime.errors import ChildError
from skillbag.runtime.scanning.needles import needle_of

SEARCH_SECONDS = 1.0
"""Seconds of the processor for one expression in one text."""

MAX_PLACES = 100
"""Places of one expression in one text that count."""

MAX_SLOW = 20
"""Expressions that may be too slow, before all others are left out as well: each costs seconds."""

_WALL_SECONDS = 30.0
"""Seconds without any answer, after which the child is taken for stuck."""

_AHEAD = 4 << 20
"""Bytes of texts that are sent before their answers are read."""

_BATCH = 60 << 10
"""Bytes of texts that are sent at once: about what a pipe takes."""

_NOTHING = b"[]"
"""The answer where nothing is found."""

_ENVIRONMENT = ("PATH", "LD_LIBRARY_PATH", "LANG", "LC_ALL")

_CHILD = os.path.join(os.path.dirname(os.path.realpath(__file__)), "regex_child.py")


class RegexMatch(NamedTuple):
    """Where an expression (its number) matches: offsets into the text in code points."""

    expression: int
    start: int
    end: int


class Searched(NamedTuple):
    """What was found in a text. `slow` are the numbers of expressions that took too long in it."""

    text: TextFile
    places: tuple[RegexMatch, ...]
    slow: tuple[int, ...] = ()


class RegexJob(NamedTuple):
    """A text, and the numbers of the expressions to search it for."""

    text: TextFile
    numbers: tuple[int, ...]


class _Sent(NamedTuple):
    """A job, and the bytes that are sent for it, with a line end."""

    job: RegexJob
    size: int


class RegexSearch:
    """Searches texts for these expressions, which must be valid. Use it as a context."""

    def __init__(self, expressions: Sequence[str], seconds: float = SEARCH_SECONDS) -> None:
        self._expressions, self._seconds = tuple(expressions), seconds
        self._needles = [needle_of(expression) for expression in self._expressions]
        self._child: TalkingChild | None = None
        self._waiting: deque[_Sent] = deque()
        self._unanswered = 0
        """Bytes of the texts that wait for their answers."""
        self._slow: set[int] = set()

    def __enter__(self) -> Self:
        if None in self._needles:
            # Every text is searched: the child starts while the first ones are read.
            self._started()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def search(self, jobs: Iterable[RegexJob]) -> Iterator[Searched]:
        """The texts in which something is found, or an expression takes too long, in their order.

        Raises:
            ChildError: the search can't be done at all.
        """
        batch: list[_Sent] = []
        size = 0
        for job in jobs:
            if numbers := self._possible(job):
                batch.append(_Sent(RegexJob(job.text, numbers), len(job.text.document.body) + 1))
                size += batch[-1].size
            if size > _BATCH:
                self._send(batch)
                batch, size = [], 0
                yield from self._answers(_AHEAD)
        self._send(batch)
        yield from self._answers(0)

    def _possible(self, job: RegexJob) -> tuple[int, ...]:
        """The expressions that may match."""
        text, needles = job.text.document.text, self._needles
        numbers = [number for number in job.numbers if (needle := needles[number]) is None or needle.may_be_in(text)]
        return self._usable(tuple(numbers)) if numbers else ()

    def _usable(self, numbers: tuple[int, ...]) -> tuple[int, ...]:
        if not self._slow:
            return numbers
        if len(self._slow) >= MAX_SLOW:
            return ()
        return tuple(number for number in numbers if number not in self._slow)

    def _answers(self, most: int) -> Iterator[Searched]:
        """The answers that came; it waits until at most so many bytes have none."""
        until = time.monotonic() + _WALL_SECONDS
        while self._waiting:
            must_wait = self._unanswered > most
            child = self._started()
            lines = child.receive(until - time.monotonic() if must_wait else 0.0)
            for line in lines:
                sent = self._waiting.popleft()
                self._unanswered -= sent.size
                if line != _NOTHING:
                    yield Searched(sent.job.text, _places(line))
            if lines:
                until = time.monotonic() + _WALL_SECONDS
            elif child.end is not None or time.monotonic() >= until:
                yield self._stuck()
            elif not must_wait:
                return

    def _stuck(self) -> Searched:
        """The child has not answered the first text that waits: search that for one expression after the other, and
        then go on. All others are sent one by one, so that the next text that is not answered is the one to blame."""
        first, *others = self._waiting
        self._waiting.clear()
        self._unanswered = 0
        self._end()
        places: list[RegexMatch] = []
        slow = []
        for number in self._usable(first.job.numbers):
            self._write([first._replace(job=RegexJob(first.job.text, (number,)))])
            if line := self._line():
                places += _places(line)
            else:
                self._slow.add(number)
                slow.append(number)
                self._end()
        for other in others:
            if numbers := self._usable(other.job.numbers):
                self._send([other._replace(job=RegexJob(other.job.text, numbers))])
        return Searched(first.job.text, tuple(places), tuple(slow))

    def _line(self) -> bytes | None:
        """The next answer; None if the child does not give it."""
        child = self._started()
        until = time.monotonic() + _WALL_SECONDS
        while child.end is None and time.monotonic() < until:
            if lines := child.receive(until - time.monotonic()):
                return lines[0]
        return None

    def _send(self, batch: list[_Sent]) -> None:
        if batch:
            self._waiting += batch
            self._unanswered += sum([sent.size for sent in batch])
            self._write(batch)

    def _write(self, batch: list[_Sent]) -> None:
        header = json.dumps([(sent.size, sent.job.numbers) for sent in batch]).encode()
        self._started().send(b"\n".join([header, *[sent.job.text.document.body for sent in batch]]))

    def _started(self) -> TalkingChild:
        if self._child is None:
            words = [sys.executable, "-I", "-S", _CHILD, str(self._seconds), str(MAX_PLACES)]
            environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            try:
                self._child = TalkingChild(Program(words, environment, os.sep))
            except (OSError, ValueError) as error:
                raise ChildError(f"the search for expressions can't be started: {error}") from error
            self._child.send(json.dumps(self._expressions).encode())
        return self._child

    def _end(self) -> None:
        if self._child is not None:
            self._child.close()
            self._child = None


def _places(line: bytes) -> tuple[RegexMatch, ...]:
    return tuple([RegexMatch(*found) for found in json.loads(line)])
