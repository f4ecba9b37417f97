"""Whether a text instructs the reader to run a command or only mentions it, for heuristics about commands."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.fences import fences_of, span_at

_NEGATES = late(
    r"""\b(?:never|cannot|avoid|refuse\s+to|instead\s+of|rather\s+than|
          (?:do|does|must|should|shall|may|can|would)\s*(?:not|n['’]t))\b[^.!?\n]{0,80}$
      | \b(?:detect|flag|reject|block|deny|refuse|report|forbid|find|look\s+for|search\s+for|watch\s+(?:out\s+)?for
            |check\s+for|beware\s+of|warn\s+(?:about|of|on))(?:s|es|ing)?\s+
          (?:(?:any|all|every|a|the|such|suspicious|dangerous|malicious|unsafe|shell|of)\s+){0,3}
          (?:scripts?|commands?|patterns?|anything|lines?|code|calls?|files?|skills?|instructions?|text|strings?|uses?|usage|pipes?
            |installers?|downloads?|things|constructs?|[`"'(:])[^.!?\n]{0,120}$
      | \b(?:such\s+as|e\.g\.|for\s+example|known\s+as|says?|patterns?\s+like)[\s,:]*[`"'(]*$
      | \b(?:scripts?|commands?|skills?|instructions?|code|lines?)\s+(?:that|which)\s+[^.!?\n]{0,60}$""",
    re.IGNORECASE | re.VERBOSE,
)
"""What before a command, in its sentence, says that it is not to be run, or only speaks of it."""
_SPURNS = late(
    r"[^.!?\n]{0,40}?\b(?:is|are|means|would\s+be)\s+(?:\w+\s+){0,2}(?:dangerous|unsafe|insecure|malicious|forbidden|prohibited"
    r"|blocked|denied|not\s+allowed|harmful|a\s+red\s+flag|suspicious|an?\s+anti-?pattern|rejected|bad)\b",
    re.IGNORECASE,
)
"""What after a command, in its sentence, calls it bad."""
_LABEL = late(
    r"""[\s>*+#/|\-_0-9.)(;%~]*+ (?: [❌🚫⛔✗✘] | (?:avoid|bad|wrong|dangerous|unsafe|insecure|malicious|suspicious
          |forbidden|prohibited|blocked|denied|deny-?list\w*|block-?list\w*|red\s+flags?|anti-?patterns?|never|don['’]?t
          |do\s+not|not\s+allowed|rejected|vulnerable|harmful)\b
          (?!\s+(?:mind|forget|worry|need|miss|skip|close|wait|panic)) )""",
    re.IGNORECASE | re.VERBOSE,
)
"""The beginning of a line that labels what follows as bad. A subject such as "Payload" or "Security" is no label."""
_CROSSES = ("❌", "🚫", "⛔", "✗", "✘")
_LISTS = late(
    r"(?:deny|block|forbid|reject|danger|suspicious|malicious|unsafe|banned|disallow|prohibit|detect|pattern|red_?flag)",
    re.IGNORECASE,
)
"""Names of lists of patterns, in code."""
_TELLS = late(
    r"""\b(?:run|runs|running|execute|install\w*|use|using|with|via|paste|pasting|copy|copying|enter|type|try|do|launch|start|call
          |invoke|issue|put|open)\b[^.!?`]{0,60}[`"']{0,3}$
      | \b(?:command|terminal|installer|one-?liner|quick\s*start|set-?up|install(?:ation)?|macos|mac|linux|windows
          |powershell|bash|shell)[*_)\]\s]*[:→>–—-]+[*_\s]*[`"']{0,3}$""",
    re.IGNORECASE | re.VERBOSE,
)
_TELLS_AFTER = late(
    r"[`\"']{0,3}[^.!?\n]{0,40}?\b(?:in(?:to)?\s+(?:your\s+|the\s+|a\s+)?(?:terminal|powershell|console|shell|command\s+prompt)"
    r"|to\s+(?:install|set\s*up|continue|proceed|begin|get\s+started))\b",
    re.IGNORECASE,
)
_SENTENCE = late(r"[.!?](?=[\s*_])|\n[ \t>]*(?:\r?\n|[-*+#|]|\d+[.)])")
_MARKS = ("#", "//", "/*", "* ", "REM ", "rem ", "::", "-- ", ";;")
"""How comments of some language begin."""
_HASHED = frozenset({"python", "py", "shell", "bash", "sh", "zsh", "console", "terminal"})
"""Languages, of files and of fences, that know no other comments than those with `#`."""
_PRINTS = late(
    r"[^\n]{0,40}\b(?:echo|printf|print|console\.\w+|log\w*(?:\.\w+)?|warn|die|raise|Write-\w+)\b", re.IGNORECASE
)
# Single quotes keep a shell from running what is in them.
_CALLED = late(
    r"""\A[^']*(?<!\\)\$\([^)]*\Z|\b(?:system|popen\w*|exec\w*|spawn\w*|run|call|check_\w+|eval|shell_exec|passthru)\("""
    r"""[\s\[]*["'`][^"'`]*\Z""",
    re.IGNORECASE,
)
"""The beginning of a line up to a place within what a call or a substitution runs."""
_BACKTICKS = late(r"\A[^']*(?<!\\)`[^`]*\Z")
"""The same for the older substitution of shells; in other languages these are quotes."""


class TextLine(NamedTuple):
    """The line of an offset: its bounds, its first characters, and the last ones before the offset."""

    start: int
    end: int
    head: str
    before: str


def line_at(document: Document, offset: int) -> TextLine:
    """The line around `offset`, without its line end."""
    text = document.text
    start, end = document.bounds(offset)
    # Slices stay short: a line may be the whole of a large file.
    return TextLine(start, end, text[start : min(offset, start + 80)], text[max(start, offset - 300) : offset])


def is_meant(text: TextFile, start: int, end: int) -> bool:
    """Whether a command at these offsets is meant to be run: in a script, in a code fence, or after words that say so.

    Not meant are: comments of scripts, what a script prints, rows of tables, lists of patterns, what is negated in its
    sentence, and what a label calls bad. A mere word near by does not count, because anybody can write one there.
    """
    body = text.document.text
    line = line_at(text.document, start)
    if text.language != "markdown" or start < text.body:
        return not (is_comment(text, start, line.head) or _is_printed(text, line) or _is_listed(text, line, start))
    block = _block_at(text, line, start)
    if block is None:
        return (
            not line.head.lstrip(" \t>").startswith("|")
            and _is_instructed(body, line, end)
            and not _is_spurned(body, start, end)
        )
    if is_comment(text, start, line.head):
        return False
    first, inner = block
    above = _previous(body, line.start, 1) if line.start > inner else ""
    labels = [line.before, *filter(_introduces, _previous(body, first, 2).split("\n"))]
    if is_comment(text, start, above):
        labels.append(above)
    after = body[end : min(text.document.bounds(end)[1], end + 120)]
    return not (any(map(_is_label, labels)) or any(cross in after for cross in _CROSSES))


def _block_at(text: TextFile, line: TextLine, offset: int) -> tuple[int, int] | None:
    """Where the block of code around an offset begins, a fence or an indented one, and where its code does."""
    if fence := span_at(fences_of(text), offset):
        return fence.start, fence.body_start
    # A text is parsed for indented code only where there may be some.
    indented = text.markdown.indented if line.head.startswith(("    ", "\t")) else ()
    return next(((start, start) for start, end in indented if start <= offset < end), None)


def is_comment(text: TextFile, offset: int, head: str) -> bool:
    """Whether the line of an offset, which begins with `head`, is a comment; a fence may be of any language.

    The marks of other languages would hide a command: in a shell, `// ; command` runs the command.
    """
    head = head.lstrip()
    if head.startswith("#!") or "*/" in head:
        return False
    return head.startswith("#") or (head.startswith(_MARKS) and _language_at(text, offset) not in _HASHED)


def _language_at(text: TextFile, offset: int) -> str:
    """The language of a text, or of the fence in it that an offset lies in, as its author calls it."""
    if text.language != "markdown":
        return text.language
    fence = span_at(fences_of(text), offset)
    return fence.info.strip().partition(" ")[0].lower() if fence else ""


_LABEL_WORDS = 8


def _introduces(line: str) -> bool:
    """Whether a line above a fence may be about it: a heading, a label, or words that end with a colon.

    A whole sentence or item about something else, such as "Do not skip the tests before you commit", is not.
    """
    bare = line.strip(" \r\t*_>")
    return bare.startswith("#") or bare.endswith((":", "：")) or len(bare.split()) <= _LABEL_WORDS


def _is_label(line: str) -> bool:
    """Whether a line says that what follows is not to be run."""
    return bool(_LABEL().match(line) or _NEGATES().search(line.rstrip(" \r:*_`")[-200:]))


def _is_instructed(body: str, line: TextLine, end: int) -> bool:
    """Whether the words around a command in prose say to run it."""
    before = _outside_code(line.before)[-120:]
    return bool(_TELLS().search(before) or _TELLS_AFTER().match(body, end, min(line.end, end + 120)))


def _is_spurned(body: str, start: int, end: int) -> bool:
    """Whether the sentence of a command in prose negates it or calls it bad."""
    window = body[max(0, start - 300) : start]
    ends = [match.end() for match in _SENTENCE().finditer(window)]
    sentence = window[ends[-1] :] if ends else window
    row = window.rpartition("\n")[2]
    return bool(
        _NEGATES().search(sentence.replace("\r\n", " ").replace("\n", " "))
        or _LABEL().match(row)
        or _SPURNS().match(body, end, end + 160)
    )


def is_listed(text: TextFile, start: int) -> bool:
    """Whether a place in a program is within quotes that are one of a list of what to find or to block."""
    return text.language != "markdown" and _is_listed(text, line_at(text.document, start), start)


def _is_listed(text: TextFile, line: TextLine, start: int) -> bool:
    """Whether a string of a program is one of a list of patterns, by its name or by its form."""
    if text.language == "shell" or not (line.before.count('"') % 2 or line.before.count("'") % 2):
        return False
    lead = line.before.lstrip()
    if lead[:1] in ("r", "f", "b") and lead[1:2] in ("'", '"'):
        lead = lead[1:]
    above = text.document.text[max(0, line.start - 300) : line.start]
    opened = above.rpartition("[")[0].rpartition("\n")[2] if above.rfind("[") > above.rfind("]") else ""
    opened = opened or (above.rpartition("{")[0].rpartition("\n")[2] if above.rfind("{") > above.rfind("}") else "")
    name = line.before.partition("=")[0] if "=" in line.before else opened
    return bool(_LISTS().search(name)) and (lead[:1] in ("'", '"', "(", "{", "[") or "=" in line.before)


def _outside_code(before: str) -> str:
    """The text before the code span that a line ends in: `run` within the span is quoted code."""
    if before.count("`") % 2 == 0:
        return before
    prose, _, code = before.rpartition("`")
    return f"{prose}`" if code.strip() else before


def _is_printed(text: TextFile, line: TextLine) -> bool:
    """Whether the offset is within quotes that a script prints or logs, and not in a command whose output it prints."""
    quoted = line.before.count('"') % 2 or line.before.count("'") % 2
    if not quoted or not _PRINTS().match(line.head):
        return False
    is_run = _CALLED().search(line.before) or (text.language == "shell" and _BACKTICKS().search(line.before))
    return not is_run


def _previous(text: str, offset: int, count: int) -> str:
    """The last lines before `offset` that are not blank."""
    lines = text[max(0, offset - 600) : max(0, offset)].split("\n")[:-1]
    return "\n".join([line for line in lines if line.strip()][-count:])
