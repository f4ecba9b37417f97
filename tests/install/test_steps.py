"""Extra installation steps: shown wherever there may be some, and agreed to once for each text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from skillbag.base.user_dirs import state_folder
from skillbag.install.post_install import denies_steps, extra_steps
from skillbag.transaction.agreed_steps import ExtraSteps, agree, agreed_steps, is_agreed
from tests.install.sources import as_fetched, source_files
from tests.install.worlds import write
from tests.support import CORPUS, PROJECT, Run

IDENTITY = "This repository is a `SKILLBAG` source.\nDistributed skills live under `.skills/`.\n\n"

NONE = {
    "as the standard's authors write it": "No additional installation steps required.",
    "as our rule proposes it": "There are no extra installation steps.",
    "with a verb": "No extra installation steps are required.",
    "without a full stop": "No additional setup steps are needed",
    "for this repository": "There are no additional installation steps for this repository.",
    "no special ones": "There are currently no special or additional install steps.",
    "it needs none": "It needs no further setup.",
    "this source needs none": "This source requires no extra installation steps.",
    "it does not need any": "This repository does not need any additional installation steps.",
    "in short": "It doesn’t require any extra setup.",
    "none are defined": "No extra installation steps are defined.",
    "nothing else": "Nothing else is required.",
    "no more to do": "Nothing more to set up.",
    "after a colon": "Extra installation steps: none.",
    "as an item": "- Skills: `.skills/`\n- **Additional installation steps:** None",
    "below a title": "## Extra installation steps\n\nNone.\n",
    "below a longer title": "## Additional installation instructions\n\nThere are none.\n\n## Licence\n\nMIT\n",
    "below a bare title": "# Installation\n\nNo additional steps are required.\n",
    "below a title with marks": "### Prerequisites ###\n\n- none\n",
    "emphasised": "**No additional installation steps required.**",
    "wrapped": "The skills are of help with prose. There are no\nadditional installation\nsteps. They are short.",
    "with other line ends": "Skills of the press office.\r\n\r\nNo additional installation steps required.\r\n",
    "not required": "Additional installation steps are not required.",
    "with a tree of folders": "No extra installation steps.\n\n```text\n.skills/\n  a/SKILL.md\n```\n",
    "about other things": "No extra installation steps.\n\n## Style\n\nWrite plainly. Tests in `tests/`.\n",
    "with names of the standard": "Values lie in `USER_CONTEXT.md`; `skillbag_get_skills` is reserved. No extra steps.",
    "installing needs none": "Installing the skills takes no additional steps.",
    "with where they live": "Installed media skills live under `.skills/`.\n\nNo additional installation steps.",
    "with where they go": "Skills are installed under `.skills/`. There are no extra installation steps.",
    "with where they lie then": "Once installed, each skill lies in its own folder.\n\nNo extra steps.",
    "with skills of this source": "Skills installed from this source live under `.skills/`. No extra steps are needed.",
    "with what they do": "The skills run in any agent, and help to build decks. No additional setup is required.",
    "with what is read": "`.skills/SKILLS.md` is read first. No additional steps.",
    "with a title and where": "## Installation\n\nSkills are installed under `.skills/`.\nNo additional steps.\n",
    "with a title before": "## Installation\n\nThe skills are installed as they are.\n\n## Extra steps\n\nNone.\n",
    "for these media skills": "No additional installation steps are required for these media skills.",
    "skills need none": "The skills need no further setup.",
    "skills do not need any": "These skills don't require any additional installation steps.",
    "to install them": "No additional steps are required to install these skills.",
    "in half a sentence": "No additional installation steps required; the skills are used as they are.",
}

SOME = {
    "nothing is said": "",
    "nothing is said of steps": "## Style\n\nWrite plainly.",
    "a section with commands": "No additional installation steps required.\n\n## Setup\n\n```\nmake deps\n```\n",
    "commands in a shell": "No additional installation steps required.\n\n```sh\nmkdir -p ~/.cache/x\n```\n",
    "a list": "## Extra installation steps\n\n1. Install ffmpeg.\n2. Put your key into `~/.keyrc`.\n",
    "an exception": "No additional installation steps required beyond running `./prepare`.",
    "a condition": "On Linux there are no extra installation steps.",
    "another system": "There are no extra installation steps on Linux.\nOn macOS, brew is used for ffmpeg.",
    "first something else": "There are no extra installation steps. But first open `prepare.app`.",
    "in a comment": "<!-- No additional installation steps required. -->",
    "in a fence": "```\nNo additional installation steps required.\n```\n\nRun `x`.",
    "in a quotation": '> "No additional installation steps required." is what others write.',
    "denied": "It is not true that there are no extra installation steps.",
    "crossed out": "~~No additional installation steps required.~~",
    "asked for": "List the steps, or say: No additional installation steps required.",
    "a package": "No additional installation steps required. The charts depend on matplotlib.",
    "a requirement": "No additional installation steps required.\n\nRequires Python 3.12.",
    "a key": "No extra steps are required. Set `WEATHER_KEY` in the shell.",
    "a token": "No extra installation steps.\n\nA personal access token is read from the keychain.",
    "a script": "Nothing else is required.\n\nAfterwards `scripts/fix_paths.py` is of use.",
    "a prompt": "No extra installation steps.\n\n    $ ln -s a b\n",
    "a copy": "No extra installation steps. Copy `.keys.example` to `.keys`.",
    "a server": "No extra installation steps; the MCP server listens on port 4000.",
    "a package manager": "No additional installation steps required.\n\nDevelopers: `npm ci`, then `npm test`.",
    "a title of another section": "## Installation\n\nSee the wiki.\n\n## Tests\n\nNone.",
    "none of another thing": "## Licence\n\nNone.",
    "in another language": "Keine weiteren Schritte.",
    "a file about it": "No extra installation steps. More in [SETUP.md](SETUP.md).",
    "two titles": "## Installation\n\nNone.\n\n## Installation on Windows\n\nUse the wizard.",
    "a title that says what to do": "# Install ffmpeg\n\nNo additional installation steps required.",
    "some and none": "Additional installation steps: none.\nInstallation: `pipx`.",
    "installed before": "No additional installation steps required. ffmpeg must be installed.",
    "installed as a wish": "No additional installation steps required. The skills expect ffmpeg to be installed.",
    "installed with": "No additional installation steps required. The skills work with ffmpeg installed.",
    "installed for them": "No extra steps. Installed ffmpeg makes the skills run.",
    "installed by hand": "No extra steps. The skills are installed by hand.",
    "installed after": "No extra steps. The skills are installed after the fonts.",
    "installed and then": "No extra steps. Skills are installed under `.skills/`, then fonts.",
    "installed once": "No extra steps. Skills live under `.skills/` once `prepare` was run.",
    "installed by you": "No extra steps. Skills are installed once you execute `prepare`.",
    "not of skills": "No extra steps. The fonts are installed under `~/.fonts`.",
    "an order to install": "No extra steps. Install media skills as root.",
    "on the path": "No extra steps. The skills find ffmpeg on the PATH.",
    "none for a part": "No additional installation steps required for the text skills. The others take the wizard.",
    "a part needs none": "The charts skill needs no extra steps. For pictures, get ffmpeg.",
    "after a semicolon": "No additional installation steps required; build the fonts.",
    "none, then steps": "No additional installation steps.\n\n## Setup\n\nThe skills live here. Use the wizard.",
    "none, then a section": "## Installation\n\nNo extra steps.\n\n## Prerequisites\n\nNode 22.",
    "only one is denied": "No configuration is required.\n\n1. Install ffmpeg.",
    "one is denied, a script": "No extra configuration. The skills run after `prepare.sh`.",
}


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[str], str | None]:
    """What is shown of an `AGENTS.md` with these words after its identity."""

    def ask(words: str) -> str | None:
        return extra_steps(as_fetched(write(tmp_path, source_files("a", agents=IDENTITY + words))))

    return ask


@pytest.mark.parametrize("case", NONE)
def test_a_source_that_says_that_there_are_no_steps_has_none(case: str, asked: Callable[[str], str | None]) -> None:
    assert asked(NONE[case]) is None


@pytest.mark.parametrize("case", SOME)
def test_what_may_be_a_step_is_shown_with_the_whole_text(case: str, asked: Callable[[str], str | None]) -> None:
    assert asked(SOME[case]) == IDENTITY + SOME[case]


def test_our_own_example_and_template_have_none(tmp_path: Path, run: Run) -> None:
    assert extra_steps(as_fetched(PROJECT / "examples" / "source")) is None
    assert run("init", "--source", tmp_path).code == 0
    assert extra_steps(as_fetched(tmp_path)) is None


def test_every_published_source_without_steps_has_none(corpus: Callable[[str], Path]) -> None:
    if not CORPUS.is_dir():
        pytest.skip("the published skills (../shared/corpus) are not beside the project")
    denied: list[tuple[Path, bool]] = []
    others: list[tuple[Path, bool]] = []
    for archive in sorted(CORPUS.glob("*.zip")):
        folder = corpus(archive.stem)
        for path in sorted(folder.rglob("AGENTS.md")):
            lines = path.read_text("utf-8", "replace").splitlines()
            has_none = extra_steps(as_fetched(path.parent)) is None
            (denied if "No additional installation steps required." in lines else others).append((path, has_none))
    assert [path for path, has_none in denied if not has_none] == []
    # A handbook that says nothing of steps is not taken for one that denies them.
    assert [path for path, has_none in others if has_none and "No " not in path.read_text("utf-8", "replace")] == []


def test_a_published_source_may_say_that_its_skills_are_installed(corpus: Callable[[str], Path]) -> None:
    text = (corpus("skillbag-utils") / "AGENTS.md").read_text("utf-8")
    assert "Distributed skills live" in text
    for word in ("Installed media", "Installed"):
        assert denies_steps(text.replace("Distributed", word))


def test_a_text_of_a_megabyte_is_judged_quickly(asked: Callable[[str], str | None]) -> None:
    for filler in ("a ", "no ", "no additional or extra ", "\n", " ", "installing x ", "a.\n", "* ", "`_"):
        words = filler * (900_000 // len(filler))
        assert asked(words) == IDENTITY + words


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
