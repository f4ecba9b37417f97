"""Quick looks beside the literals of secrets: most of them stand in prose, where nothing looks like a token.

Each errs on the side of too much. They read bytes, whose offsets need no conversion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise

from skillbag.kernel.base.literals import LiteralPlaces
from skillbag.kernel.workspace.text import TextFile

_NO_TOKEN = b" \t\r\n\"'`()[]{}<>,;:|&*$%@!?#^"
_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CAPITALS, _DIGITS = _LETTERS[:26], b"0123456789"
_WORDS = bytes.maketrans(_NO_TOKEN + b"=", b" " * (len(_NO_TOKEN) + 1))
_VALUES = bytes.maketrans(b"\t\r\n\"'`,;)", b" " * 9)
_QUOTES = bytes.maketrans(b"'", b'"')
_NAME = _LETTERS + _DIGITS + b" \t_.-" + bytes(range(128, 256))
_OPERATORS = b"=:|>,?"
_BETWEEN = _OPERATORS + b" \t\\\"'`])>[(<"
"""What stands between a name and its value."""
_SAID = (b"key ", b"oken ", b"cret ", b" is ", b" to ", b" as ")
"""Words that tell of a value without a sign."""
_LONGEST = 8192


def _is_token(piece: bytes, size: int) -> bool:
    """Whether a piece of this size has no blank, quote or bracket."""
    return len(piece) == size == len(piece.translate(None, _NO_TOKEN))


def _is_generated(word: bytes) -> bool:
    """Whether a word has a digit, or several capitals among other letters, as all but one in a hundred keys have."""
    if len(word.translate(None, _DIGITS)) < len(word):
        return True
    return len(word.translate(None, _CAPITALS)) < len(word) - 2 and not word.isupper()


def _around(body: bytes, at: int) -> bytes:
    """The part of a line around an offset that a credential is searched for in; four bytes a character."""
    before, after = body[max(0, at - 800) : at], body[at : at + 1_200]
    return before.rpartition(b"\n")[2] + after.partition(b"\n")[0]


def _has_word(body: bytes, at: int, literal: bytes) -> bool:
    words = _around(body, at).translate(_WORDS).split()
    return any(len(word) >= 12 and not word.isalpha() for word in words)


def _has_key(body: bytes, at: int, literal: bytes) -> bool:
    """Whether the rest of a name, a sign or a word that tells of a value, and something like a key follow."""
    line = body[at + len(literal) : at + 200].partition(b"\n")[0]
    rest = line.lstrip(_NAME)
    value = rest.lstrip(_BETWEEN)
    signs = rest[: len(rest) - len(value)]
    if len(signs.translate(None, _OPERATORS)) < len(signs):
        words = value.translate(_WORDS).split()[:3]
    elif any(said in line.replace(b"\t", b" ") for said in _SAID):
        words = line.translate(_WORDS).split()
    else:
        return False
    return any(len(word) >= 15 and _is_generated(word) for word in words)


def _has_long_word(body: bytes, at: int, literal: bytes) -> bool:
    return any(len(word) >= 32 for word in _around(body, at).translate(_WORDS).split())


def _has_quoted(body: bytes, at: int, literal: bytes) -> bool:
    pieces = _around(body, at).translate(_QUOTES).split(b'"')
    return any(len(piece) == 40 and piece.translate(None, b"/+").isalnum() for piece in pieces)


def _has_login(body: bytes, at: int, literal: bytes) -> bool:
    start = body.rfind(b"://", max(0, at - 800), at)
    return (
        start >= 0 and b":" in body[start + 3 : at] and not body[start:at].translate(None, b" \t\r\n").count(b"/") > 2
    )


def _is_set(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a sign follows, or the blank after an option, and then no word and no call."""
    after = body[at + len(literal) : at + len(literal) + 60].partition(b"\n")[0]
    rest = after.lstrip(b" \t=:,>\"'`")
    signs = after[: len(after) - len(rest)]
    if not signs or (signs.isspace() and body[max(0, at - 3) : at] != b"--p"):
        return False
    value = rest.translate(_VALUES).partition(b" ")[0]
    if len(value) < 8 or len(value.translate(None, b"<>{}[](")) < len(value):
        return False
    return _is_generated(value) and b"pass" not in value.lower()


