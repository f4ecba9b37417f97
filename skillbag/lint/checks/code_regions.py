"""The piece of code around an offset: a script, a code fence, a line of data, or a command in prose.

Signs that count together are looked for within one such piece.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.bare_code import bare_code
from skillbag.lint.facts.roles import is_comment, line_at
from skillbag.lint.facts.units import is_script
from skillbag.lint.signals.fences import fences_of, span_at


class Region(NamedTuple):
    """The bounds of a piece of code. `is_script`: it is a file that runs, not a sample in a text."""

    start: int
    end: int
    is_script: bool


_TELLS = late(
    r"\b(?:run|runs|running|execute|executes|paste|enter|type|copy|use|using|with|via|call|start|then|first|and)\b"
    r"[^.!?`]{0,60}`{1,2}\Z|!`\Z|\A[^\w\n]{0,8}`{1,2}\Z",
    re.IGNORECASE,
)
_NEGATED = late(r"\b(?:never|not|cannot|avoid|n['’]t|without|instead\s+of|refuse|reject)\b", re.IGNORECASE)


def region_at(text: TextFile, offset: int) -> Region | None:
    """The piece of code that an offset lies in; None in a comment, and in prose that does not say to run it."""
    document = text.document
    line = line_at(document, offset)
    if is_script(text):
        return None if is_comment(text, offset, line.head) else Region(0, len(document.text), True)
    if text.language != "markdown" or offset < text.body:
        return Region(line.start, line.end, True)
    fence = span_at(fences_of(text), offset)
    if fence is not None:
        return None if is_comment(text, offset, line.head) else Region(fence.start, fence.end, False)
    if bare := bare_code(document.text, offset):
        return Region(bare.start, bare.start + len(bare.text), False)
    return _span_in_prose(document.text, line.start, line.end, offset)


_LONGEST = 20_000
"""Most of a line before an offset whose marks of code are counted."""
_TELL_SIZE = 100
"""Characters that a match of `_TELLS` has at most."""


def _span_in_prose(text: str, line_start: int, line_end: int, offset: int) -> Region | None:
    """The inline code that an offset lies in, if the words before it say to run it."""
    line_start = max(line_start, offset - _LONGEST)
    start, end = text.rfind("`", max(line_start, offset - 2_000), offset), text.find("`", offset, line_end)
    before = text[max(line_start, start - 200) : start + 1]
    if start < 0 or end < 0 or text.count("`", line_start, start + 1) % 2 == 0 or before.lstrip().startswith("|"):
        return None
    return (
        Region(start + 1, end, False)
        if _TELLS().search(before[-_TELL_SIZE:]) and not _NEGATED().search(before)
        else None
    )


_COMMAND = late(
    r"""(?: \A | [;&|({`] | \$\(
          | \b(?:sudo|then|do|else|exec|nohup|time|env|xargs|command|and|or|RUN)\b(?:[ \t]+-\S+)* )
        [ \t]* (?:[$>%\#][ \t]+)? \Z""",
    re.VERBOSE,
)
_RUN_STRING = late(
    r"""(?: \b(?:system|popen|exec\w*|spawn\w*|run|call|check_\w+|Popen|eval|shell_exec|passthru|iex|sh|cmd|-c|/c)
            [ \t(\[]* (?:f|r|rf)?["'`]+
          | ["']?\b(?:command|cmd|run|script|exec|\w*install|prepare)["']?[ \t]*:[ \t]*[|>]?[ \t\["']* )
        (?:[^"'`\n]{0,200}(?:[;&|(]|sudo)[ \t]*)? \Z""",
    re.VERBOSE,
)


_LEADS = ('"', "'", "`", ";", "&", "|", "(", "[", ":", ">", "sudo")
"""How what stands before the string of a call or key ends, blanks aside."""


def is_command(text: TextFile, offset: int) -> bool:
    """Whether a command at `offset` would run: it begins a statement, or the string that a call or a key runs.

    Strings in lists, in comparisons and in output are not run.
    """
    line = line_at(text.document, offset)
    before = line.before[-(min(offset, offset - line.start)) :] if offset > line.start else ""
    if before.rstrip(" \t").endswith(_LEADS) and _RUN_STRING().search(before):
        return True
    is_quoted = before.count('"') % 2 or before.count("'") % 2
    if text.language in ("json", "toml", "yaml") or is_quoted:
        return False
    if text.language == "python" or text.relative.endswith((".js", ".mjs", ".cjs", ".ts")):
        return False
    return bool(_COMMAND().search(before.lstrip()))
