"""The texts that rules read: which files of a skill are text, in which language, with which role."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillbag.kernel.base.literals import LiteralPlaces
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.markdown import Markdown, scan
from skillbag.kernel.documents.source import Document, DocumentProblem, read_damaged
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.tree import FILE, TreeEntry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LANGUAGES = {
    **dict.fromkeys((".md", ".markdown"), "markdown"),
    **dict.fromkeys((".sh", ".bash"), "shell"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    ".py": "python",
    ".json": "json",
    ".toml": "toml",
    **dict.fromkeys((".txt", ".env", ".npmrc", ".pem", ".key", ".ini", ".cfg"), "text"),
    **dict.fromkeys((".zsh", ".fish", ".ps1", ".bat", ".cmd", ".applescript"), "text"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"), "text"),
    **dict.fromkeys((".rb", ".pl", ".php", ".lua", ".star"), "text"),
}
"""The language of each extension that has one; all other files are read as plain text where they are text."""

COMPRESSED = (".tar", ".tgz", ".tbz2", ".gz", ".bz2", ".xz", ".zst")
"""The ends of names of archives that no password locks."""

ARCHIVES = (*COMPRESSED, ".zip", ".zipx", ".rar", ".7z", ".iso", ".img", ".cab", ".ace", ".arj", ".lzh")
"""The ends of names of archives: what a source may be (`supply.sources.archive_formats`), and many more."""

_NO_TEXT = (
    *ARCHIVES,
    *(".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".tif", ".tiff", ".bmp", ".ttf", ".otf", ".woff", ".woff2"),
    *(".mp3", ".m4a", ".mp4", ".mov", ".wav", ".ogg", ".webm", ".pdf", ".docx", ".xlsx", ".pptx", ".odt", ".epub"),
)
"""The ends of names of files without text: a large one is no text that was left out."""

_KEY_FILES = frozenset({"id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".pgpass", ".git-credentials"})

DATA = frozenset({"json", "yaml", "toml", "text"})
"""Languages of files that may be too large or in another encoding: unreadable ones are skipped."""


class TextFile:
    """One text of a target: `relative` to its skill (or to the target, where `skill` is None), with `/`.

    It is compared by identity, so that it can be a cheap key. `body` is the offset of the Markdown after any front
    matter. `places` says where the literals of the rules are; it is filled in before rules read the text. `base` is the
    folder of the plugin or project around a text of no skill, from which its paths may lead as well.
    """

    def __init__(
        self,
        document: Document,
        relative: str,
        language: str,
        body: int = 0,
        skill: Skill | None = None,
        base: str = "",
    ) -> None:
        self.document: Final = document
        self.relative: Final = relative
        self.language: Final = language
        self.body: Final = body
        self.skill: Final = skill
        self.base: Final = base
        self.places = LiteralPlaces(b"", {})

    @cached_property
    def markdown(self) -> Markdown:
        """The Markdown structure of the text."""
        if self.skill is not None and self.document is self.skill.document:
            return self.skill.markdown
        return scan(self.document.text, self.body)


class UnreadText(NamedTuple):
    """A file beside `SKILL.md` that can't be read as text; `is_data` where it need not be one."""

    problem: DocumentProblem
    relative: str
    is_data: bool = False


def language_of(relative: str) -> str | None:
    """The language of a file by its name; `script` for one without extension in `scripts/`, which its content tells."""
    name = relative.lower().rpartition("/")[2]
    stem, _, extension = name.rpartition(".")
    if name in _KEY_FILES or name.startswith(".env."):
        return "text"
    if stem.strip("."):
        return LANGUAGES.get(f".{extension}")
    # `.env` is a whole name.
    return LANGUAGES.get(name) or ("script" if relative.startswith("scripts/") else None)


def text_files(skill: Skill) -> Iterator[TextFile | UnreadText]:
    """The texts of a skill's folder: `SKILL.md` first, then references, scripts and data in path order.

    One with wrong bytes is an unread text, and then what programs read that do not mind: a shell runs it.
    """
    if isinstance(skill.document, Document):
        yield TextFile(skill.document, skill.file, "markdown", skill.body_start, skill)
    for path in skill.listing.closed:
        relative = os.path.relpath(path, skill.directory).replace(os.sep, "/")
        problem = DocumentProblem(path, "permission", "the folder cannot be opened: permission denied")
        yield UnreadText(problem, relative)
    for entry in skill.listing.entries:
        if entry.kind is FILE and entry.relative != skill.file and (found := _text_file(entry, skill)):
            yield found
        if entry.kind is FILE and entry.relative != skill.file and (damaged := _damaged(entry, skill)):
            yield damaged


def _text_file(entry: TreeEntry, skill: Skill) -> TextFile | UnreadText | None:
    """The text of a listed file; None where it is none, such as an image."""
    known = language_of(entry.relative)
    language = known or "script"
    document = skill.read(entry.relative)
    if isinstance(document, DocumentProblem):
        if known is None and (document.kind == "encoding" or entry.relative.lower().endswith(_NO_TEXT)):
            return None
        return UnreadText(document, entry.relative, is_data=language in DATA or language == "script")
    if language == "script":
        language = _interpreter(document.text)
    return TextFile(document, entry.relative, language, 0, skill)


def _damaged(entry: TreeEntry, skill: Skill) -> TextFile | None:
    """A page or script that is not UTF-8, without what is damaged in it."""
    problem, language = skill.read(entry.relative), language_of(entry.relative)
    if not isinstance(problem, DocumentProblem) or problem.kind != "encoding":
        return None
    if language in DATA and language != "text":
        return None
    if language is None and entry.relative.lower().endswith(_NO_TEXT):
        return None
    document = read_damaged(problem.path, skill.root)
    if document is None:
        return None
    if language in (None, "script"):
        language = _interpreter(document.text)
    return TextFile(document, entry.relative, language or "text", 0, skill)


def _interpreter(text: str) -> str:
    first = text.partition("\n")[0]
    if not first.startswith("#!"):
        return "text"
    if "python" in first:
        return "python"
    return "shell" if first.rstrip().endswith(("/sh", "/bash", " sh", " bash")) else "text"
