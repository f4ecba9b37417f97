"""The files of a workspace, arranged so that thousands of patterns are answered quickly (skill runtime, section 3)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from skillbag.runtime.triggers.file_globs import SEPARATOR, FileGlob, compile_glob, has_wildcards
from skillbag.runtime.triggers.languages import languages_of

_MAX_DOTS = 4
"""Dots of extensions that are looked up; patterns with more of them are searched."""

_MAX_PATTERNS = 8192
"""Patterns that are known already."""

_EXTENSION = re.compile(rf"\*(\.[^*?\[/.]+){{1,{_MAX_DOTS}}}")


class FileIndex:
    """Files by their relative paths, with `/`, and the folders that hold them. `languages` are those of the files."""

    def __init__(self, paths: Iterable[str]) -> None:
        files = {path: path for path in paths if path}
        split = [path.rpartition("/") for path in files]
        folders = _with_parents(dict.fromkeys([folder for folder, _, _ in split]))
        names = _first([name for _, _, name in split], files.values())
        self.languages = languages_of(names)
        self._files, self._names = _Names(files), _Names(names)
        of_folders = _first([folder.rpartition("/")[2] for folder in folders], folders.values())
        self._folders, self._folder_names = _Names(folders), _Names(of_folders)
        self._found: dict[str, str | None] = {}

    def find(self, pattern: str) -> str | None:
        """The path of a file, or folder with a final `/`, that the pattern matches; None if there is none.

        A pattern is compared with base names; with a `/` in it, with paths from the root. One that ends with `/` is
        that of a folder.
        """
        if pattern not in self._found:
            is_folder, name, path = _compiled(pattern)
            paths, names = (self._folders, self._folder_names) if is_folder else (self._files, self._names)
            # Names are answered faster than paths.
            found = names.find(name)
            self._found[pattern] = paths.find(path) if path and found else found
        return self._found[pattern]


class _Matcher(NamedTuple):
    """How a pattern of a name or path is answered: as it stands, by its extension, or by a glob."""

    plain: str | None
    extension: str | None = None
    glob: FileGlob | None = None


@lru_cache(maxsize=_MAX_PATTERNS)
def _compiled(pattern: str) -> tuple[bool, _Matcher, _Matcher | None]:
    """Whether a pattern is that of a folder, its last name, and its path; None for a name alone."""
    plain = pattern.removesuffix("/")
    name = plain.rpartition("/")[2]
    return plain != pattern, _matcher(name), _matcher(plain.removeprefix("/")) if name != plain else None


def _matcher(pattern: str) -> _Matcher:
    if not has_wildcards(pattern):
        return _Matcher(pattern)
    if _EXTENSION.fullmatch(pattern):
        return _Matcher(None, pattern[1:])
    return _Matcher(None, None, compile_glob(pattern))


class _Names:
    """Names or paths that can be searched, each with the path to report."""

    def __init__(self, paths: Mapping[str, str]) -> None:
        self._paths = paths
        self._text = SEPARATOR.join(["", *paths, ""])

    @cached_property
    def _by_extension(self) -> Mapping[str, str]:
        """The path of a name for each of its last ends that begin with a dot."""
        paths = self._paths
        # The end of a name without a dot has none, either.
        ends = [dot + end for _, dot, end in [name.rpartition(".") for name in paths]]
        found = _first(ends, paths.values())
        for name in [name for name in paths if name.count(".") > 1]:
            dot = name.rfind(".")
            for _ in range(1, _MAX_DOTS):
                dot = name.rfind(".", 0, dot)
                if dot < 0:
                    break
                found.setdefault(name[dot:], paths[name])
        return found

    def find(self, matcher: _Matcher) -> str | None:
        """The path of the first name that matches."""
        plain, extension, glob = matcher
        if plain is not None:
            return self._paths.get(plain)
        if extension is not None:
            return self._by_extension.get(extension)
        assert glob is not None  # noqa: S101 - one of the three
        literals, expression = glob
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


def _with_parents(folders: Iterable[str]) -> dict[str, str]:
    """These folders and all on the way to them, each with a final `/` as its value."""
    found: dict[str, str] = {}
    for folder in folders:
        while folder and folder not in found:
            found[folder] = f"{folder}/"
            folder = folder.rpartition("/")[0]
    return found


def _first(keys: Sequence[str], values: Collection[str]) -> dict[str, str]:
    """The first value of each key."""
    return dict(zip(reversed(keys), reversed([*values]), strict=True))
