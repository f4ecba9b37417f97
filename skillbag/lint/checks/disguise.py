"""Files of a skill that run and cannot be read, or that are other things than their names say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.fs.read import read
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import ARCHIVES
from skillbag.kernel.workspace.tree import FILE, TreeEntry, left_out
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_PROGRAM_ENDINGS = ".exe .dll .so .dylib .msi .dmg .pkg .deb .rpm .apk .scr .com .jar .class .pyc .pyo .pyd .node"
_PROGRAMS = frozenset(_PROGRAM_ENDINGS.split())
_ARCHIVES = frozenset((*ARCHIVES, ".whl"))
_CODE = (".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ps1", ".rb", ".pl", ".exe", ".bat", ".cmd", ".vbs", ".php")
_HEADS = {
    ".png": (b"\x89PNG",),
    ".jpg": (b"\xff\xd8",),
    ".jpeg": (b"\xff\xd8",),
    ".gif": (b"GIF8",),
    ".webp": (b"RIFF",),
    ".pdf": (b"%PDF", b"\xef\xbb\xbf%PDF"),
    ".ico": (b"\x00\x00\x01\x00", b"\x00\x00\x02\x00"),
}
"""How the files with an ending begin."""
_KINDS = (
    *((b"MZ", "a Windows program"), (b"\x7fELF", "a Linux program"), (b"\xcf\xfa\xed\xfe", "a macOS program")),
    *((b"\xca\xfe\xba\xbe", "a macOS or Java program"), (b"#!", "a script"), (b"PK\x03\x04", "a zip archive")),
    *(
        (b"Rar!", "a RAR archive"),
        (b"7z\xbc\xaf", "a 7z archive"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"<?php", "PHP code"),
    ),
)
"""What files are by their first bytes."""
_MACHINE_CODE = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
"""How programs for Windows, Linux and macOS begin."""
_ACTIVE = rb"(?i)<script\b|\son(?:load|error|click|mouseover|begin)\s*=|javascript:"


@Predicate("disguised-file", Subject.SKILL, values=("name", "what"), needs="assets")
def disguised_files(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Programs, archives, images that are programs, pictures with scripts, and hidden files with code."""
    for entry in skill.listing.entries:
        if entry.kind is FILE and not left_out(entry.relative) and (what := _fault(entry, skill.root)):
            yield Match(entry.path, values={"name": entry.relative, "what": what})


def _fault(entry: TreeEntry, root: str) -> str | None:
    name = entry.relative.rpartition("/")[2].lower()
    ending = name[name.rfind(".") :] if "." in name else ""
    if ending in _PROGRAMS:
        return "is a program that cannot be read"
    if ending in _ARCHIVES:
        return "is an archive, whose content is not checked"
    if name.startswith(".") and ending in _CODE and ending != name:
        return "is code in a hidden file"
    if ending in _HEADS or ending == ".svg":
        return _content_fault(entry, root, ending)
    # A script may do without an ending, a program as well.
    if not ending and entry.relative.startswith(("scripts/", "bin/")):
        raw = read(entry.path, root)
        is_program = isinstance(raw, bytes) and raw.startswith(_MACHINE_CODE)
        return "is a program that cannot be read" if is_program else None
    return None


def _content_fault(entry: TreeEntry, root: str, ending: str) -> str | None:
    raw = read(entry.path, root)
    if not isinstance(raw, bytes):
        return None
    if ending == ".svg":
        return "is a picture that runs a script" if re.search(_ACTIVE, raw) else None
    if raw.startswith(_HEADS[ending]):
        return None
    kind = next((kind for head, kind in _KINDS if raw.startswith(head)), None)
    return f"is {kind}, not what its name says" if kind else None
