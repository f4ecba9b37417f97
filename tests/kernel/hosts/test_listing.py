"""What the model sees of skills: the examples of the algorithms of Claude Code and Codex."""

from __future__ import annotations

import pytest

from skillbag.kernel.hosts.listing import LEFT_OUT, ListEntry, fit, listing_text
from skillbag.kernel.hosts.table import HOSTS

_CLAUDE, _CODEX = HOSTS["claude-code"].listing, HOSTS["codex"].listing


def _entries(count: int, name: int, text: int, path: int = 0) -> list[ListEntry]:
    return [ListEntry("n" * name, "t" * text, "p" * path) for _ in range(count)]


def test_three_small_skills_fit() -> None:
    """3 * (2 + 10 + 2 + 300) + 2 columns."""
    found = fit(_CLAUDE, _entries(3, 10, 300))
    assert (found.budget, found.full, found.kept) == (8000, 944, (300, 300, 300))


def test_forty_skills_lose_texts_as_a_whole() -> None:
    """40 * 417 + 39 columns: 18 of 40 texts are kept, and 40 of them in a context of a million tokens."""
    found = fit(_CLAUDE, _entries(40, 13, 400))
    assert (found.full, found.names) == (16719, 639)
    assert found.kept == (400,) * 18 + (0,) * 22
    large = fit(_CLAUDE, _entries(40, 13, 400), 1_000_000)
    assert (large.budget, large.kept) == (40000, (400,) * 40)


def test_a_later_shorter_text_still_fits() -> None:
    """What is left of the budget goes to the next text that is short enough."""
    found = fit(_CLAUDE, [ListEntry("a", "t" * 7000), ListEntry("b", "t" * 2000), ListEntry("c", "t" * 500)])
    assert found.kept == (7000, 0, 500)


def test_a_text_that_fits_exactly_is_kept() -> None:
    """Three names take 11 columns, the first text 7,002: 987 are left, and a colon and a blank go before a text."""
    for length, kept in ((985, 985), (986, 0)):
        entries = [ListEntry("a", "t" * 7000), ListEntry("b", "t" * length), ListEntry("c", "t" * 5000)]
        assert fit(_CLAUDE, entries).kept == (7000, kept, 0)


def test_names_are_never_left_out() -> None:
    """Not even where they alone are longer than the budget."""
    found = fit(_CLAUDE, _entries(300, 30, 100))
    assert found.names > found.budget
    assert found.kept == (0,) * 300


def test_wide_characters_count_twice() -> None:
    """The width is that of a terminal, the cap that of JavaScript."""
    assert fit(_CLAUDE, [ListEntry("a", "整理" * 10)]).full == 5 + 40
    assert listing_text(_CLAUDE, "整" * 1600) == "整" * 1535 + "…"
    assert listing_text(_CLAUDE, "😀" * 800) == "😀" * 767 + "…"
    assert listing_text(_CLAUDE, "a" * 1000, "b" * 600) == "a" * 1000 + " - " + "b" * 532 + "…"
    assert listing_text(_CODEX, "a" * 1600, "when") == "a" * 1600


def test_codex_cuts_all_texts_alike() -> None:
    """Names and paths of 40 skills take about 2,700 characters: each description keeps about 130."""
    found = fit(_CODEX, _entries(40, 13, 400, 40))
    assert found.names == 40 * 66
    assert all(kept == pytest.approx(133, abs=1) for kept in found.kept)
    short = fit(_CODEX, [*_entries(39, 13, 400, 40), ListEntry("n" * 13, "t" * 20, "p" * 40)])
    assert short.kept[-1] == 20
    assert all(kept == pytest.approx(136, abs=1) for kept in short.kept[:-1])


def test_codex_leaves_out_what_it_cannot_name() -> None:
    """The first ones are named, the others are not in the list."""
    found = fit(_CODEX, _entries(200, 13, 400, 40))
    assert found.kept == (0,) * 121 + (LEFT_OUT,) * 79


def test_codex_counts_tokens_of_a_known_window() -> None:
    """2 % of the window; a token is four bytes of UTF-8."""
    found = fit(_CODEX, _entries(10, 13, 400, 40), 200_000)
    assert (found.budget, found.full, found.kept) == (4000, (10 * 467 + 3) // 4, (400,) * 10)
