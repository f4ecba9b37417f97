"""Installing by reference, removing, and what an agent is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillbag.base.errors import UserError
from skillbag.marketplace.marketplace import install_skill, remove_skill
from skillbag.marketplace.references import BadReferenceError, Reference, parse_reference
from skillbag.settings.scope import Scope
from tests.install.worlds import (
    STEPS,
    installed,
    lock_of,
    make_source,
    skill_text,
    snapshot,
    write,
)
from tests.marketplace.markets import Files, add, indexed, plain, plugin, plugins, skill, update
from tests.sources.repositories import make_repository, use_own_git_settings
from tests.sources.servers import git_backend, serve
from tests.support import Run

pytestmark = pytest.mark.boundary


@pytest.fixture
def git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return use_own_git_settings(monkeypatch, tmp_path_factory.mktemp("git"))


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("pdf-forms", Reference("pdf-forms")),
        ("acme/pdf-forms", Reference("pdf-forms", "acme")),
        ("Acme-Inc/pdf-forms", Reference("pdf-forms", "Acme-Inc")),
        ("https://example.com/x.git#pdf-forms", Reference("pdf-forms", address="https://example.com/x.git")),
        ("../a/b#pdf-forms", Reference("pdf-forms", address="../a/b")),
    ],
)
def test_a_reference_is_taken_apart(text: str, reference: Reference) -> None:
    assert parse_reference(text) == reference


_NO_REFERENCES = [
    *("", " ", ".", "..", "/", "//", "/x", "x/", "owner/", "owner/..", "owner/../x", "owner/a/b", "../x", "./x", "x/."),
    *(
        "/etc/passwd",
        "owner/x/",
        "owner//x",
        "owner\\x",
        "owner/x\n",
        "owner\n/x",
        "\nx",
        "x\n",
        "x\0",
        "owner/x\0",
        "~/x",
    ),
    *(
        "Owner/X",
        "owner/X",
        "owner/é",
        "ｏwner/x",
        "owner/x y",
        "-o/x",
        "o-/x",
        "o--o/x",
        "o_o/x",
        "a.b/x",
        "x" * 65,
        "a--b",
    ),
    *(
        "-x",
        "x-",
        "owner/-x",
        f"{'O' * 40}/x",
        f"{'o' * 65}/x",
        f"owner/{'x' * 65}",
        "x" * 100_000,
        "#",
        "#x/",
        "a#",
        "a#..",
        "a#../x",
        "a#x\n",
    ),
    *(
        "owner/x?y",
        "owner:x",
        "git@example.com:x",
        "https://example.com/x.git",
        "owner/%2e%2e",
        "owner/..%2fx",
        "\u202ex",
    ),
]


@pytest.mark.parametrize("text", _NO_REFERENCES, ids=range(len(_NO_REFERENCES)))
def test_what_is_no_reference_is_refused_before_anything_is_looked_at(workspace: Path, scope: Scope, text: str) -> None:
    write(workspace, {".skills/x/SKILL.md": skill("x"), "precious.txt": "precious"})
    before = snapshot(workspace.parent)

    for act in (install_skill, remove_skill):
        with pytest.raises(BadReferenceError) as error:
            act(scope, text)
        assert len(str(error.value)) < 500
        assert str(error.value).isprintable()

    assert snapshot(workspace.parent) == before


def test_a_skill_of_a_source_is_installed_locked_and_removed(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    source = indexed(run, tmp_path / "source", ["pdf-forms", "docx"])

    said = install_skill(scope, "team/pdf-forms")
    again = install_skill(scope, "team/pdf-forms")
    checked = run("check", workspace)
    locked = lock_of(workspace)
    removed = remove_skill(scope, "team/pdf-forms")
    gone = remove_skill(scope, "pdf-forms")

    assert said == f"Successfully installed skill 'pdf-forms'. It comes from {source}."
    assert again == "Skill 'pdf-forms' is already installed. Remove it first to reinstall."
    assert checked.code == 0, checked.out
    assert locked["pdf-forms"]["source"] == str(source)
    assert removed == "Successfully removed skill 'pdf-forms'."
    assert gone == "Skill 'pdf-forms' is not installed."
    assert installed(workspace) == []


def test_owner_and_name_lead_to_the_owners_repository_of_skills(
    tmp_path: Path, workspace: Path, scope: Scope, git_settings: Path
) -> None:
    make_repository(tmp_path / "served" / "skills", plain("pdf-forms"))
    with serve({"/": git_backend(tmp_path / "served")}) as server:
        git_settings.write_text(f'[url "{server.url}/"]\n\tinsteadOf = https://github.com/Acme/\n', "utf-8")
        said = install_skill(scope, "Acme/pdf-forms")
        with pytest.raises(UserError, match="docx"):
            install_skill(scope, "Acme/docx")

    assert said.startswith("Successfully installed skill 'pdf-forms'. It comes from https://github.com/Acme/skills at ")
    assert installed(workspace) == ["pdf-forms"]


def test_a_configured_source_goes_before_an_owner_of_its_name(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    indexed(run, tmp_path / "source", ["pdf-forms"], "acme")

    assert str(tmp_path / "source") in install_skill(scope, "acme/pdf-forms")


def test_a_source_need_not_be_indexed(run: Run, tmp_path: Path, scope: Scope) -> None:
    add(run, write(tmp_path / "source", plain("pdf-forms")), "team")

    assert install_skill(scope, "team/pdf-forms").startswith("Successfully installed")


def test_a_bare_name_is_that_of_the_one_source_that_offers_it(run: Run, tmp_path: Path, scope: Scope) -> None:
    indexed(run, tmp_path / "one", ["pdf-forms", "docx"], "one")
    indexed(run, tmp_path / "two", ["pdf-forms"], "two")

    with pytest.raises(BadReferenceError, match="one/pdf-forms, two/pdf-forms"):
        install_skill(scope, "pdf-forms")
    with pytest.raises(BadReferenceError, match="did you mean docx"):
        install_skill(scope, "dcox")
    assert install_skill(scope, "docx").startswith("Successfully installed skill 'docx'.")


def test_an_address_with_a_name_needs_no_source(tmp_path: Path, workspace: Path, scope: Scope) -> None:
    write(tmp_path / "source", plain("pdf-forms"))

    assert install_skill(scope, "../source#pdf-forms").startswith("Successfully installed")
    assert remove_skill(scope, f"{tmp_path / 'source'}#pdf-forms").startswith("Successfully removed")


def test_what_a_list_leads_to_is_installed_from_there_at_its_version(
    run: Run, tmp_path: Path, workspace: Path, scope: Scope, git_settings: Path
) -> None:
    there = make_repository(tmp_path / "there.git", {"skills/one/SKILL.md": skill("one", "The old one.")})
    there.git("tag", "v1")
    there.commit({"skills/one/SKILL.md": skill("one", "The new one.")})
    listed = plugin("one", {"source": "url", "url": there.url, "ref": "v1"})
    add(run, write(tmp_path / "source", plain("x") | plugins(listed)), "team")
    update(run)

    said = install_skill(scope, "team/one")

    assert f"It comes from {there.url} at v1 (" in said
    assert "The old one." in (workspace / ".skills" / "one" / "SKILL.md").read_text("utf-8")


def test_dependencies_of_a_skillbag_source_come_along_and_keep_what_they_need(
    tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    make_source(tmp_path / "source", {"one": skill_text("one", ["two"]), "two": skill_text("two")})

    said = install_skill(scope, "../source#one")
    with pytest.raises(UserError, match="one needs it"):
        remove_skill(scope, "two")

    assert "Its dependencies were installed as well: two." in said
    assert installed(workspace) == ["one", "two"]


def test_extra_steps_of_a_source_stop_an_installation_and_are_shown(
    tmp_path: Path, workspace: Path, scope: Scope
) -> None:
    make_source(tmp_path / "source", ["one"], STEPS)
    before = snapshot(workspace)

    with pytest.raises(UserError) as error:
        install_skill(scope, "../source#one")

    assert "extra installation steps" in str(error.value)
    assert "| 1. Run `make ready`." in str(error.value)
    assert snapshot(workspace) == before


def test_every_fault_of_a_source_is_told(tmp_path: Path, workspace: Path, scope: Scope) -> None:
    files: Files = {
        **plain("good"),
        "skills/bad/SKILL.md": "---\nname: bad\n---\n\nNothing.\n",
        "skills/worse/SKILL.md": skill("worse"),
    }
    write(tmp_path / "source", files)
    make_source(tmp_path / "bag", {"one": skill_text("one"), "two": "no front matter", "three": "neither"})

    with pytest.raises(UserError, match="description"):
        install_skill(scope, "../source#bad")
    with pytest.raises(UserError) as error:
        install_skill(scope, "../bag#one")

    assert "two" in str(error.value)
    assert "three" in str(error.value)
    assert not (workspace / ".skills" / "one").exists()


def test_what_can_not_be_fetched_is_told(scope: Scope, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such folder"):
        install_skill(scope, "../nowhere#one")
