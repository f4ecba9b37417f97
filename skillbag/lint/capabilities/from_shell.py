"""Facts of shell code: scripts, code blocks, commands in sentences, and command lines in calls of other languages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.hosts import UNKNOWN, bucket, bucket_of, classified, host_of
from skillbag.lint.capabilities.places import contacted, found_at
from skillbag.lint.capabilities.program_names import is_installed, like_a_program
from skillbag.lint.facts.units import Unit
from skillbag.lint.signals.hosts import FILE_ENDINGS
from skillbag.lint.signals.packages import marks_of, packages
from skillbag.lint.signals.programs import BUILTINS, ProgramRun, pipelines, plain_name, run_of
from skillbag.lint.signals.shell_commands import ShellCommand, Word, commands
from skillbag.lint.signals.variables import is_secret, shell_reads
from skillbag.lint.signals.writes import outside, written

_FETCHERS = frozenset(["curl", "wget", "http", "https", "xh", "aria2c"])
_STORES = frozenset(["aws", "gsutil", "gcloud", "s3cmd", "s5cmd", "rclone"])
_BROWSERS = frozenset(["agent-browser", "playwright", "playwright-cli", "chromium", "google-chrome", "lighthouse"])
_SENDS = late(r"(?:-d|--data(?:-\w+)?|-F|--form|-T|--upload-file|--json|--post-data|--post-file|--body-data)(?:=|\Z)")
_METHOD = late(r"(?:POST|PUT|PATCH|DELETE)\Z")
_REMOTE = late(r"(?:[\w.-]+@)([A-Za-z0-9.-]+)(?::|\Z)")
_BARE = late(r"(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,12}(?:/|\Z)")
_NAME = late(r"(?![A-Z_]{2,}+\Z)(?:~?/|\.{0,2}/)?[A-Za-z_][\w./~@+-]*(?<!\+)\Z")
_CONSOLE_WORDS = "msf msf5 msf6 use show set search options payloads sessions info exploit back run load skip"
_CONSOLE = frozenset(_CONSOLE_WORDS.split())
_IS_CONSOLE = late(
    r"(?m)^[^\n]{0,60}\buse[ \t]+(?:auxiliary|exploit|post|payload|multi)/|\bmsf\d?\b[^\n]{0,60}>|^[ \t]*@test\b"
)
"""Texts for the console of a program or for a runner of tests, with commands of their own."""
_COMPUTED = late(r"(?<!\w)([A-Z_]\w*)=(?:\"?\$\(|\"?`)")
_FUNCTION = late(r"(?m)^[ \t]*(?:function[ \t]+)?([A-Za-z_][\w-]*)[ \t]*\(\)(?=[ \t]*(?:[{(\r\n#]|\Z))")
_CURLS_VALUES_WORDS = "-H -X -o -u -A -e -b -c -w -m -x -K -r --header --request --output --user -d -F -T"
_CURLS_VALUES = frozenset(_CURLS_VALUES_WORDS.split())


def shell_facts(unit: Unit, text: str | None = None, offset: int = 0) -> Iterator[FoundFact]:
    """The facts of a unit, or of the command line `text` at `offset` in it."""
    reader = _Shell(unit, unit.text if text is None else text, offset)
    yield from reader.facts()


def called(unit: Unit, line: str, place: FactPlace, *marks: str) -> Iterator[FoundFact]:
    """The facts of a command line in a call of another language, at the place of the call."""
    for found in _Shell(unit, line, is_call=True).facts():
        if found.kind is not FactKind.VARIABLE:
            own = marks if found.kind is FactKind.PROGRAM else ()
            yield found._replace(place=place, marks=(*found.marks, *own))


@lru_cache(maxsize=4)
def _functions(text: str) -> frozenset[str]:
    """The functions that a whole file defines."""
    return frozenset(match[1] for match in _FUNCTION().finditer(text)) if "()" in text else frozenset()


@lru_cache(maxsize=4)
def _computed(text: str) -> frozenset[str]:
    """The variables that a whole file sets to what a command prints."""
    return frozenset(match[1] for match in _COMPUTED().finditer(text))


class _Shell:
    def __init__(self, unit: Unit, text: str, offset: int = 0, *, is_call: bool = False) -> None:
        self.unit, self.text, self.offset, self.is_call = unit, text, offset, is_call
        self.is_program = is_call or unit.origin == "script"
        self.functions = {match[1] for match in _FUNCTION().finditer(text)} if "()" in text else set()
        self.whole = unit.file.document.text

    def _found(self, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
        return found_at(self.unit, kind, value, self.offset + at, *marks, detail=detail)

    @cached_property
    def is_console(self) -> bool:
        """Whether the text is for the console of a program, or for a runner of tests."""
        return bool(_IS_CONSOLE().search(self.text))

    def facts(self) -> Iterator[FoundFact]:
        for line in pipelines(commands(self.text)):
            runs = [run_of(command) for command in line]
            for command, run in zip(line, runs, strict=True):
                yield from self._command(command, run)
        if "$" in self.text:
            for name, at in shell_reads(self.text):
                # What another block computes is not the user's.
                if self.is_program or name not in _computed(self.whole):
                    yield self._found(FactKind.VARIABLE, name, at, "secret" if is_secret(name) else "")

    def _command(self, command: ShellCommand, run: ProgramRun | None) -> Iterator[FoundFact]:
        for target in written(command, run):
            marks = ("system" if target.system else "", "removed" if target.removed else "")
            yield self._found(FactKind.WRITE_OUTSIDE, target.path, target.start, *marks)
        for redirect in command.redirects:
            if redirect.word.text.startswith(("/dev/tcp/", "/dev/udp/")):
                yield from self._connected(redirect.word)
        if not self.is_program:
            for word in command.words if run and run.name == "export" else ():
                name, given, _ = word.text.partition("=")
                if given and is_secret(name):
                    yield self._found(FactKind.VARIABLE, name, word.start, "secret", "set")
        if run is None:
            return
        yield from self._program(run)
        yield from self._rights(run)
        for package in packages(run):
            yield self._found(FactKind.PACKAGE, f"{package.manager}:{package.name}", run.start, *marks_of(package))
        yield from self._hosts(run)

    def _program(self, run: ProgramRun) -> Iterator[FoundFact]:
        name = plain_name(run)
        if name in BUILTINS or name in self.functions or name.startswith("$") or "$" in name:
            return
        if name.startswith("/") and not is_installed(name) and not self.is_call:
            # A command of an agent, or the path of a request; in a call it is a program.
            return
        if not _NAME().match(name):
            return
        if not self.is_program and (not like_a_program(name, run) or self._is_in_words(run)):
            return
        yield self._found(FactKind.PROGRAM, name, run.start)

    def _is_in_words(self, run: ProgramRun) -> bool:
        """Whether what seems to be a program is none.

        It may be a function of another block, a command of a console, a prompt (`name>`), or a part of an address
        (`path&name`).
        """
        after = run.start + len(run.name)
        before = self.text[max(run.start - 2, 0) : run.start]
        if run.name in _functions(self.whole) or (run.name in _CONSOLE and self.is_console):
            return True
        is_part = len(before) == 2 and before[1] == "&" and before[0] not in "& \t\n"
        return is_part or self.text[after : after + 1] == ">"

    def _rights(self, run: ProgramRun) -> Iterator[FoundFact]:
        for wrapper in run.wrappers:
            if wrapper in ("sudo", "doas"):
                yield self._found(FactKind.RIGHTS, f"{wrapper} {plain_name(run)}", run.start)
        name = plain_name(run)
        if name in ("sudo", "su", "doas", "pkexec"):
            yield self._found(FactKind.RIGHTS, name, run.start)
        elif name in ("chmod", "chown", "setcap") and len(run.arguments) > 1:
            mode, *paths = [word.text for word in run.arguments if not word.text.startswith("-") or "x" in word.text]
            if (name == "chmod" and mode in ("777", "0777", "666", "a+rwx", "a+w", "o+w", "ugo+rwx")) or (
                name == "chmod" and ("s" in mode or (len(mode) == 4 and mode[0] in "24 6"))
            ):
                yield self._found(FactKind.RIGHTS, f"chmod {mode}", run.start, "everyone")
            elif name != "chmod":
                yield self._found(FactKind.RIGHTS, name, run.start)
            elif not any(map(outside, paths)):
                yield self._found(FactKind.RIGHTS, f"chmod {mode}", run.start, "own-file")

    def _hosts(self, run: ProgramRun) -> Iterator[FoundFact]:
        name = plain_name(run)
        sends = any(_SENDS().match(text) for text in run.texts) or any(map(_METHOD().match, run.texts))
        if name in _FETCHERS:
            for word in _values(run.arguments, run.texts, wget=name == "wget"):
                host = host_of(word.text)
                if host is None and _is_bare(word.text):
                    host = classified(word.text.partition("/")[0])
                if host is None and word.text.startswith(("$", "${")):
                    host = UNKNOWN
                if host is not None:
                    yield self._host(host, word, "sends" if sends else "")
        elif name in ("scp", "rsync", "ssh", "sftp"):
            for word in run.arguments:
                if (match := _REMOTE().match(word.text)) and (host := classified(match[1])):
                    yield self._host(host, word, "sends" if name != "ssh" else "")
        elif name in _STORES:
            yield from self._buckets(run)
        elif name in _BROWSERS:
            for word in run.arguments:
                if (host := host_of(word.text)) is not None:
                    yield self._host(host, word, "")
        elif name == "git" and run.texts[:1] in (("clone",), ("push",), ("pull",), ("fetch",)):
            for word in run.arguments:
                match = _REMOTE().match(word.text)
                host = host_of(word.text) or (classified(match[1]) if match else None)
                if host:
                    yield self._host(host, word, "sends" if run.texts[0] == "push" else "")

    def _buckets(self, run: ProgramRun) -> Iterator[FoundFact]:
        """Buckets of object stores; what is named last is written."""
        places = [word for word in run.arguments if not word.text.startswith("-")]
        for before, word in zip(("", *run.texts), run.arguments, strict=False):
            found = bucket(word.text) if before == "--bucket" else bucket_of(word.text)
            if found is not None:
                sends = word is places[-1] and any(verb in run.texts for verb in ("cp", "mv", "sync", "copy", "put"))
                yield self._host(found, word, "sends" if sends or "put-object" in run.texts else "")

    def _connected(self, word: Word) -> Iterator[FoundFact]:
        """The host of a connection that the shell opens by itself."""
        name = word.text.split("/")[3]
        host = UNKNOWN if "$" in name else classified(name)
        if host:
            yield self._host(host, word, "sends")

    def _host(self, host: str, word: Word, sends: str) -> FoundFact:
        return contacted(self.unit, host, word.text, self.offset + word.start, sends)


def _is_bare(text: str) -> bool:
    """Whether it is an address without a scheme, and no file."""
    name = text.partition("/")[0]
    return bool(_BARE().match(text)) and name.rpartition(".")[2] not in FILE_ENDINGS


def _values(words: Sequence[Word], texts: Sequence[str], *, wget: bool) -> Iterator[Word]:
    """The words that are no options and no values of the options of curl."""
    files = ("-O", "-P", "-i", "--output-document") if wget else ()
    for index, word in enumerate(words):
        if word.text.startswith("-"):
            if word.text == "--url" or word.text.startswith("--url="):
                yield word._replace(text=word.text.removeprefix("--url="))
            continue
        if index and (texts[index - 1] in _CURLS_VALUES or texts[index - 1] in files):
            continue
        yield word
