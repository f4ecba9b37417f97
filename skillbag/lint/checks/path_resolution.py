"""Where a path in a text leads: within its skill, to another skill, out of the target, or nowhere."""

from __future__ import annotations

import os
from enum import StrEnum

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.text import TextFile
from skillbag.kernel.workspace.tree import LINK, PRUNED, SAMPLES

SUBFOLDERS = frozenset({"scripts", "references", "assets"})
"""The customary folders of a skill."""
FURTHER = frozenset({"resources", "reference", "rules", "guides", "templates", "examples"})
"""Other folders that skills keep texts in. Many projects have such folders too."""
BUILT = frozenset({"dist", "build", "out", "target", "node_modules", ".venv", "venv"})
"""Folders of what is made after a clone."""

_SAMPLE_NAME = late(r"(?<![a-z])(?:example|sample)(?![a-z])")
_SCHEME = late(r"[A-Za-z][A-Za-z0-9+.-]*:|[/~@\\]")
_TEMPLATE = late(r"[{}<>$*|^`\"\[\]\\…\s]|\.\.\.|NNN|XXX|YYYY|%[A-Z_]{3,}%")
_LINE_SUFFIX = late(r":\d+(?:[-:]\d+)*\Z")
_STAND_IN = late(r"(?i:path|to|(?:your|my|some)[-_.].*|path[-_]to.*)\Z|[A-Z]+(?:_[A-Z]+)+\Z")
_STAND_IN_NAMES = "path file filename link url image img picture example placeholder note page foo bar baz xxx"
_STAND_IN_STEMS = frozenset(_STAND_IN_NAMES.split())
_EXTENSION_NAMES = (
    "md markdown mdx mdc txt rst adoc py ipynb sh bash zsh ps1 bat js mjs cjs ts tsx jsx rb pl php go rs java kt c h"
    " cpp cs swift lua r sql json jsonl yaml yml toml ini cfg conf lock csv tsv xml xsd html htm css scss svg png jpg"
    " jpeg gif webp ico pdf docx xlsx pptx odt tex zip tar gz mp3 mp4 wav ttf otf woff dot mmd proto graphql j2 tpl"
)
_EXTENSIONS = frozenset(_EXTENSION_NAMES.split())


class WrittenPath(NamedTuple):
    """A path as written in a text, cleaned: `path` is empty for a place in the same file; `anchor` without `#`."""

    path: str
    anchor: str


class PathStatus(StrEnum):
    """The result of resolving a path."""

    FOUND = "found"
    MISSING = "missing"
    WRONG_CASE = "wrong-case"
    LEAVES_SKILL = "leaves-skill"
    LEAVES_TARGET = "leaves-target"
    ABSOLUTE = "absolute"


FAULTS = (PathStatus.MISSING, PathStatus.WRONG_CASE)
"""A path leads to no file."""


class ResolvedPath(NamedTuple):
    """Where a path leads; `path` is absolute: the file found, or the first one tried."""

    kind: PathStatus
    path: str


def read_written(target: str) -> WrittenPath | None:
    """The path and anchor of a link's target, or None if it is not a path but an address, a template or a word."""
    if target.startswith("#"):
        return WrittenPath("", _unquoted(target[1:]))
    if not target or _SCHEME().match(target) or _TEMPLATE().search(target):
        return None
    path, _, anchor = target.partition("#")
    path = _unquoted(_LINE_SUFFIX().sub("", path.partition("?")[0]))
    return WrittenPath(path, _unquoted(anchor)) if "\0" not in path and _is_path(path) else None


_CLIMB = late(r"(?:\./)?(?:\.\./)+[\w.][\w./ -]*\Z")


def read_climb(target: str) -> str | None:
    """The path of a link's target that climbs, whatever its extension; None for others and for stand-ins."""
    path = _unquoted(target.partition("#")[0].partition("?")[0])
    if "../" not in path:
        return None
    named = [part for part in path.split("/") if part not in ("", ".", "..")]
    is_climb = _CLIMB().match(path) and named and not any(_STAND_IN().match(part) for part in named)
    return path if is_climb else None


_PAGE = late(
    r"(?:\.\./){2,}(?:-/)?(?:"
    r"(?:blob|tree|raw|blame|edit|archive|compare|actions/workflows|releases/(?:tag|download))/.*"
    r"|(?:pulls?|pull-requests|merge_requests|issues|discussions|wikis?|releases|tags|actions|commits?|labels|milestones?"
    r"|projects|security|branches|graphs|network|pulse|packages|contributors|stargazers|forks?|pipelines|boards)"
    r"(?:/[^.]*)?)\Z"
)


