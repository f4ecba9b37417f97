"""The rules about files and prose, beyond their examples."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from skillbag.kernel.model.findings import Rename
from skillbag.kernel.workspace.discovery import find_targets
from skillbag.kernel.workspace.model import Workspace
from tests.lint.checks.rule_runs import findings, messages, places
from tests.rows import each_row
from tests.support import Tree, skill

HEAD = "---\nname: tidy\ndescription: Tidy a folder.\n---\n"


@each_row("name", ["skill.md", "Skill.md", "SKILL.MD"])
def test_wrong_case_is_renamed(name: str, tree: Tree) -> None:
    root = tree({f"skills/tidy/{name}": skill("tidy")})
    (found,) = findings(root, "skill-file-case-mismatch")
    assert found.edits == (Rename(str(root / "skills/tidy" / name), "SKILL.md"),)


@each_row(
    ("path", "reported"),
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
def test_folder_without_a_skill(path: str, reported: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": skill("tidy"), f"skills/{path}": skill("one")})
    assert bool(findings(root, "skill-file-missing")) is reported


def test_files_that_are_not_what_they_seem(tree: Tree) -> None:
    odd = {"bin/tally": "\x7fELF\0", "scripts/tally": "MZ\0", "scripts/.tally.py": "", "assets/a.png": "#!/bin/sh"}
    usual = {"scripts/list": "# a list", "scripts/tally.dat": "MZ", "assets/tally": "MZ"}
    hidden = {"scripts/.tally": "", "scripts/.py": "", "scripts/.tally.txt": "", "scripts/tally.py": ""}
    files = {**odd, **usual, **hidden}
    root = tree({f"skills/tidy/{name}": text for name, text in files.items()} | {"skills/tidy/SKILL.md": skill("tidy")})
    assert places(root, "disguised-file") == sorted(f"skills/tidy/{name}:1:1" for name in odd)


def test_a_program_in_a_document(tree: Tree) -> None:
    inner = {"a.docx": "run.py", "b.xlsx": "word/embedded.ZIP", "c.pptx": "word/document.json"}
    root = tree({"skills/tidy/SKILL.md": skill("tidy")})
    for name, packed in inner.items():
        with zipfile.ZipFile(Path(root, "skills/tidy", name), "w") as archive:
            archive.writestr(packed, "x")
    assert places(root, "disguised-file") == ["skills/tidy/a.docx:1:1", "skills/tidy/b.xlsx:1:1"]


def test_code_that_python_runs_unasked(tree: Tree) -> None:
    source = "import os\n\nprint(os.name)\n"
    odd = {"a/sitecustomize.py": "", "a/x.pth": "../\nimport os; os.system('x')\n"}
    odd |= {"a/__pycache__/own.cpython-311.pyc": "z\x06system"}
    usual = {
        "a/own.py": source,
        "a/y.pth": "../lib\n",
        "a/__pycache__/own.cpython-312.pyc": "z\x04name z\x0asubsystems",
    }
    files = {f"skills/tidy/{name}": text for name, text in (odd | usual).items()}
    root = tree(files | {"skills/tidy/SKILL.md": skill("tidy")})
    assert places(root, "disguised-file") == sorted(f"skills/tidy/{name}:1:1" for name in odd)


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
    (root / "skills/.hidden").symlink_to(outside)
    (root / "skills/tidy/gone.md").symlink_to("missing.md")
    (root / "skills/tidy/deep.md").symlink_to(outside / "SKILL.md")
    assert places(root, "skill-folder-outside") == ["skills/other:1:1"]
    assert places(root, "symlink-outside") == ["skills/tidy/deep.md:1:1"]


@each_row(
    ("link", "target", "reported", "skills"),
    [
        ("x", "../team/x", True, 1),
        ("d/x", "../../team/x", True, 1),
        (".claude/skills", "../../team", True, 1),
        ("x", "../team", True, 1),
        ("x", "node_modules/p/x", False, 2),
        ("x", "node_modules/p", False, 2),
        ("x", "skills/tidy", False, 1),
        ("node_modules/x", "../../team/x", False, 1),
        ("data", "../team/x/assets", False, 1),
        ("x", "x", False, 1),
    ],
)
def test_links_to_skills_outside_the_usual_folders(
    tree: Tree, link: str, target: str, reported: bool, skills: int
) -> None:
    files = ("w/skills/tidy/SKILL.md", "w/node_modules/p/x/SKILL.md", "team/x/SKILL.md")
    root = tree({**{path: skill(path.split("/")[-2]) for path in files}, "team/x/assets/a.txt": "x"}) / "w"
    (root / link).parent.mkdir(exist_ok=True)
    (root / link).symlink_to(target)
    assert places(root, "skill-folder-outside") == ([f"{link}:1:1"] if reported else [])
    assert sum(len(Workspace(target).skill_folders) for target in find_targets([str(root)])) == skills


def test_a_link_to_a_skill_elsewhere_among_tests_is_named(tree: Tree) -> None:
    root = tree({"w/skills/tidy/SKILL.md": skill("tidy"), "w/tests/a.txt": "", "team/x/SKILL.md": skill("x")}) / "w"
    (root / "tests/x").symlink_to("../../team/x")
    (aside,) = (aside for target in find_targets([str(root)]) for aside in target.aside)
    assert aside == (str(root / "tests/x/SKILL.md"), "it is behind a link that leaves the checked tree")


@each_row(
    ("folder", "body", "reported"),
    [
        ("parts", "Sort.", True),
        ("parts", "See parts/SKILL.md.", False),
        ("parts", "Each of `parts` is one.", False),
        ("assets/one", "Sort.", False),
        ("tests/fixtures/one", "Sort.", False),
        (".hidden/one", "Sort.", False),
    ],
)
def test_nested_skill(folder: str, body: str, reported: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": f"{HEAD}{body}\n", f"skills/tidy/{folder}/SKILL.md": skill("one")})
    assert bool(findings(root, "skill-nested")) is reported


def test_unmentioned_files(tree: Tree) -> None:
    names = ["LICENSE", "scripts/run.py", "scripts/__init__.py", "scripts/lost.py", "fonts/a.ttf", "notes.txt", ".env"]
    body = "Run `scripts/run.py` with the fonts of fonts/ in scripts/.\n"
    root = tree({"skills/tidy/SKILL.md": HEAD + body, **{f"skills/tidy/{name}": "x = 1\n" for name in names}})
    assert places(root, "file-unmentioned") == ["skills/tidy/notes.txt:1:1", "skills/tidy/scripts/lost.py:1:1"]


@each_row(
    ("rule", "body", "line"),
    [
        ("fence-unclosed", "```\na\n```\n\n```\nb\n", 9),
        ("fence-unclosed", "~~~\na\n", 5),
        ("fence-unclosed", "```a\n```b\n", 5),
        ("fence-unclosed", "```a\r\nb\r\n\r\n```c\r\nd\r\n```\r\n", 5),
        ("fence-unclosed", "~~~a\nb\n\n~~~c\nd\n~~~\n", 5),
        ("fence-unclosed", "- x\n\n  ```a\n  ```b\n  ```\n  y\n  ```c\n  ```\n  ```\n", 7),
        ("fence-unclosed", "```a\n``` words about it\n```\n", None),
        ("fence-unclosed", "```\n    ```b\n    ```\n```\n", None),
        ("fence-unclosed", "````\n```\n", 5),
        ("fence-unclosed", "- x\n\n  ```\n  a\n", 7),
        ("fence-unclosed", "```\r\na\r\n", 5),
        ("fence-unclosed", "a ``` b\n\n```\ncode\n", 7),
        ("fence-unclosed", "1. ```\n   a\n   ```\n", None),
        ("fence-unclosed", "<div>\n```\n</div>\n\n```\n", 9),
        ("fence-unclosed", "```\na\n```\n", None),
        ("fence-unclosed", "````\n```\n````\n", None),
        ("fence-unclosed", "~~~\n```\n~~~\n", None),
        ("fence-unclosed", "a ``` b\n", None),
        ("fence-unclosed", "    ```\n", None),
        ("fence-unclosed", "```\na\n```", None),
        ("body-empty", "", 4),
        ("body-empty", "\n \n\n", 4),
        ("body-empty", "# Tidy\n\n---\n", 4),
        ("body-empty", "<!-- a\nb -->\n", 4),
        ("body-empty", " " * 390, 4),
        ("body-empty", " " * 390 + "x", None),
        ("body-empty", "Sort.", None),
        ("body-empty", "#tag", None),
        ("body-empty", "- x", None),
        ("placeholder-text", "TODO", 5),
        ("placeholder-text", "TODO: write this", 5),
        ("placeholder-text", "* FIXME", 5),
        ("placeholder-text", "2. TBD.", 5),
        ("placeholder-text", "**TODO**: write this", 5),
        ("placeholder-text", "## [TODO: a section]", 5),
        ("placeholder-text", "[TODO]", 5),
        ("placeholder-text", "# Insert instructions below", 5),
        ("placeholder-text", "[Your description here]", 5),
        ("placeholder-text", "Lorem ipsum dolor sit amet", 5),
        ("placeholder-text", "## TODO", None),
        ("placeholder-text", "TODO lists are kept in one file.", None),
        ("placeholder-text", "TODOs are found", None),
        ("placeholder-text", "- [ ] TODO comments are gone", None),
        ("placeholder-text", "Grep for `TODO: x` first.", None),
        ("placeholder-text", "`TODO`", None),
        ("placeholder-text", '- "TODO"', None),
        ("placeholder-text", "> TODO: quoted", None),
        ("placeholder-text", "    TODO: code", None),
        ("placeholder-text", "[TODO](todo.md)", None),
        ("placeholder-text", "[insert name]", None),
        ("placeholder-text", "Never write lorem ipsum.", None),
        ("placeholder-text", "<!--\nTODO: later\n-->", None),
        ("placeholder-text", "TODO" + " " * 50_000 + "x", None),
    ],
)
def test_bodies(rule: str, body: str, line: int | None, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": HEAD + body})
    found = findings(root, rule)
    assert [finding.line for finding in found] == ([line] if line else [])
    assert rule != "body-empty" or all(finding.column == 4 for finding in found)


EARLY = "```markdown\n```{inner}\nx\n```\n```\n"
"""Lines 5 to 9: a fence that the one inside it closes."""
SOUND = "````markdown\n```{=html}\n<b>x</b>\n```\n````\n"


@each_row("inner", ["bash", "{r}", "{=html}", "{python, echo=FALSE}", "{.bash #x}"])
@each_row(
    ("after", "more"),
    [
        ("", []),
        (SOUND, []),
        (f"\nText.\n\n{SOUND}\nText.\n\n```markdown\nWide\n```\n", []),
        ("```bash\nx\n```\n```\ny\n```\n", []),
        ("~~~\nx\n~~~\n", []),
        ("- a\n\n  ```sh\n  x\n  ```\n", []),
        (EARLY.replace("{inner}", "js"), [10]),
    ],
)
def test_a_broken_fence_is_not_blamed_on_the_next_ones(tree: Tree, inner: str, after: str, more: list[int]) -> None:
    body = EARLY.replace("{inner}", inner) + after
    found = findings(tree({"skills/tidy/SKILL.md": HEAD + body}), "fence-unclosed")
    assert [finding.line for finding in found] == [5, *more]


def test_a_fence_that_is_closed_by_one_inside_it(tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": HEAD + "```markdown\n```bash\nls\n```\n```\n\nText.\n"})
    (finding,) = findings(root, "fence-unclosed")
    assert finding.line == 5
    assert finding.fix == "Correct the fence: give the outer one four backticks, at both ends."
    assert finding.message.startswith("The fence opened at line 5 is closed early by the one inside it")


@pytest.mark.parametrize(
    ("description", "reported"),
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
def test_placeholder_descriptions(description: str, reported: bool, tree: Tree) -> None:
    root = tree({"skills/tidy/SKILL.md": f"---\nname: tidy\ndescription: {description}\n---\nSort.\n"})
    assert bool(findings(root, "placeholder-description")) is reported


KEYS = "name: tidy\ndescription: Tidy a folder.\n"


@each_row(
    ("opening", "closing", "after", "reported"),
    [
        ("---\n", "---\r\n", "\nSort.\n", True),
        ("---\r\n", "---\n", "\nSort.\n", True),
        ("---\n", "---\t\r\n", "name: sort\n---\n", True),
        ("---\n", "---\t\n", "allowed-tools: Bash\nname: sort\n---\n", True),
        ("---\n", "--- \n", "name: sort\n--- \n", True),
        ("---\n", "--- \n", "Note: sort.\n", False),
        ("---\n", "---\n", "name: sort\n---\n", False),
        ("---\r\n", "---\r\n", "Sort.\r\n", False),
        ("--- \n", "---\n", "Sort.\n", False),
        ("---\n", "---", "", False),
        ("---\r\n", "---", "", False),
    ],
)
def test_readers_agree_on_the_end_of_the_front_matter(
    tree: Tree, opening: str, closing: str, after: str, reported: bool
) -> None:
    root = tree({"skills/tidy/x.md": "x\n"})
    (root / "skills/tidy/SKILL.md").write_bytes(f"{opening}{KEYS}{closing}{after}".encode())
    assert [finding.line for finding in findings(root, "frontmatter-end-unclear")] == [4] * reported
