"""`init` in new and existing folders: missing files are written, existing ones stay byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.agents import INSTRUCTIONS
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.model import Workspace, take_inventory
from skillbag.kernel.workspace.target import TargetKind, installed
from skillbag.supply.bootstrap.init import InitOptions, plan_init
from skillbag.supply.bootstrap.plan import apply
from skillbag.supply.bootstrap.templates import template
from tests.rows import each_row

REPO = "https://git.example.com/team/skillbag.git"
FULL = InitOptions(agents=("claude", "cursor", "copilot", "codex", "gemini"), pre_commit=True, github=True, repo=REPO)
BOOTSTRAP_LINE = b"skillbag-get-skills: Install one or more skills into .skills/."
POINTER = (
    b"Before any other work in this folder, read `SKILLBAG.md` and follow it.\n"
    b"If `skillbag` is installed, run `skillbag enter` once, then `skillbag turn --session ID` before each response,\n"
    b"and add skills with `skillbag add ADDRESS NAME`.\n"
)
SKILL = b"---\nname: %s\ndescription: Does %s. Use when asked to.\n---\n\nDo it.\n"


def init(root: Path, options: InitOptions = FULL) -> None:
    apply(plan_init(str(root), options))


def tree(root: Path) -> dict[str, bytes]:
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def write(root: Path, name: str, data: bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def test_a_fresh_workspace(tmp_path: Path) -> None:
    init(tmp_path / "new", InitOptions())
    assert tree(tmp_path / "new") == {
        "SKILLBAG.md": template("entrypoint.md").encode(),
        "AGENTS.md": POINTER,
        ".skills/skillbag-get-skills/SKILL.md": template("get-skills.md").encode(),
        ".skills/SKILLS.md": BOOTSTRAP_LINE + b"\n",
        ".gitignore": b"USER_CONTEXT.md\n",
    }
    assert kind_at(str(tmp_path / "new")) is TargetKind.WORKSPACE


def test_the_catalog_of_a_fresh_workspace_agrees_with_its_skills(tmp_path: Path) -> None:
    init(tmp_path)
    inventory = take_inventory(Workspace(installed(TargetKind.WORKSPACE, str(tmp_path))))
    assert inventory.catalog_lines() == [("skillbag-get-skills", "Install one or more skills into .skills/.")]


def test_all_options(tmp_path: Path) -> None:
    init(tmp_path)
    assert set(tree(tmp_path)) == {
        "SKILLBAG.md",
        "AGENTS.md",
        "CLAUDE.md",
        "GEMINI.md",
        ".cursorrules",
        ".github/copilot-instructions.md",
        ".github/workflows/skillbag.yml",
        ".pre-commit-config.yaml",
        ".skills/skillbag-get-skills/SKILL.md",
        ".skills/SKILLS.md",
        ".gitignore",
    }
    assert {(tmp_path / path).read_text() for agent, path in INSTRUCTIONS.items() if agent != "codex"} == {
        "Read `AGENTS.md` before you begin, and follow it.\n"
    }


def test_a_fresh_source(tmp_path: Path) -> None:
    init(tmp_path, InitOptions(source=True))
    assert tree(tmp_path) == {
        "AGENTS.md": b"This repository is a `SKILLBAG` source.\n"
        b"The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.\n"
        b"There are no extra installation steps.\n",
        ".skills/SKILLS.md": b"",
    }
    assert kind_at(str(tmp_path)) is TargetKind.SOURCE


def test_a_source_gets_only_missing_statements(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", b"A SKILLBAG of ours.\r\nTo install, run `make`.")
    write(tmp_path, ".skills/b/SKILL.md", SKILL % (b"b", b"b"))
    write(tmp_path, ".skills/a/SKILL.md", SKILL % (b"a", b"a"))
    init(tmp_path, InitOptions(source=True))
    assert (tmp_path / "AGENTS.md").read_bytes() == (
        b"A SKILLBAG of ours.\r\nTo install, run `make`.\r\n\r\n"
        b"The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.\r\n"
    )
    assert (tmp_path / ".skills/SKILLS.md").read_text() == (
        "a: Does a. Use when asked to.\nb: Does b. Use when asked to.\n"
    )


@pytest.mark.parametrize("options", [FULL, InitOptions(source=True, agents=("claude",), pre_commit=True)])
def test_a_second_run_has_nothing_to_do(tmp_path: Path, options: InitOptions) -> None:
    init(tmp_path, options)
    before = tree(tmp_path)
    plan = plan_init(str(tmp_path), options)
    assert plan.actions
    assert plan.changes == ()
    apply(plan)
    assert tree(tmp_path) == before


def test_a_plan_writes_nothing_and_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", b"Be kind.\n")
    plan = plan_init(str(tmp_path), InitOptions())
    assert set(tree(tmp_path)) == {"AGENTS.md"}
    assert str(plan).splitlines()[:3] == [
        "create  SKILLBAG.md  (the entrypoint)",
        "append  AGENTS.md  (points agents to SKILLBAG.md)",
        "        + Before any other work in this folder, read `SKILLBAG.md` and follow it.",
    ]


ODD = {
    "crlf": b"one\r\ntwo\r\n",
    "bom": b"\xef\xbb\xbfone\ntwo\n",
    "open": b"one\ntwo",
    "all": b"\xef\xbb\xbfone\r\n\r\ntwo",
    "empty": b"",
    "blank": b"\n\n",
}
FILES = ("AGENTS.md", "CLAUDE.md", ".cursorrules", ".gitignore", "SKILLBAG.md", ".github/workflows/skillbag.yml")


def is_insertion(old: bytes, new: bytes) -> bool:
    return any(new[:at] + new[len(new) - len(old) + at :] == old for at in range(len(old) + 1))


@each_row("name", FILES)
@each_row("kind", ODD)
def test_no_byte_that_is_there_goes(tmp_path: Path, name: str, kind: str) -> None:
    write(tmp_path, name, ODD[kind])
    init(tmp_path)
    after = (tmp_path / name).read_bytes()
    assert after.startswith(ODD[kind])
    added = after[len(ODD[kind]) :]
    assert bool(added) == (name not in ("SKILLBAG.md", ".github/workflows/skillbag.yml"))
    assert added.count(b"\r\n") == (added.count(b"\n") if b"\r" in ODD[kind] else 0)
    assert plan_init(str(tmp_path), FULL).changes == ()


CATALOGS = {
    b"a: One.\nz: Two.\n": b"a: One.\n%s\nz: Two.\n",
    b"\xef\xbb\xbfz: Two.\r\n": b"\xef\xbb\xbf%s\r\nz: Two.\r\n",
    b"a: One.\r\nb: Two.": b"a: One.\r\nb: Two.\r\n%s\r\n",
    b"# Skills\n\na: One.   \n\n\n": b"# Skills\n\na: One.   \n%s\n\n\n",
    b"": b"%s\n",
    b"skillbag-get-skills: Mine.": b"skillbag-get-skills: Mine.",
}


@each_row("old", CATALOGS)
def test_the_reserved_skill_gets_its_line_in_a_catalog(tmp_path: Path, old: bytes) -> None:
    write(tmp_path, ".skills/SKILLS.md", old)
    init(tmp_path)
    expected = CATALOGS[old]
    new = (tmp_path / ".skills/SKILLS.md").read_bytes()
    assert new == (expected % BOOTSTRAP_LINE if b"%s" in expected else expected)
    assert is_insertion(old, new)


def test_a_missing_catalog_is_made_of_the_skills_that_are_there(tmp_path: Path) -> None:
    write(tmp_path, ".skills/zebra/SKILL.md", SKILL % (b"zebra", b"z"))
    write(tmp_path, ".skills/broken/SKILL.md", b"---\nname: broken\n")
    write(tmp_path, ".skills/skillbag-get-skills/SKILL.md", SKILL % (b"skillbag-get-skills", b"my own way"))
    init(tmp_path)
    assert (tmp_path / ".skills/SKILLS.md").read_text() == (
        "skillbag-get-skills: Does my own way. Use when asked to.\nzebra: Does z. Use when asked to.\n"
    )


IGNORED = (b"USER_CONTEXT.md", b"/USER_CONTEXT.md", b"**/USER_CONTEXT.md", b" USER_CONTEXT.md ", b"!USER_CONTEXT.md")
COMPLETE = [
    *((".gitignore", b"*.pyc\n" + line) for line in IGNORED),
    ("AGENTS.md", b"This is a SKILLBAG source. See SKILLBAG.md"),
    (".skills/skillbag-get-skills/SKILL.md", b"no front matter"),
    ("SKILLBAG.md", b"SkillBag v0.1.0\n"),
]


@each_row(("name", "text"), COMPLETE)
def test_a_file_that_needs_nothing_stays(tmp_path: Path, name: str, text: bytes) -> None:
    write(tmp_path, name, text)
    init(tmp_path, InitOptions(entrypoint_text=b"SkillBag v0.3.0\n"))
    assert tree(tmp_path)[name] == text
    # A reserved skill that cannot be read is not listed.
    assert bool(tree(tmp_path)[".skills/SKILLS.md"]) is ("get-skills" not in name)


def test_the_pointer_does_not_make_a_workspace_a_source(tmp_path: Path) -> None:
    write(tmp_path, "AGENTS.md", b"Be kind.\n")
    init(tmp_path)
    (tmp_path / "SKILLBAG.md").unlink()
    assert kind_at(str(tmp_path)) is TargetKind.WORKSPACE


def test_a_published_entrypoint_is_used_byte_for_byte(tmp_path: Path) -> None:
    text = b"\xef\xbb\xbfSkillBag v0.4.0\r\n\r\nas published"
    init(tmp_path, InitOptions(entrypoint_text=text))
    assert tree(tmp_path)["SKILLBAG.md"] == text


@each_row(
    ("options", "words"),
    [
        (InitOptions(entrypoint_text=b"# SkillBag v0.3.0\n"), "first line"),
        (InitOptions(entrypoint_text=b"SkillBag version 3\n"), "first line"),
        (InitOptions(entrypoint_text=b"SkillBag v0.3.0\n\xff"), "0xff is not UTF-8"),
        (InitOptions(entrypoint_text=b"SkillBag v0.3.0\n" + b"x" * (1 << 20)), "larger than 1 MiB"),
        (InitOptions(entrypoint_text=b"SkillBag v0.3.0\n", source=True), "not both"),
        (InitOptions(agents=("claude", "emacs")), "`emacs` is not known; the known agents are claude, codex, copilot"),
        (InitOptions(repo="not an address", github=True), "owner/name"),
        (InitOptions(github=True), "--github: .* give --repo"),
        (InitOptions(repo=REPO, rev="$(id)", github=True), "--rev"),
        (InitOptions(rev="v1", pre_commit=True), "--repo"),
    ],
)
def test_options_that_cannot_be_followed(tmp_path: Path, options: InitOptions, words: str) -> None:
    with pytest.raises(UserError, match=words):
        plan_init(str(tmp_path), options)
