"""The active skill: its record for each session, and what the front matter of a skill allows."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from skillbag.agents.permissions.active import (
    BadAllowedToolsError,
    SkillInUse,
    activate,
    active_skill,
    allowed_tools_of,
    clear_active_skill,
)
from skillbag.agents.settings.scope import Scope
from tests.agents.permissions.records import AA, BB, record_of, records_of
from tests.rows import each_row


def test_a_session_has_the_skill_that_was_activated_last(scope: Scope) -> None:
    assert active_skill(scope) is None
    activate(scope, AA)
    assert active_skill(scope) == AA
    activate(scope, BB)
    assert active_skill(scope) == BB
    activate(scope, AA)
    assert active_skill(scope) == AA
    clear_active_skill(scope)
    assert active_skill(scope) is None
    assert records_of() == []
    clear_active_skill(scope)


def test_each_session_of_each_workspace_has_its_own(scope: Scope, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    scopes = [
        scope,
        scope._replace(session="s2"),
        scope._replace(session="S1"),
        scope._replace(root=str(tmp_path / "other")),
        scope._replace(root=None),
    ]
    for number, other in enumerate(scopes):
        activate(other, SkillInUse(f"skill-{number}", "Read"))

    assert [active_skill(other) for other in scopes] == [SkillInUse(f"skill-{n}", "Read") for n in range(len(scopes))]
    clear_active_skill(scopes[0])
    assert active_skill(scopes[0]) is None
    assert all(active_skill(other) for other in scopes[1:])


def test_a_workspace_has_one_record_by_whatever_name_it_is_reached(scope: Scope, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("work")
    activate(scope, AA)

    assert active_skill(scope._replace(root=str(tmp_path / "link"))) == AA
    assert active_skill(scope._replace(root=f"{scope.root}/../work/")) == AA


def test_without_a_session_nothing_is_recorded(scope: Scope) -> None:
    nobody = scope._replace(session=None)
    activate(nobody, AA)

    assert active_skill(nobody) is None
    clear_active_skill(nobody)
    assert records_of() == []


def test_only_the_user_can_read_the_record(scope: Scope) -> None:
    record = record_of(scope)

    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(record.parent.stat().st_mode) == 0o700
    assert "work" not in str(record.relative_to(os.environ["SKILLBAG_STATE_DIR"]))


def test_whatever_text_is_recorded_comes_back(scope: Scope) -> None:
    for text in ("", 'Read "\\\n\x00\x1b', "ü 漢字 🎉", "\ud800", "x" * 300_000):
        activate(scope, SkillInUse("aa", text))
        assert active_skill(scope) == SkillInUse("aa", text)


@each_row(
    ("line", "text"),
    [
        ("", None),
        ("allowed-tools:\n", None),
        ("allowed-tools: ~\n", None),
        ("allowed-tools: null\n", None),
        ('allowed-tools: ""\n', ""),
        ("allowed-tools: []\n", ""),
        ("allowed-tools: Read, Grep, Bash(git:*)\n", "Read, Grep, Bash(git:*)"),
        ("allowed-tools: Read Grep  Bash(git add *)\n", "Read Grep  Bash(git add *)"),
        ("allowed-tools: [Read, Bash(git:*)]\n", "Read, Bash(git:*)"),
        ("allowed-tools:\n  - Read\n  - 'Bash(git:*)'\n  - ''\n", "Read, Bash(git:*)"),
        ("allowed-tools: >\n  Read\n  Grep\n", "Read Grep"),
        ("allowed-tools: |\n  Read\n  Grep\n", "Read\nGrep"),
        ("allowed-tools: '~'\n", "~"),
        ("Allowed-Tools: Read\n", None),
    ],
)
@each_row("ends", ["\n", "\r\n"])
def test_what_a_skill_allows_is_read_as_it_is_written(line: str, text: str | None, ends: str, tmp_path: Path) -> None:
    for file in ("SKILL.md", "skill.md"):
        data = f"---\nname: aa\ndescription: d\n{line}---\n\nallowed-tools: Write\n".replace("\n", ends)
        (tmp_path / file).write_bytes(data.encode())
        assert allowed_tools_of(str(tmp_path), file) == text


@each_row(
    "text",
    [
        "no front matter\n",
        "---\nname: aa\n",
        "---\n- a\n---\n",
        "---\nallowed-tools: {Bash: git}\n---\n",
        "---\nallowed-tools: [Read, [Write]]\n---\n",
        "---\nallowed-tools: Read\nallowed-tools: Write\n---\n",
        "---\nallowed-tools: *x\n---\n",
        "---\nallowed-tools: 'Read\n---\n",
    ],
)
def test_what_cannot_be_read_is_reported(text: str, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(text)

    with pytest.raises(BadAllowedToolsError, match=r"SKILL\.md"):
        allowed_tools_of(str(tmp_path), "SKILL.md")


@pytest.mark.parametrize("allowed", ["Read " * 2001, f"[{'Read, ' * 2000}Grep]"])
def test_more_than_anybody_needs_is_refused_since_every_block_would_repeat_it(allowed: str, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(f"---\nallowed-tools: {allowed}\n---\n")

    with pytest.raises(BadAllowedToolsError, match="shorten it"):
        allowed_tools_of(str(tmp_path), "SKILL.md")


def test_a_file_that_is_missing_or_leads_out_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "aa"
    folder.mkdir(parents=True)
    (tmp_path / "out.md").write_text("---\nallowed-tools: Read\n---\n")

    with pytest.raises(BadAllowedToolsError):
        allowed_tools_of(str(folder), "SKILL.md")
    (folder / "SKILL.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(BadAllowedToolsError):
        allowed_tools_of(str(folder), "SKILL.md")
