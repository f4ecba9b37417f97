"""Facts of code: what the readers of `facts` say that it uses, and the command lines that it starts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FoundFact
from skillbag.lint.capabilities.hosts import bucket_of, host_of, is_public
from skillbag.lint.capabilities.places import found_at, shortened
from skillbag.lint.facts.readers import uses_of
from skillbag.lint.facts.shell_links import sourced
from skillbag.lint.facts.units import Unit
from skillbag.lint.facts.uses import UNKNOWN, Use, UseKind
from skillbag.lint.signals.hosts import FILE_ENDINGS
from skillbag.lint.signals.packages import marks_of, packages
from skillbag.lint.signals.programs import BUILTINS, KNOWN, ProgramRun, plain_name
from skillbag.lint.signals.variables import ORDINARY, is_secret
from skillbag.lint.signals.writes import is_system, outside


def code_facts(unit: Unit) -> Iterator[FoundFact]:
    """The facts of a script or a code block in a language whose uses are read."""
    for use in uses_of(unit):
        match use.kind:
            case UseKind.CONTACTS:
                yield from host_facts(unit, use)
            case UseKind.STARTS if use.run:
                yield from run_facts(unit, use.run)
            case UseKind.STARTS:
                yield from _programs(unit, use)
            case UseKind.VARIABLE:
                yield from _variables(unit, use)
            case UseKind.ALL_VARIABLES:
                yield found_at(unit, FactKind.VARIABLE, "(all)", use.start, "all")
            case UseKind.WRITES:
                yield from _writes(unit, use)


def host_facts(unit: Unit, use: Use) -> Iterator[FoundFact]:
    """The hosts that code contacts, or how it has an address that is decided at run time."""
    known = False
    is_given = unit.language == "shell" and bool(_GIVEN().match(use.shown))
    for text in use.texts:
        address = text.replace(UNKNOWN, "{}")
        host = host_of(address) if (store := bucket_of(address)) is None else store
        # A path is one of the server that the code belongs to.
        known = known or bool(host) or (host is None and not is_given and ("://" in text or text[:1] == "/"))
        if host:
            public = "public-address" if is_public(host) else ""
            yield found_at(unit, FactKind.HOST, host, use.start, *use.marks, public)
    if use.shown and not known:
        yield found_at(unit, FactKind.UNKNOWN_HOST, shortened(use.shown, 60), use.start, *use.marks)


_GIVEN = late(r"(?:\w++://)?+(?:[^/@]*+@)?+[^/:]*\$")
"""Where a variable has the host, what is written down is only what it may be."""


def _programs(unit: Unit, use: Use) -> Iterator[FoundFact]:
    unknown = found_at(unit, FactKind.PROGRAM, "(decided at run time)", use.start, "run-time", *use.marks)
    if not use.texts:
        yield unknown
    for line in use.texts:
        if line.lstrip("\"' ").startswith(UNKNOWN):
            yield unknown
        for found in code_facts(unit._replace(language="shell", text=line.replace(UNKNOWN, "$_"), origin=_CALL)):
            if found.kind is not FactKind.VARIABLE:
                own = use.marks if found.kind is FactKind.PROGRAM else ()
                marks = (unit.origin, *(mark for mark in found.marks if mark != _CALL), *own)
                yield found._replace(place=unknown.place, marks=marks)


_CALL = "call"
"""The origin of a command line in a call of another language."""


def _variables(unit: Unit, use: Use) -> Iterator[FoundFact]:
    is_block = unit.language == "shell" and unit.origin not in ("script", _CALL)
    for name in use.texts:
        # What another block computes is not the user's; what a block sets, the user is to fill in.
        is_own = not is_block if use.marks else is_block and name in _computed(unit.file.document.text)
        if name and UNKNOWN not in name and name not in ORDINARY and not is_own:
            yield found_at(unit, FactKind.VARIABLE, name, use.start, "secret" if is_secret(name) else "", *use.marks)


_COMPUTED = late(r"(?<!\w)([A-Z_]\w*)=(?:\"?\$\(|\"?`)")


@lru_cache(maxsize=4)
def _computed(text: str) -> frozenset[str]:
    """The variables that the blocks of a file set to what a command prints."""
    return frozenset(match[1] for match in _COMPUTED().finditer(text))


def _writes(unit: Unit, use: Use) -> Iterator[FoundFact]:
    for text in use.texts:
        path = outside(text.partition(UNKNOWN)[0])
        if path is not None and (len(path) > 1 or UNKNOWN not in text):
            yield found_at(
                unit, FactKind.WRITE_OUTSIDE, path, use.start, "system" if is_system(path) else "", *use.marks
            )


_NAME = late(r"(?![A-Z_]{2,}+\Z)(?:~?/|\.{0,2}/)?[A-Za-z_][\w./~@+-]*(?<!\+)\Z")
_CONSOLE_WORDS = "msf msf5 msf6 use show set search options payloads sessions info exploit back run load skip"
_CONSOLE = frozenset(_CONSOLE_WORDS.split())
_IS_CONSOLE = late(
    r"(?m)^[^\n]{0,60}\buse[ \t]+(?:auxiliary|exploit|post|payload|multi)/|\bmsf\d?\b[^\n]{0,60}>|^[ \t]*@test\b"
)
"""Texts for the console of a program or for a runner of tests, with commands of their own."""


def run_facts(unit: Unit, run: ProgramRun) -> Iterator[FoundFact]:
    """The facts of a program that a unit of shell code starts."""
    if _is_program(unit, run):
        yield found_at(unit, FactKind.PROGRAM, plain_name(run), run.start)
    yield from _rights(unit, run)
    for package in packages(run):
        yield found_at(unit, FactKind.PACKAGE, f"{package.manager}:{package.name}", run.start, *marks_of(package))


def _is_program(unit: Unit, run: ProgramRun) -> bool:
    name = plain_name(run)
    if name in BUILTINS or not _NAME().match(name):
        return False
    if name.startswith("/") and not is_installed(name) and unit.origin != "call":
        # A command of an agent, or the path of a request; in a call it is a program.
        return False
    return unit.origin in ("script", "call") or (like_a_program(name, run) and not _is_in_words(unit, run))


def _is_in_words(unit: Unit, run: ProgramRun) -> bool:
    """Whether what seems to be a program is none.

    It may be a function of another block, a command of a console, a prompt (`name>`), or a part of an address
    (`path&name`).
    """
    after = run.start + len(run.name)
    before = unit.text[max(run.start - 2, 0) : run.start]
    if run.name in sourced(unit.file.document.text).functions or (
        run.name in _CONSOLE and _IS_CONSOLE().search(unit.text)
    ):
        return True
    is_part = len(before) == 2 and before[1] == "&" and before[0] not in "& \t\n"
    return is_part or unit.text[after : after + 1] == ">"


def _rights(unit: Unit, run: ProgramRun) -> Iterator[FoundFact]:
    name = plain_name(run)
    for wrapper in run.wrappers:
        if wrapper in ("sudo", "doas"):
            yield found_at(unit, FactKind.RIGHTS, f"{wrapper} {name}", run.start)
    if name in ("sudo", "su", "doas", "pkexec") or (name in ("chown", "setcap") and len(run.arguments) > 1):
        yield found_at(unit, FactKind.RIGHTS, name, run.start)
    elif name == "chmod" and len(run.arguments) > 1:
        mode, *paths = [text for text in run.texts if not text.startswith("-") or "x" in text]
        is_open = mode in _OPEN or "s" in mode or (len(mode) == 4 and mode[0] in "24 6")
        if is_open or not any(map(outside, paths)):
            yield found_at(unit, FactKind.RIGHTS, f"chmod {mode}", run.start, "everyone" if is_open else "own-file")


_OPEN = frozenset(["777", "0777", "666", "a+rwx", "a+w", "o+w", "ugo+rwx"])


_OF_SENTENCE = late(r"-{0,2}[A-Za-z]{2,}[,.;]\Z")
_SETTING = late(r"[a-z][\w-]*=")
_OF_CODE = frozenset(["class", "const", "def", "from", "import", "var"])
"""How lines of other languages begin that stand in a block of shell code; `import -window root x` is a program."""
_NO_PROGRAM = FILE_ENDINGS | {"conf", "service", "pem", "crt", "key", "db", "sqlite"}


def like_a_program(name: str, run: ProgramRun) -> bool:
    """Whether the first word of a line in a document is a program: no title, no placeholder, no output."""
    first = name[:1]
    return (
        not (first.isupper() and "/" not in name)
        and ("/" not in name or name.startswith(("./", "../", "~/", "/", "scripts/", "bin/")) or _has_extension(name))
        and not (first == "." and not name.startswith(("./", "../")))
        and not name.endswith((":", ".", ",", "/"))
        and not (name.startswith(("/", "~/")) and name.rpartition(".")[2] in _NO_PROGRAM and not _has_extension(name))
        and (name in KNOWN or name == "dd" or not _has_only_settings(run))
        and not any(text in ("=", "->", "=>", "|") for text in run.texts[:1])
        and "..." not in name
        and not (name in _OF_CODE and not "".join(run.texts[:1]).startswith("-"))
        and (name in KNOWN or not any(_OF_SENTENCE().match(text) for text in run.texts))
    )


def _has_only_settings(run: ProgramRun) -> bool:
    """Whether all that follows a name is `key=value`: a call of a tool, or an element of a pipeline of media."""
    texts = run.texts[: run.texts.index("!")] if "!" in run.texts else run.texts
    return bool(run.texts) and all(map(_SETTING().match, texts))


def _has_extension(name: str) -> bool:
    return name.endswith((".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl", ".exe", ".ps1"))


def is_installed(path: str) -> bool:
    """Whether an absolute path is one of a program: in a folder of programs, or of a user."""
    return path.startswith(("/usr/", "/bin/", "/sbin/", "/opt/", "/home/", "/Users/", "/Applications/", "/snap/"))
