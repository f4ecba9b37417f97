"""Commands that a host runs while it loads a skill: code spans and fences with an exclamation mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.dangers import danger_of
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.signals.fences import fences_of, span_at

# Claude Code's dynamic context: https://code.claude.com/docs/en/skills
_SPAN = late(r"(?<![\w`!])!`(?P<command>[^`\n]{1,2000})`")
_FENCE = late(r"(?:```|~~~)!(?:\w*)[ \t]*\r?\n(?P<command>.{1,4000}?)\n[ \t]*(?:```|~~~)", re.DOTALL)
# The same without the mark: a line that is nothing but a label of a state and a command.
_LABEL = late(
    r"^[ \t*_-]*(?:status|state|context|environment|version|branch|current[ ]\w+(?:[ ]\w+)?)[*_]*:[*_]*[ \t]*"
    r"`(?P<command>[^`\n]{1,2000})`[ \t]*\r?$",
    re.IGNORECASE | re.MULTILINE,
)


_SPANS, _FENCES = (b"!`",), (b"```!", b"~~~!")
_LABELS = (b": `cu", b": `wg", b": `rm", b": `ba", b": `ec", b"* `cu")
_MAX = 100
"""Commands of a text that are looked at."""


class _Command(NamedTuple):
    start: int
    end: int
    command: str
    marked: bool


@Predicate("load-command", Subject.TEXT, values=("command", "what"), literals=(*_SPANS, *_FENCES, *_LABELS))
def load_command(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Dangerous commands in `SKILL.md` that run while it is loaded, where no person and no agent has read them."""
    if not _is_loaded(text):
        return
    for command in islice(_commands(text), _MAX):
        danger = danger_of(command.command)
        if danger is None or not (command.marked or danger.severe):
            continue
        values = {"command": short(" ".join(command.command.split())), "what": danger.what}
        yield Match(text.document.path, command.start, command.end, values, raised=danger.severe and command.marked)


def _is_loaded(text: TextFile) -> bool:
    """Whether a host runs the commands in a text: a `SKILL.md`, or the file of a command."""
    if text.skill is None:
        return text.language == "markdown" and "/commands/" in f"/{text.relative}"
    return text.relative == text.skill.file


def loaded_spans(text: TextFile) -> list[tuple[int, int]]:
    """The offsets of the commands in a text that run while it is loaded."""
    body = text.document.text
    return [match.span() for form in (_SPAN, _FENCE) for match in islice(form().finditer(body, text.body), _MAX)]


_SAMPLES = frozenset({"markdown", "md"})


@Predicate("load-command-sample", Subject.TEXT, values=("command",), literals=_SPANS)
def load_command_sample(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands in blocks of Markdown, which are shown there, and are run while the skill or command is loaded."""
    skill, source = text.skill, text.document.text
    if text.relative != skill.file if skill else "commands" not in text.relative.split("/"):
        return
    for at in text.places.of(_SPANS)[:_MAX]:
        match = _SPAN().match(source, at) if at >= text.body else None
        fence = span_at(fences_of(text), at) if match else None
        if match and fence and fence.info.partition(" ")[0].lower() in _SAMPLES:
            yield Match(text.document.path, at, match.end(), {"command": short(match["command"])})


def _commands(text: TextFile) -> Iterator[_Command]:
    body = text.document.text
    for literals, pattern in ((_SPANS, _SPAN), (_FENCES, _FENCE)):
        for at in text.places.of(literals):
            if at >= text.body and (match := pattern().match(body, at)):
                yield _Command(*match.span("command"), match["command"], True)
    for at in text.places.of(_LABELS):
        start = body.rfind("\n", 0, at) + 1
        if at - start < 80 and (match := _LABEL().match(body, start)):
            yield _Command(*match.span("command"), match["command"], False)
