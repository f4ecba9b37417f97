"""What `remember` keeps: preferences that last, what rarely does if it is asked to, what the skill or user wants."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from skillbag.session.remembering.memory_policy import why_not_kept
from skillbag.session.settings.value import parse_value, typed
from tests.kernel.secrets.test_detection import TOKENS
from tests.rows import each_row
from tests.sampling import sample
from tests.session.agents import is_refused
from tests.session.parameters import make
from tests.session.refusals import GENERATED, refused
from tests.session.tables import lines_of, toml_table
from tests.supply.install.worlds import call, contents, make_workspace
from tests.support import Run

ORDINARY = lines_of("ordinary_values")
PASTED = {
    "is as long as pasted text": ["a word " * 60, json.dumps(["x"] * 41)],
    "has several lines, like pasted text": ["one\ntwo", json.dumps({"a": "one\ntwo"})],
}
PASSING = {value: reason for reason, values in (toml_table("passing_values") | PASTED).items() for value in values}


def test_each_value_is_known_to_last_or_not() -> None:
    assert {value: why_not_kept("note", parse_value(value)) for value in ORDINARY} == dict.fromkeys(ORDINARY)
    assert {value: why_not_kept("note", parse_value(value)) for value in PASSING} == PASSING


@pytest.mark.proves("inputs", "inputs.persist-stable", "bootstrap.persist")
@pytest.mark.parametrize("value", sample("ordinary values", ORDINARY))
def test_ordinary_values_are_kept_unasked(run: Run, workspace: Path, value: str) -> None:
    outcome = run("remember", f"note={value}", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.proves("inputs", "inputs.persist-not")
@pytest.mark.parametrize("value", sample("passing values", PASSING))
def test_what_rarely_lasts_is_kept_only_on_request(run: Run, workspace: Path, value: str) -> None:
    before = contents(workspace)
    outcome = run("remember", f"note={value}", cwd=workspace)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: note: it {PASSING[value]}, which rarely lasts; nothing was written; --explicit keeps it anyway\n"
    )
    assert contents(workspace) == before
    assert run("remember", f"note={value}", "--explicit", cwd=workspace).code == 0
    assert call(run, workspace, "remember", f"note={value}", "--explicit")[1]["changed"] is False


def test_the_folder_for_temporary_files_may_be_anywhere(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", "/scratch/anna/")
    workspace = make_workspace(tmp_path)
    assert run("remember", "out=/scratch/anna/out", cwd=workspace).code == 2
    assert run("remember", "out=/scratch/annabel", cwd=workspace).code == 0


DECLARED = """\
optional:
  - name: report
    persist: true
  - name: draft
    persist: false
  - name: other
"""


@pytest.mark.proves("inputs", "inputs.skill-persistence")
def test_a_skill_says_which_of_its_parameters_last(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    convert = ("--skill", "convert")
    # It permits what would be taken for passing.
    assert run("remember", "report=https://example.com/report", *convert, cwd=workspace).code == 0
    assert run("remember", "other=https://example.com/report", *convert, cwd=workspace).code == 2
    # It says no, and the user may all the same.
    outcome = run("remember", "draft=docs", *convert, cwd=workspace)
    assert outcome.code == 2
    assert outcome.err == (
        "error: draft: .skills/convert/SKILL.md:14 says that it is not to be kept (persist: false); "
        "nothing was written; --explicit keeps it anyway\n"
    )
    assert run("remember", "draft=docs", *convert, "--explicit", cwd=workspace).code == 0


@pytest.mark.proves("inputs", "inputs.no-secrets")
def test_no_skill_makes_a_secret_last(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    refused(run, workspace, f"report={TOKENS['github']}", "--skill", "convert", secret=TOKENS["github"])
    refused(run, workspace, f"report={GENERATED['base64']}", "--skill", "convert", secret=GENERATED["base64"])


NO, YES, NEITHER = (f"persist-nonsecret-parameters: {value}" for value in ("false", "true", "null"))


@pytest.mark.proves("inputs", "precedence.persist", "bootstrap.persist")
@pytest.mark.parametrize(
    ("user", "for_all", "for_convert"),
    [
        (f'parameters: {{"*": {{{NO}}}}}', False, False),
        (f"parameters: {{convert: {{{NO}}}}}", True, False),
        (f'parameters: {{"*": {{{NO}}}, convert: {{persist-nonsecret-parameters: true}}}}', False, True),
        (f"parameters: {{other: {{{NO}}}}}", True, True),
        ('parameters: {"*": {persist-nonsecret-parameters: "false"}}', False, False),
        ('parameters: {"*": {persist-nonsecret-parameters: true}}', True, True),
        (
            f'parameters: {{"*": {{{NO}}}}}\n```\n\n```yaml\nparameters: {{"*": {{persist-nonsecret-parameters: ~}}}}',
            1,
            1,
        ),
    ],
)
def test_nothing_is_kept_where_the_user_says_no(
    run: Run, tmp_path: Path, user: str, for_all: bool, for_convert: bool
) -> None:
    workspace = make(tmp_path, DECLARED, user=user)
    for arguments, is_kept in ((["other=x"], for_all), (["report=x", "--skill", "convert"], for_convert)):
        outcome = run("remember", *arguments, cwd=workspace)
        assert outcome.code == (0 if is_kept else 2)
        if not is_kept:
            assert "persist-nonsecret-parameters is false (USER_CONTEXT.md:4); nothing was written" in outcome.err
            assert run("remember", *arguments, "--explicit", cwd=workspace).code == 0


@pytest.mark.proves("inputs", "bootstrap.persist")
def test_a_skill_with_that_parameter_keeps_nothing_where_it_is_false(run: Run, tmp_path: Path) -> None:
    own = "optional:\n  - name: persist-nonsecret-parameters\n    default: false\n  - name: skills\n"
    workspace = make(tmp_path, own)
    convert = ("--skill", "convert")
    is_refused(run("remember", "skills=lint", *convert, cwd=workspace), "(.skills/convert/SKILL.md:")
    assert run("remember", "skills=lint", cwd=workspace).code == 0
    # The setting itself can be kept, or nobody could change it.
    assert run("remember", "persist-nonsecret-parameters=true", *convert, cwd=workspace).code == 0
    assert run("remember", "skills=lint", *convert, cwd=workspace).code == 0


def test_the_setting_can_be_made_for_any_skill(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, DECLARED)
    convert = ("--skill", "convert")
    assert run("remember", NO.replace(": ", "="), *convert, cwd=workspace).code == 0
    assert run("remember", "other=x", *convert, cwd=workspace).code == 2
    assert run("forget", "persist-nonsecret-parameters", *convert, cwd=workspace).code == 0
    assert run("remember", "other=x", *convert, cwd=workspace).code == 0


@each_row(
    "unit", ["://a:", "a=", "%25", "[", "QUFB", "a@", "#1 ", "a-", "1.", "/tmp", "sk-", "A1b2", "password=", "pin "]
)
def test_hostile_values_cost_little(unit: str) -> None:
    text = unit * (7_000 // len(unit))
    begun = time.process_time()
    why_not_kept("note", typed(text))
    assert time.process_time() - begun < 10
