"""Files of a skill that are not read as text: their type by their first bytes, their size and their hash; links."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from hashlib import sha256

from skillbag.kernel.documents.source import DocumentProblem
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import language_of
from skillbag.kernel.workspace.tree import FILE, LINK, TreeEntry
from skillbag.kernel.workspace.tree_hash import LARGEST, pieces
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact

_MAGIC: tuple[tuple[bytes, str, str], ...] = (
    (b"\x7fELF", "ELF program", "program"),
    (b"MZ", "Windows program", "program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program", "program"),
    (b"\xca\xfe\xba\xbe", "Mach-O program or Java class", "program"),
    (b"\x00asm", "WebAssembly", "program"),
    (b"PK\x03\x04", "zip archive", "archive"),
    (b"\x1f\x8b", "gzip archive", "archive"),
    (b"BZh", "bzip2 archive", "archive"),
    (b"\xfd7zXZ", "xz archive", "archive"),
    (b"7z\xbc\xaf", "7z archive", "archive"),
    (b"Rar!", "rar archive", "archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive", "archive"),
    (b"\x89PNG", "PNG image", ""),
    (b"\xff\xd8\xff", "JPEG image", ""),
    (b"GIF8", "GIF image", ""),
    (b"RIFF", "WebP, WAV or AVI", ""),
    (b"\x00\x00\x01\x00", "icon", ""),
    (b"%PDF", "PDF", ""),
    (b"OTTO", "font", ""),
    (b"\x00\x01\x00\x00", "font", ""),
    (b"wOFF", "font", ""),
    (b"wOF2", "font", ""),
    (b"ID3", "MP3", ""),
    (b"OggS", "Ogg", ""),
    (b"SQLite format 3", "SQLite database", ""),
)
_BYTECODE = (".pyc", ".pyo", ".node", ".so", ".dylib", ".dll", ".class", ".jar", ".wasm", ".exe")
_OFFICE = (".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub")
_DATA = ("json", "yaml", "toml")
_FIRST = 8192


def opaque_files(skill: Skill, read: Collection[str]) -> Iterator[FoundFact]:
    """The files that hold no text, the texts that are not among those `read`, and links out of the folder."""
    for path in skill.listing.closed:
        relative = os.path.relpath(path, skill.directory).replace(os.sep, "/")
        yield FoundFact(
            FactKind.OPAQUE_FILE, relative, FactPlace(relative), ("unknown",), "a folder that can't be opened"
        )
    for entry in skill.listing.entries:
        if entry.kind is LINK:
            yield from _link(entry, skill)
        elif entry.kind is FILE and entry.relative not in read:
            yield from _file(entry, skill)


def _file(entry: TreeEntry, skill: Skill) -> Iterator[FoundFact]:
    try:
        first = next(pieces(entry.path), b"")
        found = _type(entry.relative.lower(), first[:_FIRST]) or _unread(entry.relative, first[:2], skill)
        if found is None:
            return
        size = os.lstat(entry.path).st_size
        detail = f", {size} byte{'s' if size != 1 else ''}, {_digest(entry.path, size)}"
    except OSError:
        found, detail = ("a file that can't be opened", "unknown"), ""
    kind, mark = found
    yield FoundFact(
        FactKind.OPAQUE_FILE, entry.relative, FactPlace(entry.relative), (mark,) if mark else (), kind + detail
    )


def _digest(path: str, size: int) -> str:
    if size > LARGEST:
        return "too large to be hashed"
    digest = sha256()
    for piece in pieces(path):
        digest.update(piece)
    return f"sha256:{digest.hexdigest()}"


def _unread(relative: str, first: bytes, skill: Skill) -> tuple[str, str] | None:
    """What a text is that is not read, being too large or not in UTF-8; None where it is data or prose."""
    language = language_of(relative)
    if language is None or language == "script":
        return ("script that is not read", "unknown") if first == b"#!" else None
    is_data = language in _DATA or relative.lower().endswith(".txt")
    document = skill.read(relative)
    reason = f": {document.detail}" if isinstance(document, DocumentProblem) else ""
    # Nobody reads a script of that size, and it runs.
    mark = "" if is_data else "unknown" if language == "markdown" else "program"
    return f"text that is not read{reason}", mark


def _link(entry: TreeEntry, skill: Skill) -> Iterator[FoundFact]:
    """A symbolic link, unless it leads to what is in the folder of the skill."""
    try:
        target = os.readlink(entry.path)
    except OSError:
        return
    whole, folder = os.path.realpath(entry.path), os.path.realpath(skill.directory)
    if whole != folder and not whole.startswith(folder + os.sep):
        yield FoundFact(
            FactKind.OPAQUE_FILE, entry.relative, FactPlace(entry.relative), ("outside",), f"link to {target}"
        )


def _type(name: str, first: bytes) -> tuple[str, str] | None:
    """The type and the mark of a file; None for a text."""
    for magic, kind, mark in _MAGIC:
        if first.startswith(magic) and (b"\0" in first or mark != "program" or name.endswith(_BYTECODE)):
            if kind == "zip archive" and name.endswith(_OFFICE):
                return "office document", ""
            return (kind, "program") if name.endswith(_BYTECODE) else (kind, mark)
    if first[4:8] == b"ftyp":
        return "MP4 or HEIC", ""
    if b"\0" not in first and _is_text(first):
        return None
    if name.endswith(_BYTECODE):
        return "compiled code", "program"
    return ("UTF-16 text", "unknown") if first[:2] in (b"\xff\xfe", b"\xfe\xff") else ("unknown type", "unknown")


def _is_text(first: bytes) -> bool:
    """Whether it is UTF-8 without control characters, a cut last character aside, or a plain 8-bit text."""
    try:
        first[:-4].decode("utf-8")
    except UnicodeDecodeError:
        return sum(byte < 9 or 13 < byte < 32 for byte in first) * 100 < len(first)
    return True
