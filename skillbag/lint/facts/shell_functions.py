"""Functions and arrays of shell code: their places, and what calls give for `$1`, `$2` and so on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.shell_commands import ShellCommand

_FUNCTION = late(
    r"(?m)^[ \t]*(?P<word>function[ \t]+)?(?P<name>[A-Za-z_][\w-]{0,40})[ \t]*(?:\(\)|(?<=[ \t]))\s{0,20}(?P<brace>\{)"
)
_ARRAY = late(r"(?m)(?:^|[;\s])([A-Za-z_]\w{0,40})\+?=\(([^()\n]{0,400})\)")
_MAX = 8


def shell_functions(text: str) -> dict[int, str]:
    """The functions that a text defines, by the offsets of the words that open their bodies."""
    if "{" not in text:
        return {}
    found = {}
    for match in _FUNCTION().finditer(text):
        if match["word"] or "()" in match[0]:
            found[match.start("brace")] = match["name"]
            found[match.start("word") if match["word"] else match.start("brace")] = match["name"]
    return found


def arrays(text: str) -> dict[str, list[str]]:
    """The items of the arrays that a text writes down."""
    if "=(" not in text:
        return {}
    return {match[1]: [item.strip("\"'") for item in match[2].split()][:_MAX] for match in _ARRAY().finditer(text)}


def arguments(lines: Iterable[Sequence[ShellCommand]], functions: frozenset[str]) -> dict[str, list[str]]:
    """What calls of functions give, by the number of the argument."""
    found: dict[str, list[str]] = {}
    if not functions:
        return found
    for line in lines:
        for command in line:
            if command.words and command.words[0].text in functions:
                for number, word in enumerate(command.words[1:_MAX], 1):
                    if "$" not in word.text and "`" not in word.text:
                        found.setdefault(str(number), []).append(word.text)
    return {number: texts[:_MAX] for number, texts in found.items()}
