"""The YAML dialect of every file we read: strictyaml's, plus flow style.

No anchors, aliases, tags, duplicate keys or second documents; keys are scalars and every scalar is a string. libyaml
composes the values, with exact offsets, and the tests hold them to strictyaml. No text makes `parse_yaml` raise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import yaml
from yaml.composer import Composer, ComposerError
from yaml.nodes import MappingNode, ScalarNode
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner

from skillbag.late import late

if TYPE_CHECKING:
    from yaml.error import Mark, MarkedYAMLError

MAX_DEPTH = 100
"""Levels of nesting that are read; libyaml's composer recurses in C, so a deeper text could end the process."""


class Scalar(NamedTuple):
    """A string and where it is written: `start` to `end` are code points of the whole document.

    Quotes and the `|` or `>` of a block lie within; a block ends with its last line that is not blank. `plain` means
    neither quoted nor a block. An empty value is plain, with `start` and `end` equal.
    """

    value: str
    start: int
    end: int
    plain: bool


class Entry(NamedTuple):
    """One `key: value` of a mapping."""

    key: Scalar
    value: Node


class Mapping(NamedTuple):
    """Entries in file order, no key twice; from the first key (or `{`) to the end of the last value (or `}`)."""

    entries: tuple[Entry, ...]
    start: int
    end: int

    def entry(self, name: str) -> Entry | None:
        """The entry whose key is `name`."""
        for entry in self.entries:
            if entry.key.value == name:
                return entry
        return None

    def get(self, name: str) -> Node | None:
        """The value of the key `name`; None where there is no such key."""
        entry = self.entry(name)
        return None if entry is None else entry.value

    def keys(self) -> tuple[str, ...]:
        """The keys in file order."""
        return tuple(entry.key.value for entry in self.entries)


class Sequence(NamedTuple):
    """Items in file order; from the first `-` (or `[`) to the end of the last item (or `]`)."""

    items: tuple[Node, ...]
    start: int
    end: int


Node = Scalar | Mapping | Sequence


class YamlError(NamedTuple):
    """Why a text has no value.

    `kind` is `yaml` (syntax, or nested too deep), `duplicate-key`, `anchor` (or alias), `tag`, `documents` (more than
    one) or `key` (a key that is no scalar); `detail` one sentence without its full stop; `offset` the code point.
    """

    kind: str
    detail: str
    offset: int


class _Refused(Exception):  # noqa: N818 - it is a value on its way out, not an error to report
    def __init__(self, kind: str, detail: str, index: int) -> None:
        self.error = YamlError(kind, detail, index)


class _Guard:
    """What a composer asks on its way: each node's depth, which is limited, and its tag, which nobody reads."""

    depth = 0

    def descend_resolver(self, parent: yaml.Node | None, index: object) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH and parent is not None:
            raise _Refused("yaml", f"values are nested more than {MAX_DEPTH} levels deep", parent.start_mark.index)

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def resolve(self, kind: object, value: object, implicit: object) -> str:
        return ""


class _PythonComposer(_Guard, Reader, Scanner, Parser, Composer):
    """The slow reader, for a PyYAML that was built without libyaml."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)

    def compose_scalar_node(self, anchor: dict[str, yaml.Node]) -> ScalarNode:
        node: ScalarNode = super().compose_scalar_node(anchor)
        node.value.encode()  # an escape for half a character: libyaml refuses it by itself
        return node


if yaml.__with_libyaml__:
    from yaml.cyaml import CParser  # type: ignore[attr-defined]

    class _Composer(_Guard, CParser):
        """The fast reader."""

else:
    _Composer = _PythonComposer  # type: ignore[misc, assignment]


def parse_yaml(text: str, offset: int = 0) -> Node | YamlError | None:
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
        end = _block_end(text, start, node.end_mark.index) if style == "|" or style == ">" else node.end_mark.index
        return Scalar(node.value, start + shift, end + shift, not style)
    if isinstance(node, MappingNode):
        entries = _entries(node, text, shift)
        flow = text[start] == "{" or not entries
        return Mapping(entries, start + shift, node.end_mark.index + shift if flow else entries[-1].value.end)
    items = tuple([_convert(item, text, shift) for item in node.value])
    flow = text[start] == "[" or not items
    return Sequence(items, start + shift, node.end_mark.index + shift if flow else items[-1].end)


def _entries(node: MappingNode, text: str, shift: int) -> tuple[Entry, ...]:
    entries = []
    seen = set()
    for key_node, value_node in node.value:
        key = _convert(key_node, text, shift)
        if not isinstance(key, Scalar):
            raise _Refused("key", "a key is a list or a mapping, not a plain name", key.start - shift)
        if key.value in seen:
            raise _Refused("duplicate-key", f"the key {key.value!r} is given twice", key.start - shift)
        seen.add(key.value)
        entries.append(Entry(key, _convert(value_node, text, shift)))
    return tuple(entries)


_BREAKS = "\r\n\x85\u2028\u2029"


def _block_end(text: str, start: int, end: int) -> int:
    # libyaml ends a block where the next token begins.
    last = start + len(text[start:end].rstrip(" \t" + _BREAKS))
    return end - len(text[last:end].lstrip(" \t"))


def _property(text: str, index: int) -> _Refused:
    what = {"!": "a tag (`!name`)", "*": "an alias (`*name`)", "&": "an anchor (`&name`)"}[text[index]]
    detail = f"{what} is not allowed; quote the value if `{text[index]}` is part of it"
    return _Refused("tag" if text[index] == "!" else "anchor", detail, index)


_UNPRINTABLE = late("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _explain(error: Exception, text: str) -> tuple[str, str, int]:
    """Kind, words and place of a parser's error."""
    if match := _UNPRINTABLE().search(text):
        return "yaml", f"the character U+{ord(match[0]):04X} is not allowed", match.start()
    if not isinstance(error, yaml.MarkedYAMLError):
        return "yaml", "an escape or a version number is out of range", 0
    index = _place(error, text)
    if isinstance(error, ComposerError) and "single document" in (error.context or ""):
        return "documents", "a second document begins here, and only one is read", index
    if text[index : index + 1] in ("&", "*", "!"):
        return _property(text, index).error
    words = " ".join(filter(None, (error.problem, error.context)))
    return "yaml", words.replace("<document start>", "start of a document"), index


