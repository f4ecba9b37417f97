"""What the catalog, other skills and the dependency graph need of a skill: its summary, with places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence
from skillbag.kernel.documents.source import DocumentProblem

TAG = re.compile(r"(?<!\S)#([A-Za-z0-9_-]+)/([^\s,;]+)")
"""A tag in a description (clause tags.syntax): its group and its name."""

_COMPANION = "#use/"


class Located(NamedTuple):
    """A value and its offsets in its file, in code points."""

    value: str
    start: int
    end: int


class Dependency(NamedTuple):
    """One declared dependency."""

    name: Located
    source: str | None
    version: str | None
    required: bool


class Description(NamedTuple):
    """A description as the standard defines it: white space collapsed, and with its tags.

    `hidden` is the tail that YAML readers drop as a comment: tags if `counts`, else words.
    """

    value: str
    start: int
    end: int
    hidden: Located | None = None
    counts: bool = False


class SkillSummary(NamedTuple):
    """What the catalog, other skills and the dependency graph need of a skill; kept when its text is released.

    `folder` is the folder's name; `name` the declared one. `problem` is why `SKILL.md` could not be read. `when` is the
    text of `when_to_use`, `unlisted` the key that keeps the skill out of the list that the model sees. `inner` are the
    summaries of the skills nested in its folder, which agents don't find.
    """

    folder: str
    directory: str
    path: str
    skills_root: str
    name: Located | None
    description: Description | None
    dependencies: tuple[Dependency, ...]
    problem: DocumentProblem | None
    when: str = ""
    unlisted: str = ""
    inner: tuple[SkillSummary, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether it is a valid skill directory: readable, with a name and a description."""
        return self.problem is None and bool(self.name and self.description and self.description.value)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of the description, as written (`#run/always`)."""
        return tuple(m[0] for m in TAG.finditer(self.description.value)) if self.description else ()

    @property
    def companions(self) -> tuple[str, ...]:
        """The names in the tags `#use/NAME`, as written."""
        return tuple(tag.removeprefix(_COMPANION) for tag in self.tags if tag.startswith(_COMPANION))


def read_dependencies(nodes: tuple[Node, ...]) -> Iterator[Dependency]:
    """The well-formed dependencies among `nodes`; the shape rules report the others."""
    for node in nodes:
        for item in node.items if isinstance(node, Sequence) else ():
            if isinstance(item, Mapping) and isinstance(name := item.get("name"), Scalar):
                required = item.get("required")
                optional = isinstance(required, Scalar) and required.value.lower() in ("false", "no", "off")
                yield Dependency(Located(*name[:3]), _text(item, "source"), _text(item, "version"), not optional)


def _text(mapping: Mapping, key: str) -> str | None:
    value = mapping.get(key)
    return value.value if isinstance(value, Scalar) and value.value else None
