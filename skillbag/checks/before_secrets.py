"""Quick looks beside the literals of secrets: most of them stand in prose, where nothing looks like a token.

Each errs on the side of too much. They read bytes, whose offsets need no conversion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from skillbag.workspace.text import TextFile

_NO_TOKEN = b" \t\r\n\"'`()[]{}<>,;:|&*$%@!?#^"
_WORDS = bytes.maketrans(_NO_TOKEN + b"=", b" " * (len(_NO_TOKEN) + 1))
_QUOTES = bytes.maketrans(b"'", b'"')
_SIGNS = (b"=", b' = "', b" = '", b': "', b": '", b'": "', b"': '")


def _is_token(piece: bytes, size: int) -> bool:
    """Whether a piece of this size has no blank, quote or bracket."""
    return len(piece) == size == len(piece.translate(None, _NO_TOKEN))


def _around(body: bytes, at: int) -> bytes:
    """The part of a line around an offset that a credential is searched for in; four bytes a character."""
    before, after = body[max(0, at - 800) : at], body[at : at + 1_200]
    return before.rpartition(b"\n")[2] + after.partition(b"\n")[0]


def _has_word(body: bytes, at: int, literal: bytes) -> bool:
    words = _around(body, at).translate(_WORDS).split()
    return any(len(word) >= 12 and not word.isalpha() for word in words)


def _has_long_word(body: bytes, at: int, literal: bytes) -> bool:
    return any(len(word) >= 32 for word in _around(body, at).translate(_WORDS).split())


def _has_quoted(body: bytes, at: int, literal: bytes) -> bool:
    return any(len(piece) == 40 for piece in _around(body, at).translate(_QUOTES).split(b'"'))


def _has_login(body: bytes, at: int, literal: bytes) -> bool:
    start = body.rfind(b"://", max(0, at - 800), at)
    return (
        start >= 0 and b":" in body[start + 3 : at] and not body[start:at].translate(None, b" \t\r\n").count(b"/") > 2
    )


def _is_set(body: bytes, at: int, literal: bytes) -> bool:
    return body[at + len(literal) : at + len(literal) + 4].startswith(_SIGNS)


def _has_bearer(body: bytes, at: int, literal: bytes) -> bool:
    return _is_token(body[at + 7 : at + 27], 20)


def _has_hexadecimal(body: bytes, at: int, literal: bytes) -> bool:
    return body[at + len(literal) : at + len(literal) + 40].isalnum()


def _has_tail(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a token may begin here: ten characters of one follow its prefix."""
    end = at + len(literal)
    return b"=" in body[end : end + 2] or _is_token(body[end : end + 10], 10)


def _always(body: bytes, at: int, literal: bytes) -> bool:
    return True


_Test = Callable[[bytes, int, bytes], bool]
_TESTS: dict[bytes, _Test] = {
    b"@": _has_login,
    b"Bearer ": _has_bearer,
    **dict.fromkeys((b"aws", b"AWS", b"Aws"), _has_quoted),
    **dict.fromkeys((b"assword", b"ASSWORD", b"asswd", b"ASSWD"), _is_set),
    **dict.fromkeys((b'"sk_', b"'sk_", b"=sk_", b'"key_', b"'key_", b"`sk_"), _has_hexadecimal),
    **dict.fromkeys((b"rtifactory", b"RTIFACTORY"), _has_word),
    **dict.fromkeys((b"secret_access_key", b"SECRET_ACCESS_KEY", b"wilio", b"TWILIO", b"ailchimp"), _has_long_word),
    **dict.fromkeys((b"AILCHIMP", b"mailChimp", b"elegram", b"ELEGRAM", b"iscord", b"ISCORD"), _has_long_word),
    **dict.fromkeys((b"eroku", b"EROKU", b"levenLabs", b"levenlabs", b"ELEVEN", b"xi-api-key"), _has_long_word),
    **dict.fromkeys((b"XI_API_KEY", b"/webhooks/"), _has_long_word),
    **dict.fromkeys((b"T3BlbkFJ", b".atlasv1.", b":AA"), _always),
    **dict.fromkeys((b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----", b"PuTTY-User-Key-File-"), _always),
}
"""The test of each literal that is no prefix of a token."""


@cache
def _known(literals: tuple[bytes, ...], is_markdown: bool) -> frozenset[bytes]:
    """The literals that count: texts that teach invent passwords."""
    return frozenset([literal for literal in literals if not is_markdown or _TESTS.get(literal) is not _is_set])


def may_have_secret(text: TextFile, literals: tuple[bytes, ...]) -> bool:
    """Whether something like a token or a password is at one of the literals."""
    body = text.document.body
    known = _known(literals, text.language == "markdown")
    for literal, places in text.places.found.items():
        if literal in known:
            test = _TESTS.get(literal, _has_tail)
            if any(test(body, at, literal) for at in places):
                return True
    return False
