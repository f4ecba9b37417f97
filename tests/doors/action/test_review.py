"""Review comments: on lines of the diff only, each once, whatever the server answers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from skillbag.doors.action import github_api
from skillbag.doors.action.event import pull_request
from skillbag.doors.action.review import Review, review
from tests.doors.action.github import BOT, TOKEN, Answer, Pull, event_of, files_between, serving
from tests.supply.sources.repositories import committed, git
from tests.support import Run, Tree, skill

LONG = "".join(f"\nLine {number}.\n" for number in range(40))
BASE = {
    "SKILLBAG.md": "SkillBag v0.3.0\n",
    ".skills/SKILLS.md": "one: Do one.\ntwo: Do two.\n",
    ".skills/one/SKILL.md": skill("one", "Do one.") + LONG,
    ".skills/two/SKILL.md": skill("two", "Do two."),
}
LINK = "See [the guide](references/guide.md).\n"

Reviewed = Callable[[], Review]


@pytest.fixture
def root(tree: Tree) -> Path:
    """A repository whose branch `topic` unsorts the catalog, and adds a broken link at the end of a skill."""
    root = committed(tree(BASE))
    git(root, "switch", "-qc", "topic")
    (root / ".skills/SKILLS.md").write_text("two: Do two.\none: Do one.\n")
    with (root / ".skills/one/SKILL.md").open("a") as file:
        file.write(LINK)
    git(root, "commit", "-qam", "topic")
    return root


@pytest.fixture
def pull(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Pull]:
    """The server that has the pull request of `topic`; nothing waits."""
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(github_api, "SECONDS", 2.0)
    event = tmp_path.parent / f"{tmp_path.name}-event.json"
    event.write_text(json.dumps(event_of(root, "main", "topic")))
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))
    monkeypatch.setenv("GITHUB_REPOSITORY", "owner/name")
    monkeypatch.setenv("SKILLBAG_TOKEN", TOKEN)
    with serving(Pull(files_between(root, "main", "topic"))) as pull:
        monkeypatch.setenv("GITHUB_API_URL", pull.address)
        yield pull


@pytest.fixture
def reviewed(run: Run, root: Path, pull: Pull, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Reviewed:
    """Check the repository as it is, and review."""
    report = tmp_path.parent / f"{tmp_path.name}-report.json"

    def call() -> Review:
        run("check", "--format", "json", "--output", report, cwd=root)
        monkeypatch.chdir(root)
        found = pull_request()
        assert found
        return review(str(report), found)

    return call


def places(pull: Pull) -> list[tuple[str, int]]:
    return [(comment["path"], comment["line"]) for comment in pull.comments]


def test_findings_on_changed_lines_become_one_review(reviewed: Reviewed, pull: Pull) -> None:
    assert reviewed() == Review("2 review comments written.")
    (review,) = pull.reviews
    assert (review["event"], len(review["commit_id"])) == ("COMMENT", 40)
    assert review["body"] == "SkillBag check: 2 findings on changed lines."
    assert sorted(places(pull)) == [(".skills/SKILLS.md", 2), (".skills/one/SKILL.md", 89)]
    assert pull.tokens == {f"Bearer {TOKEN}"}


def test_a_safe_fix_becomes_a_suggestion(reviewed: Reviewed, pull: Pull) -> None:
    reviewed()
    (comment,) = (each for each in pull.comments if each["path"].endswith("SKILLS.md"))
    assert "```suggestion\none: Do one.\ntwo: Do two.\n```" in comment["body"]
    assert (comment["start_line"], comment["start_side"], comment["line"], comment["side"]) == (1, "RIGHT", 2, "RIGHT")


def test_the_line_is_that_of_the_file(reviewed: Reviewed, root: Path, pull: Pull) -> None:
    reviewed()
    lines = (root / ".skills/one/SKILL.md").read_text().split("\n")
    (line,) = (number for path, number in places(pull) if path.endswith("one/SKILL.md"))
    assert lines[line - 1] == LINK.rstrip("\n")


def test_a_second_run_repeats_nothing(reviewed: Reviewed, pull: Pull) -> None:
    reviewed()
    assert reviewed().remark == "0 review comments written, 2 were there already."
    assert len(pull.reviews) == 1


def test_comments_that_others_wrote_are_no_marks(reviewed: Reviewed, pull: Pull) -> None:
    reviewed()
    for comment in pull.comments:
        comment["user"] = {"type": "User", "login": "mallory"}
    assert reviewed().remark == "2 review comments written."


def test_a_finding_outside_of_the_diff_has_no_comment(reviewed: Reviewed, root: Path, pull: Pull) -> None:
    text = (root / ".skills/one/SKILL.md").read_text()
    for each in pull.files:
        if each["filename"].endswith("one/SKILL.md"):
            each["patch"] = "@@ -1,3 +1,3 @@\n-a\n+b\n c\n d\n@@ -9,2 +8,0 @@\n-x\n-y"
    assert LINK in text
    reviewed()
    assert places(pull) == [(".skills/SKILLS.md", 2)]


def test_a_file_that_is_another_than_in_the_pull_request_has_none(reviewed: Reviewed, root: Path, pull: Pull) -> None:
    (root / ".skills/one/SKILL.md").write_text(skill("one", "Do one.") + LONG.replace("Line 3.", "Merged.") + LINK)
    reviewed()
    assert places(pull) == [(".skills/SKILLS.md", 2)]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_token_that_may_only_read_is_a_remark(reviewed: Reviewed, pull: Pull, status: int) -> None:
    pull.planned["POST", "reviews"] = [Answer(status)]
    done = reviewed()
    assert not done.failed
    assert "pull-requests: write" in done.remark
    assert pull.comments == []


@pytest.mark.parametrize("answer", [Answer(502), Answer(502, done=True), Answer(500), Answer(429), Answer(503)])
def test_a_busy_server_is_asked_again_and_nothing_is_written_twice(
    reviewed: Reviewed, pull: Pull, answer: Answer
) -> None:
    pull.planned = {("POST", "reviews"): [answer], ("GET", "files"): [Answer(503), Answer(500)]}
    assert not reviewed().failed
    assert len(pull.reviews) == 1
    assert len(pull.comments) == 2


def test_a_limit_of_requests_is_waited_for(reviewed: Reviewed, pull: Pull) -> None:
    limits = [Answer(403, {"Retry-After": "7"}), Answer(403, {"X-RateLimit-Remaining": "0"})]
    pull.planned["GET", "files"] = limits
    assert reviewed().remark == "2 review comments written."


def test_a_server_that_stays_busy_is_a_failure_of_the_review(reviewed: Reviewed, pull: Pull) -> None:
    pull.planned["POST", "reviews"] = [Answer(502)] * 9
    done = reviewed()
    assert done.failed
    assert done.remark == "The review comments could not be written: status 502."
    assert pull.requests.count("POST /repos/owner/name/pulls/5/reviews") == 3


def test_a_line_that_is_not_in_the_diff_any_more_does_not_keep_the_others(reviewed: Reviewed, pull: Pull) -> None:
    pull.planned = {("POST", "reviews"): [Answer(422)], ("POST", "comments"): [Answer(422)]}
    assert not reviewed().failed
    assert len(pull.comments) == 1


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[" * 100_000, b'[1, null, {"user": 1}]'])
def test_answers_that_are_none(reviewed: Reviewed, pull: Pull, body: bytes) -> None:
    pull.planned["GET", "comments"] = [Answer(200, body=body)]
    assert isinstance(reviewed(), Review)


def test_no_server(reviewed: Reviewed, pull: Pull, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://127.0.0.1:1")
    assert reviewed() == Review("The review comments could not be written: ConnectError.", failed=True)


def test_the_token_is_not_sent_without_encryption(reviewed: Reviewed, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_API_URL", "http://api.host.example")
    assert "only asked over https" in reviewed().remark


def test_many_findings_are_limited(reviewed: Reviewed, root: Path, pull: Pull) -> None:
    with (root / ".skills/one/SKILL.md").open("a") as file:
        file.writelines(f"See [it](part-{number}/it.md).\n" for number in range(50))
    git(root, "commit", "-qam", "many")
    pull.files = files_between(root, "main", "topic")
    reviewed()
    (review,) = pull.reviews
    assert len(review["comments"]) == 30
    assert "22 more findings on changed lines" in review["body"]


def test_pages_of_files_and_comments_are_all_read(reviewed: Reviewed, pull: Pull) -> None:
    other = {"filename": "other", "sha": "0" * 40, "patch": "@@ -0,0 +1 @@\n+x"}
    pull.files = [other] * 250 + pull.files
    pull.comments = [{"body": "…", "user": BOT}] * 230
    assert reviewed().remark == "2 review comments written."
    assert reviewed().remark == "0 review comments written, 2 were there already."


def test_the_module_as_the_action_runs_it(reviewed: Reviewed, root: Path, pull: Pull, tmp_path: Path) -> None:
    reviewed()
    report = tmp_path.parent / f"{tmp_path.name}-report.json"
    command = [sys.executable, "-I", "-m", "skillbag.doors.action", "review", str(report)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "::notice title=skillbag::0 review comments written, 2 were there already.\n"
