"""What agents read at the start of each session: its imports and paths, and a size that is read as a whole."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import scan
from skillbag.kernel.documents.source import Document, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.hosts.model import HostFacts
from skillbag.kernel.hosts.table import HOSTS
from skillbag.kernel.model.findings import TextEdit
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.host_file import HostFile
from skillbag.kernel.workspace.host_files import MEMORY
from skillbag.kernel.workspace.host_folders import HostFolder
from skillbag.kernel.workspace.model import Inventory
from skillbag.kernel.workspace.target import ENTRYPOINT, SKILL_FILE
from skillbag.kernel.workspace.text import TextFile
from skillbag.kernel.workspace.tree import TEST_DATA, in_samples
from skillbag.lint.checks.host_commands import is_made
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short

_FILE = late(
    r"(?i)\.(?:mdc?|txt|rst|json[c5]?|ya?ml|toml|py|sh|bash|[cm]?[jt]s|[jt]sx|rb|go|rs|java|kt|swift|php|sql|css|html?)\Z"
)
_IMPORT = late(r"(?<!\S)@(?P<path>(?:[^\s`\"'<>()\[\]{}|*,;\\@$]|\\ )+)")
_BREAKS = r"\s`\"'()<>\[\]{}|*,;:\\@$~#&?%="
_WORD = late(rf"(?<![^\s`\"'(=:\[,])[^{_BREAKS}]+")
_ODD = late(r"[<>{}*$|\\@~#=\"'():;,]|\.\.\.|(?:^|\s)[-/]|\w\s+\w+/")
"""What shows that words in code with a blank are a command or a pattern, and no path."""
_LATER = late(
    r"(?i)(?<![\w./-])(?:creat|generat|writ|produc|output|add|renam|mov|delet|remov|deprecat|legacy|example|e\.g\.|"
    r"such as|sav|stor|copy|copied|install|download|will|would|might|should (?:be|go)|new|was|were|former|previous|old|"
    r"migrat|template|mkdir|touch|cp|mv|rm)"
)
"""Words before a path that is not there yet, or not any more."""
_COMMON_NAMES = "agents app changelog claude config contributing deploy gemini index license main marketplace memory"
_COMMON = frozenset(
    (*_COMMON_NAMES.split(), "package", "plugin", "readme", "settings", "setup", "skill", "test", "utils")
)
"""Names of files that stand in many folders, without their ending."""
_INVENTED = frozenset({"path", "to", "your", "my", "foo", "bar", "baz", "example", "examples", "xxx", "project"})
_UPWARDS = 5
"""Folders that are looked into where no repository is around."""


def _memory_files(folder: HostFolder) -> Iterator[tuple[HostFile, TextFile]]:
    """The files that agents read at the start; not links to others of them, nor samples and what a skill refers to."""
    for file in folder.of_kind(*MEMORY):
        inner, place = os.path.relpath(file.path, file.root).replace(os.sep, "/"), os.path.dirname(file.path)
        is_sample = in_samples(inner) or not TEST_DATA.isdisjoint(inner.split("/"))
        in_skill = "skills/" in os.path.dirname(inner) or tracked.is_file(os.path.join(place, SKILL_FILE))
        if isinstance(file.text, TextFile) and not is_sample and not in_skill and not tracked.is_link(file.path):
            yield file, file.text


def _readers(file: HostFile) -> Iterator[HostFacts]:
    """The hosts that read a file at the start."""
    for host in HOSTS.values():
        for first, star, ending in (name.partition("/**/*") for name in host.memory.names):
            inside = file.relative.startswith(f"{first}/") and file.relative.endswith(ending)
            if inside if star else file.relative == first:
                yield host
                break


@Predicate("memory-imports", Subject.HOST_FOLDER, values=("path", "fault"))
def memory_imports(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Imports of files that are not there, and those that lie deeper than the host follows."""
    for file, text in _memory_files(folder):
        hosts = [host for host in _readers(file) if host.memory.import_mark]
        most = min((host.memory.import_depth or 100 for host in hosts), default=0)
        for start, end, place in _imports(text.document, text.body) if most else ():
            written = text.document.text[start:end]
            if tracked.target_exists(place):
                deep = _too_deep(place, file.root, most)
                fault = f"leads to an import at a depth of {most + 1}, `{deep}`; {hosts[0].title} follows {most}"
                if deep:
                    yield Match(file.path, start, end, {"path": short(written), "fault": fault})
            elif tracked.within(file.root, place) and not is_made(file, place):
                moved = _moved(folder.inventory, file, written.replace("\\ ", " "), os.path.dirname(file.path))
                values = {"path": short(written), "fault": f"is not there{_hint(moved)}"}
                yield Match(file.path, start, end, values, _edit(file, start, end, moved.replace(" ", "\\ ")))


