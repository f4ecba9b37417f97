"""The files and prose families, beyond the rules' examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.model.findings import Rename
from tests.checks.rule_runs import findings, messages, places
from tests.support import Tree, skill

HEAD = "---\nname: tidy\ndescription: Tidy a folder.\n---\n"


@pytest.mark.parametrize("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_wrong_case_is_renamed(name: str, tree: Tree) -> None:
    root = tree({f"skills/tidy/{name}": skill("tidy")})
    (found,) = findings(root, "skill-file-case-mismatch")
    assert found.edits == (Rename(str(root / "skills/tidy" / name), "SKILL.md"),)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("lost/README.md", True),
        ("lost/scripts/run.py", True),
        ("_shared/README.md", False),
        ("templates/a.md", False),
        ("lost/.gitkeep", False),
        ("group/one/SKILL.md", False),
        ("group/one/two/skill.md", False),
    ],
)
def test_folder_without_a_skill(path: str, said: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": skill("tidy"), f"skills/{path}": skill("one")})
    assert bool(findings(root, "skill-file-missing")) is said


def test_names_collide_only_within_one_folder(tree: Tree) -> None:
    files = {"a/X.md": "", "a/x.md": "", "A/y.md": "", "b/X.md": "", "c/strasse": "", "c/straße": ""}
    root = tree(
        {"skills/tidy/SKILL.md": skill("tidy"), **{f"skills/tidy/{name}": text for name, text in files.items()}}
    )
    assert messages(root, "name-collision") == [
        f"`{name}` and `{other}` are the same name on file systems that ignore case or normalize accents"
        for name, other in (("a", "A"), ("a/x.md", "a/X.md"), ("c/straße", "c/strasse"))
    ]


def test_links_out_of_the_tree(tree: Tree, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "SKILL.md").write_text(skill("other"))
    root = tree({"skills/tidy/SKILL.md": skill("tidy")})
    (root / "skills/other").symlink_to(outside)
    (root / "skills/tidy/gone.md").symlink_to("missing.md")
    (root / "skills/tidy/deep.md").symlink_to(outside / "SKILL.md")
    assert places(root, "skill-folder-outside") == ["skills/other:1:1"]
    assert places(root, "symlink-outside") == ["skills/tidy/deep.md:1:1"]


@pytest.mark.parametrize(
    ("folder", "body", "said"),
    [
        ("parts", "Sort.", True),
        ("parts", "See parts/SKILL.md.", False),
        ("parts", "Each of `parts` is one.", False),
        ("assets/one", "Sort.", False),
        ("tests/fixtures/one", "Sort.", False),
        (".hidden/one", "Sort.", False),
    ],
)
def test_nested_skill(folder: str, body: str, said: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": f"{HEAD}{body}\n", f"skills/tidy/{folder}/SKILL.md": skill("one")})
    assert bool(findings(root, "skill-nested")) is said


def test_unmentioned_files(tree: Tree) -> None:
    names = ["LICENSE", "scripts/run.py", "scripts/__init__.py", "scripts/lost.py", "fonts/a.ttf", "notes.txt", ".env"]
    body = "Run `scripts/run.py` with the fonts of fonts/ in scripts/.\n"
    root = tree({"skills/tidy/SKILL.md": HEAD + body, **{f"skills/tidy/{name}": "x = 1\n" for name in names}})
    assert places(root, "file-unmentioned") == ["skills/tidy/notes.txt:1:1", "skills/tidy/scripts/lost.py:1:1"]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("```\na\n```\n\n```\nb\n", 9),
        ("~~~\na\n", 5),
        ("```a\n```b\n", 5),
        ("````\n```\n", 5),
        ("- x\n\n  ```\n  a\n", 7),
        ("```\r\na\r\n", 5),
        ("```\na\n```\n", None),
        ("````\n```\n````\n", None),
        ("~~~\n```\n~~~\n", None),
        ("a ``` b\n", None),
        ("    ```\n", None),
        ("```\na\n```", None),
    ],
)
def test_fences(body: str, line: int | None, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": HEAD + body})
    assert [f.line for f in findings(root, "fence-unclosed")] == ([line] if line else [])


def test_a_fence_that_is_closed_by_one_inside_it(tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": HEAD + "```markdown\n```bash\nls\n```\n```\n\nText.\n"})
    (finding,) = findings(root, "fence-unclosed")
    assert finding.line == 9
    assert finding.message.startswith("The fence opened at line 5 is closed early by the one inside it")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("", True),
        ("\n \n\n", True),
        ("# Tidy\n\n---\n", True),
        ("<!-- a\nb -->\n", True),
        (" " * 390, True),
        (" " * 390 + "x", False),
        ("Sort.", False),
        ("#tag", False),
        ("- x", False),
    ],
)
def test_empty_body(body: str, said: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": HEAD + body})
    assert places(root, "body-empty") == (["skills/tidy/SKILL.md:4:4"] if said else [])


def described(root: Path, *ids: str) -> bool:
    return bool(findings(root, *ids))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("TODO", True),
        ("TODO: write this", True),
        ("* FIXME", True),
        ("2. TBD.", True),
        ("**TODO**: write this", True),
        ("## [TODO: a section]", True),
        ("[TODO]", True),
        ("# Insert instructions below", True),
        ("[Your description here]", True),
        ("Lorem ipsum dolor sit amet", True),
        ("## TODO", False),
        ("TODO lists are kept in one file.", False),
        ("TODOs are found", False),
        ("- [ ] TODO comments are gone", False),
        ("Grep for `TODO: x` first.", False),
        ("`TODO`", False),
        ('- "TODO"', False),
        ("> TODO: quoted", False),
        ("    TODO: code", False),
        ("[TODO](todo.md)", False),
        ("[insert name]", False),
        ("Never write lorem ipsum.", False),
        ("<!--\nTODO: later\n-->", False),
        ("TODO" + " " * 50_000 + "x", False),
    ],
)
def test_placeholder_lines(line: str, said: bool, tree: Tree) -> None:
    assert described(tree({"skills/tidy/SKILL.md": f"{HEAD}\n{line}\n"}), "placeholder-text") is said


@pytest.mark.parametrize(
    ("description", "said"),
    [
        ('"[TODO: what it does]"', True),
        ("TODO", True),
        ('"TODO: describe"', True),
        ("A skill. [TODO] say when.", True),
        ("Insert a short description", True),
        ("TODO comment finder.", False),
        ("Finds TODO comments and TBD marks.", False),
        ("Write a description of a product.", False),
        ("Add description to a pull request.", False),
    ],
)
def test_placeholder_descriptions(description: str, said: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": f"---\nname: tidy\ndescription: {description}\n---\nSort.\n"})
    assert described(root, "placeholder-description") is said
