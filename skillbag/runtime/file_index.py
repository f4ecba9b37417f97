"""The files of a workspace, arranged so that thousands of patterns are answered quickly (skill runtime, section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from skillbag.runtime.file_globs import SEPARATOR, Glob, compile_glob, has_wildcards
from skillbag.runtime.languages import languages_of

_MOST_DOTS = 4
"""Dots of extensions that are looked up; patterns with more of them are searched."""

_MOST_PATTERNS = 8192
"""Patterns that are known already."""

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
        is_folder, name, path = _parts(pattern)
        paths, names = (self._folders, self._folder_names) if is_folder else (self._files, self._names)
        # Names are answered faster than paths.
        found = names.find(name)
        return paths.find(path) if path and found else found


@lru_cache(maxsize=_MOST_PATTERNS)
def _parts(pattern: str) -> tuple[bool, str, str]:
    """Whether a pattern is that of a folder, its last name, and its path, which is empty for a name alone."""
    plain = pattern.removesuffix("/")
    name = plain.rpartition("/")[2]
    return plain != pattern, name, plain.removeprefix("/") if name != plain else ""


@lru_cache(maxsize=_MOST_PATTERNS)
def _matcher(pattern: str) -> Glob | str | None:
    """How a pattern is answered: by a glob, by an extension, or (None) as a plain name."""
    if not has_wildcards(pattern):
        return None
    return pattern[1:] if _EXTENSION.fullmatch(pattern) else compile_glob(pattern)


class _Names:
    """Names or paths that can be searched, each with the path that is told of it."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._text = SEPARATOR.join(["", *paths, ""])

    @cached_property
    def _by_extension(self) -> Mapping[str, str]:
        """The path of a name for each of its last ends that begin with a dot."""
        paths = self._paths
        found = {name[name.rfind(".") :]: paths[name] for name in reversed(list(paths))}
        for name in [name for name in paths if name.count(".") > 1]:
            dot = name.rfind(".")
            for _ in range(1, _MOST_DOTS):
                dot = name.rfind(".", 0, dot)
                if dot < 0:
                    break
                found.setdefault(name[dot:], paths[name])
        return found

    def find(self, pattern: str) -> str | None:
        """The path of the first name that matches."""
        matcher = _matcher(pattern)
        if matcher is None:
            return self._paths.get(pattern)
        if isinstance(matcher, str):
            return self._by_extension.get(matcher)
        literals, expression = matcher
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
    return {path[path.rfind("/") + 1 :]: paths[path] for path in reversed(list(paths))}
