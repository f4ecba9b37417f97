"""The child that searches texts for regular expressions of skills (skill runtime, section 8). Standard library only.

Expressions are hostile: one may take for ever, and nothing stops a search from within. So each search has seconds of
the processor, after which the system ends this process. The host knows which text was not answered.

The first line is a JSON list of expressions. Each request is a line `[[BYTES, [NUMBER, …]], …]`, and for each entry so
many bytes: a text in UTF-8 and a line end. The answers, sent together, are a line for each text: a JSON list of
`[NUMBER, START, END]`, offsets in code points.
"""

from __future__ import annotations

import json
import re
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from signal import ITIMER_PROF, setitimer
    from typing import BinaryIO
else:
    # `signal` itself imports modules that take a while.
    from _signal import ITIMER_PROF, setitimer

_MEMORY = 512 << 20
"""Bytes of data."""


def main(seconds: float, most: int) -> None:
    """Serve requests until the end of the input. At most `most` places of an expression in a text are answered."""
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    source, output = sys.stdin.buffer, sys.stdout.buffer
    expressions = [re.compile(written, re.MULTILINE) for written in json.loads(source.readline())]
    while header := source.readline():
        requests = json.loads(header)
        data, at = _exactly(source, sum([size for size, _ in requests])), 0
        for size, numbers in requests:
            text = data[at : at + size - 1].decode("utf-8")
            at += size
            found: list[tuple[int, int, int]] = []
            for number in numbers:
                setitimer(ITIMER_PROF, seconds)
                found += _places(expressions[number], number, text, most)
            output.write(json.dumps(found).encode() + b"\n" if found else b"[]\n")
        setitimer(ITIMER_PROF, 0)
        output.flush()


def _exactly(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) < size:
        sys.exit(0)
    return data


def _places(expression: re.Pattern[str], number: int, text: str, most: int) -> list[tuple[int, int, int]]:
    """Where it matches something; an empty match is none."""
    found = []
    for match in expression.finditer(text):
        start, end = match.span()
        if start != end:
            found.append((number, start, end))
            if len(found) == most:
                break
    return found


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
