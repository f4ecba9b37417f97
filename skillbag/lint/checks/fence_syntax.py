"""Code in fences that claims to be whole, and does not parse.

Published texts show code that is elided, templated, cut out of a file or wrong on purpose. So only faults that nothing
of this explains are reported, each a common slip.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.documents.source import Position
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_slips import LANGUAGES, Slip
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence
from skillbag.lint.signals.fences import fences_of

_SHOWN_WRONG = (
    "❌",
    "✗",
    "✘",
    "wrong",
    "incorrect",
    "syntax error",
    "syntaxerror",
    "should be:",
    "should use:",
    "better:",
)
_SAID_WRONG = late(
    r"❌|✗|✘|\b(?:wrong|incorrect|bad|broken|invalid|malformed|don't|avoid|before:|buggy|fails?|mistakes?"
    r"|(?:common|syntax|typical|causes?(?: an?)?) errors?)\b|\berrors?:|\banti-?patterns?\b"
)
_AROUND = 1_000
_LARGEST = 50_000
"""Characters of a block that is parsed: nobody shows a larger one to be read."""
_ELIDED = late(
    r"…|\([ \t]*\.\.\.[ \t]*\)|(?:^|[\s,;])\.\.\.(?![\w$(\[{`'\"])"
    r"|\{\{|\{%|<%|\$\{\{|__[A-Z_]+__|@[A-Z_]+@"
)
"""What stands for code that is left out or put in."""
_PROMPT = ("$ ", "> ")
"""How a session begins, which shows what programs print."""
_STAND_IN = late(r"<[A-Za-z][\w |.-]*>")
_DIFF = late(r"(?m)^\+(?!\+)[ \t]*[\w\"'{]")


class CodeBlock(NamedTuple):
    """The code of a fence without its indentation."""

    language: str
    code: str
    indent: int


# Of words that begin with another one, that one.
_LITERALS = tuple(
    [b"```" + word.encode() for word in LANGUAGES if not word.startswith(tuple(LANGUAGES.keys() - {word}))]
)


@Predicate("fence-syntax", Subject.TEXT, values=("language", "detail"), literals=_LITERALS)
def fence_syntax(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first certain fault of each fence of code; nothing in samples, elided code and counterexamples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    for fence, block in islice(_suspects(text), MAX):
        language = LANGUAGES[block.language]
        fault = language.slip(block.code)
        if fault and not _is_excused(block, fault, text, fence) and not in_outer_fence(text, fence.start):
            first = text.document.position(fence.body_start).line
            place = Position(first + fault.line - 1, block.indent + fault.column)
            yield Match(text.document.path, values={"language": language.name, "detail": fault.detail}, at=place)


def _suspects(text: TextFile) -> Iterator[tuple[Fence, CodeBlock]]:
    """The blocks that may have a slip."""
    for fence in fences_of(text):
        language = LANGUAGES.get(fence.info.strip().lower())
        if language and fence.closed and fence.body_end - fence.body_start <= _LARGEST:
            block = _block(text, fence)
            if block and language.may_have_slip(f"\n{block.code}"):
                yield fence, block


def _block(text: TextFile, fence: Fence) -> CodeBlock | None:
    """The code of a fence, unless it is quoted or holds marks of another; a list indents all lines as those."""
    source = text.document.text
    start = source.rfind("\n", 0, fence.start) + 1
    if ">" in source[start : fence.start]:
        return None
    indent = fence.start - start if not source[start : fence.start].strip() else 0
    code = source[fence.body_start : fence.body_end]
    if "```" in code:
        return None
    if indent:
        lines = code.split("\n")
        code = "\n".join([line[indent:] if not line[:indent].strip() else line.lstrip() for line in lines])
    return CodeBlock(fence.info.strip().lower(), code, indent)


def _is_excused(block: CodeBlock, fault: Slip, text: TextFile, fence: Fence) -> bool:
    """Whether the code is elided where its fault is, or wrong on purpose by what it or the text before it says."""
    if block.code.startswith(_PROMPT):
        return True
    if block.language != "json":
        # What closes a bracket may be among what is left out below.
        end = None if "close" in fault.detail else fault.line + 1
        around = "\n".join(block.code.split("\n")[max(0, fault.line - 2) : end])
        # What stands in angle brackets is an element in JSX.
        is_markup = block.language.startswith(("j", "t"))
        if _ELIDED().search(around) or _DIFF().search(block.code) or (not is_markup and _STAND_IN().search(around)):
            return True
    said = _introduction(text.document.text[max(0, fence.start - _AROUND) : fence.start]).lower()
    folded = block.code.lower()
    return _SAID_WRONG().search(said) is not None or any(word in folded for word in _SHOWN_WRONG)


def _introduction(before: str) -> str:
    """The heading and the last line before a fence."""
    lines = [line for line in before.split("\n") if line.strip()]
    heading = next((line for line in reversed(lines) if line.startswith("#")), "")
    return f"{heading}\n{lines[-1] if lines else ''}"
