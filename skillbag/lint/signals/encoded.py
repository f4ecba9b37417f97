"""Encoded texts (base64, also reversed, base32, base85, hex, escapes, compressed data) and what they decode to."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_GLUE = r"""(?:["'`];?[ \t]*+(?:[+.,\\&][ \t]*+)?(?:\r?\n[ \t>#*]*+)?
                 (?:(?:const|let|var|\$)?[ \t]*\w{1,30}[ \t]*\+?=[ \t]*+|[+.,&][ \t]*+)?["'`]
            |[ \t]*+\\?\r?\n[ \t>#*|│║]*+)"""
"""What separates the pieces of one text: adjacent or added literals, literals of several variables, and line ends."""
_RUNS = late(
    rf"""(?<![A-Za-z0-9+/_-])
        (?: (?:[A-Za-z0-9+/_-]{{4,}}+={{0,2}}) (?:{_GLUE}[A-Za-z0-9+/_-]{{2,}}+={{0,2}}){{0,2000}}+ )""",
    re.VERBOSE,
)
# A digit or a capital within: what has neither is a word, a path or an option.
_PIECE = late(r"(?<![A-Za-z0-9+/_-])(?=[a-z/_-]*+[A-Z0-9+])[A-Za-z0-9+/_-]{12,}+")
_ESCAPES = late(r"(?:(?:\\x|\\u00|%|0x)[0-9a-fA-F]{2}(?:,[ \t]*+|(?=[\\%])|)){8,20000}+")
_BASE85_RUN = late(r"[!-~]{24,}+")
_BASE85_KINDS = (
    (base64.b85decode, late(r"[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{24,}+")),
    (base64.a85decode, late(r"[!-uz]{24,}+")),
)
_LITERAL = late(r"\\([\\'\"])|[\"'][)\]};,]*+\Z")
"""What a literal adds to its text: backslashes, and its end."""
_BETWEEN = late(_GLUE, re.VERBOSE)
_HEX = late(r"[0-9a-fA-F]{24,}")
_BASE32 = late(r"[A-Z2-7]{24,}={0,6}")
_PRINTABLE = re.compile(rb"[\t\n\r\x20-\x7e]{12,}")
_WIDE = re.compile(rb"(?:[\t\n\r\x20-\x7e]\x00){8,}")

SHORTEST = 24
"""Fewest characters of a base64 or hex text that is decoded."""
_LONGEST = 400_000
"""Most characters of one encoded text that are decoded."""
_LONGEST_BASE85 = 40_000
"""The same for base85, which takes longer."""
_MAX = 2_000_000
"""Most characters of all encoded texts of one text that are decoded."""
_INFLATED = 400_000
"""Most bytes that compressed data is expanded to."""
_DEPTH = 4
"""How many encodings within each other are undone."""
_LEAST = 12
"""Fewest printable characters that count as a text."""

_SIGNS = "http|curl |wget |bash|/bin/|exec(|eval(|import |python|powersh|Invoke|/dev/t|gnore |instruct|the user|sudo "
"""Words of which every text worth finding has one; what starts a process is imported or in a shell."""
_WIDE_SIGNS = "http|iex|IEX|Invoke|irm "
"""The same for commands of PowerShell, which are encoded in two bytes a character."""
_HEX_SIGNS = "http|curl|bash|/bin/|exec|eval|impo|ignore"
_LONG_SIGNS = "http://|https://|import |curl -s"
"""The same for base85: words of seven bytes, of which four are coded together wherever they begin."""
_WORDS = (
    "b64decode|atob(|FromBase64|xxd -r|fromhex|unhexlify|base64_dec|decode64|\\x2f\\x|\\x68\\x|\\x63\\x|'base64'"
    "|b32decode|base32 -|85decode"
    '|"base64"|base64 -|ncodedCom| -enc |H4sIA|eJw|eJx|eJy|eJz'
)
"""What decodes, and how compressed data begins."""


def _base64_of(word: bytes) -> Iterator[bytes]:
    """What is certain of the base64 of a word, for each of the three places that it may begin at."""
    for skipped in range(3):
        coded = binascii.b2a_base64(bytes(skipped) + word, newline=False)
        whole = (skipped + len(word)) * 8 // 6
        yield coded[(0, 2, 3)[skipped] : whole]


def _base32_of(word: bytes) -> Iterator[bytes]:
    """The same for base32, which begins at one of five places."""
    for skipped in range(5):
        coded = base64.b32encode(bytes(skipped) + word)
        yield coded[-(-skipped * 8 // 5) : (skipped + len(word)) * 8 // 5]


def _base85_of(word: bytes) -> Iterator[bytes]:
    """The first four bytes of a word that are coded together, for each of four places, in both alphabets."""
    for skipped in range(4):
        group = word[-skipped % 4 :][:4]
        yield from (base64.b85encode(group), base64.a85encode(group))


_REVERSED = tuple(known[:5][::-1].decode() for word in _SIGNS.encode().split(b"|") for known in _base64_of(word))
_BASE85 = tuple(known.decode() for word in _LONG_SIGNS.encode().split(b"|") for known in _base85_of(word))


def _literals() -> Iterator[bytes]:
    for word in _SIGNS.encode().split(b"|"):
        yield from (known[:5] for known in _base64_of(word))
        yield from (known[:6] for known in _base32_of(word))
    yield from (sign.encode() for sign in (*_REVERSED, *_BASE85))
    for wide in _WIDE_SIGNS.split("|"):
        yield from (known[:6] for known in _base64_of(wide.encode("utf-16-le")))
    yield from (binascii.hexlify(word)[:8] for word in _HEX_SIGNS.encode().split(b"|"))
    yield from _WORDS.encode().split(b"|")


LITERALS = tuple(dict.fromkeys(_literals()))
"""Byte strings of which a text with an encoded command or instruction has one."""


class Encoded(NamedTuple):
    """A part of a text and what it decodes to: a text of at least 12 printable ASCII characters.

    `kind` names the encodings from the outside in: `base64`, `reversed base64`, `base32`, `base85`, `hex`, `escapes`,
    `gzip`, joined by ` of `.
    """

    start: int
    end: int
    kind: str
    decoded: str


def encoded_texts(text: str, start: int = 0, end: int | None = None) -> Iterator[Encoded]:
    """The encoded texts in a part of a text, in order, without those that decode to other things than text."""
    limit, spent = len(text) if end is None else end, 0
    for runs, decode in (
        (_runs(text, start, limit), _decoded_run),
        (_ESCAPES().finditer(text, start, limit), _unescaped),
        (_BASE85_RUN().finditer(text, start, limit) if _may_have_base85(text) else (), _of_base85),
    ):
        for match in runs:
            size = match.end() - match.start()
            if size < SHORTEST or spent > _MAX:
                continue
            spent += min(size, _LONGEST)
            if found := decode(match[0][:_LONGEST], _DEPTH):
                yield Encoded(match.start(), match.end(), *found)


def _runs(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The runs of base64 or hex that have a long piece: most words of a text are in none."""
    done = start
    for piece in _PIECE().finditer(text, start, end):
        if piece.start() >= done and (run := _RUNS().match(text, piece.start(), end)):
            done = run.end()
            yield run


def _decoded_run(run: str, depth: int) -> tuple[str, str] | None:
    """The kind and the text of a run of base64 or hex, whose pieces may be apart; None if it is no text."""
    pieces = [piece for piece in _BETWEEN().split(run) if piece]
    joined = "".join(pieces)
    if len(joined) < SHORTEST:
        return None
    if _HEX().fullmatch(joined):
        return _plain("hex", bytes.fromhex(joined[: len(joined) // 2 * 2]), depth)
    if _BASE32().fullmatch(joined) and (found := _of_base32(joined, depth)):
        return found
    if found := _first_text(pieces, depth):
        return found
    if any(sign in joined for sign in _REVERSED) and (found := _first_text([joined[::-1]], depth)):
        return f"reversed {found[0]}", found[1]
    # A line of words may stand before the encoded one: each is a text of its own, then.
    longest = max(pieces, key=len)
    return _first_text([longest], depth) if len(longest) < len(joined) and len(longest) >= SHORTEST else None


def _first_text(pieces: list[str], depth: int) -> tuple[str, str] | None:
    if not any(char.islower() for char in pieces[0][:200]) and len(pieces) == 1 and pieces[0].isalpha():
        return None
    for skipped in range(4):
        raw = b"".join(_bytes_of(pieces, skipped))
        if found := _plain("base64", raw, depth):
            return found
    return None


def _bytes_of(pieces: list[str], skipped: int) -> Iterator[bytes]:
    """The bytes of pieces of base64; one that ends in `=` ends a text of its own."""
    joined = "".join(pieces)[skipped:].replace("-", "+").replace("_", "/")
    for part in re.split("=+", joined):
        usable = part if len(part) % 4 != 1 else part[:-1]
        if usable:
            yield binascii.a2b_base64(usable + "=" * (-len(usable) % 4))


def _of_base32(joined: str, depth: int) -> tuple[str, str] | None:
    whole = joined.rstrip("=")
    whole = whole[: len(whole) - (len(whole) % 8 in (1, 3, 6))]
    try:
        return _plain("base32", base64.b32decode(whole + "=" * (-len(whole) % 8)), depth)
    except ValueError:
        return None


def _may_have_base85(text: str) -> bool:
    return "85decode" in text or any(sign in text for sign in _BASE85)


def _of_base85(run: str, depth: int) -> tuple[str, str] | None:
    """A text in one of the alphabets of base85. A name or a quote may stand before it, so it begins anywhere."""
    words = _LITERAL().sub(r"\1", run[:_LONGEST_BASE85])
    for decode, alphabet in _BASE85_KINDS:
        coded = max(alphabet().findall(words), key=len, default="")
        for skipped in range(5):
            try:
                found = _plain("base85", decode(coded[skipped:]), depth)
            except ValueError:
                continue
            if found:
                return found
    return None


def _unescaped(run: str, depth: int) -> tuple[str, str] | None:
    return _plain("escapes", bytes.fromhex("".join(re.findall(r"(?:\\x|\\u00|%|0x)(..)", run))), depth)


def _plain(kind: str, raw: bytes, depth: int) -> tuple[str, str] | None:
    """The text that bytes are or contain, undone further if it is encoded again."""
    inflated = _inflated(raw) if raw.startswith((b"\x1f\x8b", b"\x78")) else None
    if inflated:
        found = _plain("gzip", inflated, depth - 1) if depth > 1 else None
        return (f"{kind} of {found[0]}", found[1]) if found else None
    wide = _WIDE.search(raw)
    text = wide[0].replace(b"\0", b"") if wide else max(_PRINTABLE.findall(raw), key=len, default=b"")
    # A short text within much else is chance.
    if len(text) < _LEAST or (len(text) < 40 and len(text) * 2 < len(raw)):
        return None
    decoded = text.decode("ascii")
    if depth > 1 and len(decoded) >= SHORTEST:
        inner = _RUNS().fullmatch(decoded.strip())
        if inner and (found := _decoded_run(inner[0], depth - 1)):
            return f"{kind} of {found[0]}", found[1]
    return kind, decoded


def _inflated(raw: bytes) -> bytes | None:
    import zlib

    try:
        return zlib.decompressobj(wbits=47).decompress(raw, _INFLATED)
    except zlib.error:
        return None
