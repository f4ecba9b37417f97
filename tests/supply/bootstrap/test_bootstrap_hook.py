"""The pre-commit hook in existing configurations, of which every byte stays, and the GitHub workflow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from check_jsonschema import main as check_jsonschema  # type: ignore[import-untyped]
from click.testing import CliRunner
from pre_commit.clientlib import load_config  # type: ignore[import-untyped]

from skillbag import __version__
from skillbag.supply.bootstrap.address import parse_address
from skillbag.supply.bootstrap.check_files import CONFIG, WORKFLOW, hook_action, hook_entry, workflow, workflow_action
from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.plan import ActionKind, SetupPlan, apply
from tests.rows import each_row
from tests.supply.sources.repositories import committed, git
from tests.support import PROJECT, Run, Tree, skill

_FILES = Path(__file__).parent / "pre_commit"
SAMPLE, WITH_SETTINGS, FOLDED_END = (
    (_FILES / f"{name}.yaml").read_text("utf-8") for name in ("plain", "settings", "folded_end")
)
CRLF = SAMPLE.replace("\n", "\r\n")
OPEN = "fail_fast: true\nrepos:\n  - repo: meta\n    hooks: [{id: check-hooks-apply}]  # no line end after this"
BYTE_ORDER_MARK = "\ufeff# ümlaut\n" + SAMPLE


def config(root: Path, text: str) -> Path:
    path = root / CONFIG
    path.write_bytes(text.encode())
    return path


def add(root: Path, repo: str | None = None) -> ActionKind:
    action = hook_action(str(root), parse_address(repo) if repo else None)
    apply(SetupPlan(str(root), (action,)))
    return action.act


@each_row("repo", [None, "team/skillbag"])
@each_row("old", [SAMPLE, WITH_SETTINGS, FOLDED_END, CRLF, OPEN, BYTE_ORDER_MARK])
def test_the_hook_is_the_last_repository_and_all_else_stays(tmp_path: Path, old: str, repo: str | None) -> None:
    path = config(tmp_path, old)
    add(tmp_path, repo)
    new = path.read_bytes().decode()
    before, after = yaml.safe_load(old), yaml.safe_load(new)
    assert after["repos"][:-1] == before["repos"]
    assert {**after, "repos": None} == {**before, "repos": None}
    assert [hook["id"] for hook in after["repos"][-1]["hooks"]] == ["skillbag-check"]
    at = next(at for at in range(len(old) + 1) if new[:at] + new[len(new) - len(old) + at :] == old)
    added = new[at : at + len(new) - len(old)]
    assert added.count("\r\n") == (added.count("\n") if "\r" in old else 0)
    load_config(path)
    assert add(tmp_path, repo) is ActionKind.KEEP


def test_where_the_entry_goes(tmp_path: Path) -> None:
    path = config(tmp_path, WITH_SETTINGS)
    add(tmp_path, "team/skillbag")
    entry = hook_entry(parse_address("team/skillbag"), "  ")
    assert path.read_text() == WITH_SETTINGS.replace(
        "      # - id: ruff-format\n", f"      # - id: ruff-format\n{entry}"
    )


@each_row("old", [None, "", "# nothing yet\n", "fail_fast: true", "repos:\n", "# x\nrepos:  # none yet\n\nci: {}\n"])
def test_a_configuration_without_repositories(tmp_path: Path, old: str | None) -> None:
    if old is not None:
        config(tmp_path, old)
    add(tmp_path)
    text = (tmp_path / CONFIG).read_text()
    assert [repo["repo"] for repo in yaml.safe_load(text)["repos"]] == ["local"]
    assert all(line in text for line in (old or "").splitlines())
    load_config(tmp_path / CONFIG)


@each_row(
    ("old", "words"),
    [
        ("repos: []\n", "usual"),
        ("repos: [{repo: meta, hooks: [{id: identity}]}]\n", "usual"),
        ("{repos: []}\n", "usual"),
        ("- repo: meta\n", "usual"),
        ("repos: none\n", "usual"),
        ("repos:\n  a: b\n", "usual"),
        ("fail_fast: true\n...\n", "usual"),
        ("  fail_fast: true\n", "usual"),
        ("repos:\n - repo: meta\n  hooks: []\n", "line 3"),
        ("files: &these x\nrepos:\n- repo: meta\n", "line 1"),
    ],
)
def test_an_unusual_shape_is_refused_with_the_text_to_add(tmp_path: Path, old: str, words: str) -> None:
    path = config(tmp_path, old)
    with pytest.raises(CannotInitError, match=words) as refusal:
        add(tmp_path)
    assert path.read_text() == old
    assert hook_entry(None, "  ") in str(refusal.value)


def test_the_installed_program_is_called(tmp_path: Path) -> None:
    add(tmp_path)
    assert yaml.safe_load((tmp_path / CONFIG).read_text()) == {"repos": [{"repo": "local", "hooks": [LOCAL]}]}


LOCAL: dict[str, Any] = {
    "id": "skillbag-check",
    "name": "skillbag check",
    "entry": "skillbag check",
    "language": "system",
    "always_run": True,
    "pass_filenames": False,
    "verbose": True,
}


def test_a_published_repository_is_named_with_this_version(tmp_path: Path) -> None:
    add(tmp_path, "git@example.com:team/skillbag.git")
    hook = {"id": "skillbag-check", "verbose": True}
    assert yaml.safe_load((tmp_path / CONFIG).read_text())["repos"] == [
        {"repo": "git@example.com:team/skillbag.git", "rev": f"v{__version__}", "hooks": [hook]}
    ]


def test_no_pattern_of_paths_keeps_a_hook_from_a_commit() -> None:
    for hook in yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text()):
        assert {key: hook.get(key) for key in ("always_run", "pass_filenames", "files", "types", "exclude")} == {
            **dict.fromkeys(("files", "types", "exclude")),
            "always_run": True,
            "pass_filenames": False,
        }


REPOS = ["team/skillbag", "https://git.example.com/team/skillbag.git", "git@example.com:team/skillbag.git"]


def steps(repo: str) -> list[dict[str, Any]]:
    text = workflow(parse_address(repo))
    found: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["check"]["steps"]
    return found


@each_row("repo", REPOS)
def test_it_is_a_workflow(tmp_path: Path, repo: str) -> None:
    path = tmp_path / "skillbag.yml"
    path.write_text(workflow(parse_address(repo)))
    checked = CliRunner().invoke(check_jsonschema, ["--builtin-schema", "vendor.github-workflows", str(path)])
    assert checked.exit_code == 0, checked.output
    assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}


def test_it_checks_with_the_program_that_it_has_installed() -> None:
    found = steps("https://git.example.com/team/skillbag.git")
    assert found[-1]["run"] == "skillbag check --format github"
    assert [step["uses"].split("@")[0] for step in found[:2]] == ["actions/checkout", "actions/setup-python"]


def test_a_workflow_without_a_program_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(CannotInitError, match="give --repo"):
        workflow_action(str(tmp_path), None)
    path = tmp_path / WORKFLOW
    path.parent.mkdir(parents=True)
    path.write_text("# mine\n")
    assert workflow_action(str(tmp_path), None).act is ActionKind.KEEP


@each_row(
    "address",
    ["team/skillbag", "https://github.com/team/skillbag", "https://github.com/team/skillbag.git",
     "git@github.com:team/skillbag.git", "ssh://git@github.com/team/skillbag", "team/skillbag.git"],
)  # fmt: skip
def test_on_github_it_uses_the_action(address: str) -> None:
    assert [step.get("uses") for step in steps(address)][-1] == f"team/skillbag@v{__version__}"


@each_row(
    ("address", "requirement"),
    [
        ("https://git.example.com/team/skillbag.git", "git+https://git.example.com/team/skillbag.git"),
        ("git@example.com:team/skillbag.git", "git+ssh://git@example.com/team/skillbag.git"),
        ("file:///srv/skillbag", "git+file:///srv/skillbag"),
    ],
)
def test_elsewhere_it_installs_from_the_repository(address: str, requirement: str) -> None:
    assert steps(address)[-2]["run"] == f"python -m pip install {requirement}@v{__version__}"
    assert steps(address)[-1]["run"] == "skillbag check --format github"


@each_row(
    "address",
    ["", "team", "team/skill bag", "../skillbag", "-x/y", "http://example.com/x", "https://example.com/x;rm",
     "https://example.com/$(id)", "ext::sh -c id", "https://example.com/x\nrun: id", "a/b/c", "--upload-pack=x"],
)  # fmt: skip
def test_an_invalid_address(address: str) -> None:
    with pytest.raises(CannotInitError, match="owner/name"):
        parse_address(address)


def test_a_password_is_not_written_and_not_repeated() -> None:
    with pytest.raises(CannotInitError, match="password") as refusal:
        parse_address("https://me:hunter2@example.com/x.git")
    assert "hunter2" not in str(refusal.value)


@pytest.mark.usefixtures("git_config")
@pytest.mark.parametrize(
    ("options", "report"),
    [
        ((), "Nothing was checked."),
        (("--staged",), "Nothing was checked."),
        (("--fix",), "Nothing was checked."),
        (("--json",), '"summary": {"files": 0, "skills": 0,'),
        (("--format", "html"), "</html>"),
    ],
)
def test_a_hook_passes_before_the_first_skill_and_not_where_the_skills_are_not_found(
    tree: Tree, run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], report: str
) -> None:
    root = committed(tree({"notes.txt": "Nothing of ours.\n"}))
    assert run("check", *options, cwd=root).code == 2
    monkeypatch.setenv("PRE_COMMIT", "1")
    outcome = run("check", *options, cwd=root)
    assert outcome.code == 0
    assert report in outcome.out
    assert "nothing to check here; looked for a workspace" in outcome.err
    assert run("check", *options, "other", cwd=root).code == 2
    tree({"tests/a/SKILL.md": skill("a")})
    git(root, "add", ".")
    assert run("check", *options, cwd=root).code == 2
