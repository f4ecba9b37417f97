"""The role of a place: the agent is to do it, it is shown (taught, quoted, forbidden), or it is data.

The signs stand in `role_signs.py`. A mere word near by is no sign, because anybody can write one there.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts import role_signs as signs
from skillbag.lint.facts.bare_code import bare_code
from skillbag.lint.facts.role_labels import is_label, is_list, labels_above, lines_before, opening, parent
from skillbag.lint.facts.stated import is_lesson
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.addresses import ODD, AddressTrait, addresses
from skillbag.lint.signals.fences import fences_of, span_at


def role_of(text: TextFile, start: int, end: int, spans: Iterable[tuple[int, int]]) -> PlaceRole:
    """The role of what code does from `start` to `end`; `spans` are the parts of it that count."""
    if is_data_file(text):
        return PlaceRole.DATA
    if is_shown(text, start, end):
        return PlaceRole.SHOWN
    if any(is_taught(text, *span) for span in spans):
        return PlaceRole.TAUGHT
    return PlaceRole.TEST if is_test(text) else PlaceRole.MEANT


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
    """Whether a command at these offsets is to be run: in a script, in a code fence, or after words that say so.

    Not meant are what is only shown, comments of scripts, what a script prints, and rows of tables.
    """
    line = line_at(text.document, start)
    if is_shown(text, start, end):
        return False
    if text.language != "markdown" or start < text.body:
        return not (
            is_comment(text, start, line.head) or _is_printed(text, line) or signs.SEARCHES().search(line.before)
        )
    if _block_at(text, line, start):
        return not is_comment(text, start, line.head)
    return not line.head.lstrip(" \t>").startswith("|") and _is_instructed(text.document.text, line, end)


def is_shown(text: TextFile, start: int, end: int) -> bool:
    """Whether a command at these offsets is data, one of a list, called bad, forbidden, or said to be an attacker's."""
    if is_data_file(text):
        return True
    line = line_at(text.document, start)
    if text.language != "markdown" or start < text.body:
        return _is_listed(text, line, start)
    block = _block_at(text, line, start)
    if block is None:
        return _is_spurned(text.document.text, line, start, end)
    return _is_labelled(text, line, start, end, block) or _is_given_as_data(text, line, end)


def is_test(text: TextFile) -> bool:
    """Whether a file tests a program, or is data for that."""
    path = text.relative
    return any(word in path for word in signs.TEST_WORDS) and signs.TESTS().search(path) is not None


def is_data_file(text: TextFile) -> bool:
    """Whether a text is a question, sample or expectation of an evaluation, or a fixture: nothing runs it.

    A skill among fixtures is none: a host that searches the tree loads it.
    """
    if text.relative.rpartition("/")[2] == "SKILL.md":
        return False
    return text.language in ("markdown", "text", "json", "yaml", "toml") and bool(signs.DATA().search(text.relative))


def _is_labelled(text: TextFile, line: TextLine, start: int, end: int, block: tuple[int, int]) -> bool:
    """Whether a command in a block of code has a label or verdict that calls it bad, above it or in its line."""
    body, (first, inner) = text.document.text, block
    above = lines_before(body, line.start, 1) if line.start > inner else ""
    labels = [line.before, *labels_above(body, first, body[start:end])]
    if is_comment(text, start, above):
        labels.append(above)
    after = body[end : min(text.document.bounds(end)[1], end + 120)]
    if any(map(is_label, labels)) or any(cross in after for cross in signs.CROSSES):
        return True
    is_row = line.head.lstrip().startswith("|") and _language_at(text, start) in ("", "text", "txt", "md", "markdown")
    return is_row and signs.ROW_VERDICT().search(after) is not None


def _is_given_as_data(text: TextFile, line: TextLine, end: int) -> bool:
    """Whether a command is a value of JSON that a line gives to a script, for example to a hook that is tried."""
    after = text.document.text[end : min(line.end, end + 200)]
    return bool(signs.JSON_GIVEN().search(line.before) and signs.TO_SCRIPT().match(after))


