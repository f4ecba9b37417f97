"""Hyperlinks of terminals (OSC 8): a text that leads to a place in a file, or to a page.

Nothing of a path or an address can end the escape sequence: all but plain ASCII is percent-encoded.
"""

from __future__ import annotations

import os
from urllib.parse import quote

from skillbag.report.sanitize import masked

_UNTOUCHED = "!#$%&'()*+,/:;=?@[]~"
"""The characters of an address that stay, besides letters, digits and `_.-`."""


def to_place(text: str, path: str, line: int, column: int, form: str) -> str:
    """`text` as a link to a place in the file at an absolute path; no link if the path holds a secret."""
    if masked(path) != path:
        return text
    name = quote(os.fsencode(path.replace(os.sep, "/")), safe="/:")
    address = form.format(path=name if name.startswith("/") else f"/{name}", line=line, column=column)
    return to_page(text, address)


def to_page(text: str, address: str) -> str:
    """`text` as a link to an address."""
    return f"\x1b]8;;{quote(address, safe=_UNTOUCHED)}\x1b\\{text}\x1b]8;;\x1b\\"
