"""Packs that are installed beside the program: used only if they are named, and only as they are pinned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.supply.rule_packs.packs import install, project
from tests.support import Run

PIN = "house-rules==1.0.0"


def rules_found(run: Run, root: Path, *options: str) -> list[str]:
    """The house rules with findings in `root`."""
    report = json.loads(run("check", "--format", "json", *options, cwd=root).out)
    return sorted(found["rule"] for found in report["findings"] if found["rule"].startswith("house-"))


def test_a_named_pack_is_used(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)
    root = project(tmp_path / "project", PIN)
    assert rules_found(run, root) == ["house-owner-missing", "house-spelling"]
    assert run("check", cwd=root).code == 1
    assert rules_found(run, root, "--select", "house-rules", "--config=cache=false") == [
        "house-owner-missing",
        "house-spelling",
    ]
    assert "Github" in (root / "skills/tidy/SKILL.md").read_text("utf-8")
    run("check", "--fix", cwd=root)
    assert "GitHub" in (root / "skills/tidy/SKILL.md").read_text("utf-8")
    assert rules_found(run, root) == ["house-owner-missing"]


def test_a_pack_that_is_not_named_does_not_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path / "site", monkeypatch)
    (package / "predicates.py").write_text("raise SystemExit('it ran')\n", "utf-8")
    root = project(tmp_path / "project")
    assert rules_found(run, root) == []
    root = project(tmp_path / "project", PIN)
    assert "it ran" in run("check", cwd=root).err or run("check", cwd=root).code != 0


def test_levels_options_and_pages_of_its_rules(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)
    config = f'packs = ["{PIN}"]\n[levels]\nhouse-spelling = "off"\n[options.house-owner-missing]\nteams = ["us"]\n'
    text = (
        "---\nname: tidy\ndescription: Tidy a folder. Use when files lie about.\nmetadata:\n  owner: us\n---\nGithub\n"
    )
    root = project(tmp_path / "project", text=text, more={"skillbag.toml": config})
    assert rules_found(run, root) == []
    page = run("rule", "house-owner-missing", cwd=root).out
    assert page.startswith("# house-owner-missing\n")
    assert "Family: house-rules" in page
    assert "house-spelling" in run("rule", cwd=root).out


@pytest.mark.parametrize(
    ("pack", "says"),
    [
        ("house-rules==1.0.1", "pip install 'house-rules==1.0.1'"),
        ("house-rules", "not pinned"),
        ("house-rules>=1.0", "not pinned"),
        ("no-such-pack==1.0", "not installed"),
        ("../house-rules==1.0.0", "not pinned"),
        ("git+https://example.com/o/r.git@v1", "not pinned to a full commit"),
        ("git+https://example.com/o/r.git", "not pinned to a full commit"),
        (f"git+https://example.com/o/r.git@{'a' * 40}", "skillbag team rules fetch"),
        (f"git+https://example.com/o/r.git@{'a' * 40}#subdirectory=../x", "not a plain path"),
    ],
)
def test_a_pack_that_cannot_be_used(
    run: Run, pack: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch)
    done = run("check", cwd=project(tmp_path / "project", pack))
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("def owner(:\n", "predicates.py:1"),
        ("import no_such_module\n", "No module named 'no_such_module' ("),
        ("raise ValueError('\\x1b[31m')\n", "can't be imported"),
        (
            "from skillbag.lint.predicates import *\n@Predicate('link', Subject.TEXT)\ndef a(t, o): return ()\n",
            "link",
        ),
        ("", "there is no predicate 'house-owner'"),
    ],
)
def test_faulty_code(run: Run, code: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path / "site", monkeypatch)
    (package / "predicates.py").write_text(code, "utf-8")
    done = run("check", cwd=project(tmp_path / "project", PIN))
    assert done.code == 2
    assert says in done.err
    assert "\x1b" not in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        ("yield Match(skill.path)", "gives no value 'reason'"),
        ("yield skill.path", "yields str, not Match"),
    ],
)
def test_a_predicate_that_fails(
    run: Run, body: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install(tmp_path / "site", monkeypatch)
    text = (package / "predicates.py").read_text("utf-8")
    marker = "    if isinstance(skill.front_matter"
    (package / "predicates.py").write_text(text.replace(marker, f"    {body}\n{marker}"), "utf-8")
    done = run("check", cwd=project(tmp_path / "project", PIN))
    assert done.code == 2
    assert says in done.err
    assert "pack house-rules" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("points", ["[other]\nx = a\n", "[skillbag.rules]\na = house_rules\nb = house_rules\n"])
def test_entry_points(run: Run, points: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch, points=points)
    assert "it needs one" in run("check", cwd=project(tmp_path / "project", PIN)).err


def test_the_cache_knows_the_contents_of_a_pack(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path / "site", monkeypatch)
    root = project(tmp_path / "project", PIN)
    assert "house-spelling" in rules_found(run, root)
    (package / "rules/house-spelling.yaml").unlink()
    assert "house-spelling" not in rules_found(run, root)
    (package / "rules/house-owner-missing.yaml").unlink()
    assert rules_found(run, root) == []


def test_two_rules_of_one_name(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = install(tmp_path / "site", monkeypatch)
    rule = (package / "rules/house-subfolders.yaml").read_text("utf-8")
    (package / "rules/body-too-long.yaml").write_text(rule.replace("house-subfolders", "body-too-long"), "utf-8")
    done = run("check", cwd=project(tmp_path / "project", PIN))
    assert "body-too-long.yaml:1:5: there is a rule 'body-too-long' already" in done.err


def test_an_audit_takes_no_packs(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)
    root = project(tmp_path / "project", PIN)
    done = run("team", "audit", root, "--config", root / "skillbag.toml", "--out", tmp_path / "out", cwd=tmp_path)
    assert (done.code, "takes no `packs`" in done.err) == (2, True)
