"""A file's text with exact positions, or the reason why it can't be read."""

from __future__ import annotations

from bisect import bisect_right

from skillbag.kernel.base import clock
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import LIMIT, Unread, Unreadable, read

_BOM = b"\xef\xbb\xbf"


class Position(NamedTuple):
    """1-based line and column; columns count code points."""

    line: int
    column: int


class DocumentProblem(NamedTuple):
    """Why a file, or a part of it, has no value: a `kind` that rules name, the reader's message, and the place."""

    path: str
    kind: str
    detail: str
    line: int = 1
    column: int = 1


class Document(NamedTuple):
    """A text file: `text` keeps its line ends, but not its byte order mark; offsets are code points into `text`."""

    path: str
    raw: bytes
    text: str
    has_bom: bool = False

    @property
    def body(self) -> bytes:
        """The bytes of `text`: `raw` without the byte order mark."""
        return self.raw[len(_BOM) :] if self.has_bom else self.raw

    @cached_property
    def _line_starts(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> Position:
        """The line and column of an offset; one past the end is the end."""
        starts = self._line_starts
        line = bisect_right(starts, offset) - 1
        return Position(line + 1, offset - starts[line] + 1)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column of the text."""
        return self._line_starts[line - 1] + column - 1

    def bounds(self, offset: int) -> tuple[int, int]:
        """The offsets of the start and the end of a line, without its line feed."""
        starts = self._line_starts
        line = bisect_right(starts, offset)
        return starts[line - 1], starts[line] - 1 if line < len(starts) else len(self.text)

    def within(self, position: Position) -> Position:
        """The nearest valid position: other parsers count a lone carriage return as a line."""
        line = min(position.line, len(self._line_starts))
        return Position(line, min(position.column, len(self.line(line)) + 1))

    def line(self, number: int) -> str:
        """The text of a 1-based line without its line end; empty where there is no such line."""
        starts = self._line_starts
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r\n")

    @property
    def newline(self) -> str:
        """The line end that the file uses: its first one, or a line feed."""
        at = self.text.find("\n")
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    def encode(self, text: str) -> bytes:
        """`text` as bytes in this file's encoding (byte order mark kept)."""
        return (_BOM if self.has_bom else b"") + text.encode("utf-8")


_PROBLEMS = {
    Unread.MISSING: "there is no such file",
    Unread.FOLDER: "a folder stands in its place",
    Unread.PERMISSION: "permission denied: `chmod u+r` lets you read it, if it is yours",
    Unread.OUTSIDE: "it is a link that leaves the tree",
    Unread.LOOP: "it is a link that leads in a circle",
    Unread.TOO_LARGE: f"it is larger than {LIMIT >> 20} MiB",
    Unread.SPECIAL: "it is not a regular file",
    Unread.FAILED: "the system could not read it",
}


def decode(path: str, raw: bytes) -> Document | DocumentProblem:
    """The document of `raw`, or a problem of kind `encoding` at the first byte that is not UTF-8 (or is NUL)."""
    has_bom = raw.startswith(_BOM)
    body = raw[3:] if has_bom else raw
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        detail = f"byte 0x{body[error.start]:02x} is not UTF-8"
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            detail += "; it is UTF-16, which `iconv -f UTF-16 -t UTF-8 FILE > NEW` converts"
        return DocumentProblem(path, "encoding", detail, *_byte_position(body, error.start))
    if "\0" in text:
        detail = "it holds a NUL character, so it is not text"
        return DocumentProblem(path, "encoding", detail, *_byte_position(body, body.index(b"\0")))
    return Document(path, raw, text, has_bom)


def _byte_position(body: bytes, at: int) -> Position:
    start = body.rfind(b"\n", 0, at) + 1
    return Position(body.count(b"\n", 0, at) + 1, len(body[start:at].decode("utf-8", "replace")) + 1)


def read_document(path: str, root: str) -> Document | DocumentProblem:
    """Read `path` within `root`; errors are returned, never raised."""
    raw = clock.timed("read", read, path, root) if clock.timed else read(path, root)
    if not isinstance(raw, Unreadable):
        return clock.timed("read", decode, path, raw) if clock.timed else decode(path, raw)
    if raw.reason is Unread.MISSING and (target := tracked.link(path)) is not None:
        return DocumentProblem(path, "dangling", f"it is a link to {target}, which does not exist")
    return DocumentProblem(path, raw.reason.value, why_unread(raw))


def read_damaged(path: str, root: str) -> Document | None:
    """A text with bytes that are not UTF-8, or with NUL, as programs that do not mind read it; None for no text at all.

    Each such byte is a replacement character, and NUL is left out, as a shell does. UTF-16 is read with its mark.
    """
    raw = read(path, root)
    if isinstance(raw, Unreadable):
        return None
    is_wide = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
    if not is_wide and raw.count(0) * _DAMAGED > len(raw):
        return None
    text = raw.decode("utf-16" if is_wide else "utf-8", "replace").replace("\0", "").removeprefix("\ufeff")
    if text.count("\ufffd") * _DAMAGED > len(text):
        return None
    return Document(path, text.encode(), text)


_DAMAGED = 10
"""One in so many characters that is none makes a text something else."""


def why_unread(raw: Unreadable) -> str:
    """Why a file could not be read, as a sentence without its full stop."""
    detail = _PROBLEMS[raw.reason]
    return f"{detail} ({raw.detail})" if raw.reason is Unread.FAILED else detail
