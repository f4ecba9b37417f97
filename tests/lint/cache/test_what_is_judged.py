"""What is remembered is not looked into again: nothing of an untouched tree, one skill where one was edited."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read, traced
from skillbag.kernel.fs.trace import recording
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace import skill as skill_module
from skillbag.lint.cache import entry
from skillbag.lint.cache.checker import CachedChecker
from skillbag.lint.cache.store import place_of
from skillbag.lint.engine import lint
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from tests.lint.cache.edited_texts import RULE
from tests.lint.cache.edited_worlds import init_repository, tick
from tests.support import Tree, skill


class Warm:
    """A check of a folder, remembered, that begins when all times have come to differ."""

    def __init__(self, top: Path) -> None:
        self.request = CheckRequest((str(top),))
        self.rest = tick(top)

    def check(self) -> CheckResult:
        time.sleep(self.rest)
        return CachedChecker(self.request).check()


@pytest.fixture
def warm(top: Path) -> Iterator[Warm]:
    """A check that was made once before."""
    warm = Warm(top)
    warm.check()
    yield warm
    assert warm.check() == Checker(warm.request).check()


@pytest.fixture
def judged(warm: Warm, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the skills that were linted after the first check."""
    names: list[str] = []
    read = skill_module.read_skill

    def recorded(directory: str, *rest: str) -> object:
        names.append(os.path.basename(directory))
        return read(directory, *rest)

    monkeypatch.setattr(lint, "read_skill", recorded)
    return names


def test_of_an_untouched_tree_no_file_is_opened(top: Path, warm: Warm, judged: list[str]) -> None:
    with traced() as accesses:
        warm.check()
    assert (accesses, judged) == ([], [])


def test_of_one_edited_skill_that_one_alone_is_judged(top: Path, warm: Warm, judged: list[str]) -> None:
    with open(top / ".skills/two/SKILL.md", "a", encoding="utf-8") as file:
        file.write("[gone](gone.md)\n")
    result = warm.check()
    assert judged == ["two"]
    assert [finding.rule for finding in result.findings if finding.path.endswith("two/SKILL.md")]


def test_of_a_touched_skill_the_contents_are_compared(top: Path, warm: Warm, judged: list[str]) -> None:
    (top / ".skills/two/SKILL.md").touch()
    with traced() as accesses:
        warm.check()
    assert not judged
    assert {os.path.basename(os.path.dirname(access.path)) for access in accesses} == {"two"}


