"""Packages that files of dependencies name: `package.json`, `requirements.txt`, `pyproject.toml`, PEP 723."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from typing import Any

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.from_code import code_facts
from skillbag.lint.capabilities.places import shortened
from skillbag.lint.facts.units import Unit
from skillbag.lint.signals.packages import Package, marks_of, packages
from skillbag.lint.signals.programs import ProgramRun
from skillbag.lint.signals.shell_commands import Word

_REQUIREMENTS = late(r"requirements[\w.-]*\.(?:txt|in)\Z")
_SCRIPT = late(r"(?m)^# /// script[ \t]*\r?\n((?:#(?: [^\r\n]*)?\r?\n)+?)# ///[ \t]*\r?$")
_REST = late(r"[ \t]+#.*|[ \t]*;.*|[ \t]+--hash.*")
_GROUPS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_INSTALLING = ("preinstall", "install", "postinstall", "prepare")
"""Scripts that npm runs when a package is installed."""
_LOCAL = ("workspace:", "file:", "link:", "portal:")


def dependency_facts(file: TextFile) -> Iterator[FoundFact]:
    """The packages that a file of dependencies names, and the scripts of `package.json`."""
    name = file.relative.rpartition("/")[2].lower()
    text = file.document.text
    if name == "package.json":
        yield from _package_json(file)
    elif name == "pyproject.toml":
        yield from _required(file, _toml_list(text, "project", "dependencies"))
    elif name.startswith("requirements") and _REQUIREMENTS().match(name):
        yield from _required(file, text.splitlines())
    elif file.language == "python" and "# /// script" in text and (header := _SCRIPT().search(text)):
        lines = [line.rstrip("\r")[2:] for line in header[1].split("\n")]
        yield from _required(file, _toml_list("\n".join(lines), "dependencies"), header.start())


def _toml_list(text: str, *keys: str) -> list[str]:
    """The texts of the list that keys lead to."""
    try:
        value: Any = tomllib.loads(text.replace("\r\n", "\n"))
    except (tomllib.TOMLDecodeError, RecursionError):
        return []
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return [line for line in value if isinstance(line, str)] if isinstance(value, list) else []


def _found(file: TextFile, package: Package, at: int) -> FoundFact:
    place = FactPlace(file.relative, *file.document.position(max(at, 0)))
    return FoundFact(FactKind.PACKAGE, f"{package.manager}:{package.name}", place, ("script", *marks_of(package)))


def _required(file: TextFile, lines: Iterable[str], start: int = 0) -> Iterator[FoundFact]:
    """The packages of lines as pip reads them; an index that one line sets counts for all."""
    given = [line.strip() for line in lines]
    indexes = [
        word for line in given if line.startswith(("-i", "--index", "--extra", "--find")) for word in line.split()
    ]
    for line in given:
        if not line or (line.startswith(("#", "-")) and not line.startswith(("-e ", "--editable "))):
            continue
        words = _REST().sub("", line).removeprefix("-e ").removeprefix("--editable ").split()
        name, _, address = " ".join(words).partition(" @ ")
        for package in _pip(indexes, address or "".join(words)):
            yield _found(
                file, package._replace(name=name) if address else package, file.document.text.find(line, start)
            )


def _pip(indexes: Iterable[str], what: str) -> Iterator[Package]:
    words = tuple(Word(text, text, 0, 0) for text in ("install", *indexes, what))
    return packages(ProgramRun("pip", words, (), 0))


def _package_json(file: TextFile) -> Iterator[FoundFact]:
    text = file.document.text
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if not isinstance(value, dict):
        return
    for group in _GROUPS:
        items = value.get(group)
        start = text.find(f'"{group}"')
        for name, version in items.items() if isinstance(items, dict) else ():
            if isinstance(version, str) and not version.startswith(_LOCAL):
                foreign = "/" in version and not version.startswith("npm:")
                package = Package("npm", name, version[:1].isdigit() and "x" not in version, foreign=foreign)
                yield _found(file, package, text.find(json.dumps(name), start))
    scripts = value.get("scripts")
    for name, command in scripts.items() if isinstance(scripts, dict) else ():
        if isinstance(command, str):
            yield from _script(file, name, command)


def _script(file: TextFile, name: str, command: str) -> Iterator[FoundFact]:
    """What a script of `package.json` does; one that runs with an installation is a hook."""
    at = max(file.document.text.find(json.dumps(name), file.document.text.find('"scripts"')), 0)
    place = FactPlace(file.relative, *file.document.position(at))
    if name in _INSTALLING:
        yield FoundFact(FactKind.HOOK, f"npm {name}", place, (), shortened(command, 200))
    for found in code_facts(Unit("shell", command, at, "script", file)):
        yield found._replace(place=place)
