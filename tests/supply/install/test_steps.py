"""Extra installation steps: shown wherever there may be some, and agreed to once for each text."""

from __future__ import annotations

import tomllib
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.kernel.base.user_dirs import state_folder
from skillbag.kernel.transaction.agreed_steps import ExtraSteps, agree, agreed_steps, is_agreed
from skillbag.supply.install.post_install import denies_steps, extra_steps
from tests.sampling import NIGHTLY
from tests.supply.install.sources import as_fetched, source_files
from tests.supply.install.worlds import write
from tests.support import CORPUS, PROJECT, Run

IDENTITY = "This repository is a `SKILLBAG` source.\nDistributed skills live under `.skills/`.\n\n"

TEXTS = tomllib.loads(Path(__file__).with_name("agents_texts.toml").read_text("utf-8"))
NONE: dict[str, str] = TEXTS["none"]
SOME: dict[str, str] = TEXTS["some"]


@pytest.fixture
def requested(tmp_path: Path) -> Callable[[str], str | None]:
    """What is shown of an `AGENTS.md` with these words after its identity."""

    def ask(words: str) -> str | None:
        return extra_steps(as_fetched(write(tmp_path, source_files("a", agents=IDENTITY + words))))

    return ask


@pytest.mark.parametrize("case", NONE)
def test_a_source_that_says_that_there_are_no_steps_has_none(case: str, requested: Callable[[str], str | None]) -> None:
    assert requested(NONE[case]) is None


@pytest.mark.parametrize("case", SOME)
def test_what_may_be_a_step_is_shown_with_the_whole_text(case: str, requested: Callable[[str], str | None]) -> None:
    assert requested(SOME[case]) == IDENTITY + SOME[case]


def test_our_own_example_and_template_have_none(tmp_path: Path, run: Run) -> None:
    assert extra_steps(as_fetched(PROJECT / "examples" / "source")) is None
    assert run("init", "--source", tmp_path).code == 0
    assert extra_steps(as_fetched(tmp_path)) is None


def test_every_published_source_without_steps_has_none(tmp_path: Path) -> None:
    if not CORPUS.is_dir():
        pytest.skip("the published skills (../shared/corpus) are not beside the project")
    denied: list[tuple[Path, bool]] = []
    others: list[tuple[Path, bool]] = []
    for archive in sorted(CORPUS.glob("*.zip")):
        with zipfile.ZipFile(archive) as packed:
            names = [name for name in packed.namelist() if name.rpartition("/")[2] == "AGENTS.md"]
            paths = [Path(packed.extract(name, tmp_path / archive.stem)) for name in names]
        for path in paths:
            lines = path.read_text("utf-8", "replace").splitlines()
            has_none = extra_steps(as_fetched(path.parent)) is None
            (denied if "No additional installation steps required." in lines else others).append((path, has_none))
    assert denied
    assert [path for path, has_none in denied if not has_none] == []
    # A handbook that says nothing of steps is not taken for one that denies them.
    assert [path for path, has_none in others if has_none and "No " not in path.read_text("utf-8", "replace")] == []


def test_a_published_source_may_say_that_its_skills_are_installed(corpus: Callable[[str], Path]) -> None:
    text = (corpus("skillbag-utils") / "AGENTS.md").read_text("utf-8")
    assert "Distributed skills live" in text
    for word in ("Installed media", "Installed"):
        assert denies_steps(text.replace("Distributed", word))


def test_a_long_text_is_judged_quickly(requested: Callable[[str], str | None]) -> None:
    # Quadratic work on the shorter text would take minutes as well.
    size = 900_000 if NIGHTLY else 90_000
    for filler in ("a ", "no ", "no additional or extra ", "\n", " ", "installing x ", "a.\n", "* ", "`_"):
        words = filler * (size // len(filler))
        assert requested(words) == IDENTITY + words


def test_there_is_nothing_to_show_where_there_is_no_text(tmp_path: Path) -> None:
    assert extra_steps(as_fetched(tmp_path)) is None


def test_agreement_is_remembered_for_each_text_and_workspace(tmp_path: Path) -> None:
    here, there = str(tmp_path / "here"), str(tmp_path / "there")
    one, other = "Do this.\nAnd that é.\n", "Do this.\n"
    agree(here, [ExtraSteps("../one", ("b", "a"), one)], ["a", "b"])
    assert is_agreed(here, one)
    assert is_agreed(here, one.replace("\n", "\r\n"))
    assert not is_agreed(here, other)
    assert not is_agreed(there, one)
    assert agreed_steps(here) == (ExtraSteps("../one", ("a", "b"), one),)
    assert agreed_steps(there) == ()


def test_the_steps_of_a_skill_are_those_of_its_last_installation(tmp_path: Path) -> None:
    root = str(tmp_path)
    agree(root, [ExtraSteps("../one", ("a", "b"), "Old.")], ["a", "b"])
    agree(root, [ExtraSteps("../one", ("a",), "New.")], ["a"])
    agree(root, [ExtraSteps("../one", ("c",), "New.")], ["c"])
    assert agreed_steps(root) == (ExtraSteps("../one", ("a", "c"), "New."), ExtraSteps("../one", ("b",), "Old."))
    agree(root, [], ["b"])
    assert agreed_steps(root)[0] == ExtraSteps("../one", (), "Old.")
    assert is_agreed(root, "Old.")


def test_a_damaged_record_counts_for_nothing(tmp_path: Path) -> None:
    agree(str(tmp_path), [ExtraSteps("../one", ("a",), "Do it.")], ["a"])
    (kept,) = Path(state_folder(), "agreed-steps").rglob("*.json")
    for text in ("", "[", "[]", '{"version": 2}', '{"version": 1, "source": 1, "skills": [], "text": ""}'):
        kept.write_text(text)
        assert not is_agreed(str(tmp_path), "Do it.")


def test_agreement_that_can_not_be_stored_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "state").write_bytes(b"")
    monkeypatch.setenv("SKILLBAG_STATE_DIR", str(tmp_path / "state"))
    assert not is_agreed(str(tmp_path), "x")
    with pytest.raises(OSError, match="state"):
        agree(str(tmp_path), [ExtraSteps("../one", ("a",), "x")], ["a"])
