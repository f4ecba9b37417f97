"""The YAML reader: values, exact places and refusals, with libyaml and with the reader that stands in for it.

In the tables `‸` marks a place; it is taken out before the text is read.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents import libyaml
from skillbag.kernel.documents import nodes as fast
from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, YamlError, parse_yaml
from tests.rows import each_row
from tests.support import table

pytestmark = pytest.mark.boundary

TEXTS = table(__file__, "nodes.toml")


def without_libyaml() -> ModuleType:
    """The module that asks libyaml, as it is where PyYAML was built without libyaml."""
    mine = {name: module for name, module in sys.modules.items() if name == "yaml" or name.startswith("yaml.")}
    for name in mine:
        del sys.modules[name]
    sys.modules["yaml._yaml"] = None  # type: ignore[assignment]
    try:
        spec = importlib.util.spec_from_file_location("slow_nodes", str(libyaml.__file__))
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules["slow_nodes"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]
        sys.modules.update(mine)
    assert not module.yaml.__with_libyaml__
    return module


def asking_only(reader: ModuleType) -> ModuleType:
    """The module as it is where the quick reader answers nothing."""
    module = ModuleType("nodes")
    vars(module).update({**vars(fast), "parse_yaml": reader.read_any})
    return module


SLOW = asking_only(without_libyaml())


@pytest.fixture(params=[fast, asking_only(libyaml), SLOW], ids=["quick", "libyaml", "python"])
def nodes(request: pytest.FixtureRequest) -> ModuleType:
    """The reader: all of it, libyaml alone, and what stands in for libyaml."""
    module: ModuleType = request.param
    return module


def marked(text: str) -> tuple[str, list[int]]:
    pieces = text.split("‸")
    return "".join(pieces), [sum(map(len, pieces[: n + 1])) for n in range(len(pieces) - 1)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: 1\nb:\n- x\n-  y: z\n", {"a": 1, "b": ["x", {"y": "z"}]}),
        ("{a: [b, c: d], e}", {"a": ["b", {"c": "d"}], "e": None}),
        ("a b: c\n'd': \"e\\n\"\n? f\n: g", {"a b": "c", "d": "e\n", "f": "g"}),
        ("a: |\n  x\n   y\n# note\nb: >-\n  x\n  y\n", {"a": "x\n y\n", "b": "x y"}),
        ("# note\na: x # note\n\n# note\nb:\n", {"a": "x", "b": None}),
        ("<<: {a: b}\nc: <<", {"<<": {"a": "b"}, "c": "<<"}),
        ("%YAML 1.1\n---\nyes: no\n...\n", {"yes": "no"}),
        ("a: say & tell * twice!", {"a": "say & tell * twice!"}),
        ("- a\r\n- 'b\r\n  c'\r\n", ["a", "b c"]),
        ("just words", "just words"),
        ("''", ""),
    ],
)
def test_values(nodes: ModuleType, text: str, value: object) -> None:
    assert nodes.core_value(nodes.parse_yaml(text)) == value


@pytest.mark.parametrize("text", ["", "\n", "# note\n", "\ufeff", "---\n# note\n", "---\n...\n"])
def test_nothing_to_read(nodes: ModuleType, text: str) -> None:
    assert nodes.parse_yaml(text) is None


def test_mapping_by_name(nodes: ModuleType) -> None:
    mapping = nodes.parse_yaml("a: x\nb: y\n")
    assert mapping.keys() == ("a", "b")
    assert mapping.get("b") == Scalar("y", 8, 9, True)
    assert mapping.entry("b") == (("b", 5, 6, True), ("y", 8, 9, True))
    assert mapping.get("c") is None
    assert mapping.entry("c") is None


@pytest.mark.parametrize(
    "text",
    TEXTS["scalars"],
)
def test_places_of_scalars(nodes: ModuleType, text: str) -> None:
    clean, places = marked(text)
    found = nodes.parse_yaml(clean, 7)
    assert [place - 7 for scalar in scalars(found) for place in scalar[1:3]] == places


def scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    for child in getattr(node, "items", ()) or sum(getattr(node, "entries", ()), ()):
        yield from scalars(child)


@pytest.mark.parametrize(
    "text",
    TEXTS["collections"],
)
def test_places_of_collections(nodes: ModuleType, text: str) -> None:
    clean, (start, end) = marked(text)
    found = nodes.parse_yaml(clean, 3)
    # A trailing empty item ends after its sign.
    assert (found.start, found.end) == (start + 3, len(clean[:end].rstrip()) + 3)


def test_a_lone_pair_within_a_list() -> None:
    found = parse_yaml("[a: b , c]")
    assert isinstance(found, Sequence)
    assert found.items[0][1:] == (1, 5)


@pytest.mark.parametrize(
    ("text", "kind"),
    [*TEXTS["refusals"], ("é: 😀‸\ud800", "yaml")],
)
def test_refusals(nodes: ModuleType, text: str, kind: str) -> None:
    clean, places = marked(text)
    error = nodes.parse_yaml(clean, 5)
    assert type(error).__name__ == "YamlError"
    assert error.kind == kind
    assert [error.offset - 5] == (places or [0])


@each_row(
    ("text", "detail"),
    TEXTS["words"],
)
def test_words_of_refusals(text: str, detail: str) -> None:
    error = parse_yaml(text)
    assert isinstance(error, YamlError)
    assert error.detail == detail


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "[{a: "])
def test_hostile_nesting(nodes: ModuleType, opening: str) -> None:
    error = nodes.parse_yaml(opening * 20_000)
    assert error[:2] == ("yaml", "values are nested more than 100 levels deep")
    assert nodes.parse_yaml("&a [" * 20_000)[0] == "anchor"


def test_the_limit_of_nesting(nodes: ModuleType) -> None:
    deepest = "[" * nodes.MAX_DEPTH + "]" * nodes.MAX_DEPTH
    assert nodes.parse_yaml(deepest).end == len(deepest)
    error = nodes.parse_yaml(f"[{deepest}]", 5)
    assert error == ("yaml", "values are nested more than 100 levels deep", 5 + nodes.MAX_DEPTH - 1)
    wide = nodes.parse_yaml("- [a, {b: c}]\n" * 1000)
    assert len(wide.items) == 1000


PIECES = [
    *"ab\t\n\r :-?#&*!|>'\"%@[]{},\\\0\x85\u2028\ufeffé😀\ud800",
    "a: ",
    "- ",
    "\n  ",
    "key: |\n ",
    "'x'",
    "\r\n",
    " # b\n",
]


@given(st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_has_a_value_or_an_error(text: str) -> None:
    found = parse_yaml(text, 10)
    if isinstance(found, YamlError):
        assert 10 <= found.offset <= 10 + len(text)
        assert found.detail
    elif found is not None:
        check_places(found, text, 10)


@given(st.text(max_size=30) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_stand_in_never_raises(text: str) -> None:
    found = SLOW.parse_yaml(text, 10)
    assert found is None or found[-2] is not None


@pytest.mark.parametrize("escape", [r"\ud800", r"\U00110000", r"\Uffffffff"])
def test_escapes_that_are_no_character(nodes: ModuleType, escape: str) -> None:
    error = nodes.parse_yaml(f'a: "{escape}"')
    assert type(error).__name__ == "YamlError"


def check_places(node: Node, text: str, offset: int) -> None:
    """Children lie in their parents, in order, and a scalar's place holds the scalar."""
    assert offset <= node.start <= node.end <= offset + len(text)
    written = text[node.start - offset : node.end - offset]
    if isinstance(node, Scalar):
        if not node.plain:
            assert written[0] in "|>" or (written[0] in "'\"" and written[-1] == written[0])
        elif written.split() == [written]:
            assert node.value == written
        return
    children = [part for entry in node.entries for part in entry] if isinstance(node, Mapping) else list(node.items)
    for child in children:
        check_places(child, text, offset)
    ends = [node.start, *(place for child in children for place in (child.start, child.end)), node.end]
    assert ends == sorted(ends)