def test_an_edit_with_the_times_and_the_size_of_before_is_seen(top: Path, warm: Warm, judged: list[str]) -> None:
    path = top / ".skills/one/SKILL.md"
    before = path.stat()
    path.write_text(path.read_text("utf-8").replace("name: one", "name: eno"), "utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert any(finding.path == str(path) for finding in warm.check().findings)


def test_a_new_skill_is_judged_and_the_others_are_not(top: Path, warm: Warm, judged: list[str]) -> None:
    shutil.copytree(top / ".skills/one", top / ".skills/four")
    assert any(finding.rule == "name-folder-mismatch" or "four" in finding.path for finding in warm.check().findings)
    assert judged == ["four"]


def test_two_skills_that_change_places_are_judged_again(top: Path, warm: Warm, judged: list[str]) -> None:
    for one, other in (("one", "kept"), ("two", "one"), ("kept", "two")):
        os.rename(top / ".skills" / one, top / ".skills" / other)
    warm.check()
    assert sorted(judged) == ["one", "two"]


def test_what_was_written_a_moment_ago_is_compared_by_its_contents(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SETTLED", 10**18)
    warm = Warm(top)
    warm.check()
    with traced() as accesses:
        warm.check()
    assert {os.path.basename(access.path) for access in accesses} >= {"SKILL.md", "SKILLBAG.md"}


def test_a_rule_of_a_team_that_is_meant_for_more_targets_is_asked_of_them(top: Path, tmp_path: Path) -> None:
    (top / "team").mkdir()
    (top / "skillbag.toml").write_text('rules = ["team"]\n')
    (top / ".skills/one/inner").mkdir()
    (top / ".skills/one/inner/SKILL.md").write_text(skill("inner"))
    warm = Warm(top)
    for targets, count in (("source", 0), ("source, workspace", 1), ("skills", 0)):
        (top / "team/own.yaml").write_text(RULE.format("own", "warning", targets, "nested"))
        assert sum(finding.rule == "own" for finding in warm.check().findings) == count


def test_a_file_that_git_comes_to_track_is_noticed(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = top.parent / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    init_repository(top, monkeypatch)
    (top / "NOTES.md").write_text("# Notes\n")
    subprocess.run(["git", "-C", str(top), "add", "NOTES.md"], check=True)
    warm = Warm(top)
    assert not any(finding.path.endswith("USER_CONTEXT.md") for finding in warm.check().findings)
    assert warm.check() == Checker(warm.request).check()
    subprocess.run(["git", "-C", str(top), "add", "-f", "USER_CONTEXT.md"], check=True)
    assert any(finding.path.endswith("USER_CONTEXT.md") for finding in warm.check().findings)


def test_a_suppression_ends_on_its_day(top: Path) -> None:
    mark = '<!-- skillbag: ignore[link-broken] reason="it comes" until=2026-06-01 -->\n[gone](gone.md)\n'
    (top / ".skills/one/SKILL.md").write_text(skill("one") + mark)
    time.sleep(tick(top))
    request, found = CheckRequest((str(top),)), {}
    for today in ("2026-05-31", "2026-06-01", "2026-06-02", "2026-05-31"):
        dated = request._replace(today=today)
        found[today] = CachedChecker(dated).check()
        assert found[today] == Checker(dated).check()
    assert found["2026-06-01"] != found["2026-06-02"]


def test_what_git_is_reported_by_the_environment_is_another_request(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    request = CheckRequest((str(top),))
    before = place_of(request)
    monkeypatch.setenv("GIT_AUTHOR_DATE", "@1 +0000")
    assert place_of(request) == before
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "HOME", "XDG_CONFIG_HOME", "PATH"):
        with monkeypatch.context() as patch:
            patch.setenv(name, str(top / "elsewhere"))
            assert place_of(request) != before


def same(request: CheckRequest) -> CheckResult:
    """What a check finds, remembered or not."""
    time.sleep(tick(Path(request.paths[0])))
    expected = Checker(request).check()
    assert CachedChecker(request).check() == expected
    assert CachedChecker(request).check() == expected
    return expected


def test_settings_that_leave_out_nothing_may_leave_out_links(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entry, "SETTLED", 0)
    top = tree({"plain/skills/x/SKILL.md": skill("x"), "plain/skillbag.toml": "", "outside/SKILL.md": skill("outside")})
    (top / "plain/skills/out").symlink_to("../../outside")
    for settings in ("", 'exclude = ["nothing"]\n', ""):
        (top / "plain/skillbag.toml").write_text(settings)
        same(CheckRequest((str(top / "plain"),)))


def test_the_rules_of_what_is_left_out_do_not_count(top: Path, tree: Tree) -> None:
    tree({"other/skills/x/SKILL.md": skill("x"), "other/skillbag.toml": 'exclude = ["*"]\nselect = ["all"]\n'})
    tree({"skillbag.toml": 'select = ["links"]\n'})
    assert {rule.family for rule in same(CheckRequest((str(top),))).rules} == {"links"}


def test_another_shell_that_is_found_first_is_asked(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = top.parent / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    (top / ".skills/one/run.sh").write_text("#!/bin/sh\necho 'never closed\n")
    request = CheckRequest((str(top),), select=("script-syntax-invalid",))
    before = same(request)
    assert before.findings
    (folder / "bash").write_text("#!/bin/sh\nexit 0\n")
    assert same(request) == before
    (folder / "bash").chmod(0o755)
    assert not same(request).findings
    (folder / "bash").write_text("#!/bin/sh\necho 'bash: line 1: odd' >&2; exit 2\n")
    assert "odd" in same(request).findings[0].message


def test_a_name_with_a_nul_in_it_asks_nothing_of_the_disk(top: Path) -> None:
    place = str(top / "a\0b")
    with recording() as trace:
        assert not tracked.exists(place)
        assert tracked.mode(place) is tracked.version(place) is None
        assert tracked.link(place) is None
        assert isinstance(read(str(top / "SKILLBAG.md"), str(top)), bytes)
    assert trace.questions == [f"{tracked.CONTENT}{top / 'SKILLBAG.md'}"]


def test_a_repository_that_git_does_not_take_for_one_any_more_is_noticed(
    top: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init_repository(top, monkeypatch)
    request = CheckRequest((str(top),))
    before = same(request)
    head = (top / ".git/HEAD").read_bytes()
    (top / ".git/HEAD").write_bytes(b"x")
    assert same(request) != before
    (top / ".git/HEAD").write_bytes(head)
    assert same(request) == before


def test_why_something_cannot_be_looked_at_is_part_of_its_stamp(top: Path) -> None:
    stamps = [tracked.stamp(tracked.CONTENT, str(top / name)) for name in ("nothing", "x" * 5000, "SKILLBAG.md/x")]
    assert len({*stamps}) == 3
    assert tuple(tracked.stamps([f"{tracked.CONTENT}{top}/nothing"])) == stamps[0]


@pytest.mark.parametrize(("name", "value"), [("version", "3.99.0 (other)"), ("platform", "other")])
def test_another_interpreter_has_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    request = CheckRequest(("/w",))
    before = place_of(request)
    assert place_of(request) == before
    monkeypatch.setattr(sys, name, value)
    assert place_of(request) != before
