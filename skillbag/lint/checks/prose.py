"""Unfinished prose: empty bodies, placeholders, comments without an end, and marks of a merge.

Source: the CommonMark specification, "HTML blocks" and "ATX headings".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.standard.blocks import entries_of
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, match_at, short
from skillbag.lint.checks.prefilter import lines_of
from skillbag.lint.signals.fences import fences_of, span_at

_SHORT = 400
# Possessive: a long run of blanks must not be split in all possible ways.
_NO_TEXT = late(r"(?:\s++|#{1,6}(?:[ \t][^\n]*+|(?=\n|\Z))|<!--.*?-->|-{3,}(?=\s|\Z))*+\Z", re.DOTALL)


@Predicate("body-empty", Subject.SKILL)
def empty_body(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A `SKILL.md` without instructions: nothing after the front matter, or headings and comments alone."""
    document = skill.document
    if skill.problem is not None or not isinstance(document, Document):
        return ()
    if len(document.text) - skill.body_start > _SHORT or not _NO_TEXT().match(document.text, skill.body_start):
        return ()
    at = max(0, len(document.text[: skill.body_start].rstrip()))
    return (Match(document.path, at, at),)


# A line that is nothing but a placeholder; text about TODO lists is not one.
_PLACEHOLDER = late(
    r"^[ \t]*(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+|#{1,6}[ \t]+)?(?:\*\*|__)?(?P<text>"
    r"\[(?:TODO|FIXME|TBD)\b[^\]\n]*\](?!\()"
    r"|(?<!# )(?:TODO|FIXME|TBD)(?:\*\*|__)?(?::[^\n]*+|[ \t.]*+)"
    r"|\[?(?:[Ii]nsert|[Aa]dd|[Pp]ut|[Ww]rite|[Ee]nter)(?: your)? (?:instructions?|description|content|text|details)"
    r" (?:here|below)\]?[.]?"
    r"|\[(?:Insert|Add|Replace this with) [^\]\n]{1,80}\](?!\()[.]?"
    r"|(?<!# )[*_(]?[Cc]oming soon[.!…]{0,3}[*_)]?"
    r"|\[?[Yy]our (?:description|instructions|content|text) (?:goes )?here\]?[.]?"
    r"|[Ll]orem ipsum dolor[^\n]*+"
    r")(?:\*\*|__)?[ \t]*\r?$",
    re.MULTILINE,
)
# Within a line; a skill's own forms have shorter ones, such as `[name]` or `[Your product]`.
_INLINE = late(
    r"(?P<text>\[(?:(?:[Ii]nsert|[Aa]dd|[Yy]our|[Ww]rite|[Ee]nter) [^\[\]\n]{1,80} here|TODO: [^\[\]\n]{1,80}"
    r"|Insert [^\[\]\n]{1,80})\](?![(\[:])|<INSERT [A-Z][A-Z ]{1,40}>)"
)
_DESCRIPTION = late(
    r"\[?(?:TODO|FIXME|TBD)\b(?![- ](?:list|comment|item|manag|app|track|file|note|mark))|.*\[(?:TODO|FIXME|TBD)\b|"
    r".*\blorem ipsum dolor\b|.*\byour description (?:goes )?here\b"
    r"|.*[\[<](?:insert|your|describe)\b[^\]>\n]{0,200}+[\]>](?!\()"
    r"|[\[<]?(?:insert|add|enter|write|put) (?:an? |the |your )?"
    r"(?:short |brief |clear )?description\b(?! (?:of|to|for|field|in) )|replace with (?:a |the )?description\b"
    r"|(?:an? |the )?(?:(?:short|brief|clear|one-line|concise) )*description of (?:what (?:this|the|your)|this|your)"
    r" skill\b",
    re.IGNORECASE,
)
_NAMED = (b"description", b"instructions", b"instruction", b"content", b"text", b"details")
_LITERALS = (
    *(b"TODO", b"FIXME", b"TBD", b"orem ipsum", b"nsert ", *(word + b" here" for word in _NAMED), b"goes here"),
    *(b"[Add ", b"[Replace this with ", b"<INSERT ", b"oming soon"),
)
# Every match of `_DESCRIPTION` contains one of these, or begins with one of the further ones.
_HINTS = (
    *("[todo", "[fixme", "[tbd", "lorem ipsum dolor", "your description"),
    *(f"{mark}{word}" for mark in "[<" for word in ("insert", "your", "describe")),
)
_MARKED = ("todo", "fixme", "tbd")
_ORDERS = ("insert", "add", "enter", "write", "put", "replace with")
_VALUE = late(
    r"[\[<]?(?:TODO|FIXME|TBD)\b(?:[:\]>].*)?"
    r"|(?i:[\[<](?:insert|your|add|replace)\b[^\]>]{0,200}+[\]>]|lorem ipsum\b.*)",
    re.DOTALL,
)
_STARTS = ("insert", "Insert", "your", "Your", "add", "Add", "replace", "Replace")
_VALUE_HINTS = ("TODO", "FIXME", "TBD", "orem ipsum", *[f"{mark}{word}" for mark in "[<" for word in _STARTS])
_VALUE_MARKS = ("[", "<", "TODO", "FIXME", "TBD", "orem ipsum", "\\")
_HINT_KEYS = ("description", "argument-hint", "arguments", "allowed-tools", "hooks", "paths", "globs", "triggers")


