"""Sections with a block of YAML: added at the end of a text, and removed to the byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import NotEditableError, with_section, without_block
from skillbag.kernel.documents.markdown import scan
from tests.rows import each_row

LINES = ["parameters:", "  x:", "    n: 1"]
SECTION = "## Parameters\n\n```yaml\nparameters:\n  x:\n    n: 1\n```"


def without(text: str, number: int = -1) -> str:
    """The text without its last block."""
    return without_block(text, scan(text).fences[number], "## Parameters")


@each_row(
    ("text", "after"),
    [
        ("", f"{SECTION}\n"),
        ("\n", f"\n\n{SECTION}\n"),
        ("# Us", f"# Us\n\n{SECTION}"),
        ("# Us\n", f"# Us\n\n{SECTION}\n"),
        ("# Us  \n \t\n\n", f"# Us  \n\n{SECTION}\n \t\n\n"),
        ("- a\r\n", f"- a\n\n{SECTION}\n".replace("\n", "\r\n")),
        ("old\r", f"old\r\n\n{SECTION}"),
    ],
)
def test_a_section_comes_at_the_end_and_goes_again(text: str, after: str) -> None:
    newline = "\r\n" if text.endswith("\r\n") else "\n"
    assert with_section(text, "## Parameters", LINES, newline) == after
    assert without(after) == text


ENDS = st.lists(st.sampled_from(["\n", "\r\n", "\r", " ", "\t", "a", "- b", "# c", "> d", "\f", "\u2028"]), max_size=8)


@given(ENDS.map("".join), st.booleans())
def test_a_section_goes_to_the_byte_whatever_the_text_ends_with(text: str, windows: bool) -> None:
    newline = "\r\n" if windows else "\n"
    after = with_section(text, "## Parameters", LINES, newline)
    # Behind a list item or a quote it is found as well: a heading ends both.
    assert without(after) == text


def test_only_what_was_there_for_the_block_goes_with_it() -> None:
    block = SECTION.partition("\n\n")[2]
    # Text below the heading keeps it.
    assert without(f"{SECTION}\n\nProse.\n") == "## Parameters\n\nProse.\n"
    assert without(f"a\n\n{SECTION}\n\n### Deeper\n") == "a\n\n## Parameters\n\n### Deeper\n"
    assert without(f"a\n\n{SECTION}\n\n## Next\n") == "a\n\n## Next\n"
    assert without(f"a\n{SECTION}\n\n# Next\n") == "a\n\n# Next\n"
    assert without(f"Prose:\n\n{block}\n\nMore.\n") == "Prose:\n\nMore.\n"
    assert without(f"Prose:\n{block}\nMore.\n") == "Prose:\nMore.\n"
    assert without(f"{block}\nMore.\n") == "More.\n"


@each_row("text", ["- a\n\n  ```yaml\n  a: 1\n  ```\n", "> ```yaml\n> a: 1\n> ```\n", "```yaml\na: 1\n"])
def test_a_block_within_something_else_stays(text: str) -> None:
    with pytest.raises(NotEditableError, match="block of its own"):
        without(text)
