"""Files of a skill that do not belong in it, or are other things than their names say.

Source of the names: "Naming Files, Paths, and Namespaces" in Microsoft's documentation of Windows.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.workspace import git
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import ARCHIVES, language_of
from skillbag.kernel.workspace.tree import FILE, FOLDER, JUNK, TreeEntry, left_out
from skillbag.lint.checks.documents import BINARIES, binary_kind
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.hidden_characters import hidden_in_name

_CACHES = frozenset({"__pycache__", "node_modules", ".venv", ".mypy_cache", ".tox"})
_COPIES = (".orig", ".rej", ".bak", "~")
_SWAP = late(r"\..+\.sw[a-p]\Z")
_SETTINGS = frozenset({".env", ".env.local", ".env.production"})
_FOREIGN = '<>:"|?*\\'
_DEVICES = frozenset({"aux", "con", "nul", "prn"})


@Predicate("left-over-file", Subject.SKILL, values=("name", "what"), needs="odd-names")
def left_over_files(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Copies of editors and merges, caches, `.env` and files of the system that git does not ignore.

    Programs make caches wherever they run, so that those outside of a repository are left alone.
    """
    found = [(entry, what) for entry in skill.listing.entries if (what := _left_over(entry))]
    ignored = git.ignored([entry.path for entry, _ in found])
    for entry, what in found:
        if entry.path not in ignored and (what in (_COPY, _ENVIRONMENT) or git.repository(skill.directory)):
            yield Match(entry.path, values={"name": entry.relative, "what": what})


_COPY = "is a copy that an editor or a merge left behind"
_ENVIRONMENT = "holds the settings of one machine, and perhaps its secrets"


def _left_over(entry: TreeEntry) -> str:
    name = os.path.basename(entry.relative)
    if entry.kind is FOLDER:
        return "is a folder that programs make where they run" if name in _CACHES else ""
    if name in JUNK:
        return "is a file that file managers make in any folder"
    if is_sample(entry.relative):
        return ""
    if name in _SETTINGS:
        return _ENVIRONMENT
    is_copy = name.endswith(_COPIES) or (name.startswith(".") and _SWAP().match(name))
    return _COPY if is_copy else ""


@Predicate("name-not-portable", Subject.SKILL, values=("name", "why"), needs="odd-names")
def names_not_portable(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Names of files and folders that Windows cannot hold."""
    for entry in skill.listing.entries:
        if why := _foreign(os.path.basename(entry.relative)):
            yield Match(entry.path, values={"name": entry.relative, "why": why})


@Predicate("hidden-name", Subject.SKILL, values=("name", "what"), needs="hidden-names")
def hidden_names(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Names of files and folders with characters that nobody sees, or that turn the direction of the name."""
    for entry in skill.listing.entries:
        if what := hidden_in_name(os.path.basename(entry.relative)):
            yield Match(entry.path, values={"name": repr(entry.relative)[1:-1], "what": what})


def _foreign(name: str) -> str:
    if sign := next((sign for sign in name if sign in _FOREIGN), ""):
        return f"it has the character `{sign}`"
    if name.endswith((".", " ")):
        return f"it ends with {'a dot' if name.endswith('.') else 'a blank'}"
    return "it is the name of a device" if name.partition(".")[0].lower() in _DEVICES else ""


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
    **dict.fromkeys((".docx", ".xlsx", ".pptx"), (b"PK",)),
}
"""How the files with an ending begin."""
_KINDS = (*BINARIES, (b"#!", "a script"), (b"<?php", "PHP code"))
_PACKED = rb"(?s)PK\x01\x02.{24}(..).{16}"
"""What stands before each name in the list of a zip archive."""
_FOREIGN_ENDINGS = tuple(each.encode() for each in (*_CODE, ".zip", ".7z", ".rar", ".jar", ".dll"))
_ACTIVE = rb"(?i)<script\b|\son(?:load|error|click|mouseover|begin)\s*=|javascript:"


