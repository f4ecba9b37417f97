"""Commands of a text that a script of its skill would refuse: options, choices and arguments that it does not take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.script_commands import ScriptRun, script_runs
from skillbag.lint.facts.script_arguments import Arguments, Positional, ScriptOption, arguments_of
from skillbag.lint.signals.shell_commands import Word

_OPTION = late(r"--?[A-Za-z][\w-]*(?:=|\Z)")
_SHORT = late(r"-[A-Za-z]")
_OPEN = late(r"[{}$<>*|`…]|\.\.\.|[A-Z_]{3,}\Z")
"""Signs of a word that stands for others."""
_NEAR = 0.75
"""How alike two names are that may be the same."""
_SHOWN = 6
"""Known names that a message lists."""
_EXITS = frozenset(("-h", "--help", "--version", "-V"))


class Fault(NamedTuple):
    """A word of a command that a script does not take, and why; without a word it lacks one."""

    word: Word | None
    detail: str


@Predicate("script-arguments", Subject.TEXT, values=("script", "detail"), needs="script_names.are_named")
def script_arguments(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Commands whose options, choices or number of arguments their script refuses; each fault once in a text."""
    seen: set[tuple[str, str]] = set()
    for run in script_runs(text)[:MAX]:
        arguments = arguments_of(run.path, run.source)
        found = [fault for fault in faults(run, arguments) if (run.path, fault.detail) not in seen] if arguments else []
        for fault in found if found and run.is_meant() else []:
            if (run.path, fault.detail) in seen:
                continue
            seen.add((run.path, fault.detail))
            start = fault.word.start if fault.word else run.command.words[0].start
            end = fault.word.end if fault.word else run.command.words[-1].end
            values = {"script": run.path, "detail": fault.detail}
            yield Match(text.document.path, run.unit.start + start, run.unit.start + end, values)


def faults(run: ScriptRun, arguments: Arguments) -> Iterator[Fault]:
    """What a script would say to a command."""
    reader = _Reader(arguments, run.loose)
    yield from reader.read(list(run.words))
    is_whole = run.unit.origin == "fence" and bool(run.words) and not run.loose and not reader.uncertain
    if is_whole and _EXITS.isdisjoint(word.text for word in run.words):
        yield from reader.lacking()


