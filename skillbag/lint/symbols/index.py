"""An index of all symbols of a target. After a change only the files of one skill are read again."""

from __future__ import annotations

import os
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from operator import attrgetter

from skillbag.kernel.fs.read import overlay
from skillbag.kernel.standard.context_blocks import ANY_SKILL
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import SkillFolder, Target
from skillbag.kernel.workspace.tree import PRUNED
from skillbag.lint.symbols.units import SkillUnit, read_top, read_unit, top_paths
from skillbag.lint.symbols.values import FileSymbols, Occurrence, Role, Symbol, SymbolKind, skill_symbol

_start = attrgetter("start")

Contents = Mapping[str, bytes]
"""What editors show of files, by absolute path, in place of what is on the disk."""


class SymbolIndex:
    """The symbols of one target, read when they are first needed.

    `changed` says which files may have another content since; only these are read again.
    """

    def __init__(self, target: Target) -> None:
        self.target = target
        self._units: dict[str, SkillUnit] = {}
        self._files: dict[str, FileSymbols] = {}
        self._by_symbol: dict[Symbol, dict[str, list[Occurrence]]] = {}
        self._defined: Counter[Symbol] = Counter()
        self._aliases: dict[Symbol, tuple[Symbol, ...]] = {}
        self._tops = frozenset(top_paths(target))
        self._pending: set[str] | None = None
        self._stamps: dict[str, Stamp | None] = {}

    def changed(self, paths: Iterable[str] | None = None) -> None:
        """Note that these absolute paths may have changed; None for any."""
        if paths is None:
            self._pending = None
        elif self._pending is not None:
            self._pending.update(paths)

    def refresh(self, contents: Contents | None = None, pause: Callable[[], object] = bool) -> None:
        """Read what has changed; `contents` replace files. `pause` is called before each skill that is read."""
        if self._pending is not None and not self._pending:
            return
        with overlay(contents or {}):
            if self._pending is None or any(self._is_new(path) for path in self._pending):
                self._refresh_all({self._folder_of(path) for path in contents or ()}, pause)
            else:
                self._refresh(self._pending)
        self._pending = set()
        self._aliases = self._other_names()

    def _is_new(self, path: str) -> bool:
        """Whether a path may make or remove a skill."""
        unit = self._unit_of(path)
        if unit is not None:
            return not os.path.isdir(unit.folder.path)
        return any(os.path.isdir(folder) for folder in self._skill_folders_around(path))

    def _skill_folders_around(self, path: str) -> Iterator[str]:
        for root in self.target.skill_roots:
            name, inside, _ = path.removeprefix(root + os.sep).partition(os.sep)
            if inside and path.startswith(root + os.sep):
                yield os.path.join(root, name)

    def _unit_of(self, path: str) -> SkillUnit | None:
        folder = self._folder_of(path)
        return self._units[folder] if folder else None

    def _folder_of(self, path: str) -> str | None:
        """The folder of the known skill that a file is in."""
        folder = os.path.dirname(path)
        while len(folder) >= len(self.target.root):
            if folder in self._units:
                return folder
            folder = os.path.dirname(folder)
        return None

    def _refresh_all(self, opened: Container[str | None], pause: Callable[[], object]) -> None:
        """Read the skills whose files have other stamps, and those that were or are `opened` in an editor."""
        folders = {folder.path: folder for folder in Workspace(self.target).skill_folders}
        for path in self._units.keys() - folders.keys():
            self._stamps.pop(path, None)
            self._replace(self._units.pop(path).files, ())
        for path, folder in folders.items():
            stamp = None if path in opened else stamp_of(path)
            if stamp is None or self._stamps.get(path) != stamp:
                pause()
                self._refresh_unit(folder)
                self._stamps[path] = stamp
        self._refresh_top()

    def _refresh(self, paths: Iterable[str]) -> None:
        units = {unit.folder.path: unit.folder for path in paths if (unit := self._unit_of(path))}
        for folder in units.values():
            self._stamps[folder.path] = None
            self._refresh_unit(folder)
        if not self._tops.isdisjoint(paths):
            self._refresh_top()

    def _refresh_unit(self, folder: SkillFolder) -> None:
        before = self._units.get(folder.path)
        unit = read_unit(folder, self.target.root, {file.path: file for file in before.files} if before else {})
        self._units[folder.path] = unit
        self._replace(before.files if before else (), unit.files)

    def _refresh_top(self) -> None:
        before = tuple(self._files[path] for path in self._tops if path in self._files)
        self._replace(before, tuple(read_top(self.target, {file.path: file for file in before})))

    def _replace(self, before: Iterable[FileSymbols], after: Iterable[FileSymbols]) -> None:
        """Exchange the files of a unit; those that are the same stay as they are."""
        new = {file.path: file for file in after}
        for file in before:
            if new.get(file.path) is not file:
                self._remove(file)
        for file in new.values():
            if self._files.get(file.path) is not file:
                self._add(file)

    def _remove(self, file: FileSymbols) -> None:
        self._files.pop(file.path, None)
        self._defined.subtract(_definitions(file))
        for symbol in {occurrence.symbol for occurrence in file.occurrences}:
            places = self._by_symbol[symbol]
            del places[file.path]
            if not places:
                del self._by_symbol[symbol]

    def _add(self, file: FileSymbols) -> None:
        self._files[file.path] = file
        self._defined.update(_definitions(file))
        for occurrence in file.occurrences:
            self._by_symbol.setdefault(occurrence.symbol, {}).setdefault(file.path, []).append(occurrence)

    @property
    def skills(self) -> Iterator[SkillUnit]:
        """The skills, in order of their folders."""
        return (unit for _, unit in sorted(self._units.items()) if self._defined[unit.symbol] > 0)

    def skill_at(self, path: str) -> SkillUnit | None:
        """The skill that a file is in."""
        return self._unit_of(path)

    def file(self, path: str) -> FileSymbols | None:
        """What is in a file."""
        return self._files.get(path)

    def at(self, path: str, offset: int) -> Occurrence | None:
        """The occurrence at an offset of a file, or that ends there, if its symbol is defined."""
        file = self._files.get(path)
        if file is None:
            return None
        number = bisect_right(file.occurrences, offset, key=_start) - 1
        if number < 0 or file.occurrences[number].end < offset:
            return None
        occurrence = file.occurrences[number]
        return occurrence if self._counts(occurrence) else None

    def in_file(self, path: str) -> Iterator[Occurrence]:
        """The occurrences in a file whose symbols are defined."""
        file = self._files.get(path)
        return filter(self._counts, file.occurrences) if file else iter(())

    def definitions(self, symbol: Symbol) -> list[Occurrence]:
        """Where a symbol is defined, in order."""
        return self._of(symbol, (Role.DEFINITION,))

    def references(self, symbol: Symbol) -> list[Occurrence]:
        """Where a symbol is used or mentioned, in order; mentions of what nothing defines are left out."""
        is_defined = self.is_defined(symbol)
        return self._of(symbol, (Role.REFERENCE, Role.MENTION) if is_defined else (Role.REFERENCE,))

    def occurrences(self, symbol: Symbol) -> list[Occurrence]:
        """Where a symbol is defined, used and mentioned, in order."""
        found = self.definitions(symbol) + self.references(symbol)
        return sorted(found, key=attrgetter("path", "start"))

    def symbols(self, kind: SymbolKind) -> Iterator[Symbol]:
        """The symbols of a kind that have a definition, or, of tags, any use."""
        return (symbol for symbol in self._by_symbol if symbol.kind is kind and self.is_defined(symbol))

    def is_defined(self, symbol: Symbol) -> bool:
        """Whether anything defines a symbol; a tag needs no definition."""
        if symbol.kind is SymbolKind.TAG:
            return symbol in self._by_symbol
        if symbol.kind is SymbolKind.PARAMETER and symbol.skill == ANY_SKILL:
            return True
        return any(self._defined[name] > 0 for name in self.names(symbol))

    def _counts(self, occurrence: Occurrence) -> bool:
        return occurrence.role is Role.DEFINITION or self.is_defined(occurrence.symbol)

    def _of(self, symbol: Symbol, roles: tuple[Role, ...]) -> list[Occurrence]:
        found = [
            each
            for name in self.names(symbol)
            for places in self._by_symbol.get(name, {}).values()
            for each in places
            if each.role in roles
        ]
        return sorted(found, key=attrgetter("path", "start"))

    def names(self, symbol: Symbol) -> list[Symbol]:
        """A symbol under all its names: a skill is known by its folder's as well; `*` stands for its parameters."""
        if symbol.kind is SymbolKind.PARAMETER and symbol.skill != ANY_SKILL:
            return [symbol, symbol._replace(skill=ANY_SKILL)]
        return [symbol, *self._aliases.get(symbol, ())]

    def _other_names(self) -> dict[Symbol, tuple[Symbol, ...]]:
        """The names of the skills that are named otherwise than their folders, each with the other one."""
        found: dict[Symbol, tuple[Symbol, ...]] = {}
        for unit in self._units.values():
            folder = skill_symbol(unit.folder.name)
            if unit.symbol != folder and self._defined[folder] <= 0:
                found[folder] = (*found.get(folder, ()), unit.symbol)
                found[unit.symbol] = (*found.get(unit.symbol, ()), folder)
        return found

    def units_of(self, symbol: Symbol) -> list[SkillUnit]:
        """The skills with a name."""
        names = set(self.names(symbol))
        return [unit for unit in self.skills if unit.symbol in names or skill_symbol(unit.folder.name) in names]


def _definitions(file: FileSymbols) -> Iterator[Symbol]:
    return (each.symbol for each in file.occurrences if each.role is Role.DEFINITION)


Stamp = int
"""The hash, in this process, of each file and folder with its path, when it changed, its size, and which it is."""

_NS = 1_000_000_000
_SETTLED = 2 * _NS
"""Nanoseconds after a change in which a further one may have the same time: some file systems count by two seconds."""


def stamp_of(folder: str) -> Stamp | None:
    """The stamp of a folder as it is; None where the next one can't be compared with it: read the files then."""
    try:
        facts = tuple(sorted(_facts(folder)))
    except OSError:
        return None
    newest = max(max(fact[1], fact[2]) for fact in facts)
    return hash(facts) if newest < time.time_ns() - _SETTLED else None


def _facts(folder: str) -> Iterator[tuple[str, int, int, int, int]]:
    pending = [folder]
    while pending:
        path = pending.pop()
        status = os.stat(path)
        yield path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in PRUNED:
                        pending.append(entry.path)
                    continue
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
