"""Code fences that are not closed, or closed early by a fence inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import Fence, scan
from skillbag.kernel.documents.markdown_fences import plain_fences
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import mark_lines, outer_fence
from skillbag.lint.signals.fences import fences_of

_INDENTED = 3
"""Most blanks before a fence."""
_NUMBERS = {4: "four", 5: "five", 6: "six"}
_MAX_SCANS = 100
"""Faults of one text at most: after each one, the rest may have to be parsed again."""
_CLOSE_IT = "close it with a line of the same marks and nothing else"


class _Fault(NamedTuple):
    """A fault of the fence that begins at `start`; up to `end`, further ones follow from it."""

    start: int
    end: int
    fault: str
    advice: str


@Predicate("unclosed-fence", Subject.TEXT, values=("fault", "advice"), needs="odd-fences")
def unclosed_fence(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Code fences that run to the end of their text or into the next one, or that a fence inside closes early."""
    if text.language != "markdown":
        return
    source = text.document.text
    for found in _faults(text):
        values = {"fault": found.fault, "advice": found.advice}
        yield Match(text.document.path, found.start, _line_end(source, found.start), values)


def _faults(text: TextFile) -> Iterator[_Fault]:
    fences = fences_of(text)
    for _ in range(_MAX_SCANS):
        found = next(filter(None, (_fault(text, fence) for fence in fences)), None)
        if found is None:
            return
        yield found
        after = [fence for fence in fences if fence.start >= found.end]
        # A parser may take the end of a fence that was closed early for the beginning of one, and so on. What has fewer
        # faults is what the author meant.
        fences, faults = after, _count(text, after)
        if faults and _count(text, again := _fences_after(text, found.end)) < faults:
            fences = again


def _count(text: TextFile, fences: Iterable[Fence]) -> int:
    return len({found.start for fence in fences if (found := _fault(text, fence))})


def _fences_after(text: TextFile, start: int) -> Sequence[Fence]:
    source = text.document.text
    seen = plain_fences(source, start)
    return scan(source, start).fences if seen is None else seen


def _fault(text: TextFile, fence: Fence) -> _Fault | None:
    outer = outer_fence(text, fence.start)
    if outer and _is_closed_early(text, fence, outer):
        return _early(text, outer)
    if not fence.closed:
        early = outer and outer[0] != _line_start(text.document.text, fence.start)
        return _early(text, outer) if early and outer else _endless(text, fence)
    if outer is None and fence.info and (inner := _opening_inside(text, fence)) is not None:
        opened, following = (text.document.position(at).line for at in (fence.start, inner))
        fault = f"The fence opened at line {opened} is not closed before the next one opens at line {following}"
        advice = f"close it before that line; if it is meant to contain it, give it {_more(text, fence.start)}"
        return _Fault(fence.start, fence.end, fault, advice)
    return None


def _is_closed_early(text: TextFile, fence: Fence, outer: tuple[int, int]) -> bool:
    """Whether a fence is one with fences inside, the first of which ends it."""
    source = text.document.text
    if outer[0] != _line_start(source, fence.start) or fence.end >= outer[1]:
        return False
    inner = _opening_inside(text, fence)
    return inner is not None and _marks_at(source, inner) == _marks_at(source, fence.start)


def _opening_inside(text: TextFile, fence: Fence) -> int | None:
    """The marks of the first line of a fence that looks as if it opened another one, with as many marks or more."""
    source = text.document.text
    marks = _marks_at(source, fence.start)
    for start, line in mark_lines(source, fence.body_start, fence.body_end):
        at = len(line) - len(line.lstrip(" "))
        if at <= _INDENTED and line.startswith(marks, at) and _is_language(line[at:].lstrip(marks[0]).strip(" \t\r")):
            return start + at
    return None


def _is_language(word: str) -> bool:
    # `{r}` and `{=html}`, as R Markdown, Quarto and pandoc have them.
    if word.startswith("{") and word.endswith("}"):
        word = word[1:-1].lstrip("=.# ").partition(" ")[0].partition(",")[0]
    first = word[:1]
    return first.isascii() and first.isalpha() and all(sign.isalnum() or sign in "_+#-" for sign in word)


def _early(text: TextFile, outer: tuple[int, int]) -> _Fault:
    source = text.document.text
    start = outer[0]
    while source[start] in " \t":
        start += 1
    fault = f"The fence opened at line {text.document.position(start).line} is closed early by the one inside it"
    return _Fault(start, outer[1], fault, f"give the outer one {_more(text, start)}, at both ends")


def _more(text: TextFile, start: int) -> str:
    """One mark more than those of a fence, in words."""
    marks = _marks_at(text.document.text, start)
    wanted = len(marks) + 1
    return f"{_NUMBERS.get(wanted, wanted)} {'tildes' if marks[:1] == '~' else 'backticks'}"


def _endless(text: TextFile, fence: Fence) -> _Fault:
    rest = text.document.text[fence.body_start : fence.body_end]
    # Prose after it shows that a line without a language was meant to close a fence.
    if not fence.info and (not rest.strip() or "\n## " in rest or "\n### " in rest):
        fault = "This line closes no code fence: it opens one, so the rest of the file is code"
        return _Fault(fence.start, fence.end, fault, "remove it, or open the fence that it closes")
    return _Fault(fence.start, fence.end, "This code fence is never closed, so the rest of the file is code", _CLOSE_IT)


def _marks_at(source: str, start: int) -> str:
    mark = source[start : start + 1]
    end = start
    while mark in ("`", "~") and source.startswith(mark, end):
        end += 1
    return source[start:end]


def _line_start(source: str, offset: int) -> int:
    return source.rfind("\n", 0, offset) + 1


def _line_end(source: str, start: int) -> int:
    end = source.find("\n", start)
    if end < 0:
        return len(source)
    return end - 1 if source[end - 1] == "\r" else end