@Predicate("placeholder-line", Subject.TEXT, values=("text",), literals=_LITERALS)
def placeholder_line(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Lines of a body that are nothing but a placeholder; code, comments and samples are left alone."""
    if text.language != "markdown" or is_sample(text.relative) or _is_in_template(text):
        return
    body = text.document.text
    for line in lines_of(body, text.places.of(_LITERALS)):
        if line[0] < text.body:
            continue
        match = _placeholder(body, *line)
        if match is None:
            continue
        start = match.start("text")
        if not text.markdown.in_code(start) and not text.markdown.in_comment(start):
            placeholder = body[start : match.end("text")].rstrip()
            yield Match(text.document.path, start, start + len(placeholder), values={"text": short(placeholder)})


def _is_in_template(text: TextFile) -> bool:
    """Whether the skill itself is a template that lies among others of the target."""
    if text.skill is None:
        return False
    return is_sample(text.skill.directory.removeprefix(text.skill.root).replace("\\", "/").strip("/") + "/")


_MARKS = " \t-*+#_.)[0123456789"
_OPENINGS = (
    *("todo", "fixme", "tbd", "insert", "add", "put", "write", "enter", "your", "lorem ipsum", "replace this"),
    *("coming soon", "(coming soon"),
)
_INLINE_SIGNS = ("[TODO: ", " here]", "[Insert ", "<INSERT ")


def _placeholder(body: str, start: int, end: int) -> re.Match[str] | None:
    """The placeholder that a line is, or that is in it: most lines with such a word are neither."""
    line = body[start:end]
    if line.lstrip(_MARKS)[:20].lower().startswith(_OPENINGS) and (match := _PLACEHOLDER().match(body, start, end)):
        return match
    is_inline = any(sign in line for sign in _INLINE_SIGNS)
    return _INLINE().search(body, start, end) if is_inline else None


@Predicate("placeholder-description", Subject.SKILL, values=("text",))
def placeholder_description(skill: Skill, options: NoOptions) -> Iterable[Match]:
    """A description that a template left behind."""
    description = skill.description
    if description is None:
        return ()
    lowered = description.value.lower()
    words = lowered.lstrip("[<")
    begins = words.startswith(_MARKED) or (
        "description" in words and (words.startswith(_ORDERS) or ("description of " in words and " skill" in words))
    )
    if not begins and not any(hint in lowered for hint in _HINTS):
        return ()
    if not _DESCRIPTION().match(description.value):
        return ()
    return (match_at(skill.path, description, {"text": short(description.value.strip())}),)


@Predicate("placeholder-value", Subject.SKILL, values=("key", "text"))
def placeholder_value(skill: Skill, options: NoOptions) -> Iterator[Match]:
    """Texts of the front matter, and of `metadata`, that a template left behind; not those that show what to write."""
    document = skill.document
    if skill.problem is not None or not isinstance(document, Document):
        return
    # One look at the whole front matter; an escaped character could be any.
    matter = document.text[: skill.body_start]
    if not any(mark in matter for mark in _VALUE_MARKS):
        return
    for key, node in _texts(skill):
        if any(hint in node.value for hint in _VALUE_HINTS) and _VALUE().fullmatch(node.value.strip()):
            yield match_at(skill.path, node, {"key": key, "text": short(node.value.strip())})


def _texts(skill: Skill) -> Iterator[tuple[str, Scalar]]:
    if isinstance(skill.front_matter, DocumentProblem):
        return
    for key, value in skill.front_matter.mapping.entries:
        if isinstance(value, Scalar) and key.value not in _HINT_KEYS:
            yield key.value, value
        for name, text in entries_of(value) if key.value == "metadata" else ():
            if isinstance(text, Scalar):
                yield f"metadata.{name.value}", text


_COMMENT = (b"<!--",)
_INDENTED = 3
"""Most blanks before a mark that begins a block."""
# One mark alone is mostly a comment of a shell script.
_HEADINGS = tuple(b"\n" + b"#" * depth + end for depth in (2, 3, 4) for end in (b"\n", b" \n"))


@Predicate("comment-unclosed", Subject.TEXT, literals=_COMMENT, needs="open-comment")
def unclosed_comment(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """The first comment that begins a line and never ends: all that follows it is hidden."""
    if text.language != "markdown":
        return ()
    source = text.document.text
    closed = max(source.rfind("-->"), text.body - 1)
    for at in text.places.of(_COMMENT):
        if at > closed and _begins_line(source, at) and not text.markdown.in_code(at):
            return (Match(text.document.path, at, at + 4),)
    return ()


def _begins_line(source: str, at: int) -> bool:
    before = source[source.rfind("\n", 0, at) + 1 : at]
    return len(before) <= _INDENTED and not before.strip(" ")


@Predicate("heading-empty", Subject.TEXT, literals=_HEADINGS)
def empty_heading(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Lines of two to four `#` and nothing else, outside of code, comments and samples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    for at in text.places.of(_HEADINGS)[:MAX]:
        start, end = at + 1, text.document.text.find("\n", at + 1)
        if start >= text.body and not text.markdown.in_code(start) and not text.markdown.in_comment(start):
            yield Match(text.document.path, start, end)


_MARKERS = (b"<<<<<<< ", b">>>>>>> ")
# Agents' edit formats look alike: `<<<<<<< SEARCH`.
_MARK = late(r"(?:<{7}|>{7}) (?!(?:SEARCH|REPLACE|ORIGINAL|UPDATED|BEFORE|AFTER|OLD|NEW)\b)[^\s<>][^\n]*")

# The name of a branch or commit, and a commit with its message, as `rebase` and `cherry-pick` write it.
_NAME = late(r">{7} (?:Stashed changes|[\w./@#~^:-]++(?: \([^\n]*\))?)")
_COMMIT = late(r">{7} [0-9a-f]{7,40} \([^\n]+\)")


@Predicate("merge-marker", Subject.TEXT, values=("mark",), literals=_MARKERS)
def merge_marker(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first mark of each conflict, outside of code fences, indented code and samples."""
    if is_sample(text.relative):
        return
    source = text.document.text
    is_open = False
    for start, end in lines_of(source, text.places.of(_MARKERS)):
        line = source[start : min(end, start + 200)].rstrip("\r")
        if not _MARK().fullmatch(line) or _is_shown(text, start):
            continue
        opens = line[0] == "<"
        # Seven `>` alone are nested quotes of Markdown.
        if opens or (not is_open and _closes(source, start, line)):
            yield Match(text.document.path, start, start + len(line), {"mark": line[:7]})
        is_open = opens


def _closes(source: str, start: int, line: str) -> bool:
    """Whether a line ends a conflict whose other marks are gone."""
    return bool(_COMMIT().fullmatch(line) or ("\n=======" in source[:start] and _NAME().fullmatch(line)))


def _is_shown(text: TextFile, start: int) -> bool:
    return text.language == "markdown" and start >= text.body and span_at(fences_of(text), start) is not None
