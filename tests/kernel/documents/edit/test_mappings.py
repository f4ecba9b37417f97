"""Mappings in YAML edited as text: one value changes, comes or goes, and no other byte does."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import NotEditableError, flow
from skillbag.kernel.documents.edit.mappings import entry_lines, with_entry, with_value, without_entry
from skillbag.kernel.documents.nodes import Mapping, MappingEntry, Scalar, Sequence, core_value, parse_yaml
from tests.rows import each_row


def mapping(text: str, *keys: str) -> Mapping:
    """The mapping that the keys lead to."""
    node = parse_yaml(text)
    for key in keys:
        assert isinstance(node, Mapping)
        node = node.get(key)
    assert isinstance(node, Mapping)
    return node


def entry(text: str, *keys: str) -> MappingEntry:
    found = mapping(text, *keys[:-1]).entry(keys[-1])
    assert found
    return found


def changed(text: str, *keys: str, to: str = "new") -> str:
    """The text with another value."""
    return with_value(text, entry(text, *keys), to)


def added(text: str, *keys: str, at: tuple[str, ...] = ()) -> str:
    """The text with one more entry in the mapping at `at`."""
    return with_entry(text, mapping(text, *at), keys, "1", "\n")


def removed(text: str, *keys: str) -> str:
    """The text without an entry."""
    return without_entry(text, mapping(text, *keys[:-1]), keys[-1])


PLAIN = st.recursive(
    st.text(st.characters(codec="utf-8"))
    | st.integers()
    | st.booleans()
    | st.none()
    # YAML 1.1, which PyYAML reads, wants a point in every number with an exponent.
    | st.integers(-999, 999).map(lambda number: number / 8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab: #é\n", max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN)
def test_every_value_is_one_line_that_reads_back_the_same(value: object) -> None:
    written = flow(value)
    assert written.isprintable()
    node = parse_yaml(written)
    assert isinstance(node, Scalar | Mapping | Sequence)
    assert repr(core_value(node)) == repr(value)
    # Every other reader takes it the same way, even the one of YAML 1.1.
    assert repr(yaml.safe_load(f"a: {written}")) == repr({"a": value})


@each_row(
    ("value", "written"),
    [
        ("pdf", "pdf"),
        ("", '""'),
        ("5", '"5"'),
        ("1.10", '"1.10"'),
        ("true", '"true"'),
        ("no", '"no"'),
        ("a: b # c", '"a: b # c"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("Grüße 🎉", '"Grüße 🎉"'),
        (" leading", '" leading"'),
        ("two\nlines\u2028three", '"two\\nlines\\u2028three"'),
        ("\u202ebidi\x7f\U000e0001", '"\\u202ebidi\\u007f\\U000e0001"'),
        (True, "true"),
        (5, "5"),
        (["a", 1, [True, None]], "[a, 1, [true, null]]"),
        ({"b": {"c d": "*"}}, '{b: {"c d": "*"}}'),
    ],
)
def test_how_values_are_written(value: object, written: str) -> None:
    assert flow(value) == written


# Each text with @ where the value changes, then the old value.
REPLACED = [
    ("a: @ # note\nb: 1\n", "old"),
    ("a: @   \n", "'old: one'"),
    ("a: @\t# tab\n", '"old"'),
    ("a: @\nb: 1", "[1, 2,\n  3]"),
    ("a: @ # note\n", "{x: y}"),
    ("{b: 1, a: @, c: 2}\n", "old"),
    ('{"a":@}', "1"),
    ("a: @ # note\nb: 1\n", "old\n  text of\n  lines"),
    ("x:\n  y:\n    a: @\n  # off\n", "old"),
    ("a: @\r\nb: 1\r\n", "old"),
    ("? a\n: @\n", "old"),
]


@each_row(("text", "old"), REPLACED)
def test_a_value_is_replaced_and_nothing_else(text: str, old: str) -> None:
    before = text.replace("@", old)
    keys = ("x", "y", "a") if text.startswith("x:") else ("a",)
    assert changed(before, *keys) == text.replace("@", "new")


@each_row(
    ("before", "after"),
    [
        ("a:\nb: 1\n", "a: new\nb: 1\n"),
        ("a: # note\n", "a: new # note\n"),
        ("{a, b: }", "{a: new, b: }"),
        ("{b: , a: }", "{b: , a: new}"),
        ('{"a":}', '{"a": new}'),
        ("a: |\n  text\n  more\n\nb: 1\n", "a: new\n\nb: 1\n"),
        ("a: >- # note\n  text\n# off\nb: 1\n", "a: new # note\n# off\nb: 1\n"),
        ("a: |2\nb: 1\n", "a: new\nb: 1\n"),
        ("a: # note\n  - 1\n  - 2\nb: 1\n", "a: new # note\nb: 1\n"),
        ("a:\r\n- 1\r\n- 2", "a: new"),
        ("a:\n  b:\n    c: 1\n  d: 2\n\n# off\n", "a: new\n\n# off\n"),
    ],
)
def test_nothing_or_several_lines_are_replaced_too(before: str, after: str) -> None:
    assert changed(before, "a") == after


@each_row("text", ["a:\n  - 1\n  # why\n  - 2\n", "a:\n  b: 1 # why\n  c: 2\n", "a:\n  - 1 # why\n"])
def test_comments_within_an_old_value_are_not_lost(text: str) -> None:
    with pytest.raises(NotEditableError, match="comments"):
        changed(text, "a")


def test_a_sign_of_a_comment_in_a_text_is_no_comment() -> None:
    assert changed("a:\n  - '# one'\n  - a#b\nb: 1\n", "a") == "a: new\nb: 1\n"


# Each text with @ where the new entry comes, what it is, and the mapping that it joins.
JOINED: list[tuple[str, str, tuple[str, ...], tuple[str, ...]]] = [
    ("a: 1@\n", "\nnew: 1", ("new",), ()),
    ("a: 1 # note@\n# off\n", "\nnew: 1", ("new",), ()),
    ("x:\n  a: 1@\n  # below\n\nb: 2\n", "\n  new: 1", ("new",), ("x",)),
    ("x:\n  a: 1\n    # deeper@\n  # of x\nb: 2\n", "\n  new: 1", ("new",), ("x",)),
    ("x:\n   y:\n      a: 1@\n", "\n   skill:\n      new: 1", ("skill", "new"), ("x",)),
    ("x:\n  y: {a: 1}@\n", "\n  skill:\n    new: 1", ("skill", "new"), ("x",)),
    ("x:\n  a:@\nb: 1", "\n  new: 1", ("new",), ("x",)),
    ("x:\n  a: [1,\n    2]@\nb: 1", "\n  new: 1", ("new",), ("x",)),
    ("x:\n  a: |\n    text@\n\nb: 1", "\n  new: 1", ("new",), ("x",)),
    ("x:\r\n  a: 1@\r\nb: 1\r\n", "\r\n  new: 1", ("new",), ("x",)),
    ("{a: 1@}", ", new: 1", ("new",), ()),
    ("{a: 1@ , }", ", new: 1", ("new",), ()),
    ("{a@}", ", new: 1", ("new",), ()),
    ("x: {y: {a: 1}@ } # note\n", ", skill: {new: 1}", ("skill", "new"), ("x",)),
    ("x: {\n\ta: 1@ # note\n}\n", ", new: 1", ("new",), ("x",)),
]


@each_row(("text", "new", "keys", "at"), JOINED)
def test_an_entry_joins_a_mapping_and_leaves_it_again(
    text: str, new: str, keys: tuple[str, ...], at: tuple[str, ...]
) -> None:
    before, after = text.replace("@", ""), text.replace("@", new)
    assert added(before, *keys, at=at) == after
    assert removed(after, *at, keys[0]) == before


def test_an_entry_joins_no_mapping_whose_keys_do_not_begin_their_lines() -> None:
    with pytest.raises(NotEditableError, match="line of its own"):
        added("? a\n: 1\n", "n")
    with pytest.raises(NotEditableError, match="line of its own"):
        removed("? a\n: 1\n? b\n: 2\n", "b")


@each_row(
    ("before", "keys", "after"),
    [
        ("a: 1\nb: 2\n", ("a",), "b: 2\n"),
        ("\r\na: 1\r\nb: 2\r\n", ("a",), "\r\nb: 2\r\n"),
        ("a: 1\r\nb: 2\r\n", ("a",), "b: 2\r\n"),
        ("a: 1 # of a\n# off\nb: 2", ("b",), "a: 1 # of a\n# off"),
        ("x:\n  a:\n    b: 1\n  c: 2\n", ("x", "a"), "x:\n  c: 2\n"),
        ("x:\n  a: |\n    # text\n  c: 2\n", ("x", "a"), "x:\n  c: 2\n"),
        ("{a: 1, b: 2}", ("a",), "{b: 2}"),
        ("{a: 1, b: 2}", ("b",), "{a: 1}"),
        ("{ a: 1 , }", ("a",), "{  }"),
        ("{a: 1}", ("a",), "{}"),
        ("{a, b}", ("b",), "{a}"),
    ],
)
def test_an_entry_is_taken_out(before: str, keys: tuple[str, ...], after: str) -> None:
    assert removed(before, *keys) == after


@each_row(
    "text",
    ["x: # why\n  a: 1\nb: 2\n", "x:\n  # why\n  a: 1\nb: 2\n", "{b: 2, # of b\n x: 1}", "{x: 1, # of x\n b: 2}"],
)
def test_no_comment_is_taken_out_along_with_an_entry(text: str) -> None:
    with pytest.raises(NotEditableError, match="comment"):
        removed(text, "x")


def test_the_lines_of_an_entry() -> None:
    assert entry_lines(("parameters", "*", "b c"), "1") == ["parameters:", '  "*":', '    "b c": 1']
    assert entry_lines(("name",), "1", " ", "   ") == [" name: 1"]


def values(text: str) -> Any:
    return yaml.load(text, yaml.BaseLoader)  # noqa: S506 - reads texts alone


KEYS = st.sampled_from(["a", "b", "c d", "*", "x-y", "no"])
TREES = st.dictionaries(KEYS, st.dictionaries(KEYS, PLAIN, min_size=1, max_size=3), min_size=1, max_size=3)


def laid_out(tree: dict[str, dict[str, object]], styles: list[int]) -> str:
    """A tree as YAML, each skill in a style of its own."""
    lines = []
    for number, (key, inner) in enumerate(tree.items()):
        style = styles[number % len(styles)]
        if style == 0:
            lines.append(f"{flow(key)}: {flow(inner)} # note")
        else:
            lines += [f"{flow(key)}: # note", *(f"{' ' * style}{flow(one)}: {flow(inner[one])}" for one in inner)]
            lines += [f"{' ' * (style + 1)}# below"] if style > 2 else [""]
    return "\n".join(lines) + "\n"


@given(TREES, st.lists(st.integers(0, 4), min_size=1, max_size=3), PLAIN, st.booleans(), st.data())
def test_exactly_one_value_changes(
    tree: dict[str, dict[str, object]], styles: list[int], value: object, windows: bool, data: st.DataObject
) -> None:
    text = laid_out(tree, styles)
    text = text.replace("\n", "\r\n") if windows else text
    skill = data.draw(st.sampled_from(list(tree)))
    name = data.draw(st.sampled_from(list(tree[skill])))
    expected = values(text)
    expected[skill][name] = values(f"a: {flow(value)}")["a"]
    after = with_value(text, entry(text, skill, name), flow(value))
    assert values(after) == expected
    assert after.count("#") - text.count("#") == flow(value).count("#") - flow(tree[skill][name]).count("#")
    expected[skill]["new"] = "1"
    more = with_entry(after, mapping(after, skill), ("new",), "1", "\r\n" if windows else "\n")
    assert values(more) == expected
    assert without_entry(more, mapping(more, skill), "new") == after
