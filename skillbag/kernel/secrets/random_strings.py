"""Random strings, as opposed to words that people make up: names of models, packages, versions and files.

Shannon entropy, the measure of detect-secrets, is only the first filter (`is_random`). Its published limit of 4.5 bits
needs 23 different characters and finds 4 in 100 random strings of 24 letters and digits; this module finds 98. A lower
limit finds them, but refuses 70 of 227,000 package names instead of 9, and `remember` has no option to override that.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.placeholders import is_random

_LIMITS = ((10, 1.8, 0.4), (12, 2.4, 0.4), (16, 5.0, 0.5), (20, 6.0, 0.55), (24, 99.0, 0.45))
"""A word is random if it has at least so many characters, runs of one kind that are on average at most so long, and at
most this share of familiar pairs of letters."""

_SHORT_RUN = 2.0
"""The average length of runs in a password with punctuation."""

_FAMILIAR = (
    "th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me de hi ri ro ic "
    "ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot il tr ly nc et ut ss so rs un "
    "lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai sh ir su id os iv ia am fi ci vi pl ig tu ev "
    "ld ry mp fe bl ab gh ty op wo sa ay ex ke ui fr oo ag ey ap rd ck up ew av bo bi do da ba fa ga gr go"
)
"""Pairs that make up two thirds of English text, and a quarter of all pairs."""

_RUN = late(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^A-Za-z0-9]")
_LETTERS = late(r"[a-z]{2,}")
_PIECE = late(r"[A-Za-z0-9]+")
_HASH_OR_TIME = late(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)|\d{8}T\d+Z?")
"""Not secrets."""

_MADE_UP = late(r"(?:[a-z]*[0-9]){0,2}[a-z]{1,18}")
"""Such as `json2xml2csv`: short, in small letters, with a digit or two within."""

_PASSWORD = late(r"(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9])\w+(?:[!@#$%^&*?+=]+\w+)+[!@#$%^&*?]*", re.ASCII)
_PATH = late(r"(?:~\w*|\.{1,2}|\$\w+|%\w+%|[A-Za-z]:|/[A-Za-z]?[a-z]+|\\\\[\w.-]+)[\\/]|[A-Za-z][\w+.-]{0,30}://")


def is_random_string(word: str) -> bool:
    """Whether a word, or a part of it between separators, is random; parts of paths and addresses never are."""
    if _PATH().match(word):
        return False
    if _PASSWORD().fullmatch(word) and is_random(word) and _run(word) <= _SHORT_RUN:
        return True
    return any(_is_random_piece(piece) for piece in _PIECE().findall(word))


def _is_random_piece(piece: str) -> bool:
    if len(piece) < _LIMITS[0][0] or _HASH_OR_TIME().fullmatch(piece) or not is_random(piece):
        return False
    return not (len(piece) < 20 and _MADE_UP().fullmatch(piece)) and has_no_words(piece)


def has_no_words(piece: str) -> bool:
    """Whether letters and digits alternate as they do in no words, whatever else they are."""
    words = _LETTERS().findall(piece.lower())
    pairs = [word[at : at + 2] for word in words for at in range(len(word) - 1)]
    run, familiar = _run(piece), sum(pair in _FAMILIAR for pair in pairs) / max(1, len(pairs))
    return any(len(piece) >= size and run <= longest and familiar <= most for size, longest, most in _LIMITS)


def _run(word: str) -> float:
    """The average length of runs of one kind of character."""
    return len(word) / len(_RUN().findall(word))
