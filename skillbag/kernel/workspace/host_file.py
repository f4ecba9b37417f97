"""One file around skills that an agent reads, with its text and its data."""

from __future__ import annotations

import os

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.nodes import Mapping, Node, Sequence, YamlError, core_value, parse_yaml, way
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.workspace.target import HostFilePath
from skillbag.kernel.workspace.text import TextFile, UnreadText, language_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class HostFile(NamedTuple):
    """One file that an agent reads; `root` is that of the target, with which no path may be left.

    `data` are its nodes, with exact offsets: of JSON the whole, of Markdown the front matter. None where it has none or
    is broken; `fault` then says what is wrong, as a clause.
    """

    file: HostFilePath
    root: str

    @property
    def path(self) -> str:
        """The absolute path."""
        return self.file.path

    @property
    def kind(self) -> str:
        """The kind, as in `host_files`."""
        return self.file.kind

    @property
    def relative(self) -> str:
        """The path within the plugin or project, with `/`."""
        return os.path.relpath(self.path, self.file.root).replace(os.sep, "/")

    @cached_property
    def document(self) -> Document | DocumentProblem:
        """Its text."""
        return read_document(self.path, self.root)

    @cached_property
    def text(self) -> TextFile | UnreadText:
        """Its text for rules about texts."""
        relative = os.path.relpath(self.path, self.root).replace(os.sep, "/")
        if isinstance(self.document, DocumentProblem):
            return UnreadText(self.document, relative)
        matter = self._front_matter
        body = matter.body if isinstance(matter, FrontMatter) else 0
        language = "markdown" if self.is_markdown else language_of(relative) or "text"
        return TextFile(self.document, relative, language, body, base=self.file.root)

    @property
    def is_markdown(self) -> bool:
        """Whether it is Markdown, whose data is its front matter."""
        return self.path.endswith((".md", ".mdc"))

    @cached_property
    def _front_matter(self) -> FrontMatter | DocumentProblem | None:
        return front_matter(self.document) if self.is_markdown and isinstance(self.document, Document) else None

    @cached_property
    def _read(self) -> tuple[Any, DocumentProblem | None]:
        """The plain value, and what is wrong."""
        if isinstance(self.document, DocumentProblem):
            return None, self.document
        if self.is_markdown:
            matter = self._front_matter
            return (core_value(matter.mapping), None) if isinstance(matter, FrontMatter) else (None, matter)
        if self.path.endswith(".json"):
            try:
                return json_value(self.document.text), None
            except BadJsonError as error:
                return None, DocumentProblem(self.path, "json", str(error), error.line)
        node = parse_yaml(self.document.text)
        if isinstance(node, YamlError):
            return None, DocumentProblem(self.path, "yaml", node.detail)
        return None if node is None else core_value(node), None

    @cached_property
    def data(self) -> Node | None:
        """The nodes; None where there are none."""
        if self.is_markdown:
            return self._front_matter.mapping if isinstance(self._front_matter, FrontMatter) else None
        node = parse_yaml(self.document.text) if isinstance(self.document, Document) else None
        return None if isinstance(node, YamlError) else node

    @property
    def value(self) -> Any:
        """The plain value; None where there is none."""
        return self._read[0]

    @property
    def fault(self) -> DocumentProblem | None:
        """Why there is no value; None where there is."""
        return self._read[1]

    def place(self, *keys: str | int) -> tuple[int, int]:
        """The offsets of the value that keys lead to, with its key; as far as they lead."""
        return way(self.data, keys)[-1][1:]

    def node(self, *keys: str | int) -> Node | None:
        """The node that keys lead to; None where there is none."""
        found = way(self.data, keys)
        return found[-1][0] if len(found) > len(keys) else None

    def scalar(self, *keys: str | int) -> tuple[int, int] | None:
        """The offsets of the one value that keys lead to, as it is written; None where there is none."""
        node = self.node(*keys)
        return None if node is None or isinstance(node, Mapping | Sequence) else (node.start, node.end)


def objects_in(value: object, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in the list that a value has under a key, each with its number, as far as it has this form."""
    items = value.get(key) if isinstance(value, dict) else None
    found = enumerate(items if isinstance(items, list) else [])
    return ((number, item) for number, item in found if isinstance(item, dict))
