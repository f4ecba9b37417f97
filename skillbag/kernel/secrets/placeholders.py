"""Telling placeholders from secrets."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from skillbag.kernel.base.lazy_regex import late

_CALLED = (
    r"example|sample|quickstart|placeholder|dummy|fake|mock|your|change[-_]?me|replace|redacted|removed|insert|xxxx|\.\.\.|…|\*\*\*"
    r"|foo_?bar|test[-_]?(?:key|token|secret)|[-_](?:here|goes)\b|not[-_]?real"
)
_SAMPLE = late(_CALLED, re.IGNORECASE)
_WORDS = late(
    rf"{_CALLED}|secret[-_]?key|api[-_]?key|access[-_]?token|my[-_](?:key|token|secret|pass)|deadbeef|cafebabe|lorem|abc123|p(?:[4@]|%40)ss|s3cr",
    re.IGNORECASE,
)
_COMMON = late(r"pass|pwd|secret|admin|root|user|token|guest|test|demo|hunter2|qwerty|letmein", re.IGNORECASE)
_REFERENCE = late(r"[<>{}\[\]()`\s]|\$\w|^%\w+%$")
_REPEATED = late(r"(.)\1{4}")
_SHORT_HOOK = late(r"services/(?!T\w{8,}/B\w{8,}/\w{20,})")
"""The path of a Slack webhook with parts too short to be real: `services/T00/B00/xxx`."""

_SEPARATORS = late(r"[-_.:/,|]+")
_CASE_CHANGE = late(r"[a-z][A-Z]")

_PUBLISHED = (
    "Eby8vdM02xNO",
    "16C7e42F292c",
    "1B4a2e778383",
    "MTk4NjIyNDgzNDcxOTI1MjQ4",
    "MTIzNDU2Nzg5",
    "110201543:AAH",
    "4eC39HqLyjWDarj",
    "9tlr13774giz",
)
"""Prefixes of keys that vendors publish: that of a storage emulator, and samples of documentation."""

_TYPED = 5
"""This many characters that count up or down (`12345`, `edcba`, `a1b2c3d4e5`) are rare in random ones."""


def is_placeholder(value: str) -> bool:
    """Whether a token is a placeholder: it has words, references, counting, repeats or low variety."""
    if _WORDS().search(value) or _REFERENCE().search(value) or _REPEATED().search(value):
        return True
    if _SHORT_HOOK().match(value) or value.startswith(_PUBLISHED) or is_poor(value):
        return True
    lower = value.lower()
    return any(_longest_run(lower[first::stride]) >= _TYPED for first, stride in ((0, 1), (0, 2), (1, 2)))


_LOGIN_WORDS = late(
    r"(?:your|my|some|the|db|user|root|admin)?[-_]?(?:pass(?:word|wd|phrase|code)?|passw0rd|pwd?|pw|secret|token|pat|key"
    r"|\w{0,20}pass|cred(?:ential)?s?|user(?:name)?|login|name|admin|root|guest|test(?:ing)?|demo|dev|postgres|mysql|redis|x+|[.*…]+)\d*",
    re.IGNORECASE,
)
_OWN_HOST = late(r"@(?:localhost|127\.|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)")


def is_stand_in(password: str, user: str, rest: str) -> bool:
    """Whether the password of an address is a placeholder: a common word, the user's name, or one for the own machine.

    `rest` is the text from the `@` on.
    """
    if password == user or is_placeholder(password):
        return True
    # Samples in documents such as `admin:hunter2`.
    if _LOGIN_WORDS().fullmatch(password) or (_LOGIN_WORDS().fullmatch(user) and not is_random(password)):
        return True
    return _OWN_HOST().match(rest) is not None


def is_called_sample(password: str, rest: str) -> bool:
    """Whether a password says that it is none, or opens the own machine alone; `rest` is as in `is_stand_in`."""
    return _SAMPLE().search(password) is not None or _OWN_HOST().match(rest) is not None


def is_poor(value: str) -> bool:
    """Whether a token of sixteen characters or more has too little variety to be random."""
    if len(value) < 16:
        return False
    plain = not any(char.isdigit() for char in value) and (value.islower() or value.isupper())
    return plain or len(set(value)) < 8


def is_random(value: str) -> bool:
    """Whether a password or key of unknown form looks random, not like a word or a name."""
    if len(value) < 8 or is_placeholder(value) or _COMMON().search(value):
        return False
    size = len(value)
    entropy = -sum(count / size * math.log2(count / size) for count in Counter(value).values())
    return entropy >= 2.75 and any(_is_mixed(part) for part in _SEPARATORS().split(value))


def _is_mixed(part: str) -> bool:
    """Digits among letters, or capitals more often than words begin: `gpt-4`, `us-east-1` and `MyKey` have neither."""
    if len(part) < 6:
        return False
    letters = sum(char.isalpha() for char in part)
    digits = sum(char.isdigit() for char in part)
    stem = part.rstrip("0123456789")
    inside = digits > 0 and letters > 0 and not (stem.isalpha() and len(part) - len(stem) <= 4)
    return inside or (len(part) >= 16 and len(_CASE_CHANGE().findall(part)) * 5 >= len(part))


def _longest_run(value: str) -> int:
    """The length of the longest run of characters that count up or down by one."""
    longest = up = down = 1
    for before, after in pairwise(value):
        step = ord(after) - ord(before)
        up, down = (up + 1 if step == 1 else 1), (down + 1 if step == -1 else 1)
        longest = max(longest, up, down)
    return longest
