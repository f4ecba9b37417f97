"""Excerpts: the caret stands under the place, whatever the line holds and however it is shown."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from skillbag.report.columns import width
from skillbag.report.excerpt import excerpt
from skillbag.report.sanitize import shown
from tests.report.report_results import TOKEN, made_finding
from tests.rows import each_row


def generated(line: str, start: int, end: int, room: int = 70) -> list[str]:
    """The source line and what stands under it, for the code points `start` to `end` (0-based) of `line`."""
    part = excerpt(made_finding(excerpt=line, column=start + 1, end_column=end + 1), room)
    return [part.source, part.underline]


@each_row(
    ("line", "place", "source", "underline"),
    [
        ("name: Weather", "Weather", "name: Weather", "      ^^^^^^^"),
        ("\tx:\ty", "y", "    x:    y", "          ^"),
        ("漢字: wide", "wide", "漢字: wide", "      ^^^^"),
        ("see 漢字 here", "漢字", "see 漢字 here", "    ^^^^"),
        ("e\u0301te\u0301: x", "x", "e\u0301te\u0301: x", "     ^"),
        ("\u1112\u1161\u11ab x", "x", "\u1112\u1161\u11ab x", "   ^"),
        ("a\x1b[31mb", "b", "a\\x1b[31mb", "         ^"),
        ("a\u202eb", "\u202e", "a\\u202eb", " ^^^^^^"),
        ("a ##[group]b", "b", "a #\\x23[group]b", "              ^"),
        ("trail  \t ", "trail", "trail", "^^^^^"),
        (f"key: {TOKEN} x", "x", f"key: {shown(TOKEN)} x", " " * (6 + width(shown(TOKEN))) + "^"),
        (f"{TOKEN} {TOKEN} x", "x", f"{shown(TOKEN)} {shown(TOKEN)} x", " " * (2 + 2 * width(shown(TOKEN))) + "^"),
        (f"key: {TOKEN} x", TOKEN, f"key: {shown(TOKEN)} x", "     " + "^" * width(shown(TOKEN))),
    ],
)
def test_the_caret_stands_under_the_place(line: str, place: str, source: str, underline: str) -> None:
    start = line.rindex(place)
    assert generated(line, start, start + len(place)) == [source, underline]


def test_a_point_has_one_caret_even_behind_the_line() -> None:
    assert generated("name", 2, 2) == ["name", "  ^"]
    assert generated("name", 4, 4) == ["name", "    ^"]
    assert generated("name", 9, 12) == ["name", "    ^"]


def test_a_place_of_several_lines_is_underlined_to_the_end_of_the_first() -> None:
    part = excerpt(made_finding(excerpt="one two", column=5, end_line=4, end_column=2), 70)
    assert part.underline == "    ^^^"


def test_a_place_within_a_secret_does_not_uncover_it() -> None:
    source, underline = generated(f"key: {TOKEN} x", 20, 25)
    assert source == f"key: {shown(TOKEN)} x"
    assert 5 <= underline.index("^") <= 5 + width(shown(TOKEN))


LONG = "".join(f"{number:05} " for number in range(0, 5000, 6))


@each_row("at", ["00000", "00012", "00300", "04986", "04998"])
def test_a_long_line_is_a_window_around_the_place(at: str) -> None:
    source, underline = generated(LONG, int(at), int(at) + 5)
    assert width(source) <= 70
    assert source[underline.index("^") :][: len(underline.lstrip())] == at
    assert source.startswith("…") is (int(at) > 60)
    assert source.endswith("…") is (int(at) < 4900)


def test_a_place_wider_than_the_window_shows_its_beginning() -> None:
    source, underline = generated("abcd" + "x" * 300 + "ef", 4, 304, room=40)
    assert source == "…d" + "x" * 37 + "…"
    assert underline == "  " + "^" * 38


def test_the_window_counts_wide_characters_twice() -> None:
    source, underline = generated("漢" * 100 + "ab" + "字" * 100, 100, 102, room=41)
    assert width(source) <= 41
    assert source.count("漢") == 9
    assert source.count("字") == 9
    assert width(source[: source.index("ab")]) == underline.index("^")


def test_a_secret_far_from_the_place_in_a_huge_line_is_masked() -> None:
    line = "x " * 300_000 + TOKEN + " place"
    source, underline = generated(line, len(line) - 5, len(line))
    assert source.endswith(f" {shown(TOKEN)} place")
    assert width(source) == width(underline)


def test_a_window_never_begins_with_the_mark_of_a_letter_left_out() -> None:
    source, underline = generated("e\u0301" * 100 + "x", 200, 201, room=20)
    assert source == "…" + "e\u0301" * 18 + "x"
    assert underline == " " * 19 + "^"
    assert generated("e" + "\u0301" * 9 + "abcde", 14, 15, room=6)[0] == "e" + "\u0301" * 9 + "abcde"
    assert generated("ee" + "\u0301" * 9 + "abcde", 15, 16, room=6)[0] == "…abcde"


def test_parts_that_meet_do_not_open_a_command_of_a_github_job() -> None:
    assert generated("a ##[error]b", 4, 11) == ["a #?[error]b", "    ^^^^^^^"]


@given(st.text(max_size=200), st.integers(0, 210), st.integers(0, 210), st.integers(20, 90))
def test_any_line_fits_its_room(line: str, start: int, end: int, room: int) -> None:
    source, underline = generated(line, start, end, room)
    assert width(source) <= room
    assert width(underline) <= room
    assert underline.lstrip(" ").strip("^") == ""
