"""Regular expressions as nodes that `linear_regex` searches with; Python's own parser reads them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from re import _parser  # type: ignore[attr-defined]

from skillbag.kernel.base.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EDGE, LINE, WORD, OTHER = range(4)
"""What is beside a place: nothing, a line end, a letter, or another character."""
_LONGEST = 1_000
"""Characters of an expression."""
_MAX_NODES = 1_000
_MAX_BUILT = 10_000


class BadExpressionError(ValueError):
    """An expression that can't be read, or not be searched in linear time; the message says why."""


class ExpressionNode(NamedTuple):
    """A part of an expression. `test` is for a character, `place` for what is before and after a place; `next` are the
    numbers of the nodes that may follow: none for the end of the expression."""

    next: tuple[int, ...] = ()
    test: Callable[[str], bool] | None = None
    place: Callable[[int, int], bool] | None = None


def nodes_of(written: str, ignore_case: bool, *, backwards: bool) -> tuple[list[ExpressionNode], int]:
    """The nodes of an expression, and the number of the first; `backwards`: for a text that is read from its end.

    Raises:
        BadExpressionError: it is none that is searched in linear time.
    """
    if len(written) > _LONGEST:
        raise BadExpressionError(f"it is longer than {_LONGEST:,} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            parsed = _parser.parse(written, re.IGNORECASE if ignore_case else 0)
        builder = _Builder(backwards)
        return builder.nodes, builder.sequence(list(parsed), builder.add(ExpressionNode()), parsed.state.flags)
    except re.error as error:
        at = "" if error.pos is None else f" at position {error.pos}"
        raise BadExpressionError(f"it is no regular expression of Python: {error.msg}{at}") from error
    except (Warning, OverflowError, RecursionError) as error:
        raise BadExpressionError(f"it is no regular expression of Python: {error or 'it nests too deep'}") from error


_PLACES: dict[str, Callable[[int, int], bool]] = {
    "AT_BEGINNING": lambda before, _: before in (EDGE, LINE),
    "AT_BEGINNING_STRING": lambda before, _: before == EDGE,
    "AT_END": lambda _, after: after in (EDGE, LINE),
    "AT_END_STRING": lambda _, after: after == EDGE,
    "AT_BOUNDARY": lambda before, after: (before == WORD) is not (after == WORD),
    "AT_NON_BOUNDARY": lambda before, after: (before == WORD) is (after == WORD),
}
_REFUSED = "it has {}, which no linear search has; write it without"
_NAMES = {"GROUPREF": "a back reference", "GROUPREF_EXISTS": "a back reference", "ATOMIC_GROUP": "an atomic group"}


class _Builder:
    """Nodes from the tree of Python's own parser, from the end of the expression to its start."""

    def __init__(self, backwards: bool) -> None:
        self.nodes: list[ExpressionNode] = []
        self._backwards = backwards
        self._built = 0

    def add(self, node: ExpressionNode) -> int:
        if len(self.nodes) >= _MAX_NODES:
            raise BadExpressionError("it is too large: repeat less, or with `*` or `+`")
        self.nodes.append(node)
        return len(self.nodes) - 1

    def sequence(self, items: list[Any], following: int, flags: int) -> int:
        """The number of the first node of the items, which lead to the node `following`."""
        for item in items if self._backwards else reversed(items):
            following = self._item(str(item[0]), item[1], following, flags)
        return following

    def _item(self, name: str, value: Any, following: int, flags: int) -> int:
        self._built += 1
        if self._built > _MAX_BUILT:
            raise BadExpressionError("it is too large: repeat less, or with `*` or `+`")
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most, inner = value
            return self._repeat(int(least), None if str(most) == "MAXREPEAT" else int(most), inner, following, flags)
        if name == "SUBPATTERN":
            _, added, removed, inner = value
            return self.sequence(list(inner), following, (flags | added) & ~removed)
        if name == "BRANCH":
            return self.add(ExpressionNode(tuple(self.sequence(list(way), following, flags) for way in value[1])))
        if name == "AT":
            return self.add(ExpressionNode((following,), place=_PLACES[str(value)]))
        if name in ("ASSERT", "ASSERT_NOT", "POSSESSIVE_REPEAT") or name in _NAMES:
            what = _NAMES.get(name, "a possessive repeat" if name == "POSSESSIVE_REPEAT" else "a look-around")
            raise BadExpressionError(_REFUSED.format(what))
        return self.add(ExpressionNode((following,), test=self._test(name, value, flags)))

    def _repeat(self, least: int, most: int | None, inner: Any, following: int, flags: int) -> int:
        if least > _MAX_NODES or (most or 0) > _MAX_NODES:
            raise BadExpressionError("it is too large: repeat less, or with `*` or `+`")
        items = list(inner)
        if most is None:
            loop = self.add(ExpressionNode((following,)))
            self.nodes[loop] = ExpressionNode((self.sequence(items, loop, flags), following))
            following = loop
        end = following
        for _ in range(0 if most is None else most - least):
            following = self.add(ExpressionNode((self.sequence(items, following, flags), end)))
        for _ in range(least):
            following = self.sequence(items, following, flags)
        return following

    def _test(self, name: str, value: Any, flags: int) -> Callable[[str], bool]:
        test = self._plain_test(name, value, flags)
        if not flags & re.IGNORECASE or name == "ANY":
            return test
        if name == "NOT_LITERAL":
            return lambda char: test(char) and test(char.lower()) and test(char.upper())
        return lambda char: test(char) or test(char.lower()) or test(char.upper())

    def _plain_test(self, name: str, value: Any, flags: int) -> Callable[[str], bool]:
        if name == "ANY":
            return (lambda _: True) if flags & re.DOTALL else lambda char: char != "\n"
        if name in ("LITERAL", "NOT_LITERAL"):
            only = chr(value)
            return only.__eq__ if name == "LITERAL" else only.__ne__
        if name == "CATEGORY":
            return _CATEGORIES[str(value)]
        if name == "RANGE":
            first, last = map(chr, value)
            return lambda char: first <= char <= last
        tests = [self._plain_test(str(each), what, flags) for each, what in value if str(each) != "NEGATE"]
        if any(str(each) == "NEGATE" for each, _ in value):
            return lambda char: not any(test(char) for test in tests)
        return lambda char: any(test(char) for test in tests)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdecimal,
    "CATEGORY_NOT_DIGIT": lambda char: not char.isdecimal(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda char: not char.isspace(),
    "CATEGORY_WORD": _is_word,
    "CATEGORY_NOT_WORD": lambda char: not _is_word(char),
}
