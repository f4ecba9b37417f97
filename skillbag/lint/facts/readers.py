"""The reader of each language: from the text of a unit to its steps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.units import UNKNOWN_CODE, Unit, is_script
from skillbag.lint.facts.uses import UNKNOWN, Use, UseKind
from skillbag.lint.facts.values import LARGEST, Step, UnitSteps
from skillbag.lint.signals.programs import plain_name, run_of
from skillbag.lint.signals.shell_commands import commands
from skillbag.lint.signals.variables import shell_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

_IN_SHELL = late(r"(?i)\b(?:iex|invoke-expression|start-process)\b|\b(?:exec|eval)\(")
"""Other languages in what is called shell."""
_LINE_END = late(r"\r\n?|\n")
_PYTHON = ("import ", "exec(", "eval(", "__import__")
_JAVASCRIPT = ("require(", "process.", "fetch(", "eval(", "=>")


_READ = frozenset(["shell", "python", "javascript", "powershell", "applescript", "other", UNKNOWN_CODE])
"""Languages with a reader, if only of their words; of others only programs are read."""
_LONG = f"code of more than {LARGEST:,} characters was searched for words, but not read"
_DEEP = "its code nests too deep to be read; it was searched for words"
_INVALID = "it is no valid Python; it was searched for words"


def reading_of(unit: Unit, is_linked: bool) -> UnitSteps:
    """The steps of a unit, with offsets of its text; those of its words where it is too long or too deep to be read."""
    if unit.language not in _READ and not _is_program(unit):
        return UnitSteps(())
    if len(unit.text) > LARGEST:
        return UnitSteps((*_words(unit.text),), _LONG)
    try:
        steps = _steps(unit, FilesBeside.of(unit) if is_linked else FilesBeside())
    except RecursionError:
        return UnitSteps((*_words(unit.text),), _DEEP)
    if steps is None:
        return UnitSteps((*_words(unit.text),), _INVALID if unit.origin == "script" else "")
    return UnitSteps((*steps,))


def _steps(unit: Unit, files: FilesBeside) -> list[Step] | None:
    """The steps of a unit; none of a language that no reader knows, and None of code that does not parse."""
    text = unit.text
    match unit.language:
        case "shell":
            others = [*_lines(text, "powershell"), *_words(text)] if _IN_SHELL().search(text) else []
            return [*_shell(text, files), *others]
        case "python":
            return _python(text, files)
        case "javascript":
            return _javascript(text, files)
        case "powershell" | "applescript":
            return _lines(text, unit.language)
        case "other":
            return _code(text)
        case language if language == UNKNOWN_CODE:
            return _any_code(text, files)
    return _words(text)


def _is_program(unit: Unit) -> bool:
    return unit.origin == "script" and is_script(unit.file)


def _shell(text: str, files: FilesBeside) -> list[Step]:
    from skillbag.lint.facts.shell_steps import shell_steps

    return shell_steps(text, files)


def _javascript(text: str, files: FilesBeside) -> list[Step]:
    from skillbag.lint.facts.javascript_steps import javascript_steps

    return javascript_steps(text, files)


def _lines(text: str, language: str) -> list[Step]:
    from skillbag.lint.facts.line_steps import line_steps

    return line_steps(text, language)


def _words(text: str) -> list[Step]:
    from skillbag.lint.facts.word_steps import word_steps

    return word_steps(text)


def _code(text: str) -> list[Step]:
    from skillbag.lint.facts.code_steps import code_steps

    return code_steps(text)


def _any_code(text: str, files: FilesBeside) -> list[Step]:
    """The steps of a text whose language nobody says."""
    found = list[Step]()
    if any(word in text for word in _PYTHON):
        parsed = _python(text, files)
        found += _words(text) if parsed is None else parsed
    if any(word in text for word in _JAVASCRIPT):
        found += _javascript(text, files)
    return [*found, *_shell(text, files)]


def _python(text: str, files: FilesBeside) -> list[Step] | None:
    from skillbag.lint.facts.python_steps import python_steps

    tree, offset_of = tree_of(text)
    return None if tree is None else python_steps(tree, offset_of, files)


def tree_of(text: str) -> tuple[ast.Module | None, Callable[[int, int], int]]:
    """The syntax tree of Python code, which may be indented, and the offsets of its lines and columns."""
    from textwrap import dedent

    from skillbag.lint.signals.syntax_trees import parsed

    shifted = dedent(text) if text[:1] in " \t" else text
    indent = len(text.partition("\n")[0]) - len(shifted.partition("\n")[0])
    return parsed(shifted), _Offsets(text, indent).of


class _Offsets:
    """The places of a text by lines and columns as Python counts them: in bytes."""

    def __init__(self, text: str, indent: int) -> None:
        self.text, self.indent = text, indent
        self.starts = [0, *(match.end() for match in _LINE_END().finditer(text)), len(text)]
        self._columns: dict[int, list[int]] = {}

    def of(self, line: int, column: int) -> int:
        """The offset of a column of a line, whose first is 1."""
        code = self.text[self.starts[line - 1] : self.starts[line]]
        if code.isascii():
            return self.starts[line - 1] + min(column + self.indent, len(code))
        if line not in self._columns:
            # One line may have all the code of a file.
            self._columns[line] = [*accumulate(len(letter.encode("utf-8", "replace")) for letter in code)]
        return self.starts[line - 1] + bisect_right(self._columns[line], column + self.indent)


_LARGEST_USED = 400_000
"""Most characters of a unit whose uses are read: all of it is read once, and no flow is followed."""


def uses_of(unit: Unit) -> list[Use]:
    """What code uses; nothing of code that does not parse or nests too deep."""
    if len(unit.text) > _LARGEST_USED:
        return []
    try:
        return [*_uses(unit)]
    except RecursionError:
        return []


def variables_of(unit: Unit) -> Iterator[tuple[str, int]]:
    """The single variables of the environment that code takes, with their offsets in the unit."""
    if unit.language == "shell":
        yield from shell_reads(unit.text)
        return
    for use in uses_of(unit):
        if use.kind is UseKind.VARIABLE:
            yield from ((name, use.start) for name in use.texts if name and UNKNOWN not in name)


def commands_of(unit: Unit) -> Iterator[tuple[tuple[str, ...], int, int]]:
    """The words of the commands that code runs, from the program's name on, with their places in the unit."""
    is_shell = unit.language in ("shell", "powershell")
    called = (use for use in uses_of(unit) if use.kind is UseKind.STARTS)
    lines = [(unit.text, 0)] if is_shell else [(text, use.start) for use in called for text in use.texts]
    for line, start in lines:
        for command in commands(line.replace(UNKNOWN, "$_")):
            if run := run_of(command):
                end = command.end if is_shell else start + len(unit.text[start:].partition("\n")[0])
                yield (plain_name(run), *run.texts), start or command.start, end


def _uses(unit: Unit) -> Iterable[Use]:
    if unit.language == "python":
        from skillbag.lint.facts.python_uses import python_uses

        tree, offset_of = tree_of(unit.text)
        return python_uses(tree, offset_of) if tree is not None else ()
    if unit.language == "javascript":
        from skillbag.lint.facts.javascript_uses import javascript_uses

        return javascript_uses(unit.text)
    if unit.language == "shell":
        from skillbag.lint.facts.shell_uses import shell_uses

        return shell_uses(unit.text)
    return ()
