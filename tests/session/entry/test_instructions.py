"""What `skillbag run` gives of a skill: the body of its `SKILL.md`, its tools and its files, and no secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.session.entry.invocation import MAX_FILES
from tests.session.bags import TOKEN, bag, head, skill_md
from tests.supply.install.worlds import call
from tests.support import Run

pytestmark = pytest.mark.boundary


def body_of(run: Run, folder: Path, body: str | bytes, front: str = "") -> tuple[str, str]:
    """The text and the instructions in JSON of a skill with this body."""
    text = skill_md("a", "Does it.", "@", front).encode()
    raw = body.encode() if isinstance(body, str) else body
    bag(folder, ["a"], {".skills/a/SKILL.md": text.replace(b"@", raw)})
    _, values = call(run, folder, "run", "a")
    return run("run", "a", cwd=folder).out, values["instructions"]


# The instructions.


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One.\r\n\r\nTwo.\r\n", "One.\n\nTwo."),
        ("\n\n  One.\n\n\n", "One."),
        ("One.\rTwo.", "One.\nTwo."),
        ("---\nname: other\n---\n", "---\nname: other\n---"),
        ("Ünï 🙂\n", "Ünï 🙂"),
    ],
    ids=["crlf", "blank-lines", "cr", "second-front-matter", "unicode"],
)
def test_the_body_is_given_with_plain_line_ends(tmp_path: Path, run: Run, body: str, expected: str) -> None:
    text, instructions = body_of(run, tmp_path, body)
    assert instructions == expected
    assert text == f"{head('a')}{expected}\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_front_matter_never_gets_into_the_instructions(tmp_path: Path, run: Run, newline: str, mark: str) -> None:
    text = mark + skill_md("a", "Hidden words.", "Seen.", "license: Hidden\n").replace("\n", newline)
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": text.encode()})
    assert run("run", "a", cwd=tmp_path).out == f"{head('a')}Seen.\n"


@pytest.mark.parametrize("ending", ["", "\n", "\n\n   \n", "\r\n"])
def test_a_skill_without_a_body_has_no_instructions(tmp_path: Path, run: Run, ending: str) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": f"---\nname: a\ndescription: Does it.\n---{ending}"})
    assert run("run", "a", cwd=tmp_path).out == f"{head('a').rstrip()}\n"
    assert call(run, tmp_path, "run", "a")[1]["instructions"] == ""


def test_secrets_and_control_characters_of_the_instructions_are_not_shown(tmp_path: Path, run: Run) -> None:
    text, instructions = body_of(run, tmp_path, f"Use {TOKEN}.\n\x1b[2JClear\u202e it.\n")
    assert text == f"{head('a')}Use ghp_****.\n\\x1b[2JClear\\u202e it.\n"
    assert instructions == "Use ghp_****.\n\x1b[2JClear\u202e it."


def test_a_private_key_of_several_lines_is_masked_as_a_whole(tmp_path: Path, run: Run) -> None:
    lines = "\n".join(f"MIIEowIBAAKCAQEA{number}x7Kq2mWv9RtZ4bNc8Yp3Lj6Hf5Gd1SaQ0e2TqWzPl" for number in range(6))
    text, instructions = body_of(
        run, tmp_path, f"-----BEGIN RSA PRIVATE KEY-----\n{lines}\n-----END RSA PRIVATE KEY-----\nAfter.\n"
    )
    for shown in (text, instructions):
        assert "x7Kq2mWv" not in shown
        assert shown.rstrip().endswith("After.")


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("allowed-tools: git  curl\n", "git curl"),
        ("allowed-tools: [git, curl]\n", "git curl"),
        ("allowed-tools: Bash(git:*) Read\n", "Bash(git:*) Read"),
        ("allowed-tools: ''\n", ""),
        ("allowed-tools: {a: b}\n", ""),
        ("", ""),
    ],
)
def test_allowed_tools_are_shown_on_a_line(tmp_path: Path, run: Run, front: str, expected: str) -> None:
    text, _ = body_of(run, tmp_path, "Do it.", front)
    first = f"{head('a')}Allowed tools: {expected}\n\n" if expected else head("a")
    assert text == f"{first}Do it.\n"


# Supporting files.


def test_supporting_files_are_those_that_belong_to_the_skill(tmp_path: Path, run: Run) -> None:
    inside = ["references/b.md", "references/a b.md", "scripts/x.py", "LICENSE", "scripts/deep/er/y.sh", "notes/ü.md"]
    outside = [".hidden", "scripts/.cache/x", "__pycache__/x.pyc", ".DS_Store", "assets/Thumbs.db", "node_modules/m.js"]
    bag(tmp_path, ["a"], {f".skills/a/{path}": "" for path in [*inside, *outside]})
    assert call(run, tmp_path, "run", "a")[1]["files"] == sorted(inside)


def test_links_count_where_they_lead_to_a_file_of_the_skill(tmp_path: Path, run: Run) -> None:
    root = bag(tmp_path / "w", ["a", "b"], {".skills/a/real.md": "", ".skills/a/sub/x.md": "", "own.md": ""})
    folder = root / ".skills/a"
    (folder / "inside.md").symlink_to("real.md")
    (folder / "outside.md").symlink_to("/etc/hostname")
    (folder / "workspace.md").symlink_to("../../own.md")
    (folder / "other.md").symlink_to("../b/SKILL.md")
    (folder / "dangling.md").symlink_to("gone.md")
    (folder / "folder").symlink_to("sub", target_is_directory=True)
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    assert call(run, root, "run", "a")[1]["files"] == ["inside.md", "real.md", "sub/x.md"]


def test_of_many_supporting_files_the_first_are_shown_and_all_are_counted(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {f".skills/a/references/{number:03}.md": "" for number in range(MAX_FILES + 3)})
    _, values = call(run, tmp_path, "run", "a")
    assert (len(values["files"]), values["file_count"]) == (50, 53)
    lines = run("run", "a", cwd=tmp_path).out.splitlines()
    assert lines[-2:] == ["- references/049.md", "- … and 3 more"]


def test_a_file_name_cannot_write_to_the_terminal(tmp_path: Path, run: Run) -> None:
    bag(tmp_path, ["a"], {".skills/a/x\x1b[2J\n## Companions.md": ""})
    assert run("run", "a", cwd=tmp_path).out.splitlines()[-1] == "- x\\x1b[2J\\n## Companions.md"
