"""The pieces of a text that are code: a whole script, the code blocks of Markdown, and commands in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import CodeSpan, Fence
from skillbag.kernel.documents.source import Position
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.capabilities.facts import FactKind, FactPlace, FoundFact
from skillbag.lint.capabilities.hosts import UNKNOWN, is_public
from skillbag.lint.capabilities.shortening import shortened
from skillbag.lint.signals.programs import KNOWN

_LANGUAGES = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession"), "shell"),
    **dict.fromkeys(("python", "py", "python3", "ipython"), "python"),
    **dict.fromkeys(("javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs", "node"), "javascript"),
    **dict.fromkeys(("powershell", "ps1", "pwsh", "ps"), "powershell"),
    **dict.fromkeys(("json", "jsonc", "json5"), "json"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    "toml": "toml",
}
_EXTENSIONS = {
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx"), "javascript"),
    **dict.fromkeys((".ps1",), "powershell"),
    **dict.fromkeys((".zsh", ".fish", ".bash", ".sh"), "shell"),
}
_WORD = late(r"[\w.+/~-]+")
_PROMPT = late(r"(?m)^[ \t]*(?:\(\w+\)[ \t]*)?\$[ \t]")
_LIST = late(r"(?m)(?:^[ \t]*+[\w.-]++[ \t]*+\r?(?:\n|\Z)){5,}+")
_SETTINGS_FILE = late(
    r"(?i)\s*#[ \t]*`?(?:~|[\w.-]+)?(?:/?[\w.-]+/)*(?:[\w.-]*\.(?:conf|cfg|ini|toml|ya?ml|properties|service|timer)"
    r"|\.(?!bash|zsh|k?sh|env)\w+rc|\.\w+ignore|Dockerfile)`?[ \t]*(?:\([^)\n]*\))?[ \t]*\r?$",
    re.MULTILINE,
)
"""A first line with nothing but the name of a file of settings, whose lines follow."""
_SECTION = late(r"(?m)^[ \t]*\[[A-Za-z][\w .:\"/-]*\][ \t]*\r?\n(?:(?:[ \t]+\S.*|[\w.-]+[ \t]*[=:].*)(?:\r?\n|\Z))*")
"""A section of settings: its heading, its keys and their further lines."""
_NO_BREAK = late(r"[^\r\n]")
_QUOTE = late(r"(?m)^[ \t]*>[ \t>]*")
_NEGATED = late(
    r"(?i)\b(?:never|not|don't|do not|avoid|instead of|rather than|without|no longer|cannot|can't)\b[^.\n]*\Z"
)
_PROSE_BEFORE = 60


class Piece(NamedTuple):
    """Code in a text: its language, its text, where that begins, and where it was found.

    `origin` is `script`, `fence` or `sentence`; offsets of `text` plus `start` are offsets of the file.
    """

    language: str
    text: str
    start: int
    origin: str
    file: TextFile

    def position(self, offset: int) -> Position:
        """The place of an offset of the piece in its file."""
        return self.file.document.position(min(self.start + offset, len(self.file.document.text)))

    def found(self, kind: FactKind, value: str, at: int, *marks: str, detail: str = "") -> FoundFact:
        """A fact at an offset; empty marks are none."""
        place = FactPlace(self.file.relative, *self.position(at))
        return FoundFact(kind, value, place, (self.origin, *filter(None, marks)), detail)

    def contacted(self, host: str, address: str, at: int, sends: str = "") -> FoundFact:
        """The fact of a host, or of an address whose host is decided at run time."""
        if host == UNKNOWN:
            return self.found(FactKind.UNKNOWN_HOST, shortened(address, 60), at, sends)
        return self.found(FactKind.HOST, host, at, sends, "public-address" if is_public(host) else "")

    def within(self, language: str, start: int, text: str) -> Piece:
        """Code in another language at an offset of this piece."""
        return self._replace(language=language, text=text, start=self.start + start)


def language_of_script(path: str) -> str | None:
    """The language of a script by its extension."""
    _, dot, extension = path.lower().rpartition(".")
    return _EXTENSIONS.get(f".{extension}", "python" if extension == "py" else None) if dot else None


def pieces(file: TextFile) -> Iterator[Piece]:
    """The pieces of a text, in order; comments of HTML are none."""
    if file.language != "markdown":
        language = language_of_script(file.relative) or file.language
        yield Piece(language, file.document.text, 0, "script", file)
        return
    markdown = file.markdown
    for fence in markdown.fences:
        yield from _fence(fence, file)
    for span in markdown.code_spans:
        if (piece := _sentence(span, file)) is not None:
            yield piece


def _fence(fence: Fence, file: TextFile) -> Iterator[Piece]:
    info = fence.info.split(maxsplit=1)
    language = _LANGUAGES.get(info[0].lower().strip("{}.")) if info else None
    text = file.document.text[fence.body_start : fence.body_end]
    if ">" in text[:40]:
        # The marks of a quotation become blanks, so that places stay.
        opening = file.document.text[file.document.text.rfind("\n", 0, fence.start) + 1 : fence.start]
        if ">" in opening:
            text = _QUOTE().sub(lambda match: " " * len(match[0]), text)
    if language is None and not info and _is_shell(text):
        language = "shell"
    if language is None:
        language = info[0].lower() if info else ""
    if language == "shell" and _SETTINGS_FILE().match(text):
        language = "settings"
    if language == "shell":
        text = _LIST().sub(_blank_list, _without_output(text))
        if "[" in text:
            text = _SECTION().sub(lambda match: _NO_BREAK().sub(" ", match[0]), text)
    yield Piece(language, text, fence.body_start, "fence", file)


def _blank_list(match: re.Match[str]) -> str:
    """Lines of one word each, such as passwords to try, as blanks; commands where a program is among them."""
    return match[0] if not KNOWN.isdisjoint(match[0].split()) else _NO_BREAK().sub(" ", match[0])


def _is_shell(text: str) -> bool:
    """Whether most lines of a block without a language begin with a known program."""
    lines = [line.strip() for line in text.split("\n")]
    lines = [line.removeprefix("$ ") for line in lines if line and not line.startswith("#")]
    known = 0
    for line in lines:
        word = _WORD().match(line)
        known += bool(word and word[0] in KNOWN and line[word.end() : word.end() + 1] in ("", " "))
    return bool(lines) and known * 3 >= len(lines) * 2


def _without_output(text: str) -> str:
    """A session with prompts as its commands only, the rest as blanks of the same length."""
    if "$ " not in text or not _PROMPT().search(text):
        return text
    kept, continued = [], False
    for line in text.split("\n"):
        prompt = _PROMPT().match(line)
        if prompt:
            line = " " * prompt.end() + line[prompt.end() :]
        elif not continued:
            line = " " * len(line)
        continued = line.rstrip().endswith("\\")
        kept.append(line)
    return "\n".join(kept)


def _sentence(span: CodeSpan, file: TextFile) -> Piece | None:
    """A command in a sentence that is not one of warning; None for all other code spans."""
    text = file.document.text[span.start : span.end]
    word = _WORD().match(text)
    if not word or word[0] not in KNOWN or text[word.end() : word.end() + 1] != " " or "\n" in text:
        return None
    line = file.document.bounds(span.start)[0]
    before = file.document.text[max(line, span.start - _PROSE_BEFORE) : span.start]
    if _NEGATED().search(before):
        return None
    return Piece("shell", text, span.start, "sentence", file)
