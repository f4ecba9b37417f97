"""The skills of a workspace: what the catalog lists, how one is named and invoked, what is missing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.declarations import BadContextError
from skillbag.kernel.workspace.model import open_workspace
from skillbag.session.order.order import missing_before, missing_of_project
from skillbag.session.session import Session
from skillbag.session.skills.skills import (
    BadSkillError,
    CatalogSkill,
    find_invoked,
    find_skill,
    is_installed,
    listed_skills,
    load_skill,
)
from tests.rows import each_row
from tests.session.bags import bag, context, session, skill_md
from tests.supply.install.worlds import make_workspace
from tests.support import Run
from tests.unprivileged import unprivileged

CATALOG = ".skills/SKILLS.md"


def listed(folder: Path) -> dict[str, CatalogSkill]:
    return dict(listed_skills(open_workspace(str(folder))))


def invoked(folder: Path, identifier: str) -> str:
    workspace = open_workspace(str(folder))
    return find_invoked(workspace, listed_skills(workspace), identifier).name


def refusal(folder: Path, identifier: str) -> str:
    with pytest.raises(BadSkillError) as caught:
        invoked(folder, identifier)
    return str(caught.value)


def test_the_catalog_is_read_in_its_order_with_its_lines(tmp_path: Path) -> None:
    bag(tmp_path, [], {CATALOG: "b: Second.\r\n\r\na: First. #run/last  \r\nnot a line\r\n"})
    assert listed(tmp_path) == {"b": CatalogSkill("b", "Second.", 1), "a": CatalogSkill("a", "First. #run/last", 3)}
    assert str(listed(tmp_path)["a"].place) == f"{CATALOG}:3"


def test_lines_that_name_no_skill_are_left_out_and_the_first_of_a_name_counts(tmp_path: Path) -> None:
    lines = ["a_b: Underscore.", "A: Capital.", f"{'x' * 65}: Long.", "a: First.", "a: Second.", "-a: Hyphen."]
    bag(tmp_path, [], {CATALOG: "\n".join(lines)})
    assert listed(tmp_path) == {"a": CatalogSkill("a", "First.", 4)}


def test_without_a_catalog_nothing_is_listed(tmp_path: Path) -> None:
    bag(tmp_path, ["a"]).joinpath(CATALOG).unlink()
    assert listed(tmp_path) == {}


@pytest.mark.parametrize("content", [b"a: \xff\n", b"a: \0\n"])
def test_a_catalog_that_is_no_text_is_refused_with_its_line(tmp_path: Path, content: bytes) -> None:
    bag(tmp_path, ["a"], {CATALOG: b"b: Sound.\n" + content})
    with pytest.raises(BadSkillError, match=rf"^{CATALOG}:2: .*; skillbag self sync rewrites it$"):
        listed(tmp_path)


def test_a_catalog_that_is_a_folder_or_leaves_the_workspace_is_refused(tmp_path: Path) -> None:
    inside = bag(tmp_path / "w", ["a"])
    (inside / CATALOG).unlink()
    (inside / CATALOG).symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").write_text("a: Foreign.\n")
    with pytest.raises(BadSkillError, match="a link that leaves the tree"):
        listed(inside)
    (inside / CATALOG).unlink()
    (inside / CATALOG).mkdir()
    with pytest.raises(BadSkillError, match="a folder stands in its place"):
        listed(inside)


@pytest.mark.proves("lifecycle", "naming.invocation")
@each_row(
    ("identifier", "message"),
    [
        ("convert_to-pdf", "convert_to-pdf: there is no such skill here; did you mean convert-to-pdf?"),
        ("convert-to_pdf", "convert-to_pdf: there is no such skill here; did you mean convert-to-pdf?"),
        ("Convert_To_PDF", "Convert_To_PDF: there is no such skill here; did you mean convert-to-pdf?"),
        ("convert to pdf", "convert to pdf: there is no such skill here; did you mean convert-to-pdf?"),
        ("convert_to_pfd", "convert_to_pfd: there is no such skill here; did you mean convert-to-pdf?"),
        ("zzz", "zzz: there is no such skill here; .skills/SKILLS.md lists the skills"),
        ("", "'': there is no such skill here; .skills/SKILLS.md lists the skills"),
        ("../other", "../other: there is no such skill here; .skills/SKILLS.md lists the skills"),
        ("x\n" * 99, f"{' '.join('x' * 40)} : there is no such skill here; .skills/SKILLS.md lists the skills"),
    ],
)
def test_an_unknown_identifier_is_refused_with_what_may_be_meant(tmp_path: Path, identifier: str, message: str) -> None:
    assert refusal(bag(tmp_path, ["convert-to-pdf"]), identifier) == message


def test_a_mixture_is_not_taken_for_a_name_that_it_resembles(tmp_path: Path) -> None:
    assert "no such skill" in refusal(bag(tmp_path, ["a-b-c"]), "a_b-c")


def test_a_path_is_no_name_of_a_skill(tmp_path: Path) -> None:
    bag(tmp_path, [], {"other/SKILL.md": skill_md("other", "Other."), ".skills/x/y/SKILL.md": skill_md("y", "Other.")})
    for path in ("../other", "x/y", str(tmp_path / "other")):
        assert "there is no such skill here" in refusal(tmp_path, path)


@pytest.mark.proves("lifecycle", "bootstrap.invocation")
def test_the_reserved_skill_is_found_by_its_identifier_and_missed_with_advice(tmp_path: Path) -> None:
    assert refusal(bag(tmp_path, []), "skillbag_get_skills") == (
        "skillbag_get_skills: it is not there yet; skillbag init writes it"
    )
    assert invoked(bag(tmp_path, ["skillbag-get-skills"]), "skillbag_get_skills") == "skillbag-get-skills"


def test_find_skill_takes_canonical_names_alone(tmp_path: Path) -> None:
    workspace = open_workspace(str(bag(tmp_path, ["a-b"])))
    found = listed_skills(workspace)
    assert find_skill(workspace, found, "a-b").name == "a-b"
    with pytest.raises(BadSkillError, match="did you mean a-b"):
        find_skill(workspace, found, "a_b")


def test_a_folder_in_place_of_skill_md_is_no_skill(tmp_path: Path) -> None:
    bag(tmp_path, ["a"])
    (tmp_path / ".skills/a/SKILL.md").unlink()
    (tmp_path / ".skills/a/SKILL.md").mkdir()
    assert not is_installed(open_workspace(str(tmp_path)), "a")


@each_row(
    ("content", "message"),
    [
        (b"# No front matter\n", r"1: the file does not begin with a line `---`; skillbag check reports all problems"),
        (b"---\nname: a\n", r"1: no line `---` closes the front matter"),
        (b"---\nname: [a\n---\n", r"[23]: .*flow.*; skillbag check"),
        (b"", r"1: .* begin with a line `---`"),
        (b"---\n- a\n---\n", r"\d: .*not a list of `key: value`"),
        (b"---\nname: a\ndescription: Does it.\n---\n\0", r"\d: "),
        (b"---\nname: a\n---\n\xff", r"4: byte 0xff is not UTF-8"),
    ],
)
def test_a_skill_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    bag(tmp_path, ["a"], {".skills/a/SKILL.md": content})
    with pytest.raises(BadSkillError, match=rf"^\.skills/a/SKILL\.md:{message}"):
        load_skill(open_workspace(str(tmp_path)), "a", "a test")


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_skill_that_is_a_link_out_of_the_workspace_is_not_read(tmp_path: Path, what: str) -> None:
    inside, outside = bag(tmp_path / "w", ["a"]), tmp_path / "outside"
    outside.mkdir()
    os.rename(inside / ".skills/a/SKILL.md", outside / "SKILL.md")
    if what == "file":
        (inside / ".skills/a/SKILL.md").symlink_to(outside / "SKILL.md")
    else:
        (inside / ".skills/a").rmdir()
        (inside / ".skills/a").symlink_to(outside, target_is_directory=True)
    assert not is_installed(open_workspace(str(inside)), "a")
    assert "a is listed, but .skills/a/SKILL.md is a link that leaves the workspace" in refusal(inside, "a")


def test_links_within_the_workspace_are_followed(tmp_path: Path) -> None:
    bag(tmp_path, ["a", "b"])
    os.rename(tmp_path / ".skills/a", tmp_path / "kept")
    (tmp_path / ".skills/a").symlink_to(tmp_path / "kept", target_is_directory=True)
    os.rename(tmp_path / ".skills/b/SKILL.md", tmp_path / "b.md")
    (tmp_path / ".skills/b/SKILL.md").symlink_to("../../b.md")
    assert [invoked(tmp_path, name) for name in ("a", "b")] == ["a", "b"]
    assert load_skill(open_workspace(str(tmp_path)), "a", "a test").folder == "a"


def test_a_skill_that_may_not_be_opened_is_refused(tmp_path: Path) -> None:
    bag(tmp_path, ["a"]).joinpath(".skills/a/SKILL.md").chmod(0)
    done = unprivileged(tmp_path, "run", "a")
    assert (done.returncode, done.stdout) == (2, "")
    assert ".skills/a/SKILL.md:1: permission denied" in done.stderr


REMOTE = "https://example.com/org/repo.git"


def dependency(name: str, more: str = "") -> str:
    return f"  - {{name: {name}, version: v1, source: {REMOTE}{more}}}"


def project(*names: str) -> str:
    return "dependencies:\n" + "\n".join(map(dependency, names))


def missing(folder: Path, skill: str = "") -> list[str]:
    one = session(folder)
    declarations = one.settings.declarations
    found = missing_of_project(one.workspace, declarations)
    if skill:
        found = missing_before(one.workspace, declarations, load_skill(one.workspace, skill, "a test"))
    return [f"{want.name} ({want.place})" for want in found]


@pytest.mark.proves("lifecycle", "entry.missing")
def test_declared_dependencies_that_are_not_there_are_missing_each_once(tmp_path: Path) -> None:
    text = context(project("b", "c", "a"), project("c"))
    bag(tmp_path, ["a"], {"CONTEXT.md": text})
    assert missing(tmp_path) == ["b (CONTEXT.md:5)", "c (CONTEXT.md:6)"]


def test_a_prohibited_dependency_is_not_missed_unless_its_own_level_prohibits_it(tmp_path: Path) -> None:
    bag(tmp_path, [], {"CONTEXT.md": context(project("b")), "USER_CONTEXT.md": context("prohibit: {skills: [b]}")})
    assert missing(tmp_path) == []
    bag(tmp_path, [], {"CONTEXT.md": context(project("b"), "prohibit: {skills: [b]}"), "USER_CONTEXT.md": ""})
    assert missing(tmp_path) == ["b (CONTEXT.md:5)"]


def test_a_listed_dependency_whose_folder_is_gone_is_missing(tmp_path: Path) -> None:
    bag(tmp_path, ["b"], {"CONTEXT.md": context(project("b"))}).joinpath(".skills/b/SKILL.md").unlink()
    assert missing(tmp_path) == ["b (CONTEXT.md:5)"]


@pytest.mark.proves("lifecycle", "entry.missing")
def test_the_required_dependencies_of_a_skill_may_be_missing_too(tmp_path: Path) -> None:
    needs = "dependencies:\n  - name: b\n  - name: c\n    required: false\n  - name: d\n"
    bag(tmp_path, ["a", "d"], {".skills/a/SKILL.md": skill_md("a", "Does it.", more=needs)})
    assert missing(tmp_path, "a") == ["b (.skills/a/SKILL.md:5)"]
    (tmp_path / "CONTEXT.md").write_text(context("prohibit: {skills: [b]}"))
    assert missing(tmp_path, "a") == []


def test_a_malformed_dependency_is_refused_before_anything_is_missed(tmp_path: Path) -> None:
    bag(tmp_path, [], {"CONTEXT.md": context("dependencies: [{name: b}]")})
    with pytest.raises(BadContextError):
        missing(tmp_path)


def test_a_skill_that_is_declared_and_not_installed_is_refused(run: Run, tmp_path: Path) -> None:
    source = {"name": "lint-docs", "version": "main", "source": "../one"}
    root = make_workspace(tmp_path / "w", [source])
    reported = "error: lint-docs: CONTEXT.md:5 declares it, but it is not installed; skillbag install installs it\n"
    outcome = run("run", "lint_docs", cwd=root)
    assert (outcome.code, outcome.err) == (2, reported)


def test_a_value_that_no_file_can_hold_is_refused(tmp_path: Path) -> None:
    session = Session(open_workspace(str(make_workspace(tmp_path / "w"))))
    with pytest.raises(UserError, match="d is of type object; YAML can't hold that; give text"):
        session.remember("d", object())
