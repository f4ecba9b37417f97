"""Code in fences that claims to be whole, and does not parse.

Published texts show code that is elided, templated, cut out of a file or wrong on purpose. So only faults that nothing
of this explains are reported, each a common slip.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import Fence
from skillbag.kernel.documents.source import Position
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_fences import LITERALS, suspects
from skillbag.lint.checks.code_slips import READERS, Slip
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import in_outer_fence
from skillbag.lint.signals.fences import fences_of, span_at

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


@Predicate(
    "fence-syntax", Subject.TEXT, values=("language", "detail"), literals=LITERALS, needs="before_fences.may_be_broken"
)
def fence_syntax(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """The first certain fault of each fence of code; nothing in samples, elided code and counterexamples."""
    if text.language != "markdown" or is_sample(text.relative):
        return
    fences = fences_of(text)
    for at in suspects(text)[:MAX]:
        fence = span_at(fences, at)
        if fence is None or fence.start != at or not fence.closed or fence.body_end - fence.body_start > _LARGEST:
            continue
        block = _block(text, fence)
        if block is None:
            continue
        name, read = READERS[block.language]
        fault = read(block.code)
        if fault and not _is_excused(block, fault, text, fence) and not in_outer_fence(text, at):
            first = text.document.position(fence.body_start).line
            place = Position(first + fault.line - 1, block.indent + fault.column)
            yield Match(text.document.path, values={"language": name, "detail": fault.detail}, at=place)


def _block(text: TextFile, fence: Fence) -> CodeBlock | None:
    """The code of a fence, unless it is quoted; in a list, its lines are indented as its first marks are."""
    source = text.document.text
    start = source.rfind("\n", 0, fence.start) + 1
    if ">" in source[start : fence.start]:
        return None
    indent = fence.start - start if not source[start : fence.start].strip() else 0
    lines = source[fence.body_start : fence.body_end].split("\n")
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
