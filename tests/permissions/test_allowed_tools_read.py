"""What the front matter of a skill allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.permissions.active import BadAllowedToolsError, allowed_tools_of


@pytest.mark.parametrize(
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
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_what_a_skill_allows_is_read_as_it_is_written(line: str, text: str | None, ends: str, tmp_path: Path) -> None:
    for file in ("SKILL.md", "skill.md"):
        data = f"---\nname: aa\ndescription: d\n{line}---\n\nallowed-tools: Write\n".replace("\n", ends)
        (tmp_path / file).write_bytes(data.encode())
        assert allowed_tools_of(str(tmp_path), file) == text


@pytest.mark.parametrize(
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
def test_what_cannot_be_read_is_told(text: str, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(text)

    with pytest.raises(BadAllowedToolsError, match=r"SKILL\.md"):
        allowed_tools_of(str(tmp_path), "SKILL.md")


@pytest.mark.parametrize("allowed", ["Read " * 2001, f"[{'Read, ' * 2000}Grep]"])
def test_more_than_anybody_needs_is_refused_since_every_block_would_repeat_it(allowed: str, tmp_path: Path) -> None:
    (tmp_path / "SKILL.md").write_text(f"---\nallowed-tools: {allowed}\n---\n")

    with pytest.raises(BadAllowedToolsError, match="shorten it"):
        allowed_tools_of(str(tmp_path), "SKILL.md")


def test_a_file_that_is_missing_or_leads_out_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "skills" / "aa"
    folder.mkdir(parents=True)
    (tmp_path / "out.md").write_text("---\nallowed-tools: Read\n---\n")

    with pytest.raises(BadAllowedToolsError):
        allowed_tools_of(str(folder), "SKILL.md")
    (folder / "SKILL.md").symlink_to(tmp_path / "out.md")
    with pytest.raises(BadAllowedToolsError):
        allowed_tools_of(str(folder), "SKILL.md")