def _imports(document: Document, start: int) -> list[tuple[int, int, str]]:
    """The imports of a text outside of code: the offsets of their paths, and the absolute paths; none of the home."""
    found = []
    markdown = scan(document.text, start) if "@" in document.text else None
    for match in _IMPORT().finditer(document.text, start) if markdown else ():
        raw = match["path"].rstrip(".,:!?")
        written = raw.replace("\\ ", " ")
        is_file = _FILE().search(written) or written.startswith(("./", "../"))
        if is_file and not written.startswith(("~", "/")) and markdown and not markdown.in_code(match.start()):
            place = os.path.normpath(os.path.join(os.path.dirname(document.path), *written.split("/")))
            found.append((match.start("path"), match.start("path") + len(raw), place))
    return found


def _too_deep(path: str, root: str, most: int) -> str:
    """A file that imports lead to over more than `most` steps, by its name; empty if there is none."""
    seen, level = {path}, [path]
    for _ in range(most):
        following: list[str] = []
        for place in filter(tracked.is_file, level):
            document = read_document(place, root)
            new = [inner for *_, inner in _imports(document, 0)] if isinstance(document, Document) else []
            following += [inner for inner in new if inner not in seen and tracked.is_file(inner)]
            seen.update(new)
        level = following
    return os.path.basename(level[0])[:60] if level else ""


def _moved(inventory: Inventory, file: HostFile, written: str, base: str) -> str:
    """Where a missing file is, written as from `base`, if exactly one of the target fits; else empty.

    Of a name that many files have, or that a skill has one of, the folder has to be the same, too.
    """
    parts = written.split("/")
    named = inventory.file_names.get(parts[-1], ())
    shared = {path: len(os.path.commonprefix([parts[::-1], path.split("/")[::-1]])) for path in named}
    most = max(shared.values(), default=0)
    best = [path for path, count in shared.items() if count == most]
    is_common = len(named) > 1 or parts[-1].partition(".")[0].lower() in _COMMON
    if len(best) != 1 or (most < 2 and (is_common or "skills/" in best[0])):
        return ""
    path = os.path.relpath(os.path.join(inventory.workspace.root, *best[0].split("/")), base).replace(os.sep, "/")
    return f"./{path}" if written.startswith("./") and not path.startswith("../") else path


def _hint(moved: str) -> str:
    return f"; did you mean `{short(moved)}`?" if moved else ""


def _is_same(old: str, new: str) -> bool:
    """Whether each folder of the old path is in the new one, in this order: a name alone may be another file's."""
    parts = iter(new.split("/"))
    return all(folder in parts for folder in old.split("/")[:-1] if folder not in (".", ".."))


def _edit(file: HostFile, start: int, end: int, moved: str) -> tuple[TextEdit, ...]:
    return (TextEdit(file.path, start, end, moved),) if moved else ()


