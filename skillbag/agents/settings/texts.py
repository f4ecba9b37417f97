"""Which texts may stand in the settings of a user."""

from __future__ import annotations

import os
import re

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def is_malformed(text: str) -> bool:
    """Whether a text has control characters or can't be a file name, which may have bytes that are not UTF-8."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return True
    return _CONTROL.search(text) is not None


def is_text(value: object) -> bool:
    """Whether a value is a text, not empty and not malformed."""
    return isinstance(value, str) and bool(value) and not is_malformed(value)
