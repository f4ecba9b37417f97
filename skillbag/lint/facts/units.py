"""The units of a text: what is code in it: a whole script, the code blocks of Markdown, and commands in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.markdown import CodeSpan, Fence
from skillbag.kernel.documents.source import Position
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.bare_code import bare_code
from skillbag.lint.signals.fences import fences_of, span_at
from skillbag.lint.signals.programs import KNOWN

_LANGUAGES = {
    **dict.fromkeys(("bash", "sh", "shell", "zsh", "console", "terminal", "shell-session", "shellsession"), "shell"),
    **dict.fromkeys(("python", "py", "python3", "ipython"), "python"),
    **dict.fromkeys(("javascript", "js", "typescript", "ts", "jsx", "tsx", "mjs", "node"), "javascript"),
    **dict.fromkeys(("powershell", "ps1", "pwsh", "ps", "bat", "batch", "cmd", "dosbatch"), "powershell"),
    **dict.fromkeys(("applescript", "osascript"), "applescript"),
    **dict.fromkeys(("json", "jsonc", "json5"), "json"),
    **dict.fromkeys(("yaml", "yml"), "yaml"),
    "toml": "toml",
}
_OTHER_WORDS = (
    "r go rust rs java kotlin kt csharp cs swift scala lua ruby rb perl pl php dart julia jl groovy c cpp vbs"
)
_OTHER = frozenset(_OTHER_WORDS.split())
"""Languages whose words are read, by their names and endings."""
_EXTENSIONS = {
    **dict.fromkeys((f".{name}" for name in _OTHER), "other"),
    **dict.fromkeys((".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx"), "javascript"),
    **dict.fromkeys((".ps1", ".psm1", ".bat", ".cmd"), "powershell"),
    **dict.fromkeys((".applescript", ".scpt"), "applescript"),
    **dict.fromkeys((".zsh", ".fish", ".bash", ".sh"), "shell"),
}
DECODED = "decoded.txt"
"""The name of a decoded text, which may be code in any language."""
UNKNOWN_CODE = "code"
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
_HTML_LINE = late(r"(?m)^[ \t>]*<[^\n]*`[^\n]*")
_SPAN = late(r"`([^`\n]{1,500})`")
_INDENTED = late(
    r"(?<=\n)[ \t]*\r?\n(?:    |\t)(?P<code>[ \t]*(?:\$[ \t]+)?(?P<name>[\w./-]+)[ \t][^\n]*(?:\n(?:    |\t)[^\n]*)*)"
)


_SCRIPTS = (
    *(".js", ".mjs", ".cjs", ".ts", ".jsx", ".tsx", ".rb", ".pl", ".php", ".lua", ".star"),
    *(".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd", ".applescript"),
)
"""Endings of names of scripts in languages that are not read as such."""


class Unit(NamedTuple):
    """Code in a text: its language, its text, where that begins, and where it was found.

    `origin` is `script`, `fence` or `sentence`; offsets of `text` plus `start` are offsets of the file.
    """

    language: str
    text: str
    start: int
    origin: str
    file: TextFile

    def position(self, offset: int) -> Position:
        """The place of an offset of the unit in its file."""
        return self.file.document.position(min(self.start + offset, len(self.file.document.text)))

    def within(self, language: str, start: int, text: str) -> Unit:
        """Code in another language at an offset of this unit."""
        return self._replace(language=language, text=text, start=self.start + start)


def language_of_script(path: str) -> str | None:
    """The language of a script by its extension."""
    _, dot, extension = path.lower().rpartition(".")
    return _EXTENSIONS.get(f".{extension}", "python" if extension == "py" else None) if dot else None


def is_script(text: TextFile) -> bool:
    """Whether a text is a program."""
    if text.language in ("python", "shell"):
        return True
    return text.language not in ("markdown", "json", "yaml", "toml") and (
        text.relative.lower().endswith(_SCRIPTS) or text.document.text.startswith("#!")
    )


def units(file: TextFile) -> Iterator[Unit]:
    """The units of a text, in order; comments of HTML are none."""
    if file.language != "markdown":
        language = UNKNOWN_CODE if file.relative == DECODED else language_of_script(file.relative) or file.language
        if language == "text":
            language = _seeming_language(file.document.text)
        yield Unit(language, file.document.text, 0, "script", file)
        return
    markdown = file.markdown
    for fence in markdown.fences:
        yield from fence_units(fence, file)
    yield from _indented(file)
    for span in (*markdown.code_spans, *_spans_in_html(file)):
        if (unit := _sentence(span, file)) is not None:
            yield unit


def units_at(file: TextFile, offsets: Iterable[int]) -> Iterator[Unit]:
    """The units of a text that offsets lie in; Markdown is parsed only where its fences are not plain to see."""
    if file.language != "markdown":
        yield from units(file)
        return
    fences, end = fences_of(file), -1
    for offset in offsets:
        if offset < end and offset >= file.body:
            continue
        if offset < file.body:
            yield from _in_line(file, offset)
            if end == file.body:
                continue
            end = file.body
            yield Unit("yaml", file.document.text[: file.body], 0, "script", file)
        elif fence := span_at(fences, offset):
            end = fence.end
            yield from fence_units(fence, file)
        else:
            yield from _in_line(file, offset)


def _in_line(file: TextFile, offset: int) -> Iterator[Unit]:
    """The command in backticks, the indented block or the bare lines of code that an offset lies in."""
    text = file.document.text
    line = text.rfind("\n", 0, offset) + 1
    start, end = text.rfind("`", max(line, offset - 500), offset) + 1, text.find("`", offset, offset + 500)
    if start > 0 and end > 0:
        unit = _sentence(CodeSpan(text[start:end], start, end), file)
        if unit is not None:
            yield unit
    elif text.startswith(("    ", "\t"), line):
        match = _INDENTED().match(text, _block_start(text, line))
        if match and match["name"].rpartition("/")[2] in KNOWN:
            yield Unit("shell", match["code"], match.start("code"), "fence", file)
    elif bare := bare_code(text, offset):
        yield Unit(bare.language, bare.text, bare.start, "fence", file)


def _block_start(text: str, line: int) -> int:
    """The blank line before the indented lines around a line."""
    for _ in range(50):
        before = text.rfind("\n", 0, max(line - 1, 0)) + 1
        if before == line or not text[before:line].strip():
            return before
        line = before
    return line


def _spans_in_html(file: TextFile) -> Iterator[CodeSpan]:
    """Code spans in lines that begin with a tag or comment: a page shows their marks, an agent reads them as code."""
    text = file.document.text
    if "<" not in text:
        return
    for line in _HTML_LINE().finditer(text, file.body):
        for match in _SPAN().finditer(text, line.start(), line.end()):
            yield CodeSpan(match[1], *match.span(1))


def _indented(file: TextFile) -> Iterator[Unit]:
    """Commands in indented blocks of code."""
    text = file.document.text
    if "\n    " not in text and "\n\t" not in text:
        return
    for match in _INDENTED().finditer(text, file.body):
        if match["name"].rpartition("/")[2] in KNOWN:
            yield Unit("shell", match["code"], match.start("code"), "fence", file)


def fence_units(fence: Fence, file: TextFile) -> Iterator[Unit]:
    info = fence.info.split(maxsplit=1)
    name = info[0].lower().strip("{}.") if info else ""
    language = _LANGUAGES.get(name, "other" if name in _OTHER else None)
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
    yield Unit(language, text, fence.body_start, "fence", file)


def _blank_list(match: re.Match[str]) -> str:
    """Lines of one word each, such as passwords to try, as blanks; commands where a program is among them."""
    return match[0] if not KNOWN.isdisjoint(match[0].split()) else _NO_BREAK().sub(" ", match[0])


_IMPORT = late(
    r"(?m)^(?:import[ \t]+[\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+)*"
    r"|from[ \t]+[\w.]+[ \t]+import[ \t]+\w[^\n]*)\r?$"
)
_ASSIGNED = late(r"\w+=\"?\$\(")


def _seeming_language(text: str) -> str:
    """The language of a file whose name does not say it: an interpreter runs any."""
    if _is_shell(text):
        return "shell"
    return "python" if "import " in text and _IMPORT().search(text) else "text"


def _is_shell(text: str) -> bool:
    """Whether most lines of a block without a language begin with a known program."""
    lines = [line.strip() for line in text.split("\n")]
    lines = [line.removeprefix("$ ") for line in lines if line and not line.startswith("#")]
    known = 0
    for line in lines:
        if assigned := _ASSIGNED().match(line):
            line = line[assigned.end() :]
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


def _sentence(span: CodeSpan, file: TextFile) -> Unit | None:
    """A command in a sentence that is not one of warning; None for all other code spans."""
    text = file.document.text[span.start : span.end]
    word = _WORD().match(text)
    if not word or word[0] not in KNOWN or text[word.end() : word.end() + 1] != " " or "\n" in text:
        return None
    line = file.document.bounds(span.start)[0]
    before = file.document.text[max(line, span.start - _PROSE_BEFORE) : span.start]
    if _NEGATED().search(before):
        return None
    return Unit("shell", text, span.start, "sentence", file)
