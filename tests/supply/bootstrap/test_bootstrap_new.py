"""`new`: a skill that every YAML reader reads alike, and its catalog line in its place."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.frontmatter import front_matter
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document, DocumentProblem, decode
from skillbag.kernel.workspace.model import Workspace, take_inventory
from skillbag.kernel.workspace.target import TargetKind, installed
from skillbag.supply.bootstrap.existing import CannotInitError
from skillbag.supply.bootstrap.init import InitOptions, plan_init
from skillbag.supply.bootstrap.plan import apply
from skillbag.supply.bootstrap.skill import PLACEHOLDER, PLAIN_ROOTS, plan_new, skill_text, suggest_name
from tests.rows import each_row

NAMES = st.from_regex(r"[a-z0-9]+(-[a-z0-9]+)*", fullmatch=True).filter(lambda name: len(name) <= 64)
WORDS = st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"]), max_size=200)


def new(root: Path, name: str, description: str | None = None) -> None:
    apply(plan_new(str(root), name, description))


def front(text: str) -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load(text.split("---\n")[1])
    return found


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    apply(plan_init(str(tmp_path), InitOptions()))
    return tmp_path


def test_a_new_skill_and_its_line(workspace: Path) -> None:
    new(workspace, "convert-to-pdf")
    new(workspace, "zip-it", "Zip: it. #run/last")
    text = (workspace / ".skills/convert-to-pdf/SKILL.md").read_text()
    assert text.startswith(f"---\nname: convert-to-pdf\ndescription: '{PLACEHOLDER}'\n---\n\n# Convert to pdf\n")
    assert (workspace / ".skills/SKILLS.md").read_text() == (
        f"convert-to-pdf: {PLACEHOLDER}\n"
        "skillbag-get-skills: Install one or more skills into .skills/.\n"
        "zip-it: Zip: it. #run/last\n"
    )


def test_the_catalog_agrees_with_the_skills(workspace: Path) -> None:
    for name, description in (("a-b", "x #run/always"), ("a", "'quoted'"), ("a0", "1.10"), ("null", None)):
        new(workspace, name, description)
    inventory = take_inventory(Workspace(installed(TargetKind.WORKSPACE, str(workspace))))
    catalog = inventory.workspace.catalog
    assert catalog is not None
    assert [(line.name, line.description) for line in catalog.lines] == inventory.catalog_lines()
    assert [card.name.value for card in inventory.cards if card.name] == [card.folder for card in inventory.cards]


@given(NAMES, st.none() | WORDS)
def test_every_yaml_reader_sees_the_name_and_the_description(name: str, description: str | None) -> None:
    words = collapse(description) if description is not None and description.strip() else f"Does {name}."
    text = skill_text(name, words)
    assert front(text) == {"name": name, "description": words}
    document = decode("SKILL.md", text.encode())
    assert isinstance(document, Document)
    matter = front_matter(document)
    assert not isinstance(matter, DocumentProblem)
    ours = {key: node.value for key in ("name", "description") if isinstance(node := matter.mapping.get(key), Scalar)}
    assert ours == {"name": name, "description": words}


@each_row(
    "description",
    ["Fix #12", "a: b", "a:", "- item", "* all", "& co", "!x", "%x", "@x", "`x`", "[a]", "{a}", "|", ">", "'", '"x" y',
     "yes", "null", "~", "1.10", "2024-01-01", "0x1f", "1:30", "? x", "x #use/y", "...", "---",
     "ünïcode", "日本", "🦊 x"],
)  # fmt: skip
def test_descriptions_that_yaml_could_take_for_something_else(description: str) -> None:
    assert front(skill_text("x", description))["description"] == description


def test_a_description_becomes_one_line(workspace: Path) -> None:
    new(workspace, "x", "  Does this.\r\nAnd\n\n  that.  ")
    assert "description: Does this. And that.\n" in (workspace / ".skills/x/SKILL.md").read_text()


@pytest.mark.parametrize(
    ("description", "words"),
    [
        ("", "is empty"),
        (" \n ", "is empty"),
        ("x" * 1025, "1025 characters"),
        ("a\x07b", r"U\+0007"),
        ("a\ufeffb", r"U\+FEFF"),
        ("Turn <b>bold</b>", "<b>"),
    ],
)
def test_descriptions_that_cannot_be_used(workspace: Path, description: str, words: str) -> None:
    with pytest.raises(CannotInitError, match=words):
        plan_new(str(workspace), "x", description)


@pytest.mark.parametrize(
    ("given", "better"),
    [
        ("My Skill", "my-skill"), ("convert_to_pdf", "convert-to-pdf"), ("convertToPDF", "convert-to-pdf"),
        ("-a--b-", "a-b"), ("Café Menü", "cafe-menu"), ("a/../b", "a-b"), ("x" * 70, "x" * 64), ("日本", None),
        ("", None),
    ],
)  # fmt: skip
def test_an_invalid_name_is_refused_with_a_suggestion(workspace: Path, given: str, better: str | None) -> None:
    assert suggest_name(given) == better
    with pytest.raises(CannotInitError, match=rf"; did you mean {better}\?" if better else "between$"):
        plan_new(str(workspace), given)


def test_a_skill_that_exists_stays(workspace: Path) -> None:
    (workspace / ".skills/Mine").mkdir()
    for name in ("mine", "skillbag-get-skills"):
        with pytest.raises(CannotInitError, match=r"exists already|reserved"):
            plan_new(str(workspace), name)


def test_a_line_of_other_words_is_not_contradicted(workspace: Path) -> None:
    catalog = workspace / ".skills/SKILLS.md"
    catalog.write_text(catalog.read_text() + "x: Old words.\n")
    with pytest.raises(CannotInitError, match="lists x with another description"):
        plan_new(str(workspace), "x", "New words.")
    new(workspace, "x", "Old words.")
    assert catalog.read_text().count("x: Old words.\n") == 1


@each_row("folder", PLAIN_ROOTS)
def test_a_plain_tree_has_no_catalog(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir(parents=True)
    new(tmp_path, "tidy-up")
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.md")] == [f"{folder}/tidy-up/SKILL.md"]


def test_a_folder_of_skills_itself(tmp_path: Path) -> None:
    (tmp_path / "skills").mkdir()
    new(tmp_path / "skills", "tidy-up")
    assert (tmp_path / "skills/tidy-up/SKILL.md").is_file()


def test_a_source_gets_its_line(tmp_path: Path) -> None:
    apply(plan_init(str(tmp_path), InitOptions(source=True)))
    new(tmp_path, "tidy-up", "Tidy. Use when untidy.")
    assert (tmp_path / ".skills/SKILLS.md").read_text() == "tidy-up: Tidy. Use when untidy.\n"


def test_a_workspace_without_a_catalog_gets_one(workspace: Path) -> None:
    (workspace / ".skills/SKILLS.md").unlink()
    new(workspace, "tidy-up", "Tidy. Use when untidy.")
    assert (workspace / ".skills/SKILLS.md").read_text() == (
        "skillbag-get-skills: Install one or more skills into .skills/.\ntidy-up: Tidy. Use when untidy.\n"
    )


def test_nowhere_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(CannotInitError, match="skillbag init makes a workspace"):
        plan_new(str(tmp_path), "tidy-up")


@pytest.mark.parametrize(("entrypoint", "folder"), [("SkillBag v0.3.0\n", ".skills"), ("", "skills")])
def test_a_link_out_of_the_tree_is_refused(tmp_path: Path, entrypoint: str, folder: str) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    if entrypoint:
        (tmp_path / "root/SKILLBAG.md").write_text(entrypoint)
    (tmp_path / "root" / folder).symlink_to(tmp_path / "outside")
    with pytest.raises(CannotInitError, match="link that leaves"):
        plan_new(str(tmp_path / "root"), "tidy-up")


def test_the_first_skill_of_a_bare_workspace(tmp_path: Path) -> None:
    (tmp_path / "SKILLBAG.md").write_text("SkillBag v0.3.0\n")
    new(tmp_path, "tidy-up", "Tidy. Use when untidy.")
    assert (tmp_path / ".skills/tidy-up/SKILL.md").is_file()
    assert (tmp_path / ".skills/SKILLS.md").read_text() == "tidy-up: Tidy. Use when untidy.\n"