def is_host_page(root: str, place: str) -> bool:
    """Whether a path out of the repository at `root` is a page of its code host: pull requests, issues, releases.

    Hosts show a file at `OWNER/REPOSITORY/blob/BRANCH/…`, so that two folders above the root are the repository's.
    """
    return _PAGE().match(os.path.relpath(place, root).replace(os.sep, "/")) is not None


_ABSOLUTE = late(r"/(?!/)[^\\]*|[A-Za-z]:[\\/].*|\\\\[\w.$-]+\\.*")
_SYSTEM_NAMES = "opt usr etc var tmp mnt media root srv private Volumes Library Applications"
_SYSTEM = frozenset(_SYSTEM_NAMES.split())
_HOMES = late(r"(?:/|[A-Za-z]:[\\/]+)(?:home|Users)[\\/]")
_SEPARATOR = late(r"[\\/]+")


def read_absolute(target: str) -> str | None:
    """The path of a link's target that is absolute or begins with a drive; None for others.

    Stand-ins and routes of sites are none. Those in the home of a user have a rule of their own.
    """
    if not target.startswith(("/", "\\")) and target[1:2] != ":":
        return None
    path = _unquoted(target.partition("#")[0].partition("?")[0])
    if not _ABSOLUTE().fullmatch(path) or _HOMES().match(path) or _TEMPLATE().search(path.replace("\\", "/")):
        return None
    parts = [part for part in _SEPARATOR().split(path) if part]
    if (
        not parts
        or any(_STAND_IN().match(part) for part in parts)
        or parts[-1].partition(".")[0].lower() in _STAND_IN_STEMS
    ):
        return None
    is_file = parts[-1].rpartition(".")[2].lower() in _EXTENSIONS and "." in parts[-1]
    return path if is_file or (len(parts) > 1 and (parts[0] in _SYSTEM or ":" in parts[0])) else None


def _unquoted(text: str) -> str:
    if "%" not in text:
        return text
    from urllib.parse import unquote

    return unquote(text)


def _is_path(path: str) -> bool:
    parts = path.rstrip("/").split("/")
    named = [part for part in parts if part not in (".", "..")]
    stem, dot, extension = parts[-1].rpartition(".")
    if not named:
        # `.` and `../..` always exist.
        return False
    if any(_STAND_IN().match(part) for part in named) or stem.lower() in _STAND_IN_STEMS:
        return False
    if len(parts) == 1:
        return bool(stem) and extension.lower() in _EXTENSIONS
    if "." in parts[0].lstrip("."):
        # `docs.example.org/page.html` is an address without a scheme.
        return False
    # Without an extension it may be a route of the site that the text was copied from.
    return named[0] in SUBFOLDERS or (bool(dot and stem) and extension.isalnum() and len(extension) <= 10)


