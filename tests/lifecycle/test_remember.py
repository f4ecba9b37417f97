"""`skillbag remember`: one value of `USER_CONTEXT.md` changes, and nothing else, there or in the repository around."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag import Session, open_workspace
from skillbag.edits.change import HandEditError
from skillbag.errors import UserError
from skillbag.files import LIMIT
from skillbag.lifecycle.remember import remember
from skillbag.lifecycle.settings import read_settings
from skillbag.lifecycle.value import Value, typed
from tests.install.worlds import call, contents, make_workspace, snapshot, write
from tests.lifecycle.parameters import make
from tests.lifecycle.user_contexts import NAMES, SKILLS, VALUES, blocks_of, given_in, texts
from tests.support import PROJECT, Run
from tests.transaction.workspaces import snapshot as states
from tests.transaction.workspaces import timeless
from tests.unprivileged import unprivileged

unhurried = settings(deadline=None, max_examples=60)

FRESH = """# User context

## Parameters

```yaml
parameters:
  "*":
    language: en
```
"""


def text_of(workspace: Path) -> str:
    return (workspace / "USER_CONTEXT.md").read_bytes().decode()


def value_in(workspace: Path, name: str, skill: str = "*") -> Value | None:
    """What the file gives, as every other command reads it."""
    found = read_settings(open_workspace(str(workspace))).values(skill, name)
    return found[0].value if found else None


@pytest.mark.proves("inputs", "precedence.persist", "inputs.persist-stable")
def test_a_value_is_kept_in_a_file_that_is_made_for_it(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    before = contents(workspace)
    outcome = run("remember", "language=en", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "USER_CONTEXT.md:8: language = en\nUSER_CONTEXT.md was made for it\n"
    assert contents(workspace) == before | {"USER_CONTEXT.md": FRESH.encode()}
    assert value_in(workspace, "language") == typed("en")


@pytest.mark.proves("inputs", "precedence.persist", "inputs.persist-stable")
def test_what_is_kept_counts_in_a_later_session(run: Run, tmp_path: Path) -> None:
    workspace = make(
        tmp_path, "optional:\n  - name: format\n    default: html\n", context="parameters: {convert: {format: docx}}"
    )
    assert call(run, workspace, "resolve", "convert")[1]["parameters"][0]["value"] == "docx"
    assert run("remember", "format=pdf", "--skill", "convert", cwd=workspace).code == 0
    (found,) = call(run, workspace, "resolve", "convert")[1]["parameters"]
    assert (found["value"], found["level"], found["file"], found["line"]) == (
        "pdf",
        "user-context",
        "USER_CONTEXT.md",
        8,
    )


def test_json_says_what_became_of_it(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path)
    common = {"version": 1, "command": "remember", "exit": 0, "skill": "*", "name": "n", "file": "USER_CONTEXT.md"}
    git = {"ignored_by": None, "tracked": False, "exposed": False}
    first = {**common, **git, "line": 8, "value": [1, "a"], "before": None, "changed": True, "created": True}
    assert call(run, workspace, "remember", "n=[1, a]") == (0, first)
    second = {**first, "value": True, "before": [1, "a"], "created": False}
    assert call(run, workspace, "remember", "n=true") == (0, second)
    raw = text_of(workspace)
    assert call(run, workspace, "remember", "n=true") == (0, {**second, "before": True, "changed": False})
    assert text_of(workspace) == raw
    assert run("remember", "n=true", cwd=workspace).out == "USER_CONTEXT.md:8: n = true stands there already\n"
    assert run("remember", "n=2", cwd=workspace).out == "USER_CONTEXT.md:8: n = 2 (was true)\n"


def test_from_any_folder_of_the_workspace(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path / "w")
    (workspace / "deep/er").mkdir(parents=True)
    assert run("remember", "a=b", cwd=workspace / "deep/er").code == 0
    assert run("remember", "a=c", "--workspace", workspace / "deep", cwd=tmp_path).code == 0
    assert value_in(workspace, "a") == typed("c")
    outcome = run("remember", "a=b", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert "no workspace is here" in outcome.err


TYPES: list[tuple[str, object, str]] = [
    ("true", True, "true"),
    ("False", False, "False"),
    ("5", 5, "5"),
    ("-0.5", -0.5, "-0.5"),
    ("1.10", 1.1, "1.10"),
    ("0x1F", 31, "0x1F"),
    ("1e3", 1000.0, "1e3"),
    ('"5"', "5", '"5"'),
    ("'true'", "true", '"true"'),
    ('""', "", '""'),
    ("pdf", "pdf", "pdf"),
    ("yes", "yes", '"yes"'),
    ("a: b", "a: b", '"a: b"'),
    ("no # comment", "no # comment", '"no # comment"'),
    ('it\'s "so" \\ so', 'it\'s "so" \\ so', '"it\'s \\"so\\" \\\\ so"'),
    ("Grüße", "Grüße", '"Grüße"'),
    ("🎉 👩‍💻", "🎉 👩‍💻", '"🎉 👩\\u200d💻"'),
    ("  two blanks before", "  two blanks before", '"  two blanks before"'),
    ("*", "*", '"*"'),
    ("[pdf, 1.10, [true]]", ["pdf", 1.1, [True]], "[pdf, 1.10, [true]]"),
    ("[]", [], "[]"),
    ('{a: 1, "b c": [x]}', {"a": 1, "b c": ["x"]}, '{a: 1, "b c": [x]}'),
    ("docs/out dir", "docs/out dir", '"docs/out dir"'),
    ("---", "---", '"---"'),
    ("a=b=c", "a=b=c", '"a=b=c"'),
]


@pytest.mark.parametrize(("typed_in", "value", "written"), TYPES)
def test_a_value_keeps_its_type_and_its_spelling(
    run: Run, tmp_path: Path, typed_in: str, value: object, written: str
) -> None:
    workspace = make_workspace(tmp_path)
    assert run("remember", f"n={typed_in}", "--explicit", cwd=workspace).code == 0
    assert f'\n    "n": {written}\n' in text_of(workspace)
    found = value_in(workspace, "n")
    assert found is not None
    assert repr(found.value) == repr(value)


@pytest.mark.parametrize("skill", ["*", "convert"])
def test_for_all_skills_or_for_one(run: Run, tmp_path: Path, skill: str) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n")
    more = () if skill == "*" else ("--skill", skill)
    assert run("remember", "format=pdf", *more, cwd=workspace).code == 0
    (block,) = blocks_of(text_of(workspace).encode())
    assert block == {"parameters": {skill: {"format": "pdf"}}}
    # `*` alone would be an alias, and no YAML at all.
    assert ('"*":' in text_of(workspace)) == (skill == "*")


def test_a_session_of_the_public_interface_remembers_too(tmp_path: Path) -> None:
    session = Session(open_workspace(str(make_workspace(tmp_path))))
    kept = session.remember("sizes", [1, 2.5, "a"])
    assert (kept.changed, kept.created, str(kept.place)) == (True, True, "USER_CONTEXT.md:8")
    assert value_in(tmp_path, "sizes") == typed([1, 2.5, "a"])
    assert session.forget("sizes").before == typed([1, 2.5, "a"])


STYLES = {
    "comments stay": (
        '```yaml\nparameters:\n  "*":\n    # which\n    a: "old" # why\n    b: c\n```\n',
        '```yaml\nparameters:\n  "*":\n    # which\n    a: new # why\n    b: c\n```\n',
    ),
    "it joins the last mapping of its skill": (
        '```yaml\nparameters: {"*": {x: 1}}\n```\n\n```yaml\nparameters: {"*": {y: 2}, z: {}} # all\n```\nEnd.',
        '```yaml\nparameters: {"*": {x: 1}}\n```\n\n```yaml\nparameters: {"*": {y: 2, a: new}, z: {}} # all\n```\nEnd.',
    ),
    "it joins a block of other skills": (
        "Hi\n```yaml\ntags: {}\nparameters:\n   one:\n     x: |\n       text\n\n# end\n```\n",
        'Hi\n```yaml\ntags: {}\nparameters:\n   one:\n     x: |\n       text\n   "*":\n     a: new\n\n# end\n```\n',
    ),
    "the last definition counts": (
        '```yaml\nparameters: {"*": {a: 1}}\n```\n```yaml\nparameters: {"*": {a: 2}}\n```\n',
        '```yaml\nparameters: {"*": {a: 1}}\n```\n```yaml\nparameters: {"*": {a: new}}\n```\n',
    ),
    "what was taken back is given again": (
        '```yaml\nparameters:\n  "*":\n    a: ~ # off\n```\n',
        '```yaml\nparameters:\n  "*":\n    a: new # off\n```\n',
    ),
    "lines become one": (
        '```yaml\nparameters:\n  "*":\n    a: # list\n    - 1\n    - 2\n    b: 1\n```\n',
        '```yaml\nparameters:\n  "*":\n    a: new # list\n    b: 1\n```\n',
    ),
    "a block of another tool is none of ours": (
        "# Us\n\n```yaml\nparameters: {image: {type: string}, size: 2}\nsteps: []\n```\n",
        (
            "# Us\n\n```yaml\nparameters: {image: {type: string}, size: 2}\nsteps: []\n```\n\n"
            '## Parameters\n\n```yaml\nparameters:\n  "*":\n    a: new\n```\n'
        ),
    ),
    "in Windows' lines, with a mark and without an end": (
        "\ufeff# Us\r\n\r\nText",
        '\ufeff# Us\r\n\r\nText\r\n\r\n## Parameters\r\n\r\n```yaml\r\nparameters:\r\n  "*":\r\n    a: new\r\n```',
    ),
    "a block in a list": (
        '- Mine:\n\n  ```yaml\n  parameters:\n    "*":\n      b: 1\n  ```\n',
        '- Mine:\n\n  ```yaml\n  parameters:\n    "*":\n      b: 1\n      a: new\n  ```\n',
    ),
    "a block that nothing ends": (
        '```yaml\nparameters:\n  "*":\n    b: 1',
        '```yaml\nparameters:\n  "*":\n    b: 1\n    a: new',
    ),
    "keys that do not begin their lines": (
        '```yaml\nparameters:\n  ? "*"\n  : ? b\n    : 1\n```\n',
        (
            '```yaml\nparameters:\n  ? "*"\n  : ? b\n    : 1\n```\n\n'
            '## Parameters\n\n```yaml\nparameters:\n  "*":\n    a: new\n```\n'
        ),
    ),
}


@pytest.mark.parametrize("style", STYLES)
def test_files_of_every_style(run: Run, tmp_path: Path, style: str) -> None:
    before, after = STYLES[style]
    workspace = make_workspace(tmp_path, user_context=before)
    assert run("remember", "a=new", cwd=workspace).code == 0
    assert text_of(workspace) == after
    assert value_in(workspace, "a") == typed("new")


@unhurried
@given(texts(), st.sampled_from(SKILLS), st.sampled_from(NAMES), VALUES)
def test_exactly_one_value_changes_in_any_file(raw: bytes, skill: str, name: str, value: object) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = make(Path(folder), "\n".join(["optional:", *(f"  - name: {name!r}" for name in NAMES)]))
        write(root, {".skills/SKILLS.md": "check-links: Checks. Use it.\nconvert: Converts. Use it.\n"})
        write(root, {".skills/check-links/SKILL.md": (root / ".skills/convert/SKILL.md").read_bytes()})
        write(root, {"USER_CONTEXT.md": raw})
        remember(folder, name, typed(value), skill, explicit=True)
        after = (root / "USER_CONTEXT.md").read_bytes()
        found = value_in(root, name, skill)
        assert found is not None
        assert repr(found.value) == repr(value)
    expected = blocks_of(raw)
    written = yaml.load(f"a: {json.dumps(value, ensure_ascii=False)}", yaml.BaseLoader)["a"]  # noqa: S506 - reads texts alone
    if numbers := given_in(expected, skill, name):
        expected[numbers[-1]]["parameters"][skill][name] = written
        assert blocks_of(after) == expected
        return
    # Nothing but one insertion.
    start = next((at for at, (one, other) in enumerate(zip(raw, after, strict=False)) if one != other), len(raw))
    assert raw[start:] == after[len(after) - len(raw) + start :]
    (number,) = given_in(blocks_of(after), skill, name)
    blocks = blocks_of(after)
    given_ = blocks[number]["parameters"]
    assert given_[skill].pop(name) == written
    if not given_[skill] and number == len(expected):
        assert blocks.pop() == {"parameters": {skill: {}}}
    elif not given_[skill]:
        del given_[skill]
    assert blocks == expected


@pytest.mark.parametrize(
    "text",
    [
        '```yaml\nparameters:\n  "*":\n    a:\n      # why\n      - 1\n```\n',
        "Text\n\n```text\nnever closed\n",
        "Text\n\n<!-- never closed\n",
    ],
)
def test_what_can_not_be_edited_is_left_to_hands(run: Run, tmp_path: Path, text: str) -> None:
    workspace = make_workspace(tmp_path, user_context=text)
    before = snapshot(workspace)
    outcome = run("remember", "a=new", cwd=workspace)
    assert outcome.code == 2
    assert "USER_CONTEXT.md" in outcome.err
    assert '\nparameters:\n  "*":\n    a: new\n```\n' in outcome.err
    assert snapshot(workspace) == before
    with pytest.raises(HandEditError):
        remember(str(workspace), "a", typed("new"))


@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("USER_CONTEXT.md", "```yaml\nparameters: [a]\n```\n", "USER_CONTEXT.md:2: "),
        ("USER_CONTEXT.md", "\n```yaml\nparameters: {a: [}\n```\n", "USER_CONTEXT.md:3: "),
        ("USER_CONTEXT.md", b"\xff\xfe", "USER_CONTEXT.md:1: "),
        ("CONTEXT.md", "```yaml\nparameters: {A_b: {}}\n```\n", "CONTEXT.md:2: "),
    ],
)
def test_a_malformed_file_is_named_and_left_alone(
    run: Run, tmp_path: Path, file: str, text: str | bytes, place: str
) -> None:
    workspace = write(make_workspace(tmp_path), {file: text})
    before = snapshot(workspace)
    for command in (["remember", "a=new"], ["forget", "a"]):
        outcome = run(*command, cwd=workspace)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith(f"skillbag: {place}")
    assert snapshot(workspace) == before


@pytest.mark.parametrize("name", ["", "a\nb", " a", "a ", "a" * 101, "\x1b[31m", "a\u202eb", "a=b"])
def test_what_is_no_name_is_refused(tmp_path: Path, name: str) -> None:
    workspace = make_workspace(tmp_path)
    with pytest.raises(UserError, match="name is one line"):
        remember(str(workspace), name, typed("x"))
    assert not (workspace / "USER_CONTEXT.md").exists()


@pytest.mark.parametrize("name", ["*", "a.b", "größe", "with blank", "null", "a: b", "#x", "'", "y", "-"])
def test_any_other_name_is_written_so_that_it_reads_back(run: Run, tmp_path: Path, name: str) -> None:
    workspace = make_workspace(tmp_path)
    assert run("remember", "--", f"{name}=1", cwd=workspace).code == 0
    assert run("remember", "--", f"{name}=2", cwd=workspace).code == 0
    assert blocks_of(text_of(workspace).encode()) == [{"parameters": {"*": {name: "2"}}}]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "one at a time"),
        (["a=1", "b=2"], "one at a time"),
        (["a"], "with an equals sign"),
        (["=a"], "with an equals sign"),
        (["a="], "skillbag forget a to take it out"),
        (["a=null"], "skillbag forget a takes out"),
        (["a=" + "x" * 8001, "--explicit"], "more than 8000 characters"),
        ([os.fsdecode(b"a=\xff")], "not text"),
        (["a=1", "--wait", "-1"], "--wait"),
    ],
)
def test_mistakes_are_told_in_a_sentence(run: Run, tmp_path: Path, arguments: list[str], said: str) -> None:
    workspace = make_workspace(tmp_path)
    outcome = run("remember", *arguments, cwd=workspace)
    assert (outcome.code, outcome.out) == (2, "")
    assert said in outcome.err
    assert not (workspace / "USER_CONTEXT.md").exists()
    if "--wait" not in arguments:
        assert said in call(run, workspace, "remember", *arguments)[1]["error"]


@pytest.mark.parametrize(
    ("name", "skill", "said"),
    [
        ("format", "convrt", "there is no such skill here; did you mean convert?"),
        ("format", "con_vert", "there is no such skill here"),
        ("format", "Convert", "did you mean convert?"),
        ("fromat", "convert", "convert has no parameter fromat (did you mean format?); it has format, page-size"),
        ("page_size", "convert", "did you mean page-size?"),
        ("confirm", "convert", "no such risk to accept"),
        ("format", "gone", "gone is listed, but .skills/gone/SKILL.md is not there"),
    ],
)
def test_a_skill_and_its_parameter_must_be_there(run: Run, tmp_path: Path, name: str, skill: str, said: str) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n  - name: page-size\n")
    with (workspace / ".skills/SKILLS.md").open("a") as catalog:
        catalog.write("gone: It is not there. Use it.\n")
    outcome = run("remember", f"{name}=a", "--skill", skill, cwd=workspace)
    assert outcome.code == 2
    assert said in outcome.err
    assert not (workspace / "USER_CONTEXT.md").exists()
    # For all skills, any name will do.
    assert run("remember", f"{name}=a", cwd=workspace).code == 0


def test_only_what_is_needed_is_read(run: Run, tmp_path: Path) -> None:
    workspace = make(tmp_path, "optional:\n  - name: format\n")
    write(workspace, {".skills/other/SKILL.md": "x"})
    _, values = call(run, workspace, "remember", "format=pdf", "--skill", "convert", "--trace")
    read = [one["path"].removeprefix(f"{workspace}/") for one in values["trace"] if ".skillbag/" not in one["path"]]
    assert read == ["SKILLBAG.md", ".skills/SKILLS.md", ".skills/convert/SKILL.md"]
    _, values = call(run, workspace, "remember", "format=html", "--trace")
    read = [one["path"].removeprefix(f"{workspace}/") for one in values["trace"] if ".skillbag/" not in one["path"]]
    assert read == ["SKILLBAG.md", "USER_CONTEXT.md"]


def git(folder: Path, *arguments: str) -> str:
    """What git answers."""
    command = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in a repository of its own; git has no configuration but its defaults."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.delenv("GIT_DIR", raising=False)
    workspace = make_workspace(tmp_path / "repository")
    git(workspace, "init", "--quiet")
    git(workspace, "add", "--all")
    git(workspace, "commit", "--quiet", "--message", "first")
    return workspace


def test_git_is_told_once_to_leave_the_file_alone(run: Run, repository: Path) -> None:
    outcome = run("remember", "a=1", cwd=repository)
    assert outcome.out.splitlines()[2:] == [
        "git leaves USER_CONTEXT.md alone from now on: a line in .git/info/exclude says so"
    ]
    assert git(repository, "status", "--porcelain") == ""
    exclude = repository / ".git/info/exclude"
    assert exclude.read_text().endswith("\n/USER_CONTEXT.md\n")
    assert exclude.read_text().startswith("# git ls-files")
    before = exclude.read_bytes()
    assert call(run, repository, "remember", "a=2")[1]["ignored_by"] is None
    assert exclude.read_bytes() == before


def test_git_is_told_where_a_worktree_has_its_rules(run: Run, repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "work", "../[work] tree")
    worktree = tmp_path / "[work] tree"
    _, values = call(run, worktree, "remember", "a=1")
    assert values["ignored_by"] == str(repository / ".git/info/exclude")
    assert git(worktree, "status", "--porcelain") == ""


def test_git_is_told_of_a_workspace_deep_in_a_repository(run: Run, repository: Path) -> None:
    workspace = make_workspace(repository / "pack[a]ges/*" / "deep")
    (repository / ".git/info/exclude").write_bytes(b"*.log")
    assert call(run, workspace, "remember", "a=1")[1]["ignored_by"] == str(repository / ".git/info/exclude")
    expected = b"*.log\n/pack\\[a\\]ges/\\*/deep/USER_CONTEXT.md\n"
    assert (repository / ".git/info/exclude").read_bytes() == expected
    assert "USER_CONTEXT" not in git(repository, "status", "--porcelain", "--untracked-files=all")
    # No other file of that name is hidden.
    (repository / "USER_CONTEXT.md").touch()
    assert "?? USER_CONTEXT.md" in git(repository, "status", "--porcelain")


def test_a_path_that_no_rule_can_hold_is_ignored_by_name(run: Run, repository: Path) -> None:
    workspace = make_workspace(repository / "two\nlines")
    assert call(run, workspace, "remember", "a=1")[1]["ignored_by"]
    assert "USER_CONTEXT" not in git(repository, "status", "--porcelain", "--untracked-files=all")


def test_the_folder_of_rules_is_made_where_it_is_missing(run: Run, repository: Path) -> None:
    (repository / ".git/info/exclude").unlink()
    (repository / ".git/info").rmdir()
    assert call(run, repository, "remember", "a=1")[1]["ignored_by"] == ".git/info/exclude"
    assert git(repository, "status", "--porcelain") == ""


def test_what_is_ignored_already_needs_no_rule(run: Run, repository: Path) -> None:
    (repository / ".gitignore").write_text("USER_CONTEXT.md\n")
    before = (repository / ".git/info/exclude").read_bytes()
    _, values = call(run, repository, "remember", "a=1")
    assert (values["ignored_by"], values["tracked"], values["exposed"]) == (None, False, False)
    assert (repository / ".git/info/exclude").read_bytes() == before


def test_what_is_tracked_already_is_said_to_be(run: Run, repository: Path) -> None:
    (repository / "USER_CONTEXT.md").write_text("# Mine\n")
    git(repository, "add", "USER_CONTEXT.md")
    outcome = run("remember", "a=1", cwd=repository)
    assert "git tracks USER_CONTEXT.md, so others will see it; git rm --cached USER_CONTEXT.md" in outcome.out
    _, values = call(run, repository, "remember", "a=1")
    assert (values["tracked"], values["ignored_by"], values["exposed"]) == (True, None, False)


@pytest.mark.parametrize("why", ["asked for", "a link", "a folder", "no git"])
def test_where_git_can_not_be_told_it_is_said(
    run: Run, repository: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    exclude = repository / ".git/info/exclude"
    if why == "asked for":
        (repository / ".gitignore").write_text("!/USER_CONTEXT.md\n")
    elif why == "a link":
        exclude.rename(repository / "elsewhere")
        exclude.symlink_to(repository / "elsewhere")
    elif why == "a folder":
        exclude.unlink()
        exclude.mkdir()
    else:
        monkeypatch.setenv("PATH", str(repository))
    before = snapshot(repository / ".git/info")
    outcome = run("remember", "a=1", cwd=repository)
    assert outcome.code == 0
    assert outcome.out.endswith("a line with its name in .gitignore keeps it here alone\n")
    assert call(run, repository, "remember", "a=1")[1]["exposed"] is True
    assert snapshot(repository / ".git/info") == before


def test_without_a_repository_or_a_home_nothing_is_asked_of_git(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = make_workspace(tmp_path / "workspace")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run("remember", "a=1", cwd=workspace).code == 0
    assert value_in(workspace, "a") == typed(1)
    assert list((tmp_path / "home").iterdir()) == []


def test_a_link_in_the_place_of_the_file_is_refused(run: Run, tmp_path: Path) -> None:
    workspace = write(make_workspace(tmp_path / "workspace"), {"notes.md": "# Notes\n"})
    for target in ("notes.md", "nothing.md", "../outside.md", "USER_CONTEXT.md"):
        write(tmp_path, {"outside.md": "# Outside\n"})
        (workspace / "USER_CONTEXT.md").symlink_to(target)
        before = timeless(states(tmp_path))
        outcome = run("remember", "a=1", cwd=workspace)
        assert outcome.code in (2, 4)
        assert "link" in outcome.err
        assert timeless(states(tmp_path)) == before
        (workspace / "USER_CONTEXT.md").unlink()


@pytest.mark.parametrize("what", ["a folder", "a pipe", "too large"])
def test_what_is_no_readable_file_is_refused(run: Run, tmp_path: Path, what: str) -> None:
    workspace, path = make_workspace(tmp_path), tmp_path / "USER_CONTEXT.md"
    if what == "a folder":
        path.mkdir()
    elif what == "a pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * (LIMIT + 1))
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 2
    assert outcome.err.startswith("skillbag: USER_CONTEXT.md:1: ")


def test_the_file_never_becomes_larger_than_can_be_read(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="x\n" * (LIMIT // 2))
    before = text_of(workspace)
    outcome = run("remember", "a=1", cwd=workspace)
    assert outcome.code == 2
    assert "would be larger than 1 MiB" in outcome.err
    assert text_of(workspace) == before


@pytest.mark.parametrize("existing", [False, True])
def test_a_workspace_that_can_not_be_written_stays_as_it_was(tmp_path: Path, existing: bool) -> None:
    workspace = make_workspace(tmp_path / "workspace", user_context="# Mine\n" if existing else "")
    before = contents(workspace)
    workspace.chmod(0o555)
    done = unprivileged(workspace, "remember", "a=1")
    workspace.chmod(0o755)
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1
    assert "Permission denied" in done.stderr
    assert contents(workspace) == before


def test_the_file_keeps_its_permissions(run: Run, tmp_path: Path) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n")
    (workspace / "USER_CONTEXT.md").chmod(0o600)
    assert run("remember", "a=1", cwd=workspace).code == 0
    assert (workspace / "USER_CONTEXT.md").stat().st_mode & 0o777 == 0o600


# The system lets a process write no file beyond this size: what a full disk is to it.
FULL = """
import resource, signal, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
sys.argv[0] = "skillbag"
from skillbag.cli import main
main()
"""


@pytest.mark.skipif(os.name != "posix", reason="limits of this kind are POSIX's")
@pytest.mark.parametrize("size", [1, 100, 2_000])
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, size: int) -> None:
    workspace = make_workspace(tmp_path, user_context="# Mine\n" * 1_000)
    before = contents(workspace)
    command = [sys.executable, "-c", FULL, str(size), "remember", "a=1", "--workspace", str(workspace)]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 4, done.stderr
    assert "File too large" in done.stderr
    assert contents(workspace) == before
