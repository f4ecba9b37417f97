"""Paths in a manifest name regular files in the skill's folder, and nothing else by any trick."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.trace import recording
from skillbag.kernel.manifest.reader import read_manifest
from tests.kernel.manifest.manifests import PLAIN, messages, read, write_skill
from tests.rows import each_row

OUTSIDE = "is a link that leads out of the skill's folder"
MISSING = "does not exist in the skill's folder, in this spelling"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill with files, folders and links of all kinds."""
    (tmp_path / "secret").write_text("s", "utf-8")
    folder = tmp_path / "tree" / "skill"
    (folder / "docs").mkdir(parents=True)
    (folder / "a.md").write_text("a", "utf-8")
    (folder / "docs/b.md").write_text("b", "utf-8")
    (folder / "inner").symlink_to("docs/b.md")
    (folder / "more").symlink_to("docs")
    (folder / "out").symlink_to("../../secret")
    (folder / "up").symlink_to("..")
    (folder / "null").symlink_to("/dev/null")
    (folder / "loop").symlink_to("loop")
    (folder / "broken").symlink_to("nothing")
    os.mkfifo(folder / "pipe")
    return folder


def fault(skill: Path, path: str) -> list[str]:
    found = read(skill, {**PLAIN, "prompt": {"system_prompt_file": path}})
    return [text.split('" ', 1)[1] for text in messages(found) if "prompt.system_prompt_file: " in text]


# A way out and back in ends at a file of the skill.
@pytest.mark.parametrize("path", ["a.md", "docs/b.md", "inner", "more/b.md", "up/skill/a.md"])
def test_a_file_of_the_skill(path: str, skill: Path) -> None:
    assert fault(skill, path) == []


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("none.md", MISSING),
        ("A.md", MISSING),
        ("a.md/b", MISSING),
        ("broken", MISSING),
        ("docs", "is a folder"),
        ("pipe", "is not a regular file"),
        ("out", OUTSIDE),
        ("null", OUTSIDE),
        ("up/other", OUTSIDE),
        ("up/skill", "is a folder"),
        ("loop", "can't be opened: Too many levels of symbolic links"),
        ("up/../secret", "leads out of its folder with .."),
        ("../skill/a.md", "leads out of its folder with .."),
        ("docs/../a.md", "leads out of its folder with .."),
        ("/etc/passwd", "is not relative to the skill's folder"),
        ("~/a.md", "is not relative to the skill's folder"),
        ("C:/a.md", "is not relative to the skill's folder"),
        ("docs\\b.md", "has a backslash; folders are separated by /"),
        ("./a.md", "has an empty part or a single dot"),
        ("docs//b.md", "has an empty part or a single dot"),
        ("docs/", "has an empty part or a single dot"),
        ("a.md\x00", "has a character that is not printable"),
        ("a\u202emd", "has a character that is not printable"),
        ("x" * 300, MISSING),
    ],
)
def test_anything_else(path: str, reason: str, skill: Path) -> None:
    assert fault(skill, path) == [reason]


def test_every_field_with_a_path_is_held_to_it(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {
            **PLAIN,
            "types": ["tool"],
            "implementation": {"backend": "starlark", "entrypoint": "1"},
            "prompt": {"system_prompt_file": "2", "context_files": ["3", "4"]},
            "references": [{"path": "5"}],
            "tools": [{"name": "a", "input_schema_file": "6"}],
            "security_rules": {
                "sast_rules_file": "7",
                "scanners": [{"name": "a", "entrypoint": "8"}],
                "overrides_file": "9",
            },
            "wiki": {
                "sections": [{"title": "a", "template": "10"}],
                "diagrams": [{"type": "a", "template": "11"}],
            },
        },
    )
    assert {fault.where: fault.message.split('"')[1] for fault in found.faults} == {
        "implementation.entrypoint": "1",
        "prompt.system_prompt_file": "2",
        "prompt.context_files[0]": "3",
        "prompt.context_files[1]": "4",
        "references[0].path": "5",
        "tools[0].input_schema_file": "6",
        "security_rules.sast_rules_file": "7",
        "security_rules.scanners[0].entrypoint": "8",
        "security_rules.overrides_file": "9",
        "wiki.sections[0].template": "10",
        "wiki.diagrams[0].template": "11",
    }


ENTRYPOINTS = [
    ("starlark", "skill.star", True),
    ("starlark", "none.star", False),
    ("plugin", "skill.py", True),
    ("plugin", "skill:new_skill", True),
    ("plugin", "package.inner:NewSkill", True),
    ("plugin", "package:NewSkill", True),
    ("plugin", "none:new_skill", False),
    ("plugin", "../skill:new_skill", False),
    ("process", "python3", True),
    ("process", "bin/echo", True),
    ("process", "bin/none", False),
    ("process", "/bin/sh", False),
    ("process", "../sh", False),
    ("process", "sh -c", False),
]


@each_row(("backend", "entrypoint", "good"), ENTRYPOINTS)
def test_entrypoints(backend: str, entrypoint: str, good: bool, tmp_path: Path) -> None:
    manifest: dict[str, Any] = {
        **PLAIN,
        "types": ["tool"],
        "implementation": {"backend": backend, "entrypoint": entrypoint},
    }
    files = ("skill.star", "skill.py", "package/__init__.py", "package/inner.py", "bin/echo")
    assert (read(tmp_path, manifest, *files).manifest is not None) is good


def test_mcp_needs_no_entrypoint(tmp_path: Path) -> None:
    manifest: dict[str, Any] = {**PLAIN, "types": ["tool"], "implementation": {"backend": "mcp"}}
    assert read(tmp_path, manifest).manifest is not None


def test_what_a_link_leads_to_is_tracked(tmp_path: Path) -> None:
    folder = write_skill(tmp_path / "skill", {**PLAIN, "prompt": {"system_prompt_file": "link"}}, "a.md")
    (folder / "link").symlink_to("a.md")
    with recording() as trace:
        read_manifest(str(folder), str(tmp_path))
    questions = set(trace.questions)
    assert {
        f"{tracked.REAL}{folder}/link",
        f"{tracked.NAMES}{folder}",
        f"{tracked.CONTENT}{folder}/SKILL.yaml",
    } <= questions
