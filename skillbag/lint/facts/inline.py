"""Code within shell code: options such as `python -c`, here-documents, and texts that are printed to what runs them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import Position
from skillbag.lint.facts.units import Unit, language_of_script
from skillbag.lint.signals.persistence import is_start_file, without_schedule
from skillbag.lint.signals.programs import ProgramRun, pipelines, plain_name, run_of
from skillbag.lint.signals.shell_commands import ShellCommand, Word, commands

_LANGUAGES = {
    **dict.fromkeys(("sh", "bash", "zsh", "dash", "ksh"), "shell"),
    **dict.fromkeys(("node", "nodejs", "bun"), "javascript"),
    **dict.fromkeys(("perl", "ruby", "php"), "other"),
    **dict.fromkeys(("pwsh", "powershell"), "powershell"),
}
_PYTHON = late(r"(?:python|pypy)[\d.]*\Z")
_OPTIONS = {
    "python": late(r"-[A-Za-z]*c\Z"),
    "shell": late(r"-[a-z]*c\Z"),
    "javascript": late(r"(?:-e|--eval|-p|--print|-pe)\Z"),
    "other": late(r"-[A-Za-z]{0,3}[eEr]\Z"),
    "powershell": late(r"(?i)-(?:c|command)\Z"),
}
_RUNNERS = frozenset(["uv", "poetry", "pipenv", "pdm", "hatch", "conda", "mamba", "micromamba", "pixi", "rye"])
"""Programs whose `run` starts a program in an environment."""
_PRINTS = frozenset(["echo", "printf"])
_SCHEDULERS = frozenset(["crontab", "at", "batch"])
_GROUP_END = late(r"[ \t;\n]*[)}][ \t\n]*\|(?!\|)")
"""The end of commands in parentheses that are piped on together."""
_READERS = frozenset(["grep", "egrep", "rg", "man", "which", "test", "[", *_PRINTS])
"""Programs to which the name of an interpreter is a text."""


class Inline(NamedTuple):
    """Code within a unit. `place` is set where offsets of its text are not those of the file."""

    unit: Unit
    place: Position | None = None


class _Interpreter(NamedTuple):
    """An interpreter that a command starts, with its language and arguments."""

    language: str
    arguments: tuple[Word, ...]


def inline_code(unit: Unit) -> Iterator[Inline]:
    """The code that commands of a shell unit hand to interpreters, or write to scripts."""
    text = unit.text
    if "<<" not in text and " -" not in text and not any(name in text for name in _PRINTS):
        return
    receiver: ProgramRun | None = None
    target: ShellCommand | None = None
    lines = [*pipelines(commands(text))]
    for number, line in enumerate(lines):
        for at, command in enumerate(line):
            run = run_of(command)
            if run is not None and (interpreter := _interpreter(run) or _handed(run)) is not None:
                yield from _option(unit, interpreter)
            if run is not None and run.name in _PRINTS:
                following = lines[number + 1 : number + 2] if _GROUP_END().match(text, line[-1].end) else []
                yield from _printed(unit, run, [*line[at:], *(each for next_line in following for each in next_line)])
            if any(redirect.operator in ("<<", "<<-") for redirect in command.redirects):
                receiver, target = run, command
            if command.here and target is not None:
                yield from _document(unit, command, (run, receiver), target)


def _interpreter(run: ProgramRun) -> _Interpreter | None:
    name, arguments = plain_name(run), run.arguments
    if name in _RUNNERS and run.texts[:1] == ("run",):
        for at, text in enumerate(run.texts[1:], 1):
            if text == "-" or _language(text):
                return _Interpreter(_language(text) or "python", arguments[at + (text != "-") :])
        return None
    language = _language(name)
    return _Interpreter(language, arguments) if language else None


def _handed(run: ProgramRun) -> _Interpreter | None:
    """The interpreter with code among the arguments of another program: `docker run image bash -c CODE`."""
    if run.name in _READERS:
        return None
    for at, (name, option) in enumerate(zip(run.texts, run.texts[1:], strict=False), 1):
        language = _language(name)
        if language is not None and _OPTIONS[language]().match(option):
            return _Interpreter(language, run.arguments[at:])
    return None


def _language(name: str) -> str | None:
    name = name.rpartition("/")[2]
    return "python" if _PYTHON().match(name) else _LANGUAGES.get(name)


def _option(unit: Unit, interpreter: _Interpreter) -> Iterator[Inline]:
    """The code after an option that takes code."""
    option = _OPTIONS[interpreter.language]()
    for before, word in zip(interpreter.arguments, interpreter.arguments[1:], strict=False):
        if not before.text.startswith("-"):
            return
        if option.match(before.text):
            inner = word.raw[1:-1] if word.raw[:1] in "'\"" else word.raw
            # Escapes within the quotes make the code shorter than what stands in the file.
            place = None if inner == word.text else unit.position(word.start)
            at = word.start + (word.raw[:1] in "'\"")
            yield _inline(unit, interpreter.language, at, word.text, place)
            return


def _printed(unit: Unit, run: ProgramRun, line: Sequence[ShellCommand]) -> Iterator[Inline]:
    """The texts of `echo` that an interpreter or cron reads, or that a script or a start file keeps."""
    if not (language := _receives(line)):
        return
    for word in run.arguments:
        if " " in word.text:
            inner = word.raw[1:-1] if word.raw[:1] in "'\"" else word.raw
            place = None if inner == word.text else unit.position(word.start)
            lines = word.text.replace("\\n", " \n")
            yield _inline(unit, language, word.start + (word.raw[:1] in "'\""), without_schedule(lines), place)


def _receives(line: Sequence[ShellCommand]) -> str:
    """The language as which the rest of a pipeline runs or keeps what its first command prints; "" for none."""
    for command, run in ((command, run_of(command)) for command in line):
        files = [redirect.word.text for redirect in command.redirects if redirect.operator in (">", ">>", ">|")]
        if run is not None and command is not line[0]:
            interpreter = _interpreter(run)
            if interpreter is not None and _reads_code(interpreter):
                return interpreter.language
            if run.name in _SCHEDULERS:
                return "shell"
            files += run.texts if run.name == "tee" else ()
        for file in files:
            if language := language_of_script(file) or ("shell" if is_start_file(file) else None):
                return language
    return ""


def _document(
    unit: Unit, command: ShellCommand, runs: Sequence[ProgramRun | None], target: ShellCommand
) -> Iterator[Inline]:
    """A here-document that an interpreter reads, or that becomes a script."""
    languages = [
        interpreter.language
        for run in runs
        if run is not None and (interpreter := _interpreter(run)) is not None and _reads_code(interpreter)
    ]
    files = [redirect.word.text for redirect in target.redirects if redirect.operator in (">", ">>", ">|")]
    files += [word.text for run in runs if run is not None and run.name == "tee" for word in run.arguments]
    languages += filter(None, map(language_of_script, files))
    languages += ["shell" for run in runs if run is not None and run.name in _SCHEDULERS]
    languages += ["shell" for file in files if is_start_file(file)]
    at = unit.text.find(command.here, command.end)
    if languages and at >= 0:
        yield _inline(unit, languages[0], at, command.here, None)


def _reads_code(interpreter: _Interpreter) -> bool:
    """Whether it takes its code from standard input: no file is named, and no code is given."""
    texts = [word.text for word in interpreter.arguments]
    first = next((text for text in texts if text == "-" or not text.startswith("-")), "-")
    given = any(map(_OPTIONS[interpreter.language]().match, texts))
    return first in ("-", "/dev/stdin") and not given


def _inline(unit: Unit, language: str, at: int, text: str, place: Position | None) -> Inline:
    code = text.lstrip("\r\n")
    return Inline(unit.within(language, at + len(text) - len(code), code), place)
