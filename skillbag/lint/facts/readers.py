"""The reader of each language: from the text of a unit to its steps."""

from __future__ import annotations

import textwrap

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.units import UNKNOWN_CODE, Unit, is_script
from skillbag.lint.facts.values import Step

_IN_SHELL = late(r"(?i)\b(?:iex|invoke-expression|start-process)\b|\b(?:exec|eval)\(")
"""Other languages in what is called shell."""
_PYTHON = ("import ", "exec(", "eval(", "__import__")
_JAVASCRIPT = ("require(", "process.", "fetch(", "eval(", "=>")


def steps_of(unit: Unit) -> list[Step]:
    """The steps of a unit, with offsets of its text; none of a language that no reader knows."""
    text = unit.text
    match unit.language:
        case "shell":
            return (
                [*_shell(text), *_lines(text, "powershell"), *_words(text)]
                if _IN_SHELL().search(text)
                else _shell(text)
            )
        case "python":
            return _python(text)
        case "javascript":
            return _javascript(text)
        case "powershell" | "applescript":
            return _lines(text, unit.language)
        case "other":
            return _words(text)
        case language if language == UNKNOWN_CODE:
            return _any_code(text)
    return _words(text) if unit.origin == "script" and is_script(unit.file) else []


def _shell(text: str) -> list[Step]:
    from skillbag.lint.facts.shell_steps import shell_steps

    return shell_steps(text)


def _javascript(text: str) -> list[Step]:
    from skillbag.lint.facts.javascript_steps import javascript_steps

    return javascript_steps(text)


def _lines(text: str, language: str) -> list[Step]:
    from skillbag.lint.facts.line_steps import LANGUAGES, line_steps

    return line_steps(text, LANGUAGES[language])


def _words(text: str) -> list[Step]:
    from skillbag.lint.facts.word_steps import word_steps

    return word_steps(text)


def _any_code(text: str) -> list[Step]:
    """The steps of a text whose language nobody says."""
    found = _python(text) if any(word in text for word in _PYTHON) else []
    if any(word in text for word in _JAVASCRIPT):
        found += _javascript(text)
    return [*found, *_shell(text)]


def _python(text: str) -> list[Step]:
    from skillbag.lint.facts.python_steps import python_steps
    from skillbag.lint.signals.syntax_trees import parsed

    shifted = textwrap.dedent(text) if text[:1] in " \t" else text
    tree = parsed(shifted)
    if tree is None:
        return _words(text)
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    indent = len(lines[0]) - len(shifted.split("\n", 1)[0])

    def offset_of(line: int, column: int) -> int:
        within = lines[line - 1].encode()[: column + indent].decode("utf-8", "replace")
        return starts[line - 1] + len(within)

    return python_steps(tree, offset_of)