def _has_bearer(body: bytes, at: int, literal: bytes) -> bool:
    word = body[at + len(literal) : at + len(literal) + 20]
    return _is_token(word, 20) and not word.startswith(b"eyJ")


def _has_coded(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a word follows that has capitals or digits within."""
    word = body[at + len(literal) : at + len(literal) + 12]
    return _is_token(word, 12) and not word[1:].islower()


def _has_pair(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a user's name and a password follow, and no address."""
    line = body[at + len(literal) : at + 200].partition(b"\n")[0]
    password = line.lstrip(b" \"'").partition(b" ")[0].partition(b":")[2]
    return len(password) >= 4 and password[:1] not in b"/$<"


def _has_option(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a program is given a password in the same line."""
    line = body[at : at + 200].partition(b"\n")[0]
    options = _OTHER_OPTIONS if literal in _WITH_OTHERS else _OPTIONS
    given = [line.partition(option)[2][:3].lstrip(b" =\"'") for option in options]
    return any(value[:1].isalnum() for value in given)


def _has_bundle(body: bytes, at: int, literal: bytes) -> bool:
    """Whether an option that others are bundled with has a pair: `-su bob:word`."""
    words = [*body[at : at + 300].partition(b"\n")[0].split(), b""]
    given = [word + pair for word, pair in pairwise(words) if word[:1] == b"-" and b"u" in word]
    return any(pair.partition(b":")[2][:1] not in b"/" for pair in given)


def _is_given(body: bytes, at: int, literal: bytes) -> bool:
    """Whether the value of an option follows, and no reference to one."""
    value = body[at + len(literal) : at + len(literal) + 40].partition(b"\n")[0].lstrip(b" =\"'").partition(b" ")[0]
    return len(value) >= 6 and value[:1] not in b"-<${["


def _is_fed(body: bytes, at: int, literal: bytes) -> bool:
    line = _around(body, at)
    return b"<<<" in line or (b"|" in line and (b"echo " in line or b"printf " in line))


def _has_long_token(body: bytes, at: int, literal: bytes) -> bool:
    return _is_token(body[at + len(literal) : at + len(literal) + 26], 26)


def _has_tail(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a token may begin here: ten characters or more, not of words."""
    end = at + len(literal)
    tail = body[end : end + 60].lstrip(b" =\"',")
    word = tail.translate(_WORDS).partition(b" ")[0]
    return len(word) >= 10 and _is_generated(word)


def _has_capitals(body: bytes, at: int, literal: bytes) -> bool:
    tail = body[at + len(literal) : at + len(literal) + 16]
    return len(tail) == 16 and tail.isalnum() and tail == tail.upper()


def _has_claims(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a second part follows the first one of a web token."""
    dot = body.find(b".", at, at + _LONGEST)
    return body[at:dot].translate(None, b"=_-").isalnum() and body[dot + 1 : dot + 2].isalnum()


def _has_user_id(body: bytes, at: int, literal: bytes) -> bool:
    """Whether a dot ends a coded number of at most 20 digits."""
    word, dot, _ = body[at : at + 28].partition(b".")
    return bool(dot) and word.isalnum()


def _has_app_id(body: bytes, at: int, literal: bytes) -> bool:
    return body[max(0, at - 14) : at].isdigit()


def _always(body: bytes, at: int, literal: bytes) -> bool:
    return True


_Test = Callable[[bytes, int, bytes], bool]
_OPTIONS = (b" -p", b" -a", b"--password ", b"--password=", b"--pass ", b"--pass=")
_WITH_OTHERS, _OTHER_OPTIONS = (b"sqlcmd", b"mosquitto_", b"ldapsearch"), (b" -P", b" -w")
_USER_IDS = (b"MT", b"Mj", b"Mz", b"ND", b"NT", b"Nj", b"Nz", b"OD", b"OT")
"""Digits in base64."""
_PASSWORDS = (
    *(b"assword", b"ASSWORD", b"asswd", b"ASSWD", b"_PASS", b"_pass", b"_PWD", b"_pwd", b"assphrase", b"ASSPHRASE"),
)
_TESTS: dict[bytes, _Test] = {
    b"@": _has_login,
    b"earer ": _has_bearer,
    b"asic ": _has_coded,
    b"eyJ": _has_claims,
    **dict.fromkeys((b"AKIA", b"ASIA", b"ABIA", b"ACCA"), _has_capitals),
    **dict.fromkeys((b"LTAI", b"AKCp", b"AIza", b"EZAK", b"EZTK", b"EAA", b"EAAA", b"ABSK", b"dapi"), _has_tail),
    **dict.fromkeys((b"cmVmd", b"FLWSECK", b"ops_eyJ", b"eyJrIjoi", b"ZXlK"), _has_tail),
    **dict.fromkeys((b"HRKU-AA", b"pypi-AgE", b"SKa", b"SKb", b"SKc", b"SKd", b"SKe", b"SKf"), _has_tail),
    b"key-": _has_tail,
    **dict.fromkeys((b"aws", b"AWS", b"Aws"), _has_quoted),
    **dict.fromkeys(_PASSWORDS, _is_set),
    **dict.fromkeys((b'"sk_', b"'sk_", b"=sk_", b'"key_', b"'key_", b"`sk_"), _has_long_token),
    **dict.fromkeys((b"rtifactory", b"RTIFACTORY", b"vault", b"Vault", b"VAULT", b"acebook", b"FACEBOOK"), _has_word),
    **dict.fromkeys((b"secret_access_key", b"SECRET_ACCESS_KEY", b"wilio", b"TWILIO", b"ailchimp"), _has_long_word),
    **dict.fromkeys((b"AILCHIMP", b"mailChimp", b"elegram", b"ELEGRAM", b"iscord", b"ISCORD"), _has_long_word),
    **dict.fromkeys((b"/webhooks/", b"/webhookb2/"), _has_long_word),
    **dict.fromkeys((b" -u ", b" -u'", b' -u"', b"-user ", b"-user="), _has_pair),
    b"curl": _has_bundle,
    **dict.fromkeys((b"sshpass", b"mysql", b"ariadb", b" login ", b"redis-cli", b"mongo"), _has_option),
    **dict.fromkeys(_WITH_OTHERS, _has_option),
    **dict.fromkeys((b"--password-stdin", b"sudo -S"), _is_fed),
    **dict.fromkeys((b"--passphrase", b"-pass pass:", b"-passin pass:"), _is_given),
    b"AZDO": _has_long_word,
    **dict.fromkeys((b"-token", b"-secret", b"-key", b"-apikey", b"-api_key"), _has_tail),
    **dict.fromkeys((b"lob_", b"Lob_", b"LOB_", b"lob-", b"Lob-", b"LOB-", b"iam_", b"Iam_", b"IAM_"), _has_key),
    **dict.fromkeys((b"T3BlbkFJ", b".atlasv1.", b":AA", b"Q~", b"_mmk", b"<add key=", b"CONTRIBSYS__COM"), _always),
    **dict.fromkeys((b"sig=", b"PRIVATE KEY-----", b"PRIVATE KEY BLOCK-----", b"PuTTY-User-Key-File-"), _always),
}
"""The tests of literals that are neither the name of a vendor nor end with a sign or a digit."""


@cache
def _test_of(literal: bytes) -> _Test:
    """The test of a literal; names end with a letter, most prefixes of tokens with a sign."""
    if len(literal) < 4 and literal.startswith(_USER_IDS):
        return _has_user_id
    if literal[1:] == b"|":
        return _has_app_id
    if known := _TESTS.get(literal):
        return known
    return _has_key if literal.translate(None, b"_- ").isalpha() and literal[-1:].isalpha() else _has_tail


@lru_cache(maxsize=1)
def likely_places(text: TextFile, literals: frozenset[bytes]) -> LiteralPlaces:
    """The places of the literals where something like a token or a password is."""
    body = text.document.body
    found = {}
    for literal, places in text.places.found.items():
        if literal in literals:
            test = _test_of(literal)
            if likely := [at for at in places if test(body, at, literal)]:
                found[literal] = likely
    return LiteralPlaces(body, found)


def may_have_secret(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether something like a token or a password is at one of the literals."""
    return bool(likely_places(text, literals).found)
