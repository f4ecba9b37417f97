"""Declared against observed, and what another version changes."""

from __future__ import annotations

from pathlib import Path

from skillbag.doors.cli.options import DENIABLE
from skillbag.lint.capabilities.changes import GROUPS, change, limits_of
from skillbag.lint.capabilities.collect import folder_facts
from skillbag.lint.capabilities.facts import MARKS, RISKS, FactKind, Risk, SkillFacts, risk_of
from tests.support import PROJECT


def made(folder: Path, front: str, body: str) -> SkillFacts:
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_text(f"---\nname: x\ndescription: Tidy it.\n{front}---\n\n{body}\n")
    return folder_facts(str(folder))


def test_allowed_tools_are_compared_with_programs(tmp_path: Path) -> None:
    facts = made(tmp_path / "x", "allowed-tools: Bash(git:*) Bash(docker:*) Read\n", "```sh\ngit log\nnpm test\n```")
    assert facts.comparison.unused == ("Bash(docker:*)",)
    assert facts.comparison.undeclared == ("program npm",)
    facts = made(tmp_path / "x", "allowed-tools: [Bash, Read]\n", "Read the file.")
    assert facts.comparison.unused == ("Bash",)


def test_a_first_line_declares_no_program_as_missing(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/run.py").write_text("#!/usr/bin/env -S FOO=1 python3\nprint()\n")
    facts = made(tmp_path / "x", "allowed-tools: Bash(git:*) Bash(python3:*)\n", "```sh\ngit log\n```")
    assert facts.comparison == ((), (), ())
    assert {fact.value: fact.marks for fact in facts.facts if fact.kind is FactKind.PROGRAM}["python3"] == ("shebang",)


def test_nothing_declared_leaves_nothing_undeclared(tmp_path: Path) -> None:
    facts = made(tmp_path / "x", "", "```sh\ngit log\n```")
    assert facts.comparison == ((), (), ())


def test_required_programs_and_variables(tmp_path: Path) -> None:
    front = "metadata:\n  tool:\n    requires:\n      bins: [jq]\n      env: [A_TOKEN]\n"
    facts = made(tmp_path / "x", front, "```sh\ngit log $B_TOKEN\n```")
    assert facts.comparison.unused == ("program jq", "variable A_TOKEN")
    assert facts.comparison.undeclared == ("program git", "variable B_TOKEN")


def test_hosts_that_the_text_does_not_name(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/a.sh").write_text("curl https://api.vendor.dev/ https://hidden.other.dev/\n")
    assert made(tmp_path / "x", "", "It asks vendor.dev.").comparison.unnamed_hosts == ("hidden.other.dev",)


def test_a_change_lists_what_is_gained_and_lost(tmp_path: Path) -> None:
    before = made(tmp_path / "x", "", "```sh\ngit log\ncurl https://vendor.dev\n```")
    after = made(tmp_path / "x", "", "```sh\ngit log\ncurl -d x https://vendor.dev\nsudo make\n```")
    changed = change("x", before, after)
    assert {fact.value for fact in changed.gained} == {"vendor.dev", "sudo make", "make"}
    assert changed.lost == ()
    assert {fact.value for fact in change("x", after, before).lost} == {"sudo make", "make"}
    assert change("x", after, after) == ("x", True, (), ())


def test_limits() -> None:
    assert limits_of(["high", "medium", "hook"]) == (Risk.MEDIUM, frozenset({FactKind.HOOK}))
    assert limits_of(["network"]).kinds == GROUPS["network"] > {FactKind.HOST, FactKind.DOWNLOAD_RUN}
    assert set(DENIABLE) == {*GROUPS, *(risk.value for risk in Risk), *(kind.value for kind in FactKind)}


def test_each_risk_is_documented() -> None:
    page = (PROJECT / "docs/capabilities.md").read_text("utf-8")
    assert set(RISKS) == set(FactKind)
    for kind, risk in RISKS.items():
        assert f"| `{kind.value}` | {risk.value} |" in page
        assert risk_of(kind, ()) is risk
    for (kind, mark), risk in MARKS.items():
        (row,) = [line for line in page.splitlines() if line.startswith(f"| `{kind.value}` |")]
        assert f"`{mark}` {risk.value}" in row


def test_permissions_are_compared_with_what_scripts_need(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    manifest = "name: x\nversion: 1.0.0\ndescription: Tidy it.\ntypes: [prompt]\npermissions: [net:fetch, env:read]\n"
    (tmp_path / "x/SKILL.yaml").write_text(manifest)
    (tmp_path / "x/a.sh").write_text("make all\ncurl https://vendor.dev/x\n")
    facts = made(tmp_path / "x", "", "Read vendor.dev.")
    assert facts.declared.permissions == ("env:read", "net:fetch")
    assert facts.comparison.undeclared == ("permission shell:exec",)
    assert facts.comparison.unused == ("permission env:read",)
