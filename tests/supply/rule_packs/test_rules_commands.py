"""`skillbag team rules`: new rules and packs whose examples pass, and examples that fail as they should."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from skillbag.kernel.base.package_data import schema_fault
from skillbag.lint.rules.builtin import load_rules
from tests.rows import each_row
from tests.supply.rule_packs.packs import EXAMPLE
from tests.support import Run

pytestmark = pytest.mark.usefixtures("a_job")


def test_a_new_pack_passes_and_grows(run: Run, tmp_path: Path) -> None:
    assert run("rules", "new-pack", "acme", cwd=tmp_path).code == 0
    assert run("rules", "test", "acme", cwd=tmp_path).out == "1 rule: 2 examples pass.\n"
    assert run("rules", "new", "acme-second", "--folder", "acme/acme", cwd=tmp_path).code == 0
    assert run("rules", "new", "acme-short", "--folder", "acme/acme", "--like", "body-too-long", cwd=tmp_path).code == 0
    done = run("rules", "test", "acme", "--json", cwd=tmp_path)
    values = json.loads(done.out)
    assert (done.code, values["rules"], values["failed"]) == (0, 3, 0)
    again = run("rules", "new-pack", "acme", cwd=tmp_path)
    assert (again.code, "exists already" in again.err) == (2, True)


LIKE = [rule.id for rule in load_rules() if rule.family != "suppressions"]


@each_row("like", [*LIKE[::15], "body-too-long", "secret"])
def test_a_rule_like_another_passes(run: Run, like: str, tmp_path: Path) -> None:
    written = run("rules", "new", "ours", "--like", like, cwd=tmp_path)
    assert written.code == 0, written.err
    assert 'rules = ["team-rules"]' in written.out
    done = run("rules", "test", "team-rules", cwd=tmp_path)
    assert done.code == 0, done.out
    rule = yaml.safe_load((tmp_path / "team-rules/ours.yaml").read_text("utf-8"))
    assert (rule["id"], rule.get("clause")) == ("ours", None)


def test_a_dry_run_writes_nothing(run: Run, tmp_path: Path) -> None:
    for words in (("new", "ours", "--like", "secret"), ("new-pack", "acme")):
        assert "dry run" in run("rules", *words, "--dry-run", cwd=tmp_path).out
    assert list(tmp_path.iterdir()) == []


def test_the_example_pack(run: Run) -> None:
    assert run("rules", "test", EXAMPLE).out == "3 rules: 7 examples pass.\n"


@each_row(
    ("old", "new", "says"),
    [
        (
            'expect: ["skills/tidy/notes:1"]',
            'expect: ["skills/tidy/notes:2"]',
            "nothing is found at skills/tidy/notes:2",
        ),
        ("folders: [scripts, references]", "folders: [scripts, references, notes]", "fail example 1: nothing is found"),
        ("folders: [scripts, references]", "folders: [references]", "pass example 1: found at skills/tidy/scripts:1"),
        ("skills/tidy/notes/a.md", "skills/tidy/notes/../../../../a.md", "not below its folder"),
        ("check: other-folder", "check: other-folders", "did you mean 'other-folder'?"),
        ("level: warning", "level: fatal", "house-subfolders.yaml:3:8"),
        ("why: |", "why: [", "house-subfolders.yaml:"),
        ("level: warning", "leve: warning", "house-subfolders.yaml:3:7: there is no key 'leve'; did you mean 'level'?"),
    ],
)
def test_what_is_wrong_with_a_rule(run: Run, old: str, new: str, says: str, tmp_path: Path) -> None:
    text = (EXAMPLE / "house_rules/rules/house-subfolders.yaml").read_text("utf-8")
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours/house-subfolders.yaml").write_text(text.replace(old, new), "utf-8")
    done = run("rules", "test", "ours", cwd=tmp_path)
    assert done.code in (1, 2)
    assert says in done.out + done.err
    assert "Traceback" not in done.err


@each_row(
    ("words", "says"),
    [
        (["new", "Bad Name", "--like", "secret"], "can't be a name"),
        (["new", "ours", "--like", "secrets"], "did you mean 'secret'?"),
        (["new", "ours"], "skillbag team rules new-pack"),
        (["new", "ours", "--like", "secret", "--folder", "../x"], "not below this folder"),
        (["new-pack", "../x"], "can't be a name"),
        (["test"], "name their folder"),
        (["test", "."], "no rule files"),
        (["test", "missing"], "missing"),
        (["add", "house-rules"], "no distribution of this name is installed"),
        (["add", "./no-such-folder"], "no-such-folder"),
        (["add", "https://user:secret@example.com/o/r.git"], "password"),
        (["fetchh"], "fetch"),
        (["predicates", "zzz"], "lists them all"),
    ],
)
def test_mistakes(run: Run, words: list[str], says: str, tmp_path: Path) -> None:
    done = run("rules", *words, cwd=tmp_path)
    assert done.code in (2, 4)
    assert says in done.err
    assert "secret@" not in done.err
    assert "Traceback" not in done.err
    assert list(tmp_path.iterdir()) == []


def test_the_predicates_are_listed(run: Run) -> None:
    listed = json.loads(run("rules", "predicates", "other-folder", "--json").out)["predicates"]
    assert [(each["name"], list(each["options"])) for each in listed] == [("other-folder", ["folders"])]
    assert len(run("rules", "predicates").out.splitlines()) > 150


@pytest.mark.parametrize(
    "words",
    [
        ["new", "ours", "--like", "secret"],
        ["new-pack", "acme", "--dry-run"],
        ["test", EXAMPLE],
        ["fetch"],
        ["predicates"],
        ["add", "no-such-pack==1"],
        ["test"],
    ],
)
def test_the_json_fits_its_schema(run: Run, words: list[str], tmp_path: Path) -> None:
    values = json.loads(run("rules", *words, "--json", cwd=tmp_path).out)
    assert schema_fault("rules", values) is None
    assert values["command"] == f"rules {words[0]}"
