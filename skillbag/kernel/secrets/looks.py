"""Looks at the bytes of a line: whether it may have a credential, before a form for it is compiled.

They err on the side of too much.
"""

from __future__ import annotations

from itertools import pairwise

_CAPITALS, _DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
_SIGNS = b" \t\r\n\"'`()[]{}<>,;:|&*$%@!?#^=\\"
WORDS = bytes.maketrans(_SIGNS, b" " * len(_SIGNS))


def words(line: bytes) -> list[bytes]:
    """What stands between blanks, quotes, brackets and signs."""
    return line.translate(WORDS).split()


def is_generated(word: bytes) -> bool:
    """Whether a word has a digit, or several capitals among other letters, as all but one in a hundred keys have."""
    if len(word.translate(None, _DIGITS)) < len(word):
        return True
    return len(word.translate(None, _CAPITALS)) < len(word) - 2 and not word.isupper()


def has_key(line: bytes, least: int = 12) -> bool:
    """Whether a line has a generated word of so many characters."""
    for word in words(line):  # noqa: SIM110 (a generator takes twice as long)
        if len(word) >= least and is_generated(word):
            return True
    return False


_VALUES = bytes.maketrans(b"\t\"'`,;)", b" " * 7)
_OPTIONS = (b" -p", b" -a", b" -P", b" -w", b"--pass ", b"--pass=", b"--password ", b"--password=")


def always(line: bytes) -> bool:
    return True


def has_quoted(line: bytes) -> bool:
    pieces = line.replace(b"'", b'"').split(b'"')
    return any(len(piece) == 40 and piece.translate(None, b"/+").isalnum() for piece in pieces)


def follows(rest: bytes, least: int = 12, first: int = 1) -> bool:
    """Whether one of the first words is generated, and no web token, which is found by its beginning."""
    return any(len(word) >= least and is_generated(word) and word[:3] != b"eyJ" for word in words(rest[:200])[:first])


def is_set(rest: bytes) -> bool:
    """Whether a sign follows, and then no word and no call."""
    value = rest.lstrip(b" \t=:,>\"'`")
    word = value.translate(_VALUES).partition(b" ")[0]
    if len(word) < 8 or value[:1] == rest[:1] or len(word.translate(None, b"<>{}[](")) < len(word):
        return False
    return is_generated(word) and b"pass" not in word.lower()


def has_user_id(rest: bytes) -> bool:
    word, dot, _ = rest[:28].partition(b".")
    return bool(dot) and word.isalnum()


def has_login(line: bytes) -> bool:
    """Whether a user's name and a password stand before the host of an address."""
    logins = [rest.partition(b"@")[0] for rest in line.split(b"://")[1:] if b"@" in rest]
    return any(b":" in login and len(login.translate(None, b"/ ")) == len(login) for login in logins)


def has_pair(line: bytes) -> bool:
    """Whether a pair follows an option that is a user, or that others are bundled with: `-su bob:word`."""
    given = pairwise([*line.replace(b"user=", b"user ").split(), b""])
    options = [option + pair for option, pair in given if option[:1] == b"-" and b"u" in option]
    return any(option.partition(b":")[2][:1] not in b"/" for option in options)


def has_option(line: bytes) -> bool:
    return any(option in line for option in _OPTIONS)


def is_fed(line: bytes) -> bool:
    return b"<<<" in line or (b"|" in line and (b"echo " in line or b"printf " in line))
