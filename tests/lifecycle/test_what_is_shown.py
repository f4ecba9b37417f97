"""Secrets that only the name of their parameter betrays: no output of any command repeats them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lifecycle.parameters import make
from tests.support import Run

WEAK, DRAWN = "correcthorse", "Hlt35CFSqL-PCuE5vhADkL2b"
_PARAMETERS = """
optional:
  - name: password
    confirm: "*"
  - name: access-key
    type: number
  - name: api-tokens
  - name: settings
  - name: mode
  - name: cert
    required-if: {password: "*", mode: strict}
"""


@pytest.mark.parametrize("secret", [WEAK, DRAWN])
@pytest.mark.parametrize(
    "says",
    [
        ("password={}",),
        ("password={}", "confirm=password"),
        ("password={}", "confirm=password", "mode=strict"),
        ("access-key={}",),
        ("api-tokens=[{}, other]",),
        ("settings={{db: {{password: {}}}}}", "confirm=password"),
    ],
)
def test_what_is_secret_by_its_name_is_shown_nowhere(
    run: Run, tmp_path: Path, secret: str, says: tuple[str, ...]
) -> None:
    root = make(tmp_path, _PARAMETERS, context=f"parameters: {{convert: {{password: {DRAWN}}}}}")
    given = [word for one in says for word in ("--set", one.format(secret))]
    for command in ("resolve", "run"):
        for form in ((), ("--json",), ("--trace",), ("--json", "--trace")):
            outcome = run(command, "convert", *given, *form, cwd=root)
            assert outcome.code in (0, 3)
            assert "****" in outcome.out
            assert secret not in outcome.out + outcome.err


@pytest.mark.parametrize("option", ["--set", "--prohibit"])
@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_value_whose_name_was_forgotten_is_not_repeated(
    run: Run, tmp_path: Path, option: str, form: tuple[str, ...]
) -> None:
    for slip in (DRAWN, f"={DRAWN}"):
        outcome = run("resolve", "convert", option, slip, *form, cwd=make(tmp_path, _PARAMETERS))
        assert outcome.code == 2
        assert f"{option} ****: write {option} NAME=VALUE" in outcome.out + outcome.err
        assert DRAWN not in outcome.out + outcome.err


def test_a_drawn_password_of_a_context_file_is_in_no_report(run: Run, tmp_path: Path) -> None:
    root = make(tmp_path, _PARAMETERS, context=f'parameters: {{"*": {{password: {DRAWN}, mode: strict}}}}')
    for form in ((), ("--json",)):
        out = run("enter", *form, cwd=root).out
        assert "strict" in out
        assert DRAWN not in out


def test_what_a_file_says_under_such_a_name_and_may_be_none_is_shown(run: Run, tmp_path: Path) -> None:
    root = make(
        tmp_path, "optional: [{name: design-token}]", context="parameters: {convert: {design-token: brand-blue}}"
    )
    (found,) = json.loads(run("resolve", "convert", "--json", cwd=root).out)["parameters"]
    assert (found["value"], found["written"]) == ("brand-blue", "brand-blue")


def test_where_a_secret_is_kept_is_none(run: Run, tmp_path: Path) -> None:
    root = make(tmp_path, _PARAMETERS)
    given = ("--set", "password=env:DB_PASSWORD", "--set", "settings={a: [1, x]}")
    found = json.loads(run("resolve", "convert", *given, "--json", cwd=root).out)["parameters"]
    assert found[0]["value"] == "env:DB_PASSWORD"
    assert found[3]["value"] == {"a": [1, "x"]}
    assert found[3]["written"] == '{"a": [1, "x"]}'
