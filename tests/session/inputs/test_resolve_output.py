"""What `resolve` and the other commands show and open: secrets are masked, values shortened, files traced."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag import Session, open_workspace
from tests.report.report_results import TOKEN
from tests.rows import each_row
from tests.session.inputs.test_resolve_command import world
from tests.session.parameters import block, make
from tests.support import Run


def test_a_session_that_has_entered_can_be_named(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = world(tmp_path)
    Session(open_workspace(str(root)), "s1").enter()
    assert run("resolve", "convert", "--session", "s1", cwd=root).code == 0
    monkeypatch.setenv("SKILLBAG_SESSION", "s2")
    assert run("resolve", "convert", cwd=root).code == 2
    monkeypatch.setenv("SKILLBAG_SESSION", "s1")
    assert run("resolve", "convert", cwd=root / "docs").code == 0


def test_nothing_from_a_file_reaches_a_terminal_raw(run: Run, tmp_path: Path) -> None:
    value = "\\e[31m\\u202ered\\nline\\x07##[error]"
    text = f'optional:\n  - name: "a\\eb"\n    default: "{value}"\n    values: ["x\\ty\\r"]\nconfirm: "why\\e[2J"'
    root = make(tmp_path, text, context='parameters: {convert: {"\\e]0;title": 1}}')
    outcome = run("resolve", "convert", cwd=root)
    assert outcome.code == 3
    assert outcome.out.replace("\n", "").replace("\t", "").isprintable()
    assert "##[" not in outcome.out
    assert outcome.out.count("\n") == 8
    (one,) = json.loads(run("resolve", "convert", "--json", cwd=root).out)["parameters"]
    assert one["value"] == "\x1b[31m\u202ered\nline\x07##[error]"


def test_secrets_are_masked_wherever_they_stand(run: Run, tmp_path: Path) -> None:
    secret = TOKEN
    root = make(
        tmp_path,
        f"optional:\n  - {{name: token, default: {secret}}}\n  - {{name: tokens, values: [a, {secret}]}}\n"
        f"  - {{name: cut, type: number, default: '{'x ' * 30}{secret}'}}",
        context=f"parameters: {{convert: {{token: {secret}, tokens: [{secret}, b]}}}}",
    )
    for arguments in ([], ["--json"], ["--set", f"nothing={secret}"], ["--set", secret]):
        outcome = run("resolve", "convert", *arguments, cwd=root)
        assert secret[8:20] not in outcome.out + outcome.err


def test_values_may_be_enormous_and_hidden_ones_are_shortened(run: Run, tmp_path: Path) -> None:
    huge, lists = "x" * 50_000, "[" + "a, " * 10_000 + "b]"
    text = f"optional:\n  - {{name: a, default: {huge}}}\n  - {{name: b, default: {lists}}}"
    root = make(tmp_path, text, files={"CONTEXT.md": block("parameters: {convert: {a: short}}") * 500})
    outcome = run("resolve", "convert", "--set", f"b={'[' * 10_000}", cwd=root)
    assert outcome.code == 0
    assert "- a = short (context, CONTEXT.md:2499)\n" in outcome.out
    assert "    … and 490 more\n" in outcome.out
    assert f"- b = {'[' * 10_000} (conversation)\n" in outcome.out
    assert huge not in outcome.out
    assert len(outcome.out) < 12_000
    values = json.loads(run("resolve", "convert", "--json", cwd=root).out)
    assert len(values["parameters"][0]["hidden"]) == 500
    assert values["parameters"][1]["value"][-1] == "b"


def test_the_trace_is_on_standard_error(run: Run, tmp_path: Path) -> None:
    root = world(tmp_path)
    (root / "in.json").write_text("{}")
    outcome = run("resolve", "convert", "--trace", "--inputs", "in.json", cwd=root)
    assert (
        outcome.err
        == """\
opened in.json: --inputs
opened .skills/SKILLS.md: catalog
opened .skills/convert/SKILL.md: inputs are resolved
opened SKILLBAG.md: the rules of the workspace
opened CONTEXT.md: project context
opened USER_CONTEXT.md: user context
"""
    )


def test_help_has_examples_and_exit_codes(run: Run, tmp_path: Path) -> None:
    out = run("resolve", "--help", cwd=tmp_path).out
    assert "skillbag session resolve convert-to-pdf --set input-path=docs/a.md" in out
    assert "3 something must be asked first" in " ".join(out.split())


WEAK, GENERATED = "correcthorse", "Hlt35CFSqL-PCuE5vhADkL2b"
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


@each_row("secret", [WEAK, GENERATED])
@each_row(
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
    root = make(tmp_path, _PARAMETERS, context=f"parameters: {{convert: {{password: {GENERATED}}}}}")
    given = [word for say in says for word in ("--set", say.format(secret))]
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
    for pair in (GENERATED, f"={GENERATED}"):
        outcome = run("resolve", "convert", option, pair, *form, cwd=make(tmp_path, _PARAMETERS))
        assert outcome.code == 2
        assert f"{option} ****: write {option} NAME=VALUE" in outcome.out + outcome.err
        assert GENERATED not in outcome.out + outcome.err


@each_row("name", ["password", "kennwort", "clé-api", "暗証番号"])
def test_a_drawn_password_of_a_context_file_is_in_no_report(run: Run, tmp_path: Path, name: str) -> None:
    root = make(tmp_path, _PARAMETERS, context=f'parameters: {{"*": {{{name}: {GENERATED}, mode: strict}}}}')
    for form in ((), ("--json",)):
        out = run("enter", *form, cwd=root).out
        assert "strict" in out
        assert GENERATED not in out


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
