"""Prohibitions of values, however these are spelt; `*` prohibits all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.install.worlds import call
from tests.lifecycle.parameters import make, resolve
from tests.support import Run

_CITY = "optional: [{name: city, default: Wien}, {name: input-path, discover: docs/*.md}]"
_COMPOSED, _DECOMPOSED = "Z\u00fcrich", "Zu\u0308rich"


def _effective(root: Path, *prohibits: str) -> dict[str, object]:
    return {name: value.value for name, value in resolve(root, prohibits=prohibits).values.items()}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_a_star_prohibits_every_value_of_the_levels_below(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _CITY,
        user='prohibit: {parameters: {convert: {city: "*", input-path: ["*"]}}}',
        context="parameters: {convert: {city: [Bern, 1]}}",
        files={"docs/a.md": ""},
    )
    resolution = resolve(root)
    assert resolution.values == {}
    city, path = resolution.inputs
    assert [one.dropped for one in (*city.hidden, *path.hidden)] == ["prohibited by USER_CONTEXT.md:4"] * 3
    assert resolve(root, "city=Bern").values["city"].value == "Bern"


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_the_conversation_prohibits_every_value_as_well(tmp_path: Path) -> None:
    root = make(tmp_path, _CITY, user="parameters: {convert: {city: Bern}}")
    assert _effective(root, "city=Bern") == {"city": "Wien"}
    assert _effective(root, "city=*") == {}


@pytest.mark.proves("inputs", "precedence.prohibition")
def test_entry_shows_that_a_prohibited_setting_has_no_effect(run: Run, tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _CITY,
        user='prohibit: {parameters: {"*": {city: "*"}}}',
        context="parameters: {convert: {city: Bern}}",
    )
    settings = call(run, root, "enter")[1]["settings"]
    assert [one["effective"] for one in settings if one["kind"] == "parameter"] == [False]


@pytest.mark.proves("inputs", "precedence.prohibition")
@pytest.mark.parametrize(("barred", "given"), [(_COMPOSED, _DECOMPOSED), (_DECOMPOSED, _COMPOSED)])
def test_two_spellings_of_one_letter_are_one_value(tmp_path: Path, barred: str, given: str) -> None:
    root = make(
        tmp_path,
        _CITY,
        user=f"prohibit: {{parameters: {{convert: {{city: {barred}, input-path: docs/{barred}.md}}}}}}",
        context=f"parameters: {{convert: {{city: [{given}]}}}}",
        files={f"docs/{given}.md": "", "docs/a.md": ""},
    )
    assert _effective(root) == {"city": "Wien", "input-path": "docs/a.md"}