def _block_at(text: TextFile, line: TextLine, offset: int) -> tuple[int, int] | None:
    """Where the block of code around an offset begins, and where its code does: a fence, indented or bare lines."""
    if fence := span_at(fences_of(text), offset):
        return fence.start, fence.body_start
    # A text is parsed for indented code only where there may be some.
    indented = text.markdown.indented if line.head.startswith(("    ", "\t")) else ()
    block = next(((start, start) for start, end in indented if start <= offset < end), None)
    if block is None and "`" not in line.head and (bare := bare_code(text.document.text, offset)):
        block = bare.start, bare.start
    return block


def is_comment(text: TextFile, offset: int, head: str) -> bool:
    """Whether the line of an offset, which begins with `head`, is a comment; a fence may be of any language.

    The marks of other languages would hide a command: in a shell, `// ; command` runs the command.
    """
    head = head.lstrip()
    if head.startswith("#!") or "*/" in head:
        return False
    return head.startswith("#") or (head.startswith(signs.MARKS) and _language_at(text, offset) not in signs.HASHED)


def _language_at(text: TextFile, offset: int) -> str:
    """The language of a text, or of the fence in it that an offset lies in, as its author calls it."""
    if text.language != "markdown":
        return text.language
    fence = span_at(fences_of(text), offset)
    return fence.info.strip().partition(" ")[0].lower() if fence else ""


_PAIR = 2
"""Marks of a code span."""


def _is_instructed(body: str, line: TextLine, end: int) -> bool:
    """Whether the words around a command in prose say to run it, or it stands alone in its line."""
    alone = body[line.start : min(line.end, line.start + 2_000)].strip()
    if alone.startswith("`") and alone.endswith("`") and alone.count("`") == _PAIR:
        return True
    before = _outside_code(line.before)[-120:]
    return bool(signs.TELLS().search(before) or signs.TELLS_AFTER().match(body, end, min(line.end, end + 120)))


def _is_spurned(body: str, line: TextLine, start: int, end: int) -> bool:
    """Whether the sentence of a command in prose negates it, calls it bad, asks about it, or says whose it is."""
    window = body[max(0, start - 300) : start]
    ends = [match.end() for match in signs.SENTENCE().finditer(window)]
    sentence = (window[ends[-1] :] if ends else window).replace("\r\n", " ").replace("\n", " ")
    close = body.find("`", end, line.end) if line.before.count("`") % 2 else -1
    end = max(end, close)
    after = body[end : min(line.end, end + 200)]
    is_item = line.head.lstrip().startswith(("- ", "* "))
    lead = signs.LIST_LEAD().search(body, max(0, start - 1_000), start) if is_item else None
    return bool(
        (lead and is_label(lead[1]))
        or signs.NEGATES().search(sentence)
        or signs.OTHERS_DO().search(sentence.rpartition("`")[0] if close >= 0 else sentence)
        or signs.LABEL().match(sentence if ends and ends[-1] > window.rfind("\n") else window.rpartition("\n")[2])
        or signs.SPURNS().match(body, end, end + 160)
        or signs.VERDICT().match(after)
        or (line.head.lstrip().startswith("|") and (signs.ROW_VERDICT().search(after) or _is_sign(body, line.start)))
        or (signs.ASKS().match(sentence) and "?" in after)
    )


def _is_sign(body: str, start: int) -> bool:
    """Whether a row that begins at an offset is of a table of what to look for, by the head of the table."""
    rows = body[max(0, start - _LIST) : start].splitlines()
    head = "".join([*takewhile(lambda row: row.lstrip().startswith("|"), reversed(rows))][-1:])
    cells = [cell.strip(" \t*_").lower().rstrip("s") for cell in head.split("|")]
    names_both = all(any(cell.endswith(ends) for cell in cells) for ends in (signs.SIGN_CELLS, signs.RISK_CELLS))
    return names_both or any(signs.WHY_BAD().match(cell) for cell in cells if cell.startswith("why"))


