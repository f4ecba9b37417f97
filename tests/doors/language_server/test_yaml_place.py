"""Where the cursor is in YAML that is half written: `|` is the cursor."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillbag.doors.language_server.yaml_place import place_in
from tests.rows import each_row


@each_row(
    ("text", "path", "is_value", "prefix"),
    [
        ("na|", (), False, "na"),
        ("license: M|", ("license",), True, "M"),
        ("a: x\ndependencies:\n  - name: ti|", ("dependencies", "-", "name"), True, "ti"),
        ("dependencies:\n- name: ti|", ("dependencies", "-", "name"), True, "ti"),
        ("dependencies:\r\n  - |", ("dependencies", "-"), False, ""),
        ("dependencies: [{name: t|", ("dependencies", "-", "name"), True, "t"),
        ("parameters:\n  draft:\n    to|", ("parameters", "draft"), False, "to"),
        ("conflict-resolution:\n  - skills: [a, b|", ("conflict-resolution", "-", "skills", "-"), False, "b"),
        ("prohibit: {parameters: {draft: {to|", ("prohibit", "parameters", "draft"), False, "to"),
        ('tags:\n  x:\n    add: ["#r|', ("tags", "x", "add", "-"), False, "#r"),
        ('description: "Do x #us|', ("description",), True, "Do x #us"),
        ("x:\n\t- y|", ("x", "-"), False, "y"),
        ("a: {b: [c, d], e: |", ("a", "e"), True, ""),
        ("x: 'open\nli|", (), False, "li"),
        ("x: 1\n  # a comment\nli|", (), False, "li"),
    ],
)
def test_place(text: str, path: tuple[str, ...], is_value: bool, prefix: str) -> None:
    place = place_in(*text.split("|"))
    assert (place.path, place.is_value, place.prefix) == (path, is_value, prefix)


@each_row(
    ("text", "siblings"),
    [
        ("name: x\nli|\nmetadata:\n  y: z\nlicense: a", {"name", "metadata", "license"}),
        ("d:\n  - name: x\n    ver|\n    source: y\n  - other: z", {"name", "source"}),
        ("d:\n  - name: x\n  - |\n    source: y", {"source"}),
        ("a:\n  b: 1\nc:\n  |", set()),
    ],
)
def test_keys_that_are_there(text: str, siblings: set[str]) -> None:
    assert place_in(*text.split("|")).siblings == siblings


@given(st.text("ab:- \t\n\r[]{},'\"#", max_size=60), st.integers(0, 60))
def test_any_text_has_a_place(text: str, at: int) -> None:
    place = place_in(text[:at], text[at:])
    assert text[:at].endswith(place.prefix)
