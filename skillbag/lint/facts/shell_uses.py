"""What shell code uses, by the tables of programs that flows are followed with."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.lint.facts.paths import file_name
from skillbag.lint.facts.shell_effect import Effect, address, contact
from skillbag.lint.facts.shell_steps import ShellReader
from skillbag.lint.facts.shell_words import texts_of, variables_in
from skillbag.lint.facts.skill_files import FilesBeside
from skillbag.lint.facts.uses import Use, UseKind
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.programs import ProgramRun, plain_name
from skillbag.lint.signals.shell_commands import ShellCommand, Word
from skillbag.lint.signals.variables import is_secret, shell_reads

_CHANGING = frozenset(["mkdir", "touch", "rm", "rmdir", "truncate", "shred", "chmod", "chown"])
_REMOVING = frozenset(["rm", "rmdir", "shred"])


def shell_uses(text: str) -> Iterator[Use]:
    """The uses of a script, block or command line."""
    reader = _Reader("", FilesBeside())
    reader.read(text)
    yield from reader.uses
    if "$" in text:
        yield from (Use(UseKind.VARIABLE, (name,), at) for name, at in shell_reads(text))


class _Reader(ShellReader):
    def __init__(self, prefix: str, files: FilesBeside) -> None:
        super().__init__(prefix, files)
        self.uses: list[Use] = []

    def ran(self, command: ShellCommand, run: ProgramRun | None, effect: Effect) -> None:
        """Take note of a command that was read, by what it uses."""
        for redirect in command.redirects:
            path = texts_of(redirect.word, self.values)[0]
            if path.startswith(("/dev/tcp/", "/dev/udp/")):
                self.uses.append(contact(redirect.word, path.split("/")[3], sends=True))
            elif redirect.operator in (">", ">>", ">|", "&>", "&>>"):
                self.uses.append(Use(UseKind.WRITES, (path,), redirect.word.start))
        if run is None:
            return
        written = {word.start: word for word in command.words}
        if run.name not in self.functions.values() and _is_certain(run, written[run.start]):
            self.uses.append(Use(UseKind.STARTS, (plain_name(run),), run.start, run=run))
        if run.name == "export":
            names = [(word.text.partition("=")[0], word.start) for word in run.arguments if "=" in word.text]
            self.uses += (Use(UseKind.VARIABLE, (name,), at, ("set",)) for name, at in names if is_secret(name))
        found = [*_written(run, effect), *(effect.contacts or _of_flow(effect))]
        self.uses += (use if use.start == run.start else self._known(use, written[use.start]) for use in found)

    def _known(self, use: Use, word: Word) -> Use:
        """A use with all that its word may be, shown as it is written."""
        if not use.texts:
            return use._replace(shown=word.text if word.text.startswith("$") else "")
        texts = [address(text) if use.kind is UseKind.CONTACTS else text for text in texts_of(word, self.values)]
        return use._replace(texts=tuple(texts) if len(texts) > 1 else use.texts, shown=word.text if use.shown else "")


_COMPARING = frozenset("= == != =~ -eq -ne -lt -gt -le -ge".split())  # noqa: SIM905


def _is_certain(run: ProgramRun, word: Word) -> bool:
    """Whether a word names a program, though it is written as a variable: no side of a comparison, no argument."""
    is_argument = any(name.isdigit() for name in variables_in(word))
    return "$" not in word.text or not (is_argument or _COMPARING.intersection(run.texts[:1]))


def _of_flow(effect: Effect) -> Iterator[Use]:
    """The hosts that something comes from or is sent to."""
    for origin in effect.sources:
        if origin.kind is OriginKind.DOWNLOAD:
            yield Use(UseKind.CONTACTS, (address(origin.what),), origin.start)
    for act in effect.acts:
        if act.kind is ActKind.SENDS and act.to:
            yield Use(UseKind.CONTACTS, (address(act.to),), act.start, ("sends",), act.to)


def _written(run: ProgramRun, effect: Effect) -> Iterator[Use]:
    """What a program makes, changes or removes."""
    name = run.name.rpartition("/")[2]
    edits = name in _CHANGING or (name == "sed" and any(text.startswith(("-i", "--in-place")) for text in run.texts))
    filled = {*effect.writes, *effect.folders}
    for word in run.arguments if edits or filled else ():
        path = file_name(word.text)
        if not word.text.startswith("-") and (edits or any(f"{each}/".startswith(f"{path}/") for each in filled)):
            yield Use(UseKind.WRITES, (word.text,), word.start, ("removed",) if name in _REMOVING else ())
