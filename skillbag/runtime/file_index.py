"""The files of a workspace, arranged so that thousands of patterns are answered quickly (skill runtime, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from skillbag.runtime.file_globs import SEPARATOR, compile_glob, has_wildcards
from skillbag.runtime.languages import languages_of

_MOST_DOTS = 4
"""Dots of extensions that are looked up; patterns with more of them are searched."""

_EXTENSION = re.compile(rf"\*(\.[^*?\[/.]+){{1,{_MOST_DOTS}}}")


class FileIndex:
    """Files by their relative paths, with `/`, and the folders that hold them. `languages` are those of the files."""

    def __init__(self, paths: Iterable[str]) -> None:
        files = {path: path for path in paths if path}
        folders = {folder: f"{folder}/" for folder in _folders(files)}
        names = _by_name(files)
        self.languages = languages_of(names)
        self._files, self._names = _Names(files), _Names(names)
        self._folders, self._folder_names = _Names(folders), _Names(_by_name(folders))
        self._found: dict[str, str | None] = {}

    def find(self, pattern: str) -> str | None:
        """The path of a file, or folder with a final `/`, that the pattern matches; None if there is none.

        A pattern is compared with base names; with a `/` in it, with paths from the root. One that ends with `/` is
        that of a folder.
        """
        if pattern not in self._found:
            self._found[pattern] = self._search(pattern)
        return self._found[pattern]

    def _search(self, pattern: str) -> str | None:
        plain = pattern.removesuffix("/")
        paths, names = (self._files, self._names) if plain == pattern else (self._folders, self._folder_names)
        if "/" not in plain:
            return names.find(plain)
        last = plain.rpartition("/")[2]
        # Names are answered faster than paths.
        return None if last != "**" and names.find(last) is None else paths.find(plain.removeprefix("/"))


class _Names:
    """Names or paths that can be searched, each with the path that is told of it."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._text = SEPARATOR.join(["", *paths, ""])

    @cached_property
    def _by_extension(self) -> Mapping[str, str]:
        """The path of a name for each of its last ends that begin with a dot."""
        found: dict[str, str] = {}
        for name, path in self._paths.items():
            dot = name.rfind(".")
            for _ in range(_MOST_DOTS):
                if dot < 0:
                    break
                found.setdefault(name[dot:], path)
                dot = name.rfind(".", 0, dot)
        return found

    def find(self, pattern: str) -> str | None:
        """The path of the first name that matches."""
        if not has_wildcards(pattern):
            return self._paths.get(pattern)
        if _EXTENSION.fullmatch(pattern):
            return self._by_extension.get(pattern[1:])
        literals, expression = compile_glob(pattern)
        if not all(literal in self._text for literal in literals):
            return None
        candidates = self._holding(min(literals, key=self._text.count))
        return next((self._paths[name] for name in candidates if expression.match(name)), None)

    def _holding(self, literal: str) -> Iterator[str]:
        """The names that hold a literal."""
        text = self._text
        place = text.find(literal)
        while 0 <= place < len(text) - 1:
            start = text.rfind(SEPARATOR, 0, place + 1) + 1
            end = text.find(SEPARATOR, start)
            yield text[start:end]
            place = text.find(literal, end)


def _folders(paths: Iterable[str]) -> Iterator[str]:
    """Every folder on the way to a file, each once."""
    seen: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and folder not in seen:
            seen.add(folder)
            yield folder
            folder = folder.rpartition("/")[0]


def _by_name(paths: Mapping[str, str]) -> dict[str, str]:
    """The paths by their base names; of several, the first."""
    found: dict[str, str] = {}
    for path, shown in paths.items():
        found.setdefault(path.rpartition("/")[2], shown)
    return found
