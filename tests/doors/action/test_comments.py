"""The texts of review comments: what comes from the repository stays text, and a suggestion does what `--fix` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skillbag.doors.action.comments import ReportedFinding, ReviewComment, comments_on, mark_of
from skillbag.doors.action.github_api import ChangedFile, hunks_of
from skillbag.doors.action.review import CheckReport
from skillbag.kernel.base.json_reading import from_json
from tests.doors.action.github import files_between
from tests.rows import each_row
from tests.supply.sources.repositories import git
from tests.support import Run, Tree, skill

HOSTILE = "@everyone <img src=x> #1 **b** https://host.example ![x](y)"


def comments(run: Run, root: Path, files: dict[str, str]) -> list[ReviewComment]:
    """The comments on a commit that writes these files."""
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, "commit", "-qm", "begin", "--allow-empty")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode("utf-8", "surrogateescape"))
    git(root, "add", ".")
    git(root, "commit", "-qm", "files")
    findings = from_json(CheckReport, json.loads(run("check", "--format", "json", cwd=root).out)).findings
    changed = files_between(root, "HEAD~1", "HEAD")
    known = {each["filename"]: ChangedFile(each["filename"], each["sha"], hunks_of(each["patch"])) for each in changed}
    return list(comments_on(findings, known, str(root), str(root)))


def named(name: str) -> dict[str, str]:
    """A skill whose name is repeated by the messages about it."""
    return {"skills/a/SKILL.md": f'---\nname: "{name}"\ndescription: Does a.\n---\n\n# A\n\nDo it.\n'}


def test_texts_of_the_repository_stay_texts(run: Run, tree: Tree) -> None:
    found = comments(run, tree({}), named(HOSTILE))
    assert any("everyone" in comment.body for comment in found)
    for comment in found:
        prose = comment.body.partition("```suggestion")[0]
        for markup in ("@everyone", " <img", " #1", " **b**", "https://host", "![x]"):
            assert markup not in prose, prose


def test_a_mark_in_a_text_is_none(run: Run, tree: Tree) -> None:
    mark = "<!-- skillbag: 0123456789abcdef01234567 -->"
    for comment in comments(run, tree({}), named(mark)):
        assert mark_of(comment.body) == comment.mark != "0123456789abcdef01234567"
    assert mark_of(f"{mark}\n```") is None
    assert mark_of(f"{mark}\n\r\n") == "0123456789abcdef01234567"


def test_control_characters_and_secrets_are_not_shown(run: Run, tree: Tree) -> None:
    secret = "ghp_" + "x7Kd9QpL2mVbN4sR" + "tYw8ZcHf3GjUe6AoXi1B"
    text = skill("a") + f"\n[x](references/\u202e\u200b{secret}.md)\n"
    for comment in comments(run, tree({}), {"skills/a/SKILL.md": text}):
        assert secret not in comment.body
        assert "\u202e" not in comment.body
        assert "\u200b" not in comment.body


CATALOG = {
    "SKILLBAG.md": "SkillBag v0.3.0\n",
    ".skills/one/SKILL.md": skill("one", "Do ````one````."),
    ".skills/two/SKILL.md": skill("two", "Do two."),
}


def test_a_fence_in_a_suggestion_does_not_end_it(run: Run, tree: Tree) -> None:
    catalog = {".skills/SKILLS.md": "two: Do two.\none: Do ````one````.\n"}
    (comment,) = comments(run, tree(CATALOG), catalog)
    assert "`````suggestion\none: Do ````one````.\ntwo: Do two.\n`````\n" in comment.body


def test_a_missing_line_is_suggested_with_the_line_beside_it(run: Run, tree: Tree) -> None:
    found = comments(run, tree(CATALOG), {".skills/SKILLS.md": "one: Do ````one````.\n"})
    (comment,) = (each for each in found if each.path == ".skills/SKILLS.md")
    assert "one: Do ````one````.\ntwo: Do two.\n" in comment.body
    assert (comment.first, comment.last) == (1, 1)


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\x1b", "\r"])
def test_what_can_not_be_seen_is_not_suggested(run: Run, tree: Tree, char: str) -> None:
    catalog = {".skills/SKILLS.md": f"two: Do{char} two.\none: Do one.\n"}
    for comment in comments(run, tree({**CATALOG, ".skills/two/SKILL.md": skill("two", "Do two.")}), catalog):
        assert char not in comment.body


def test_long_messages_are_cut(run: Run, tree: Tree) -> None:
    text = skill("a") + f"\n[x](references/{'long/' * 2000}.md)\n"
    for comment in comments(run, tree({}), {"skills/a/SKILL.md": text}):
        assert len(comment.body) < 5_000


def test_equal_findings_have_marks_of_their_own(run: Run, tree: Tree) -> None:
    line = "Use the key AKIA2E0A8F3B244C9986.\n\n"
    found = comments(run, tree({}), {"skills/a/SKILL.md": skill("a") + "\n" + line + line})
    assert len({comment.mark for comment in found}) == len(found) == 2


def test_only_rules_of_this_program_have_an_address(tree: Tree) -> None:
    root = tree({"a.md": "x\n"})
    changed = ChangedFile("a.md", git(root, "hash-object", "a.md").strip(), ((1, 1),))
    finding = {"level": "note", "path": "a.md", "line": 1, "message": "m", "fix": None, "edits": []}
    for rule, is_linked in (("link-broken", True), ("ours", False)):
        given = {**finding, "rule": rule, "url": "https://host.example/rule"}
        (comment,) = comments_on([from_json(ReportedFinding, given)], {"a.md": changed}, str(root), str(root))
        assert ("(https://host.example/rule)" in comment.body) is is_linked


@each_row(
    ("patch", "hunks"),
    [
        ("@@ -1 +1 @@\n-a\n+b", ((1, 1),)),
        ("@@ -1,2 +3,4 @@ def x\n+@@ -1 +99 @@\n @@ -1 +99 @@\n-@@ -1 +99 @@", ((3, 6),)),
        ("@@ -3,2 +2,0 @@\n-a\n-b", ()),
        ("", ()),
    ],
)
def test_the_spans_of_hunks(patch: str, hunks: tuple[tuple[int, int], ...]) -> None:
    assert hunks_of(patch) == hunks


def test_a_file_with_the_line_ends_of_the_working_tree_is_that_of_the_pull_request(run: Run, tree: Tree) -> None:
    root = tree({})
    git(root, "init", "-q")
    git(root, "config", "core.autocrlf", "true")
    text = "---\r\nname: B\r\ndescription: Does a.\r\n---\r\n\r\nDo it.\r\n"
    found = comments(run, root, {"skills/a/SKILL.md": text})
    assert "\r" not in git(root, "cat-file", "blob", "HEAD:skills/a/SKILL.md")
    assert {comment.path for comment in found} == {"skills/a/SKILL.md"}
