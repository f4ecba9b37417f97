"""What Claude Code replaces in a skill or command although its author means it as written, such as `$1` in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import cached_property
from skillbag.kernel.documents.markdown import CodeSpan, Fence
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.checks.prefilter import line_around
from skillbag.lint.signals.fences import fences_of, is_shell, some, span_at

_NUMBERS = tuple(f"${digit}".encode() for digit in range(10))
_ARGUMENTS = (*_NUMBERS, b"$ARGUMENTS")
_ARGUMENT = late(r"(?<![\\$])\$(?:\d(?!\w)|ARGUMENTS\b)")
_UNIT = r"(?:mo|yr|h|hr|hour|day|week|month|year|call|user|seat|request|run|token|million|GB|MTok|M|k|K)\b"
_PRICE = late(rf"\$\d(?:[.,]\d|(?:[-–—]\$?\d+)?\+?[ ]?(?:/|per[ ]){_UNIT})")
# Programs in single quotes, in which a shell replaces nothing.
_PROGRAM = late(
    r"\b(?:[gmn]?awk|perl|rename|(?:ba|z)?sh)[ \t]+(?:-[^'\n]{0,60}(?:'[^'\n]{0,20}'[ \t]+)?){0,3}'[^']{1,2000}+'"
)
_FUNCTION = late(
    r"^([ \t]*)(?:function[ \t]+[\w-]{1,80}[ \t]*(?:\(\))?|[\w-]{1,80}[ \t]*\(\))[ \t]*(?:\n[ \t]*)?\{", re.MULTILINE
)
_OWN_NAME = late(r"(?:\b(?:dirname|basename|readlink -f|[Uu]sage:)[ \t]+\"?|BASH_SOURCE[^\n$]{0,20}!?= *\"?)\Z")
_CODE_NAMES = (
    "js jsx javascript ts tsx typescript sql postgresql perl php nginx apache go rust ruby python py java kotlin csharp"
    " cs swift vue r awk conf promql"
)
_CODE = frozenset(_CODE_NAMES.split())
_TEXTS = frozenset({"markdown", "md", "yaml", ""})
_EACH = 5
"""Lines of a text that are reported one by one."""


def takes_arguments(text: TextFile, _: frozenset[bytes]) -> bool:
    """Whether a text is a command, or a skill that says that it takes arguments."""
    source, skill = text.document.text, text.skill
    if text.language != "markdown":
        return False
    if skill is None:
        return "commands" in text.relative.split("/")
    if text.relative != skill.file or (text.places.found.keys().isdisjoint(_NUMBERS) and not _has_samples(source)):
        return False
    return source.find("\nargument", 0, text.body) >= 0 or "$ARGUMENTS" in source


def _has_samples(source: str) -> bool:
    return source.count("\n---") > 2


@Predicate(
    "text-replaced",
    Subject.TEXT,
    values=("word", "what", "count", "more"),
    literals=_ARGUMENTS,
    needs="replaced_text.takes_arguments",
)
def text_replaced(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Numbers of arguments that code or a price means as written, each line once."""
    if not takes_arguments(text, frozenset()):
        return
    source, context = text.document.text, _Context(text)
    found: dict[int, tuple[int, str, str]] = {}
    for at in some(text.places.of(_ARGUMENTS)):
        match = _ARGUMENT().match(source, at) if at >= text.body else None
        what = context.meaning(at, match[0]) if match else ""
        if match and what:
            found.setdefault(source.count("\n", 0, at), (at, match[0], what))
    places = [*found.values()]
    more = f" ({len(places) - 1} more lines here have such places)" if len(places) > _EACH else ""
    for at, word, what in places[:1] if more else places:
        number = int(word[1:]) + 1 if word[1:].isdigit() else 1
        count = "an argument" if number == 1 else f"{number} or more arguments"
        values = {"word": word, "what": what, "count": count, "more": more}
        yield Match(text.document.path, at, at + len(word), values)


class _Context:
    """Says what an argument in a text is meant as, where it is not meant as the user's word."""

    def __init__(self, text: TextFile) -> None:
        self.text, self.source, self.fences = text, text.document.text, fences_of(text)
        self.shell = [fence for fence in self.fences if is_shell(fence) or not fence.info]
        self.code = self._that(self.fences, lambda _: True, _CODE)
        self.samples = self._that(self.fences, _is_command, _TEXTS) if _has_samples(self.source) else []

    @cached_property
    def programs(self) -> list[CodeSpan]:
        return [CodeSpan(match[0], *match.span()) for match in _PROGRAM().finditer(self.source, self.text.body)]

    @cached_property
    def functions(self) -> list[CodeSpan]:
        return [span for fence in self.shell for span in _functions(self.source, fence)]

    @cached_property
    def scripts(self) -> list[Fence]:
        return self._that(self.shell, lambda body: body.startswith("#!"))

    def _that(
        self, fences: Iterable[Fence], holds: Callable[[str], bool], words: frozenset[str] | None = None
    ) -> list[Fence]:
        """The fences whose code is so, in these languages."""
        named = (f for f in fences if words is None or f.info.partition(" ")[0].lower() in words)
        return [f for f in named if holds(self.source[f.body_start : min(f.body_end, f.body_start + 2000)].lstrip())]

    def meaning(self, at: int, word: str) -> str:
        """What the word at an offset is; empty for the user's word."""
        if span_at(self.samples, at):
            return "is part of a sample"
        if word == "$ARGUMENTS":
            return ""
        if _PRICE().match(self.source, at):
            return "is a price"
        if span_at(self.programs, at):
            return "belongs to a program in quotes"
        if span_at(self.functions, at):
            return "is an argument of a function"
        if span_at(self.scripts, at):
            return "is an argument of the script"
        if span_at(self.code, at):
            return "belongs to the code"
        is_name = word == "$0" and span_at(self.shell, at) and _OWN_NAME().search(line_around(self.source, at, at)[0])
        return "is the name of the script" if is_name else ""


def _is_command(body: str) -> bool:
    """Whether a block begins with the front matter of a command or skill."""
    matter = body[3:].partition("\n---")[0] if body.startswith("---") else ""
    return any(f"\n{key}:" in matter for key in ("description", "argument-hint", "allowed-tools"))


def _functions(source: str, fence: Fence) -> Iterator[CodeSpan]:
    """The functions of a shell in a fence, the outer ones alone."""
    end = fence.body_start
    for match in _FUNCTION().finditer(source, fence.body_start, fence.body_end):
        if match.start() < end:
            continue
        line = source.find("\n", match.end(), fence.body_end)
        if not source[match.end() : line].rstrip().endswith("}"):
            line = source.find(f"\n{match[1]}}}", match.end(), fence.body_end)
        end = line if line >= 0 else fence.body_end
        yield CodeSpan(match[0], match.start(), end)
