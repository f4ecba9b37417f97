"""What is said on standard error: each message begins with what it is, `error:`, `warning:`, `note:`, `hint:`.

With `--quiet` errors alone are said. `info:` is what `--verbose` adds.
A plain check imports this: keep its imports few.
"""

from __future__ import annotations

import sys

from skillbag.doors.cli.output_style import colored, output_style
from skillbag.doors.cli.streams import silence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_STYLES = {"error": "1;31", "warning": "1;33", "question": "1;35", "note": "1;34", "hint": "36", "info": "2"}
_ANSWERS = ("error", "question")
"""What `--quiet` leaves."""


def message(kind: str, text: str) -> str:
    """A message with the word for its kind in front, and a line end; nothing where `--quiet` leaves it out."""
    if output_style().quiet and kind not in _ANSWERS:
        return ""
    word = f"\x1b[{_STYLES[kind]}m{kind}:\x1b[0m" if colored(sys.stderr) else f"{kind}:"
    return f"{word} {text}\n"


def messages(kind: str, texts: Iterable[str]) -> str:
    """Several of them."""
    return "".join(message(kind, text) for text in texts)


def lowered(sentence: str) -> str:
    """A sentence of ours as it stands behind the word for its kind: in small letters, unless it begins with a name."""
    first = sentence.partition(" ")[0]
    return sentence[:1].lower() + sentence[1:] if first.istitle() and first.isalpha() else sentence


def error(text: str) -> None:
    """Say what went wrong, and what to do."""
    put(message("error", text))


def warning(text: str) -> None:
    """Say what is probably not as the user wants it."""
    put(message("warning", text))


def note(text: str) -> None:
    """Say what was done, or is waited for."""
    put(message("note", text))


def hint(text: str) -> None:
    """Say what may help."""
    put(message("hint", text))


def info(text: str) -> None:
    """Say what `--verbose` asks for."""
    from skillbag.report.sanitize import shown

    put(message("info", shown(text)))


def put(text: str) -> None:
    """Write on standard error; if that fails, the exit code alone says what happened."""
    if not text:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr)


def note_shown(sentence: str) -> None:
    """A note that may hold anything: as it is safe for a terminal."""
    from skillbag.report.sanitize import shown_page

    note(shown_page(sentence).replace("\t", "\\t"))