def is_listed(text: TextFile, start: int) -> bool:
    """Whether a place in a program is within quotes that are one of a list of what to find or to block."""
    return _is_listed(text, line_at(text.document, start), start)


def _is_listed(text: TextFile, line: TextLine, start: int) -> bool:
    """Whether a string of a program is one of a list of patterns, by its name or by its form."""
    language = _language_at(text, start)
    if text.language == "markdown" and (not language or start < text.body):
        return False
    before = text.document.text[max(0, start - _LIST) : start]
    if language == "yaml" and signs.LISTS().search(parent(before)):
        return True
    if language in ("shell", "bash", "sh", "zsh"):
        return bool(signs.SHELL_LIST().search(before))
    if not (line.before.count('"') % 2 or line.before.count("'") % 2):
        return False
    name, assigned, value = line.before.partition("=")
    if assigned and signs.LISTS().search(name) and not signs.CALL().search(value):
        return True
    return any(map(is_list, opening(before)))


_LIST = 4_000
"""Characters of a list before a place in it that are read."""


def _outside_code(before: str) -> str:
    """The text before the code span that a line ends in: `run` within the span is quoted code."""
    if before.count("`") % 2 == 0:
        return before
    prose, _, code = before.rpartition("`")
    return f"{prose}`" if code.strip() else before


def _is_printed(text: TextFile, line: TextLine) -> bool:
    """Whether the offset is within quotes that a script prints or logs, and not in a command whose output it prints."""
    quoted = line.before.count('"') % 2 or line.before.count("'") % 2
    if not quoted or not signs.PRINTS().match(line.head):
        return False
    if text.language == "shell":
        body = text.document.text
        passed_on = signs.PASSED_ON().search(body, line.start + len(line.before), min(line.end, line.start + 600))
        return not (passed_on or signs.CALLED().search(line.before) or signs.BACKTICKS().search(line.before))
    return not signs.CALLED().search(line.before)


_NEAR = 300


def is_taught(text: TextFile, start: int, end: int, decoded: str = "") -> bool:
    """Whether a place in Markdown shows an attack: at a sample host, in a page, or where the next line explains it.

    `decoded` is what an encoded text at the place says: no line after it explains away what that does.
    """
    if text.language != "markdown":
        return False
    body = text.document.text
    first, last = text.document.bounds(start)[0], text.document.bounds(end)[1]
    line = body[max(first, start - _NEAR) : min(last, end + _NEAR)]
    # A lesson needs no address that serves.
    if is_lesson(text) and not any(address.kind & _SERVES for address in addresses(decoded or line)):
        return True
    if _names_sample_alone(decoded or without_comments(line)):
        return True
    fence = None if decoded else span_at(fences_of(text), start)
    if fence is None:
        return False
    # A browser runs the code of a page, and not the agent.
    is_page = fence.info[:2] in ("js", "ja", "ts", "ty", "ht") and signs.PAGE().search(body, fence.start, fence.end)
    return bool(is_page or signs.EXPLAINS().match(body[fence.end : fence.end + _NEAR].lstrip()))


_SERVES = ODD & ~(AddressTrait.COLLECTOR | AddressTrait.PASTE)
"""Addresses behind which something waits, and which no lesson needs."""


def _names_sample_alone(code: str) -> bool:
    """Whether code names a host of samples, and no other: anybody can write `evil.com` beside the real one."""
    rest = signs.ATTACKERS().sub("", code)
    return rest != code and not signs.DEVICE().search(rest) and next(addresses(rest), None) is None


def without_comments(code: str) -> str:
    """Code without its comments, which an attacker can fill with the words of any exemption."""
    return signs.COMMENTS().sub("", code)