class Locator:
    """Resolves the paths of one text.

    A path is resolved against the text's folder, then against its parents up to the root of the repository (without
    one: of the target), because texts name scripts there. Files outside are never looked for: a path that needs one
    leaves the tree. A copy of a repository without `.git` counts as one.
    """

    def __init__(self, text: TextFile) -> None:
        self.skill, self.base = text.skill, text.base
        self.folder = os.path.dirname(text.document.path)
        root = root_of(text)
        self.root = git.repository(root) or root

    def find(self, path: str) -> ResolvedPath:
        """The place that a relative path leads to."""
        place = self.near(path)
        if place.kind in (PathStatus.MISSING, PathStatus.LEAVES_TARGET) and (wide := self._wide):
            return self._find(path, *wide)
        return place

    def near(self, path: str) -> ResolvedPath:
        """The same without a look around a copied repository, which takes longer."""
        return self._find(path, self.root, self.enclosing)

    def _find(self, path: str, root: str, enclosing: list[str]) -> ResolvedPath:
        climbs = ".." in path.split("/")
        bases = self._climbing if climbs else enclosing
        # Most paths have nothing to normalise.
        if climbs or "./" in path or "//" in path or path[-1:] in "/." or os.sep != "/":
            places = [os.path.normpath(os.path.join(base, path)) for base in bases]
        else:
            places = [f"{base.rstrip('/')}/{path}" for base in bases]
        inside = [place for place in places if _is_below(root, place)]
        for place in inside:
            if self._exists(place):
                leaves = climbs and self._installed and not _is_below(self._installed, place)
                return ResolvedPath(PathStatus.LEAVES_SKILL if leaves else PathStatus.FOUND, place)
        if places[0] not in inside:
            return ResolvedPath(PathStatus.LEAVES_TARGET, places[0])
        found = next((cased for place in inside if (cased := self._in_other_case(place))), None)
        return ResolvedPath(PathStatus.WRONG_CASE, found) if found else ResolvedPath(PathStatus.MISSING, places[0])

    @cached_property
    def _installed(self) -> str:
        """The folder that is installed with the text: its skill's, or its plugin's; empty for others."""
        is_plugin = self.base not in ("", self.folder) and tracked.exists(
            os.path.join(self.base, ".claude-plugin", "plugin.json")
        )
        return self.skill.directory if self.skill else self.base if is_plugin else ""

    @cached_property
    def _climbing(self) -> list[str]:
        """The folders for paths with `..`: from others, they would lead to a file by chance."""
        return list(dict.fromkeys((self.folder, self.skill.directory if self.skill else self.base or self.folder)))

    @cached_property
    def enclosing(self) -> list[str]:
        """The folders from the text's own up to the root."""
        return _upward(self.folder, self.root)

    @cached_property
    def _wide(self) -> tuple[str, list[str]] | None:
        """The root of a copied repository and the folders from the text's own up to it."""
        root = None if tracked.exists(os.path.join(self.root, ".git")) else _copied_repository(self.root)
        return (root, _upward(self.folder, root)) if root else None

    def _exists(self, path: str) -> bool:
        skill = self.skill
        if skill is None or not path.startswith(skill.directory + os.sep):
            return tracked.exists(path)
        relative = path[len(skill.directory) + 1 :].replace(os.sep, "/")
        # The listing has all files of the folder in their exact case, except below links and pruned folders.
        return relative in skill.paths or (relative.startswith(self._opaque) and tracked.exists(path))

    @cached_property
    def _opaque(self) -> tuple[str, ...]:
        entries = self.skill.listing.entries if self.skill else ()
        pruned = (entry for entry in entries if entry.kind == LINK or os.path.basename(entry.relative) in PRUNED)
        return tuple(f"{entry.relative}/" for entry in pruned)

    def _in_other_case(self, place: str) -> str | None:
        """The file whose path is the same but for its case; outside of skills, but for that of its name."""
        if self.skill:
            return self._cased.get(place.casefold())
        folder, name = os.path.split(place)
        names = tracked.names(folder) if tracked.is_folder(folder) else ()
        return next((os.path.join(folder, each) for each in names if each.casefold() == name.casefold()), None)

    @cached_property
    def _cased(self) -> dict[str, str]:
        """The paths of the skill by their folded form."""
        paths = (entry.path for entry in self.skill.listing.entries) if self.skill else ()
        return {path.casefold(): path for path in paths}


_MARKS = (("LICENSE", "README.md"), ("LICENSE", "package.json"), (".github", "README.md"))


def _copied_repository(root: str) -> str | None:
    """The nearest folder above `root` with what repositories have at their top: a copy may lack `.git`."""
    for _ in range(_DEEPEST):
        root = os.path.dirname(root)
        if any(all(tracked.exists(os.path.join(root, name)) for name in names) for names in _MARKS):
            return root
    return None


_DEEPEST = 4
"""Folders between the top of a repository and the folder of its skills, at most."""


def _upward(folder: str, root: str) -> list[str]:
    folders = [folder]
    while folders[-1] not in (root, os.path.dirname(folders[-1])):
        folders.append(os.path.dirname(folders[-1]))
    return folders


def root_of(text: TextFile) -> str:
    """The root of the target that a text belongs to."""
    if text.skill is not None:
        return text.skill.root
    root = text.document.path
    for _ in text.relative.split("/"):
        root = os.path.dirname(root)
    return root


_CHANGELOGS = frozenset({"changelog", "changes", "history", "news", "releases", "release-notes", "release_notes"})


def is_changelog(relative: str) -> bool:
    """Whether a text tells what changed, by its name: it names files that were there once."""
    return relative.rpartition("/")[2].partition(".")[0].lower() in _CHANGELOGS


def _is_below(root: str, path: str) -> bool:
    return path == root or path.startswith(root.rstrip(os.sep) + os.sep)


def is_sample(relative: str) -> bool:
    """Whether a file of a skill is a sample or template, by its folders or its name."""
    *folders, name = relative.lower().split("/")
    if "template" in name or not SAMPLES.isdisjoint(folders):
        return True
    return "ample" in name and _SAMPLE_NAME().search(name) is not None
