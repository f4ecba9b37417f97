"""The reader of any YAML: the nodes of libyaml's composer as our values, its errors as one sentence with their place.

Importing PyYAML takes as long as checking many skills, so this module is imported only if the fast reader gives up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from yaml.composer import Composer, ComposerError
from yaml.nodes import MappingNode, ScalarNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.yaml_values import MAX_DEPTH, Mapping, MappingEntry, Node, Scalar, Sequence, YamlError

if TYPE_CHECKING:
    from yaml.error import Mark, MarkedYAMLError


_TOO_DEEP = f"values are nested more than {MAX_DEPTH} levels deep"


class _Refused(Exception):  # noqa: N818 - carries a value out of the composer
    def __init__(self, kind: str, detail: str, index: int) -> None:
        self.error = YamlError(kind, detail, index)


class _Guard:
    """The composer's hooks: they limit the depth of nodes and skip the resolution of tags."""

    depth = 0

    def descend_resolver(self, parent: yaml.Node | None, index: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH and parent is not None:
            raise _Refused("yaml", _TOO_DEEP, parent.start_mark.index)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return ""


class _PythonComposer(_Guard, Reader, Scanner, Parser, Composer):
    """The slow reader, for a PyYAML without libyaml."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)

    def compose_scalar_node(self, anchor: dict[str, yaml.Node]) -> ScalarNode:
        node: ScalarNode = super().compose_scalar_node(anchor)
        node.value.encode()  # refuses an escaped surrogate, as libyaml does
        return node


if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _Composer(_Guard, CParser):
        """The fast reader."""

else:
    _Composer = _PythonComposer  # type: ignore[misc, assignment]


def read_any(text: str, offset: int = 0) -> Node | YamlError | None:
    """The value of a block's text, which starts at `offset` of its document; None where there are only comments."""
    # libyaml skips byte order marks without counting them.
    body = text.lstrip("\ufeff")
    shift = offset + len(text) - len(body)
    try:
        root = _Composer(body).get_single_node()
        node = None if root is None else _convert(root, body + "\n", shift)
    except _Refused as refused:
        return refused.error._replace(offset=refused.error.offset + shift)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        kind, detail, index = _explain(error, body)
        return YamlError(kind, detail, min(index, len(body)) + shift)
    return None if isinstance(node, Scalar) and node.plain and not node.value else node


def _convert(node: yaml.Node, text: str, shift: int) -> Node:
    start = node.start_mark.index
    if text[start] in "&!":
        raise _property(text, start)
    if isinstance(node, ScalarNode):
        style = node.style
        end = node.end_mark.index
        if style == "|" or style == ">":
            # libyaml ends a block where the next token begins.
            last = start + len(text[start:end].rstrip(" \t" + _BREAKS))
            end -= len(text[last:end].lstrip(" \t"))
        return Scalar(node.value, start + shift, end + shift, not style)
    if isinstance(node, MappingNode):
        entries = _entries(node, text, shift)
        flow = text[start] == "{" or not entries
        return Mapping(entries, start + shift, node.end_mark.index + shift if flow else entries[-1].value.end)
    items = tuple([_convert(item, text, shift) for item in node.value])
    flow = text[start] == "[" or not items
    return Sequence(items, start + shift, node.end_mark.index + shift if flow else items[-1].end)


def _entries(node: MappingNode, text: str, shift: int) -> tuple[MappingEntry, ...]:
    entries = []
    seen = set()
    for key_node, value_node in node.value:
        key = _convert(key_node, text, shift)
        if not isinstance(key, Scalar):
            raise _Refused("key", "a key is a list or a mapping, not a plain name", key.start - shift)
        if key.value in seen:
            raise _Refused("duplicate-key", f"the key {key.value!r} is given twice", key.start - shift)
        seen.add(key.value)
        entries.append(MappingEntry(key, _convert(value_node, text, shift)))
    return tuple(entries)


_BREAKS = "\r\n\x85\u2028\u2029"


def _property(text: str, index: int) -> _Refused:
    what = {"!": "a tag (`!name`)", "*": "an alias (`*name`)", "&": "an anchor (`&name`)"}[text[index]]
    detail = f"{what} is not allowed; quote the value if `{text[index]}` is part of it"
    return _Refused("tag" if text[index] == "!" else "anchor", detail, index)


_UNPRINTABLE = late("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _explain(error: Exception, text: str) -> tuple[str, str, int]:
    """Kind, message and place of a parser's error."""
    if match := _UNPRINTABLE().search(text):
        return "yaml", f"the character U+{ord(match[0]):04X} is not allowed", match.start()
    if (mark := f"\n{text}".find("\n<<<<<<< ")) >= 0:
        return "yaml", "git left both sides of a merge in it: keep one of them, and take out the marks", mark
    if not isinstance(error, yaml.MarkedYAMLError):
        return "yaml", "an escape or a version number is out of range", 0
    index = _place(error, text)
    if exceeds_depth(error):
        return "yaml", _TOO_DEEP, index
    if isinstance(error, ComposerError) and "single document" in (error.context or ""):
        return "documents", "a second document begins here, and only one is read", index
    if text[index : index + 1] in ("&", "*", "!"):
        return _property(text, index).error
    return "yaml", plain_words(error, text, index), index


def exceeds_depth(error: MarkedYAMLError) -> bool:
    """Whether the parser gave up at a depth, which libyaml does from 0.2.6 on; the text may be correct.

    It reads ahead for keys: an event of a shallow place may already bring the error of a deep one.
    """
    return "maximum nesting depth" in (error.problem or "")


def plain_words(error: MarkedYAMLError, text: str, index: int) -> str:
    """The parser's message, or ours where that does not say what to change."""
    words = " ".join(filter(None, (error.problem, error.context))).replace("<document start>", "start of a document")
    before = text[text.rfind("\n", 0, index) + 1 : index]
    if "cannot start any token" in words:
        if text[index : index + 1] == "\t":
            return "this line is indented with a tab; YAML needs spaces"
        return f"a value cannot begin with `{text[index : index + 1]}`; put it in quotes"
    if words.startswith("mapping values are not allowed"):
        if ": " in before:
            return "the value holds `: `; put it in quotes"
        return "a key cannot follow the value above it; check the indentation"
    if "end of stream" in words and "quoted scalar" in words:
        return "this quote is never closed"
    return words


def _place(error: MarkedYAMLError, text: str) -> int:
    """The place of the error: of the opening mark if the parser noticed the error only at the end or a line later."""
    problem, context = error.problem_mark, error.context_mark
    late = problem is None or problem.index >= len(text.rstrip()) or "find expected ':'" in (error.problem or "")
    opened: Mark | None = context if late or (context and text[context.index : context.index + 1] in "&*!") else None
    mark = opened or problem or context
    return mark.index if mark else 0