def _place(error: MarkedYAMLError, text: str) -> int:
    """Where the mistake is: what was left open, where the parser noticed it only at the end or a line later."""
    problem, context = error.problem_mark, error.context_mark
    late = problem is None or problem.index >= len(text.rstrip()) or "find expected ':'" in (error.problem or "")
    opened: Mark | None = context if late or (context and text[context.index : context.index + 1] in "&*!") else None
    mark = opened or problem or context
    return mark.index if mark else 0


_CORE = late(
    r"""(?P<null>|~|null|Null|NULL)
      | (?P<true>true|True|TRUE) | (?P<false>false|False|FALSE)
      | (?P<int>[-+]?[0-9]+) | (?P<octal>0o[0-7]+) | (?P<hex>0x[0-9a-fA-F]+)
      | (?P<float>[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)
      | (?P<special>[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))""",
    re.VERBOSE,
)


def core_value(node: Node) -> object:
    """The plain Python value: dicts, lists, and plain scalars typed as YAML 1.2's core schema has them.

    Quoted scalars and blocks are strings, and so is an integer with more digits than Python converts.
    """
    if isinstance(node, Mapping):
        return {entry.key.value: core_value(entry.value) for entry in node.entries}
    if isinstance(node, Sequence):
        return [core_value(item) for item in node.items]
    match = _CORE().fullmatch(node.value) if node.plain else None
    return node.value if match is None else _typed(node.value, match.lastgroup)


def _typed(text: str, group: str | None) -> object:
    if group in ("int", "octal", "hex"):
        try:
            return int(text, {"int": 10, "octal": 8, "hex": 16}[group])
        except ValueError:
            return text
    if group in ("float", "special"):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    return {"null": None, "true": True, "false": False}[group or "null"]


_FOREIGN = late(
    r"""(?P<null>|~|null|Null|NULL)
      | (?P<boolean>yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)
      | (?P<number>
            [-+]?(?: 0b[01_]+ | 0o[0-7_]+ | 0x[0-9a-fA-F_]+
                   | [0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)? | \.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?
                   | [1-9][0-9_]*(?::[0-5]?[0-9])+ | [0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*   # base 60
                   | \.(?:inf|Inf|INF) )
          | \.(?:nan|NaN|NAN) )
      | (?P<date>[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}
            (?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
               (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?)""",
    re.VERBOSE,
)


def foreign_type(scalar: Scalar) -> str | None:
    """What PyYAML, Go's yaml or js-yaml reads where the text wants a string: `number`, `boolean`, `null` or `date`.

    One of them is enough; None where all read a string, as they do whatever is quoted.
    """
    match = _FOREIGN().fullmatch(scalar.value) if scalar.plain else None
    return None if match is None else match.lastgroup


_COMMENT = re.compile(rf"[ \t]*(#[^{_BREAKS}]*)")
_HEADER_COMMENT = late(rf"[|>][-+0-9]*[ \t]+(#[^{_BREAKS}]*)")


def trailing_comment(text: str, scalar: Scalar) -> tuple[int, int] | None:
    """The span in `text` of the comment after a scalar (a block: beside its `|` or `>`), from `#` to the line's end."""
    block = not scalar.plain and text[scalar.start] in "|>"
    match = _HEADER_COMMENT().match(text, scalar.start) if block else _COMMENT.match(text, scalar.end)
    return None if match is None else match.span(1)
