"""Whether a text may have a section, which is asked before it is parsed."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from skillbag.kernel.documents.markdown_fences import may_have_section

LINES = (
    "# Parameters",
    "## PARAMETERS",
    "- # parameterS ##",
    "# Parameter\u017f",
    "Parameters",
    "# Parameter",
    "# P\u00e4",
    "\u212a",
)


@given(st.lists(st.sampled_from(LINES), max_size=4))
@example(["\u212a", "# Parameter\u017f"])
def test_a_heading_is_seen_in_any_case_and_beside_any_letters(lines: list[str]) -> None:
    headings = {"parameters", "# parameters", "## parameters", "- # parameters ##"}
    expected = any(line.casefold() in headings for line in lines)
    assert may_have_section("\n".join(lines), "Parameters") == expected