@Predicate("memory-paths", Subject.HOST_FOLDER, values=("path", "hint", "others"))
def memory_paths(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Paths of files that are not there, where another file plainly is meant, or their folder moved without them.

    Those of one file that moved in the same way are one match, at the first.
    """
    for file, text in _memory_files(folder):
        groups: dict[str, list[tuple[int, int, str, str]]] = {}
        for start, end, written in _written(text):
            moved = _missing(folder.inventory, file, text.document.text, start, written)
            if moved is not None:
                way = moved.removesuffix(written.lstrip("./")) if moved else written
                groups.setdefault(way, []).append((start, end, written, moved))
        for group in groups.values():
            start, end, written, moved = group[0]
            count = len({other[2] for other in group}) - 1
            others = f"; {count} more path{'s' * (count > 1)} of this file moved in the same way" if count else ""
            # A blank ends a path outside of code.
            sure = [item for item in group if (" " in item[2] or " " not in item[3]) and _is_same(item[2], item[3])]
            edits = [_edit(file, first, last, new) for first, last, _, new in sure]
            values = {"path": short(written), "hint": _hint(moved), "others": others}
            yield Match(file.path, start, end, values, tuple(edit for one in edits for edit in one))


def _written(text: TextFile) -> Iterator[tuple[int, int, str]]:
    """The paths that a text names, in code or not; other rules look at its links, its imports and its comments."""
    source, markdown = text.document.text, text.markdown
    for span in markdown.code_spans:
        inner = source[span.start : span.end].strip("`").strip()
        if " " in inner and "/" in inner and _FILE().search(inner) and inner.isprintable() and not _ODD().search(inner):
            at = source.index(inner, span.start)
            yield at, at + len(inner), inner
    links = [(link.start, link.end) for link in markdown.links]
    for match in _WORD().finditer(source, text.body):
        word, start = match[0].rstrip("."), match.start()
        if "/" not in word or not _FILE().search(word) or source.startswith(("](", "`]("), start + len(word)):
            continue
        if not any(first <= start < last for first, last in links) and not markdown.in_comment(start):
            yield start, start + len(word), word


def _missing(inventory: Inventory, file: HostFile, text: str, start: int, written: str) -> str | None:
    """Where the file of a path is, if it is missing and something shows that it is meant to be there.

    Empty: its folder moved, and it is nowhere.
    """
    parts = written.split("/")
    first = next((part for part in parts if part not in (".", "..")), "")
    is_odd = "..." in written or "" in parts or not _INVENTED.isdisjoint(map(str.lower, parts)) or "." in first[1:]
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if is_odd or _LATER().search(line):
        return None
    places = [os.path.normpath(os.path.join(base, *parts)) for base in _above(file)]
    is_there = any(map(tracked.target_exists, places))
    if is_there or not tracked.within(file.root, places[0]) or is_made(file, places[0]):
        return None
    base = os.path.dirname(file.path) if parts[0] in (".", "..") else file.file.root
    if moved := _moved(inventory, file, written, base):
        # Two parts may be relative to any package of the repository, and `./` to the reader's own.
        is_inner = moved.endswith(f"/{written.removeprefix('./')}")
        return moved if not is_inner or (len(parts) > 2 and parts[0] != ".") else None
    has_moved = len(parts) > 2 and first == parts[0] and _is_one_folder(inventory, first)
    return "" if has_moved else None


def _is_one_folder(inventory: Inventory, name: str) -> bool:
    """Whether exactly one folder of the target has this name, and it is not at the root."""
    paths = (path for paths in inventory.file_names.values() for path in paths if f"/{name}/" in path)
    return len({path[: path.index(f"/{name}/")] for path in paths}) == 1


def _above(file: HostFile) -> list[str]:
    """The folder of a file and those above it, up to the root of its repository; some, where there is none."""
    folder = os.path.dirname(file.path)
    top, found = git.repository(folder), [folder]
    while folder != top and (top or len(found) < _UPWARDS) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        found.append(folder)
    return found


@Predicate("memory-size", Subject.HOST_FOLDER, values=("fault",))
def memory_size(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Files of which a host drops a part (raised), and those that are longer than it advises."""
    for file, text in _memory_files(folder):
        lines, size = len(text.document.text.splitlines()), _bytes(text.document)
        for host in _readers(file):
            facts, fault = host.memory, ""
            above = sum(_instructions(place) for place in _above(file)[1:]) if facts.max_bytes else 0
            if facts.max_bytes and above + size > facts.max_bytes >= above:
                chain = f", {above + size:,} with those of the folders above" if above else ""
                fault = f"{size:,} bytes{chain}; {host.title} reads {facts.max_bytes:,} and drops the rest"
            elif facts.file_max_bytes and size > facts.file_max_bytes:
                fault = f"{size:,} bytes; {host.title} skips a file of more than {facts.file_max_bytes:,}"
            is_dropped = bool(fault)
            if facts.advised_lines and lines > facts.advised_lines:
                fault = fault or f"{lines} lines; {host.title} advises less than {facts.advised_lines}"
            if fault:
                yield Match(file.path, values={"fault": fault}, raised=is_dropped)
                break


def _instructions(folder: str) -> int:
    """The bytes of what Codex reads in a folder: the first of these files."""
    paths = [os.path.join(folder, name) for name in ("AGENTS.override.md", "AGENTS.md")]
    return next((_bytes(read_document(path, folder)) for path in paths if tracked.is_file(path)), 0)


def _bytes(document: object) -> int:
    return len(document.text.encode("utf-8", "replace")) if isinstance(document, Document) else 0


_AGAINST = late(
    r"(?i)(?<!not )(?<!n't )(?<!never )\b(?:ignore|skip|disregard|(?:do not|don't|never) (?:read|follow|load|use|open|"
    r"run|enter|obey))\b[^.\n]{0,60}?(?P<what>SKILLBAG\.md|\.skills\b(?!/))"
)


@Predicate("memory-against-skillbag", Subject.HOST_FOLDER, values=("what",))
def memory_against_skillbag(folder: HostFolder, _: NoOptions) -> Iterator[Match]:
    """Sentences that keep an agent from what `SKILLBAG.md` of the same project has it do."""
    if tracked.is_file(os.path.join(folder.root, ENTRYPOINT)):
        for file, text in _memory_files(folder):
            for match in _AGAINST().finditer(text.document.text, text.body):
                if not text.markdown.in_comment(match.start()):
                    yield Match(file.path, *match.span(), {"what": match["what"]})
