"""Quick looks beside the literals of secrets: most of them stand in prose, where nothing looks like a token.

Each errs on the side of too much. They read bytes, whose offsets need no conversion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from skillbag.workspace.text import TextFile

_NO_TOKEN = b" \t\r\n\"'`()[]{}<>,;:|&*$%@!?#^"
_CAPITALS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORDS = bytes.maketrans(_NO_TOKEN + b"=", b" " * (len(_NO_TOKEN) + 1))
_QUOTES = bytes.maketrans(b"'", b'"')
_SIGNS = (b"=", b' = "', b" = '", b': "', b": '", b'": "', b"': '", b"': ", b'": ', b": ", b" ")


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


def _has_key(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a name may be followed by a key, which has a digit, or several capitals."""
    words = body[at : at + 160].partition(b"\n")[0].translate(_WORDS).split()
    return any(len(word) >= 15 and _has_digit_or_capitals(word) for word in words)


def _has_digit_or_capitals(word: bytes) -> bool:
    if len(word.translate(None, b"0123456789")) < len(word):
        return True
    return len(word.translate(None, _CAPITALS)) < len(word) - 3 and not word.isupper()


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
    """Whether a sign follows, and a word that is long or has a digit."""
    after = body[at + len(literal) : at + len(literal) + 40].partition(b"\n")[0]
    if not after.startswith(_SIGNS):
        return False
    value = after.lstrip(b" =:,>\"'`").partition(b" ")[0]
    return len(value) >= 8 and (len(value) >= 16 or len(value.translate(None, b"0123456789")) < len(value))


def _has_bearer(body: bytes, at: int, literal: bytes) -> bool:
    return _is_token(body[at + len(literal) : at + len(literal) + 20], 20)


def _has_coded(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a word follows that has capitals or digits within."""
    word = body[at + len(literal) : at + len(literal) + 12]
    return _is_token(word, 12) and not word[1:].islower()


def _has_colon(body: bytes, at: int, literal: bytes) -> bool:
    return b":" in body[at : at + 80].partition(b"\n")[0]


def _has_option(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a program is given a password in the same line."""
    line = body[at : at + 200].partition(b"\n")[0]
    given = [line.partition(option)[2][:3].lstrip(b" =\"'") for option in (b" -p", b" -a", b"--password", b"--pass")]
    return any(value[:1].isalnum() for value in given)


def _has_long_token(body: bytes, at: int, literal: bytes) -> bool:
    return _is_token(body[at + len(literal) : at + len(literal) + 26], 26)


def _has_tail(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a token may begin here: ten characters of one follow its prefix."""
    end = at + len(literal)
    return b"=" in body[end : end + 2] or _is_token(body[end : end + 10], 10)


def _always(body: bytes, at: int, literal: bytes) -> bool:
    return True


_Test = Callable[[bytes, int, bytes], bool]
_PASSWORDS = (
    *(b"assword", b"ASSWORD", b"asswd", b"ASSWD", b"_PASS", b"_pass", b"_PWD", b"_pwd", b"assphrase", b"ASSPHRASE"),
)
_TESTS: dict[bytes, _Test] = {
    b"@": _has_login,
    b"earer ": _has_bearer,
    b"asic ": _has_coded,
    **dict.fromkeys((b"aws", b"AWS", b"Aws"), _has_quoted),
    **dict.fromkeys(_PASSWORDS, _is_set),
    **dict.fromkeys((b'"sk_', b"'sk_", b"=sk_", b'"key_', b"'key_", b"`sk_"), _has_long_token),
    **dict.fromkeys((b"rtifactory", b"RTIFACTORY", b"vault", b"Vault", b"VAULT", b"acebook", b"FACEBOOK"), _has_word),
    **dict.fromkeys((b"secret_access_key", b"SECRET_ACCESS_KEY", b"wilio", b"TWILIO", b"ailchimp"), _has_long_word),
    **dict.fromkeys((b"AILCHIMP", b"mailChimp", b"elegram", b"ELEGRAM", b"iscord", b"ISCORD"), _has_long_word),
    **dict.fromkeys((b"/webhooks/", b"/webhookb2/"), _has_long_word),
    **dict.fromkeys((b" -u ", b" -u'", b' -u"', b"--user ", b"--user="), _has_colon),
    **dict.fromkeys((b"sshpass", b"mysql", b"ariadb", b" login ", b"redis-cli"), _has_option),
    **dict.fromkeys((b"lob_", b"Lob_", b"LOB_", b"lob-", b"Lob-", b"LOB-", b"iam_", b"Iam_", b"IAM_"), _has_key),
    **dict.fromkeys((b"T3BlbkFJ", b".atlasv1.", b":AA", b"Q~", b"_mmk", b"<add key=", b"CONTRIBSYS__COM"), _always),
    **dict.fromkeys((b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----", b"PuTTY-User-Key-File-"), _always),
}
"""The tests of literals that are neither the prefix of a token nor the name of a vendor."""
_AWS = frozenset({b"AKIA", b"ASIA", b"ABIA", b"ACCA"})


@cache
def _test_of(literal: bytes) -> _Test:
    """The test of a literal; names end with a letter, most prefixes of tokens with a sign."""
    if known := _TESTS.get(literal):
        return known
    is_name = literal.translate(None, b"_- ").isalpha() and literal[-1:].isalpha()
    return _has_key if is_name and literal not in _AWS else _has_tail


_set_of = cache(frozenset[bytes])


def may_have_secret(text: TextFile, literals: tuple[bytes, ...]) -> bool:
    """Whether something like a token or a password is at one of the literals."""
    body = text.document.body
    known = _set_of(literals)
    for literal, places in text.places.found.items():
        if literal in known:
            test = _test_of(literal)
            if any(test(body, at, literal) for at in places):
                return True
    return False
