"""The YAML dialect of every file we read: strictyaml's, plus flow style.

No anchors, aliases, tags, duplicate keys or second documents; keys are scalars and every scalar is a string. The fast
reader reads plain texts, libyaml all others, with the same exact offsets; tests compare the fast reader with libyaml,
and libyaml with strictyaml. No text makes `parse_yaml` raise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.kernel.documents.yaml_values import MAX_DEPTH, Mapping, MappingEntry, Node, Scalar, Sequence, YamlError

__all__ = [
    "MAX_DEPTH",
    "Mapping",
    "MappingEntry",
    "Node",
    "Scalar",
    "Sequence",
    "YamlError",
    "core_value",
    "foreign_type",
    "parse_yaml",
    "trailing_comment",
    "way",
]


def parse_yaml(text: str, offset: int = 0) -> Node | YamlError | None:
    """The value of a block's text, which starts at `offset` of its document; None where there are only comments."""
    node = read_plain(text, offset)
    if node is not None:
        return node
    from skillbag.kernel.documents.libyaml import read_any

    return read_any(text, offset)


def way(node: Node | None, keys: Iterable[str | int]) -> list[tuple[Node | None, int, int]]:
    """A node and those that keys lead to, one in the other, each with the offsets that name it; as far as they lead.

    They are those of a scalar with its key, of an item of a list, and of the key alone where the value is not one word.
    """
    start = end = 0 if node is None else node.start
    found = [(node, start, end)]
    for key in keys:
        if isinstance(node, Mapping) and (entry := node.entry(str(key))):
            node, start = entry.value, entry.key.start
            end = node.end if isinstance(node, Scalar) else entry.key.end
        elif isinstance(node, Sequence) and isinstance(key, int) and key < len(node.items):
            node = node.items[key]
            start, end = node.start, node.end
        else:
            break
        found.append((node, start, end))
    return found


_NULLS = ("", "~", "null", "Null", "NULL")
_CORE_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(_NULLS),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_CORE = late(
    r"""(?P<int>[-+]?[0-9]+) | (?P<octal>0o[0-7]+) | (?P<hex>0x[0-9a-fA-F]+)
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
    if node.plain and node.value in _CORE_WORDS:
        return _CORE_WORDS[node.value]
    match = _CORE().fullmatch(node.value) if node.plain and _like_a_number(node.value) else None
    return node.value if match is None else _typed(node.value, match.lastgroup)


def _like_a_number(value: str) -> bool:
    """Whether a value may match an expression of numbers: it is no prose, and no version such as `1.2.3`."""
    return value[0] in "+-.0123456789" and value.count(".") < 2


def _typed(text: str, group: str | None) -> object:
    if group in ("float", "special"):
        return float(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    try:
        return int(text, {"int": 10, "octal": 8, "hex": 16}[group or "int"])
    except ValueError:
        return text


_FOREIGN_WORDS = {
    **dict.fromkeys(_NULLS, "null"),
    **dict.fromkeys(("yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"), "boolean"),
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), "boolean"),
}
_FOREIGN = late(
    r"""(?P<number>
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
    """The type other than string that PyYAML, Go's yaml or js-yaml reads: `number`, `boolean`, `null` or `date`.

    None where all of them read a string, such as a quoted one.
    """
    value = scalar.value
    if not scalar.plain:
        return None
    if value in _FOREIGN_WORDS:
        return _FOREIGN_WORDS[value]
    match = _FOREIGN().fullmatch(value) if _like_a_number(value) else None
    return None if match is None else match.lastgroup


_COMMENT = late(r"[ \t]*(#[^\r\n\x85\u2028\u2029]*)")
_HEADER = late(r"[|>][-+0-9]*(?=[ \t])")


def trailing_comment(text: str, scalar: Scalar) -> tuple[int, int] | None:
    """The span in `text` of the comment after a scalar (a block: beside its `|` or `>`), from `#` to the line's end."""
    end = scalar.end
    if not scalar.plain and text[scalar.start] in "|>":
        header = _HEADER().match(text, scalar.start)
        end = header.end() if header else len(text)
    # Most values are the last in their line.
    match = _COMMENT().match(text, end) if text.startswith((" ", "\t", "#"), end) else None
    return None if match is None else match.span(1)
