"""Facts of PowerShell code, read from its statements; nothing is parsed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FoundFact
from skillbag.lint.capabilities.from_code import code_facts, host_facts
from skillbag.lint.capabilities.places import found_at
from skillbag.lint.facts.line_languages import POWERSHELL
from skillbag.lint.facts.units import Unit
from skillbag.lint.facts.uses import Use, UseKind
from skillbag.lint.facts.values import ActKind, OriginKind
from skillbag.lint.signals.programs import KNOWN
from skillbag.lint.signals.variables import is_secret

_COMMENT = late(r"(?m)(?:^|(?<=[ \t;{]))#[^\r\n]*+")
_NO_BREAK = late(r"[^\r\n]")
_STATEMENT = late(r"[^\r\n`]*+(?:`(?:\r?\n)?+[^\r\n`]*+)*+")
_SENDS = [form for form, kind in POWERSHELL.does if kind is ActKind.SENDS]
_CONTACTS = [*_SENDS, *(form for form, kind in POWERSHELL.takes if kind is OriginKind.DOWNLOAD)]
_ADDRESS = late(r"(?i)(?:https?|ftp|wss?)://[^\s\"'`)}>,;]+")
_GIVEN = late(r"(?i)(?:-ur[il][ \t:]+|\([ \t]*|^[ \t]*)(\$[\w:.]{1,60})")
_READ = late(r"(?i)\$\{?env:(\w+)\}?(?![ \t]*[+.]?=(?!=))|GetEnvironmentVariable\([ \t]*[\"'](\w+)")
_MODULE = late(
    r"(?i)(?<![\w-])install-(?:module|script|package|psresource)[ \t]+(?:-name[ \t]+)?[\"']?([A-Za-z][\w.-]*)"
    r"([^\r\n;|]*)"
)
_STARTED = late(
    r"(?i)(?:(?<![\w-])start-process[ \t]+(?:-filepath[ \t]+)?|(?:^|[;|={(])[ \t]*&[ \t]*)"
    r"(?:[\"']([^\"'\r\n$]{1,200})[\"']|([\w.\\/:-]+)|(\$[\w:.]+))"
)
_WORD = late(r"[ \t]*(?:\$\w+[ \t]*=[ \t]*)?([\w.-]+)(?=[ \t]|\Z)")
_WRITE = late(r"(?i)(?<![\w-])(?:out-file|(?:set|add)-content|(?:new|copy|move|remove)-item|tee-object)(?![\w-])|>>?")
_OUTSIDE = late(
    r"(?i)(?:~|\$home|\$(?:\{env:|env:)(?:userprofile|appdata|localappdata|programdata|windir|systemroot)\}?"
    r"|[a-z]:\\(?:windows|program files(?: \(x86\))?|programdata|users))(?=[\\/\"'\s]|\Z)(?:[\\/][^\"'\r\n;|,)\s]*)?"
)
_SYSTEM = late(r"(?i)\$\{?env:(?:programdata|windir|systemroot)|[a-z]:\\(?:windows|program)")
_RIGHTS = late(r"(?i)-verb[ \t]+[\"']?runas|(?<![\w-])set-executionpolicy(?:[ \t]+(?:-\w+[ \t]+)?\w+)?")
_ORDINARY_WORDS = """
    path userprofile appdata localappdata temp tmp home computername username programfiles programdata windir
    systemroot systemdrive os processor_architecture psmodulepath comspec"""
_ORDINARY = frozenset(_ORDINARY_WORDS.split())


def powershell_facts(unit: Unit) -> Iterator[FoundFact]:
    """The facts of a script or a code block."""
    text = _without_comments(unit.text)
    for statement in _STATEMENT().finditer(text):
        if statement[0].strip():
            yield from _statement(unit, statement)


def _without_comments(text: str) -> str:
    """The text with its comments as blanks."""
    parts, at = [], 0
    while (begin := text.find("<#", at)) >= 0 and (end := text.find("#>", begin)) >= 0:
        parts += [text[at:begin], _NO_BREAK().sub(" ", text[begin : end + 2])]
        at = end + 2
    return _COMMENT().sub(lambda match: " " * len(match[0]), "".join([*parts, text[at:]]))


def _statement(unit: Unit, statement: re.Match[str]) -> Iterator[FoundFact]:
    text, start = statement[0], statement.start()
    if any(form().search(text) for form in _CONTACTS):
        yield from _hosts(unit, text, start)
    for match in _READ().finditer(text):
        name = match[1] or match[2]
        if name.lower() not in _ORDINARY:
            yield found_at(unit, FactKind.VARIABLE, name, start + match.start(), "secret" if is_secret(name) else "")
    for match in _MODULE().finditer(text):
        pinned = "pinned" if "requiredversion" in match[2].lower() else "unpinned"
        yield found_at(unit, FactKind.PACKAGE, f"powershell:{match[1]}", start + match.start(), pinned, "global")
    for match in _RIGHTS().finditer(text):
        value = "run as administrator" if match[0].startswith("-") else match[0]
        yield found_at(unit, FactKind.RIGHTS, value, start + match.start())
    if write := _WRITE().search(text):
        for match in _OUTSIDE().finditer(text):
            system = "system" if _SYSTEM().match(match[0]) else ""
            removed = "removed" if write[0].lower() == "remove-item" else ""
            yield found_at(unit, FactKind.WRITE_OUTSIDE, match[0], start + match.start(), system, removed)
    yield from _programs(unit, text, start)


def _hosts(unit: Unit, text: str, start: int) -> Iterator[FoundFact]:
    sends = ("sends",) if any(form().search(text) for form in _SENDS) else ()
    addresses = [*_ADDRESS().finditer(text)]
    for match in addresses:
        yield from host_facts(unit, Use(UseKind.CONTACTS, (match[0],), start + match.start(), sends, match[0]))
    if not addresses and (given := _GIVEN().search(text)):
        yield from host_facts(unit, Use(UseKind.CONTACTS, (), start + given.start(1), sends, given[1]))


def _programs(unit: Unit, text: str, start: int) -> Iterator[FoundFact]:
    for match in _STARTED().finditer(text):
        at = start + match.start()
        if match[3]:
            yield found_at(unit, FactKind.PROGRAM, "(decided at run time)", at, "run-time")
        else:
            name = (match[1] or match[2]).replace("\\", "/").removesuffix(".exe")
            yield found_at(unit, FactKind.PROGRAM, name, at)
    word = _WORD().match(text)
    if word and word[1].lower().removesuffix(".exe") in _SHARED:
        line = text[word.start(1) :].replace("`", " ").replace("\\", "/")
        for found in code_facts(unit.within("shell", start + word.start(1), line)):
            if found.kind in (FactKind.PROGRAM, FactKind.PACKAGE) or (found.kind is FactKind.HOST and word[1] == "git"):
                yield found


_SHARED = (KNOWN | {"choco", "scoop", "winget", "schtasks", "reg", "cmd", "icacls", "msiexec", "rundll32"}) - frozenset(
    ["curl", "wget", "cd", "echo", "cp", "mv", "rm", "ls", "cat"]
)
"""Programs whose command lines read alike in both shells; the others are names of its own commands."""
