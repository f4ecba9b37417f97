"""The steps of shell code: pipelines, substitutions, variables and files pass on what commands read.

Words are expanded with the values that the text itself assigns; nothing is run.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.facts.flow import WHOLE
from skillbag.lint.facts.paths import file_name, secret_kind
from skillbag.lint.facts.shell_effect import NOTHING, Effect
from skillbag.lint.facts.shell_effects import SHELLS, effect_of
from skillbag.lint.facts.shell_functions import arguments, arrays, shell_functions
from skillbag.lint.facts.shell_links import PARAMETERS, ShellLinks, parameter
from skillbag.lint.facts.shell_words import expanded, texts_of, variables_in
from skillbag.lint.facts.skill_files import FilesBeside, member
from skillbag.lint.facts.values import LOGIN, Act, ActKind, Origin, OriginKind, Step
from skillbag.lint.signals.programs import ProgramRun, pipelines, run_of
from skillbag.lint.signals.shell_commands import ShellCommand, Word, commands

_DECLARING = frozenset(["export", "local", "declare", "readonly", "typeset"])
_OPENERS = frozenset(["for", "while", "until", "if", "{", "case"])
_CLOSERS = frozenset(["done", "fi", "}", "esac"])
_PICKERS = frozenset(["grep", "awk", "sed", "cut", "jq", "rg", "egrep"])
"""Programs that take some fields or lines."""
_SECRET = late(r"(?i)key|token|secret|pass|cred|auth")
_LONGEST_PREFIX = 20
_MAX_VALUES = 8
_STREAMS = 2
"""The last of the streams that a program has from the start."""
_ASSIGNMENT = late(r"([A-Za-z_]\w*)\+?=")


def shell_steps(text: str, files: FilesBeside, prefix: str = "") -> list[Step]:
    """The steps of a script, block or command line; `prefix` keeps its names of pipes apart from those of others."""
    return ShellReader.steps(text, prefix, files)


GIVEN = "__given"
"""The variable that stands for what a call of another language puts into a command line."""


def given_steps(text: str, given: Step, start: int, end: int, files: FilesBeside) -> list[Step]:
    """The steps of a command line in a call of another language, at the place of the call.

    `given` has what the call puts in where the text has `$__given`.
    """
    found: list[Step] = []
    for step in shell_steps(text, FilesBeside(files.skill), f"({start}"):
        placed = step.at(start, end)
        if f"${GIVEN}" in step.uses:
            placed = placed._replace(uses=step.uses | given.uses, sources=placed.sources + given.sources)
        found.append(placed._replace(acts=tuple(act._replace(nested=True) for act in placed.acts)))
    return found


class ShellReader:
    """A reader of one text, command by command, with what its variables are at that place."""

    def __init__(self, prefix: str, files: FilesBeside) -> None:
        self.prefix, self.files, self.links = prefix, files, ShellLinks(files)
        self.found: list[Step] = []
        self.values: dict[str, list[str]] = {"IFS": [" "]}
        # Substitutions whose outer command is still to come: where they stand, and the name of what they print.
        self.inner: list[tuple[int, int, str]] = []
        # What was printed so far, and from where on in the loops and groups that are open.
        self.printed: list[str] = []
        self.filled: list[str] = []
        # The functions of the text by the offsets of their braces, and those that are open.
        self.functions: dict[int, str] = {}
        self.bodies: list[str] = []
        self.arrays: dict[str, list[str]] = {}
        self.aliases: dict[str, str] = {}
        self.folder = self.host = ""
        self.open: list[int] = []

    @classmethod
    def steps(cls, text: str, prefix: str, files: FilesBeside) -> list[Step]:
        """The steps of a text."""
        reader = cls(prefix, files)
        reader.read(text)
        reader.found += reader.links.own_steps(reader.found, reader.printed, {*reader.functions.values()})
        return reader.found

    def read(self, text: str) -> None:
        """Read the commands of a text."""
        lines = [*pipelines(commands(text))]
        self.functions = shell_functions(text)
        self.arrays = arrays(text)
        self.values.update(self.arrays)
        self.values.update(arguments(lines, frozenset(self.functions.values())))
        for line in lines:
            self.pipeline(line)

    def ran(self, command: ShellCommand, run: ProgramRun | None, effect: Effect) -> None:
        """Take note of a command that was read; for readers of what it uses."""

    def pipeline(self, line: Sequence[ShellCommand]) -> None:
        """Read the commands of one pipeline, in the order of its data."""
        before = ""
        for number, command in enumerate(line):
            name = f"{self.prefix}|{command.pipeline}.{number}"
            self._command(command, before, name)
            before = name
        self.printed.append(before)
        if line[0].depth:
            self.inner.append((line[0].start, line[-1].end, before))

    def _substituted(self, command: ShellCommand) -> list[tuple[int, str]]:
        """Where the substitutions in the words of a command are, and the names of what they print."""
        found = list[tuple[int, str]]()
        while self.inner and command.start <= self.inner[-1][0] and self.inner[-1][1] <= command.end + 1:
            start, _, name = self.inner.pop()
            found.append((start, name))
        return found

    def _block(self, command: ShellCommand) -> tuple[list[str], list[str]]:
        """Begin or end a loop, a group or a function; what was printed in one that ends, and what its `read` fills."""
        first = command.words[0].raw if command.words else ""
        if first in _OPENERS or command.start in self.functions:
            self.open.append(len(self.printed))
            self.bodies.append(self.functions.get(command.start, ""))
            self._loop(command)
        elif first in _CLOSERS and self.open:
            printed = self.printed[self.open.pop() :]
            if name := self.bodies.pop():
                self.found.append(Step((f"{name}()",), frozenset(printed)))
            return printed, self.filled if first == "done" else []
        return [], []

    def _command(self, command: ShellCommand, before: str, output: str) -> None:
        inner = self._substituted(command)
        printed, filled = self._block(command)
        words = self._without_alias(expanded(command.words, self.values))
        run = run_of(command._replace(words=words))
        effect = effect_of(run, bool(before)) if run is not None else NOTHING
        self.ran(command, run, effect)
        logins = [word for word in command.words if word.start in effect.aside]
        is_login = {name: any(word.start <= at < word.end for word in logins) for at, name in inner}
        substituted = {name for name, aside in is_login.items() if not aside}
        uses = {*substituted, *printed}
        if before and effect.has_input:
            uses.add(before)
        elif run is not None and not before and self.links.has_input(run, effect):
            uses.add(self.files.member("stdin"))
        if run is not None:
            self._inner_code(run)
        names = [file_name(texts_of(each.word, self.values)[0]) for each in command.redirects]
        redirected = [(each.operator, name, each.word) for each, name in zip(command.redirects, names, strict=True)]
        reads = [*effect.reads, *(name for sign, name, _ in redirected if sign == "<")]
        stored = (name for sign, name, _ in redirected if sign in (">", ">>", ">|", "&>", "&>>"))
        writes = [*effect.writes, *(name for name in stored if not name.startswith("/dev/"))]
        uses.update(self._variables(word for word in command.words if word.start not in effect.aside))
        picking = run is not None and run.name in _PICKERS and not _SECRET().search(" ".join(run.texts))
        picks = frozenset(uses if picking else ())
        uses.update(f"file:{name}" for name in map(self._file, reads))
        uses.update(self._folders(effect.reads))
        sources = [*effect.sources, *self._secrets(map(self._file, reads), command)]
        if picking:
            sources = [source for source in sources if source.kind not in WHOLE]
        sources += self._received(redirected, command)
        acts = [*effect.acts, *self._connections(redirected)]
        if command.words and command.words[0].raw.startswith(("$(", "`")) and substituted:
            acts.append(Act(ActKind.RUNS, "", "a substitution", command.start, command.end))
        defines = [f"file:{self._file(name)}" for name in writes]
        defines += [f"dir:{self._file(name)}" for name in effect.folders]
        defines += [] if writes and redirected and not substituted and effect.is_quiet else [output]
        defines += filled  # What a loop reads from a file gets into the variables of its `read`.
        if run is not None:
            self.filled = [*self._read_into(run)] or self.filled
            defines += self._read_into(run)
            uses |= self._called(run, frozenset(uses), tuple(sources))
            given = [*([before] if before else []), *(f"file:{name}" for sign, name, _ in redirected if sign == "<")]
            self._started(run, command, given, set(is_login), output)
        self._logged_in(effect, logins, {name for name, aside in is_login.items() if aside})
        self._assigned(command, words, frozenset(uses), tuple(sources))
        if uses or sources or acts:  # Most commands take nothing and do nothing that counts.
            self.found.append(Step(tuple(defines), frozenset(uses - picks), tuple(sources), tuple(acts), picks))

    def _logged_in(self, effect: Effect, logins: Sequence[Word], printed: set[str]) -> None:
        """What a command that sends gets as its login."""
        sent = [each._replace(means=f"{each.means}{LOGIN}") for each in effect.acts if each.kind is ActKind.SENDS]
        if logins and sent:
            names = {f"${name}" for word in logins for name in variables_in(word)}
            self.found.append(Step((), frozenset(printed | names), (), tuple(sent)))

    def _variables(self, words: Iterable[Word]) -> Iterator[str]:
        """The variables that words use; in the body of a function its arguments are its own."""
        function = next(filter(None, reversed(self.bodies)), "")
        return (parameter(function, name) for word in words for name in variables_in(word))

    def _called(self, run: ProgramRun, uses: frozenset[str], sources: tuple[Origin, ...]) -> set[str]:
        """What a function gives, of this text or of a file that it sources, and what that file gives."""
        if sourced := self.links.sourced(run):
            path, given = sourced
            for name, text in given.variables.items():
                self.found.append(Step((f"${name}",), frozenset([member(path, f"${name}")])))
                if "$" not in text and "`" not in text:
                    self.values[name] = [text]
        if run.name in self.functions.values():
            self.found.append(Step(tuple(parameter(run.name, name) for name in PARAMETERS), uses, sources))
            return {f"{run.name}()"}
        if path := self.links.functions.get(run.name, ""):
            self.found.append(Step((member(path, f"{run.name}#"),), uses, sources))
            return {member(path, f"{run.name}()")}
        return set()

    def _started(
        self, run: ProgramRun, command: ShellCommand, given: Sequence[str], substituted: set[str], output: str
    ) -> None:
        """What a program of the skill gets by this command, and what it prints."""
        started = self.links.started(run) if self.files.skill is not None else None
        if started is None:
            return
        own = [match[1] for word in command.assigned if (match := _ASSIGNMENT().match(word.text))]
        variables = [*self.links.exported, *own]
        self.found += self.links.start_steps(*started, given, variables, frozenset(substituted))
        self.found.append(Step((output,), frozenset([member(started[0], "stdout")])))

    def _inner_code(self, run: ProgramRun) -> None:
        """The code in the words of `eval`, and what a shell is given in a call of another language."""
        if len(self.prefix) >= _LONGEST_PREFIX:
            return
        if run.name == "eval" and not any("$" in text or "`" in text for text in run.texts):
            steps = ShellReader.steps(" ".join(run.texts), f"{self.prefix}(", FilesBeside(self.files.skill))
            start, end = run.start, run.arguments[-1].end if run.arguments else run.start
            self.found += [step.at(start, end) for step in steps]
        if not self.prefix.startswith("(") or run.name.rpartition("/")[2] not in SHELLS:
            return
        for option, word in zip(run.texts, run.arguments[1:], strict=False):
            if option.startswith("-") and option.endswith("c"):
                self.found += ShellReader.steps(word.text, f"{self.prefix}(", FilesBeside(self.files.skill))
                return

    def _without_alias(self, words: tuple[Word, ...]) -> tuple[Word, ...]:
        """The words of a command with those that an alias stands for."""
        if not words or words[0].text not in self.aliases:
            return words
        first = words[0]
        return (*(first._replace(text=text, raw=text) for text in self.aliases[first.text].split()), *words[1:])

    def _loop(self, command: ShellCommand) -> None:
        """The variable of a `for` loop has the values of the words after it."""
        if [word.raw for word in command.words[:3:2]] == ["for", "in"]:
            values = [text for word in command.words[3:] for text in texts_of(word, self.values)]
            self.values[command.words[1].text] = values[:_MAX_VALUES]

    def _read_into(self, run: ProgramRun) -> Iterator[str]:
        if run.name in ("read", "mapfile", "readarray"):
            yield from (f"${word.text}" for word in run.arguments if not word.text.startswith("-"))
        elif run.name == "cd" and run.arguments:
            self.folder = posixpath.normpath(posixpath.join(self.folder, file_name(run.arguments[0].text)))

    def _assigned(
        self, command: ShellCommand, words: Sequence[Word], uses: frozenset[str], sources: tuple[Origin, ...]
    ) -> None:
        """The variables that a command sets, with what it substitutes."""
        given = list(command.assigned)
        if words and words[0].text == "alias":
            self.aliases.update(
                (name, value) for name, sign, value in (w.text.partition("=") for w in words[1:]) if sign
            )
        if words and words[0].text in _DECLARING:
            given += command.words[1:]
        for word in given:
            if match := _ASSIGNMENT().match(word.text):
                name, value = match[1], word._replace(text=word.text[match.end() :], raw=word.raw[match.end() :])
                known = [text for text in texts_of(value, self.values) if "$(" not in text and "`" not in text]
                if known and (value.text or name not in self.arrays):
                    self.values[name] = known
                used = uses.union(self._variables([word]))
                if command.words and command.words[0].text in ("export", "declare", "typeset"):
                    self.links.exported.append(name)
                self.found.append(Step((f"${name}",), used, sources))

    def _file(self, name: str) -> str:
        return posixpath.normpath(posixpath.join(self.folder, name)) if self.folder else name

    def _folders(self, names: Iterable[str]) -> Iterator[str]:
        """The folders that a file may have been unpacked into."""
        for name in map(self._file, names):
            folder = posixpath.dirname(name)
            while True:
                yield f"dir:{folder or '.'}"
                if not folder or folder == posixpath.dirname(folder):
                    break
                folder = posixpath.dirname(folder)

    def _secrets(self, names: Iterable[str], command: ShellCommand) -> Iterator[Origin]:
        for name in names:
            if kind := secret_kind(name):
                yield Origin(kind, name, command.start, command.end)

    def _connections(self, redirected: Iterable[tuple[str, str, Word]]) -> Iterator[Act]:
        """Connections that the shell opens by itself."""
        for sign, name, word in redirected:
            if name.startswith(("/dev/tcp/", "/dev/udp/")):
                self.host = name.split("/")[3]
            is_open = sign == ">&" and name.isdigit() and int(name) > _STREAMS and self.host
            if (">" in sign and name.startswith(("/dev/tcp/", "/dev/udp/"))) or is_open:
                yield Act(ActKind.SENDS, self.host, "/dev/tcp", word.start, word.end)

    def _received(self, redirected: Iterable[tuple[str, str, Word]], command: ShellCommand) -> Iterator[Origin]:
        """What comes from a connection that the shell has opened."""
        for sign, name, _ in redirected:
            if sign == "<&" and name.isdigit() and int(name) > _STREAMS and self.host:
                yield Origin(OriginKind.DOWNLOAD, self.host, command.start, command.end)
