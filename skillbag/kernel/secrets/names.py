"""Secrets that only their names tell: parameters and settings such as `api_key`."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.judges import LOCATION, REFERENCE
from skillbag.kernel.secrets.placeholders import is_random

_SECRET_NAME = late(
    r"pass(?:word|wd|phrase|code)|secret|token(?!i[sz])|credential"
    r"|(?:api|private|access|auth|signing|encryption)[-_ ]?key",
    re.IGNORECASE,
)
_ABOUT = late(
    r"(?:name|file|path|dir|url|uri|type|env|var|id|policy|format|field|header|prefix|store|manager|provider|model|"
    r"limit|budget|count|length|size|source|scope|endpoint)s?$",
    re.IGNORECASE,
)


def named_secret(name: str, value: str) -> bool:
    """Whether a value is random, and its name that of a secret."""
    if not _SECRET_NAME().search(name) or _ABOUT().search(name):
        return False
    value = value.strip()
    return not LOCATION().match(value) and not REFERENCE().match(value) and is_random(value)