class _Reader:
    """Takes the words of a command, as the parser of the script does."""

    def __init__(self, arguments: Arguments, loose: bool, outer: Arguments | None = None) -> None:
        self.arguments, self.outer = arguments, outer
        self.uncertain = loose
        self.given: set[ScriptOption] = set()
        self.values: list[Word] = []
        self.inner: _Reader | None = None

    def read(self, words: list[Word]) -> Iterator[Fault]:
        while words:
            word = words.pop(0)
            if word.text == "--":
                self.values += words
                break
            if _OPTION().match(word.text) and not word.raw.startswith(("'", '"')):
                yield from self._option(word, words)
            elif self.arguments.commands and len(self.values) == sum(one.most for one in self.arguments.positionals):
                yield from self._command(word, words)
                return
            else:
                self.values.append(word)
        yield from self._positionals()

    def _option(self, word: Word, words: list[Word]) -> Iterator[Fault]:
        name, equals, value = word.text.partition("=")
        option = self.arguments.option(name)
        if option is None:
            if _SHORT().match(name) and not name.startswith("--") and (option := self.arguments.option(name[:2])):
                # `-abc`, or `-ovalue`.
                self.given.add(option)
                self.uncertain = True
                return
            self.uncertain = True
            yield Fault(word, self._unknown(name))
            return
        self.given.add(option)
        taken = [word._replace(text=value, raw=value)] if equals else self._taken(option, words)
        for one in taken:
            yield from _choice(one, option.name, option.choices)
        if not taken and option.least > 0 and not self.uncertain:
            yield Fault(word, f"needs a value for `{name}`")
        if option.most and option.least == 0:
            # What follows may be its value or not.
            self.uncertain = True

    def _taken(self, option: ScriptOption, words: list[Word]) -> list[Word]:
        taken: list[Word] = []
        while words and (option.most < 0 or len(taken) < option.most):
            if _OPTION().match(words[0].text) and (len(taken) >= option.least or self.arguments.option(words[0].text)):
                break
            taken.append(words.pop(0))
        return taken

    def _unknown(self, name: str) -> str:
        if self.outer is not None and self.outer.option(name):
            return f"takes `{name}` before its command, not behind it"
        for command, arguments in self.arguments.commands:
            if arguments.option(name):
                return f"takes `{name}` behind its command, such as `{command}`, not before it"
        known = [known for option in self.arguments.options for known in option.names if known not in _EXITS]
        return f"takes no `{short(name)}`{_near(name, known) or _listed('its options are', known)}"

    def _command(self, word: Word, words: list[Word]) -> Iterator[Fault]:
        known = dict(self.arguments.commands)
        if word.text in known:
            self.inner = _Reader(known[word.text], self.uncertain, self.arguments)
            yield from self.inner.read(words)
            self.uncertain = self.inner.uncertain
        else:
            self.uncertain = True
            if not _OPEN().search(word.text):
                hint = _near(word.text, list(known)) or _listed("its commands are", list(known))
                yield Fault(word, f"has no command `{short(word.text)}`{hint}")

    def _positionals(self) -> Iterator[Fault]:
        arguments = self.arguments
        if self.uncertain or not arguments.exact:
            return
        if len(arguments.positionals) == 1 or all(one.least == one.most == 1 for one in arguments.positionals):
            for at, word in enumerate(self.values):
                place = (
                    arguments.positionals[min(at, len(arguments.positionals) - 1)] if arguments.positionals else None
                )
                if place is not None and (at < len(arguments.positionals) or place.most < 0):
                    yield from _choice(word, place.name, place.choices)
        most = _most(arguments.positionals)
        if 0 <= most < len(self.values):
            word = self.values[most]
            number = "no arguments without an option" if not most else f"at most {most} without an option"
            yield Fault(word, f"takes {number}, and `{short(word.text)}` is one too many")

    def lacking(self) -> Iterator[Fault]:
        """What the script needs and was not given."""
        if self.inner is not None:
            yield from self.inner.lacking()
        names = [option.name for option in self.arguments.options if option.required and option not in self.given]
        if names:
            yield Fault(None, f"needs {_and(names)}")
        if not self.arguments.exact:
            return
        if self.arguments.needs_command and self.inner is None:
            yield Fault(
                None, f"needs a command{_listed('its commands are', [name for name, _ in self.arguments.commands])}"
            )
        least = sum(one.least for one in self.arguments.positionals)
        if len(self.values) < least:
            missing = [one.name for one in self.arguments.positionals if one.least][len(self.values) :]
            yield Fault(None, f"needs the argument {_and(missing)}")


def _most(positionals: Sequence[Positional]) -> int:
    return -1 if any(one.most < 0 for one in positionals) else sum(one.most for one in positionals)


def _choice(word: Word, name: str, choices: Sequence[str]) -> Iterator[Fault]:
    if not choices or word.text in choices or _OPEN().search(word.text) or not word.text:
        return
    hint = _near(word.text, choices) or _listed("the choices are", choices)
    yield Fault(word, f"takes no `{short(word.text)}` for `{name}`{hint}")


def _near(name: str, known: Sequence[str]) -> str:
    return nearest(name, known, "`{}`", _NEAR)


def _listed(words: str, names: Sequence[str]) -> str:
    if not names:
        return ""
    more = ", …" if len(names) > _SHOWN else ""
    return f"; {words} {', '.join(f'`{name}`' for name in names[:_SHOWN])}{more}"


def _and(names: Sequence[str]) -> str:
    return " and ".join(f"`{name}`" for name in names)
