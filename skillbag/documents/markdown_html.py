"""Raw HTML in Markdown: the grammar of a tag, and which lines begin a block of HTML (CommonMark 0.31, 4.6 and 6.6)."""

from __future__ import annotations

import re

# Possessive throughout: a tag that fails must not be tried again in other cuts.
_NAME = "[A-Za-z][A-Za-z0-9-]*+"
_VALUE = r"""[^\s"'=<>`]++|'[^']*+'|"[^"]*+\""""
_ATTRIBUTE = rf"[A-Za-z_:][\w.:-]*+(?:[ \t\n]*+=[ \t\n]*+(?:{_VALUE}))?+"

TAG = re.compile(rf"</{_NAME}[ \t\n]*+>|<({_NAME})((?:[ \t\n]++{_ATTRIBUTE})*+)[ \t\n]*+/?>", re.ASCII)
"""A closing tag, or an opening one with its name and the text of its attributes."""

ATTRIBUTE = re.compile(rf"([A-Za-z_:][\w.:-]*+)[ \t\n]*+=[ \t\n]*+({_VALUE})", re.ASCII)
"""An attribute with a value: its name, and the value with its quotes."""

BLANK_LINE: tuple[str, ...] = ()
"""The end of a block of HTML that any blank line ends; every other block ends in the line that holds a closing mark."""

_VERBATIM = ("</script>", "</pre>", "</style>", "</textarea>")
_MARKS = (("<!--", "-->"), ("<?", "?>"), ("<![CDATA[", "]]>"))
_BLOCK_NAMES = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul"
)
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_OPENING = re.compile(rf"<(/?)({_NAME})(?=([ \t>]|/>|$)?)")


def block_end(line: str, in_paragraph: bool) -> tuple[str, ...] | None:
    """The closing marks of the HTML block that `line` (from its `<` on) begins, or None where it begins none."""
    for mark, closer in _MARKS:
        if line.startswith(mark):
            return (closer,)
    if line.startswith("<!") and line[2:3].isascii() and line[2:3].isalpha():
        return (">",)
    opening = _OPENING.match(line)
    if opening is None:
        return None
    name, delimited = opening[2].lower(), opening[3] is not None
    if f"</{name}>" in _VERBATIM and not opening[1] and delimited and opening[3] != "/>":
        return _VERBATIM
    if name in _BLOCKS and delimited:
        return BLANK_LINE
    whole = None if in_paragraph else TAG.match(line)
    return BLANK_LINE if whole and not line[whole.end() :].strip(" \t") else None
