"""The parts of a skill's texts that a rule can name: `where: [description, body, …]`."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.globs import BadGlobError, matches, read_glob
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.workspace.text import DATA, TextFile
from skillbag.lint.checks.predicate import OptionFault

SCRIPT_ENDINGS = (
    *(".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".rb", ".pl", ".php", ".lua", ".star", ".go"),
    *(".zsh", ".fish", ".ps1", ".psm1", ".bat", ".cmd", ".applescript", ".r", ".rs", ".java", ".swift", ".kt"),
)


def glob_faults(files: tuple[str, ...]) -> Iterator[OptionFault]:
    """The globs of the option `files` that can't be read."""
    for number, glob in enumerate(files):
        try:
            read_glob(glob)
        except BadGlobError as error:
            yield OptionFault(("files", str(number)), str(error))


class Part(NamedTuple):
    """A part: its text, as a reader sees it, and the place in the file that it is from.

    `exact`: the text stands there as it is. Else what is found in it is searched for there.
    """

    text: str
    start: int
    end: int
    exact: bool = True

    def place(self, source: str, start: int, end: int, after: int) -> tuple[int, int]:
        """Where in the file's text `source` the offsets of this part are, not before `after`."""
        if self.exact:
            return self.start + start, self.start + end
        words = self.text[start:end]
        at = source.find(words, max(self.start, after), self.end)
        return (at, at + len(words)) if at >= 0 else (self.start, self.end)


def parts(file: TextFile, where: tuple[str, ...], files: tuple[str, ...] = ()) -> Iterator[Part]:
    """The parts of a text that `where` names, each once; with `files` only of a file that one of the globs matches."""
    if files and not matches(file.relative, files):
        return
    skill, text = file.skill, file.document.text
    is_skill_file = skill is not None and file.document is skill.document
    if is_skill_file and "description" in where and skill and isinstance(value := skill.field("description"), Scalar):
        yield Part(value.value, value.start, value.end, exact=text[value.start : value.end] == value.value)
    if file.language != "markdown":
        is_script = file.language not in DATA or file.relative.lower().endswith(SCRIPT_ENDINGS)
        if ("scripts" if is_script else "data") in where:
            yield Part(text, 0, len(text))
    elif ("body" if is_skill_file else "pages") in where:
        yield Part(text[file.body :], file.body, len(text))
    else:
        yield from _pieces(file, where)


def _pieces(file: TextFile, where: tuple[str, ...]) -> Iterator[Part]:
    """The headings, blocks of code and prose of Markdown."""
    text = file.document.text
    if "headings" in where:
        for heading in file.markdown.headings:
            yield Part(heading.text, heading.start, heading.end, exact=False)
    if "code-blocks" in where:
        for fence in file.markdown.fences:
            yield Part(text[fence.body_start : fence.body_end], fence.body_start, fence.body_end)
    if "prose" in where:
        at = file.body
        for start, end in _code(file):
            yield Part(text[at:start], at, start)
            at = max(at, end)
        yield Part(text[at:], at, len(text))


def _code(file: TextFile) -> list[tuple[int, int]]:
    found = [(each.start, each.end) for spans in (file.markdown.fences, file.markdown.code_spans) for each in spans]
    return sorted([*found, *file.markdown.indented])
