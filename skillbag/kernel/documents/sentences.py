"""The sentences of a Markdown text, as a reader sees them, where no parser of Markdown is needed."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple


class Sentence(NamedTuple):
    """A sentence or title as written, and as compared (`plain`: without emphasis, in lower case). `level` is that of a
    title, 0 for a sentence.
    """

    text: str
    plain: str
    level: int

    @property
    def title(self) -> bool:
        """Whether it is a title."""
        return self.level > 0


_TITLE_MARK = late(r"[ ]{0,3}(#{1,6})[ \t]+")
_ITEM_MARK = late(r"[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_SENTENCE_END = late(r"(?<=[.!?;])\s+")
_MARKUP = late(r"[*_`]+")


def read_sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text in order: the lines of a paragraph are joined; titles and list items are separate."""
    paragraph = ""
    for line in (*text.splitlines(), ""):
        title, item = _TITLE_MARK().match(line), _ITEM_MARK().match(line)
        if (title or item or not line.strip()) and paragraph:
            yield from (_sentence(part, 0) for part in _SENTENCE_END().split(paragraph))
            paragraph = ""
        if title:
            yield _sentence(line[title.end() :].rstrip("# \t"), len(title[1]))
        elif line.strip():
            paragraph += ("\n" if paragraph else "") + (line[item.end() :] if item else line).rstrip()


def _sentence(text: str, level: int) -> Sentence:
    plain = " ".join(_MARKUP().sub("", text).split()).lower().rstrip(".!:;")
    return Sentence(text, plain.replace("’", "'"), level)


_COMMENT = late(r"(?s:<!--.*?(?:-->|\Z))")
_FENCE = late(r"(?ms:^[ \t>]*(`{3,}|~{3,})[^\n]*\n.*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z))")
_CODE = late(r"(?m:(?<=\n\n)(?:(?: {4}|\t)[^\n]*\n?)+)")


def without_comments(text: str) -> str:
    """A text without its HTML comments."""
    return _COMMENT().sub("", text) if "<!--" in text else text


def without_code(text: str) -> str:
    """A text without its blocks of code, which show something."""
    return _CODE().sub("", _FENCE().sub("", text))