@Predicate("disguised-file", Subject.SKILL, values=("name", "what"), needs="assets")
def disguised_files(skill: Skill, _: NoOptions) -> Iterator[Match]:
    """Programs, archives, images that are programs, pictures with scripts, and code that is hidden or runs unasked."""
    for entry in skill.listing.entries:
        if entry.kind is FOLDER and entry.relative.endswith("__pycache__"):
            yield from _planted(entry, skill.root)
        if entry.kind is FILE and not left_out(entry.relative) and (what := _fault(entry, skill)):
            # The name of an archive says what it is, and who unpacks it sees the content.
            role = PlaceRole.TAUGHT if what.startswith("is an archive") else None
            yield Match(entry.path, values={"name": entry.relative, "what": what}, role=role)


def _fault(entry: TreeEntry, skill: Skill) -> str | None:
    name = entry.relative.rpartition("/")[2].lower()
    ending = name[name.rfind(".") :] if "." in name else ""
    if ending in _PROGRAMS:
        return "is a program that cannot be read"
    if ending in _ARCHIVES:
        return "is an archive, whose content is not checked"
    if name.startswith(".") and ending in _CODE and ending != name:
        return "is code in a hidden file"
    if name in ("sitecustomize.py", "usercustomize.py") or (ending == ".pth" and _runs_imports(entry, skill.root)):
        return "runs at each start of Python that finds it"
    if ending in _HEADS or ending == ".svg":
        return _content_fault(entry, skill.root, ending)
    # A script may do without an ending, a program as well.
    is_text = language_of(entry.relative) is not None or (not ending and entry.relative.startswith("bin/"))
    kind = binary_kind(skill.read(entry.relative)) if is_text else None
    return f"is {kind}, which nobody can read as a text" if kind else None


def _runs_imports(entry: TreeEntry, root: str) -> bool:
    """Whether a file is a list of folders for Python, with a line that it runs: others of that ending are models."""
    raw = read(entry.path, root)
    return isinstance(raw, bytes) and re.search(rb"(?m)^import[ \t]", raw[:100_000]) is not None


_CALLED = (
    *(b"system", b"popen", b"Popen", b"subprocess", b"exec", b"eval", b"urlopen", b"urllib", b"urllib.request"),
    *(b"requests", b"httpx", b"socket", b"b64decode", b"environ", b"ctypes", b"__import__", b"spawn", b"execv"),
)


def _planted(folder: TreeEntry, root: str) -> Iterator[Match]:
    """Compiled modules with calls that their sources do not name: Python runs these instead."""
    for child in tracked.entries(folder.path):
        stem = child.name.partition(".")[0]
        compiled = read(child.path, root) if child.name.endswith(".pyc") else None
        source = read(os.path.join(os.path.dirname(folder.path), f"{stem}.py"), root)
        if isinstance(compiled, bytes) and isinstance(source, bytes):
            # A name stands behind its length.
            called = (word for word in _CALLED if bytes([len(word)]) + word in compiled and word not in source)
            if (word := next(called, None)) is not None:
                what = f"calls `{word.decode()}`, which its source does not name"
                yield Match(child.path, values={"name": f"{folder.relative}/{child.name}", "what": what})


def _content_fault(entry: TreeEntry, root: str, ending: str) -> str | None:
    raw = read(entry.path, root)
    if not isinstance(raw, bytes):
        return None
    if ending == ".svg":
        return "is a picture that runs a script" if re.search(_ACTIVE, raw) else None
    if raw.startswith(_HEADS[ending]):
        ends = (at.end() + int.from_bytes(at[1], "little") for at in re.finditer(_PACKED, raw))
        is_packed = raw.startswith(b"PK") and any(raw[end - 8 : end].lower().endswith(_FOREIGN_ENDINGS) for end in ends)
        return "is a document with a program or an archive in it" if is_packed else None
    kind = next((kind for head, kind in _KINDS if raw.startswith(head)), None)
    return f"is {kind}, not what its name says" if kind else None
