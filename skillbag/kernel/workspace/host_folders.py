"""A plugin or project as values: the files around skills that its agents read, each with its text and its data."""

from __future__ import annotations

import os

from skillbag.kernel.base.json_text import BadJsonError, json_value
from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.documents.frontmatter import FrontMatter, front_matter
from skillbag.kernel.documents.nodes import Mapping, Node, Sequence, YamlError, core_value, parse_yaml, steps
from skillbag.kernel.documents.source import Document, DocumentProblem, read_document
from skillbag.kernel.fs import tracked
from skillbag.kernel.workspace.target import HostFilePath
from skillbag.kernel.workspace.text import TextFile, UnreadText, language_of
from skillbag.kernel.workspace.tree import in_samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from skillbag.kernel.workspace.model import Inventory
    from skillbag.kernel.workspace.skill import Skill


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
    def _read(self) -> tuple[Node | None, Any, DocumentProblem | None]:
        """The nodes, the plain value, and what is wrong."""
        if isinstance(self.document, DocumentProblem):
            return None, None, self.document
        if self.is_markdown:
            matter = self._front_matter
            if not isinstance(matter, FrontMatter):
                return None, None, matter
            return matter.mapping, core_value(matter.mapping), None
        node = parse_yaml(self.document.text)
        if self.path.endswith(".json"):
            try:
                value = json_value(self.document.text)
            except BadJsonError as error:
                return None, None, DocumentProblem(self.path, "json", str(error), error.line)
            return None if isinstance(node, YamlError) else node, value, None
        if isinstance(node, YamlError):
            return None, None, DocumentProblem(self.path, "yaml", node.detail)
        return node, None if node is None else core_value(node), None

    @property
    def data(self) -> Node | None:
        """The nodes; None where there are none."""
        return self._read[0]

    @property
    def value(self) -> Any:
        """The plain value; None where there is none."""
        return self._read[1]

    @property
    def fault(self) -> DocumentProblem | None:
        """Why there is no data; None where there is."""
        return self._read[2]

    def place(self, *keys: str | int) -> tuple[int, int]:
        """The offsets of the value that keys lead to, with its key; as far as they lead."""
        return place_of(self.data, keys)

    def node(self, *keys: str | int) -> Node | None:
        """The node that keys lead to; None where there is none."""
        found = [self.data, *(node for node, _, _ in steps(self.data, keys))]
        return found[-1] if len(found) > len(keys) else None

    def scalar(self, *keys: str | int) -> tuple[int, int] | None:
        """The offsets of the one value that keys lead to, as it is written; None where there is none."""
        node = self.node(*keys)
        return None if node is None or isinstance(node, Mapping | Sequence) else (node.start, node.end)


def read_host_file(path: str, kind: str, beside: HostFile) -> HostFile | None:
    """Another file of the target of a host file; None where there is none."""
    if not tracked.is_file(path) or not tracked.within(beside.root, path):
        return None
    return HostFile(HostFilePath(path, kind, os.path.dirname(os.path.dirname(path))), beside.root)


def place_of(node: Node | None, keys: Iterable[str | int]) -> tuple[int, int]:
    """The offsets of the value that keys lead to, with its key; as far as they lead."""
    start = 0 if node is None else node.start
    return [(start, start), *((first, end) for _, first, end in steps(node, keys))][-1]


def objects_in(value: object, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects in the list that a value has under a key, each with its number, as far as it has this form."""
    items = value.get(key) if isinstance(value, dict) else None
    for number, item in enumerate(items if isinstance(items, list) else []):
        if isinstance(item, dict):
            yield number, item


class HostFolder(NamedTuple):
    """The files of one plugin or project at `root`, and the skills of the target that it belongs to."""

    root: str
    files: tuple[HostFile, ...]
    inventory: Inventory

    def of_kind(self, *kinds: str) -> tuple[HostFile, ...]:
        """The files of these kinds."""
        return tuple(file for file in self.files if file.kind in kinds)


def host_folders(inventory: Inventory) -> tuple[HostFolder, ...]:
    """The plugins and projects of a target, by their root."""
    target = inventory.workspace.target
    found: dict[str, list[HostFile]] = {}
    for file in target.around:
        found.setdefault(file.root, []).append(HostFile(file, target.root))
    return tuple(HostFolder(root, tuple(files), inventory) for root, files in found.items())


_IN_SKILLS = (("/agents/openai.yaml", "codex-interface"), ("/evals/evals.json", "evals"))
_CLAUDE_KEYS = frozenset(
    {"agent", "arguments", "background", "context", "effort", "hooks", "model", "shell"}
    | {"PreToolUse", "PostToolUse", "Stop", "disable-model-invocation", "user-invocable"}
)
"""Keys of front matter that have their effect in Claude Code, for some values only."""


def files_in_skill(skill: Skill) -> Iterator[HostFile]:
    """The files in the folder of a skill that have a form of their own; most skills have none."""
    if "/openai.yaml" in skill.names or "/evals.json" in skill.names:
        for entry in skill.listing.entries:
            for ending, kind in _IN_SKILLS:
                folder = f"/{entry.relative}".removesuffix(ending)[1:]
                is_skill = f"{folder}/{skill.file}".lstrip("/") in skill.paths and not in_samples(folder)
                if is_skill and entry.relative == f"{folder}{ending}".lstrip("/"):
                    yield HostFile(HostFilePath(entry.path, kind, entry.path[: -len(ending)]), skill.root)
    for each in (skill, *skill.inner):
        if not _CLAUDE_KEYS.isdisjoint(each.fields) and not _is_of_others(each):
            yield HostFile(HostFilePath(each.path, "claude-skill", each.directory), each.root)


def _is_of_others(skill: Skill) -> bool:
    """Whether the skill is in a hidden folder of another program, such as `.codex/`."""
    parts = os.path.relpath(skill.directory, skill.root).split(os.sep)
    return any(part.startswith(".") and part not in (".", ".claude", ".skills") for part in parts)
