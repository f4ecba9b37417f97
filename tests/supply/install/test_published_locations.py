"""Published collections, served by git on loopback, installed from each form of address."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.supply.install.outcomes import lock_of, statuses
from tests.supply.install.worlds import call
from tests.supply.sources.repositories import make_repository
from tests.supply.sources.servers import Server, git_backend, serve
from tests.support import CORPUS, Run

pytestmark = [
    pytest.mark.usefixtures("git_config"),
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the published collections are not beside the project"),
]

COLLECTIONS = ("agent-skills-superpowers", "signed-skills", "skillbag-utils")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A host with the collections as repositories of `Org`, each at the tag `v1` and the branch `feature/x`."""
    (tmp_path / "Org").mkdir()
    for name in COLLECTIONS:
        with zipfile.ZipFile(CORPUS / f"{name}.zip") as packed:
            files: dict[str, str | bytes] = {
                info.filename: packed.read(info) for info in packed.infolist() if not info.is_dir()
            }
        if len(tops := {path.partition("/")[0] for path in files}) == 1 and not {"skills", ".skills"} & tops:
            files = {path.partition("/")[2]: data for path, data in files.items()}
        repo = make_repository(tmp_path / f"Org/{name}.git", files)
        repo.git("tag", "v1", "main")
        repo.git("branch", "feature/x", "main")
    with serve({"/": git_backend(tmp_path)}) as server:
        monkeypatch.setenv("SKILLBAG_CODE_HOST", server.url)
        yield server


def test_skills_of_plain_collections_are_installed_from_each_form(host: Server, run: Run, workspace: Path) -> None:
    forms = {
        "brainstorming": "Org/agent-skills-superpowers/brainstorming",
        "writing-plans": "Org/agent-skills-superpowers/skills/writing-plans@feature/x",
        "executing-plans": f"{host.url}/Org/agent-skills-superpowers/tree/feature/x/skills/executing-plans",
        "cudaq-guide": f"{host.url}/Org/signed-skills/blob/v1/skills/cudaq-guide/SKILL.md",
        "deepstream-dev": f"{host.url}/Org/signed-skills/-/tree/main/skills/deepstream-dev",
    }
    for name, text in forms.items():
        code, values = call(run, workspace, "install", "--source", text)
        assert code == 0, (text, values["problems"])
        assert statuses(values)[name] == "installed"

    assert set(lock_of(workspace)) == set(forms)
    assert call(run, workspace, "verify", "--source")[0] == 0


def test_a_published_source_is_declared_by_its_short_form(host: Server, run: Run, workspace: Path) -> None:
    code, values = call(run, workspace, "add", "skillbag-create-skill", "--source", "Org/skillbag-utils@v1")

    assert code == 0, values["problems"]
    assert f"{host.url}/Org/skillbag-utils.git" in (workspace / "CONTEXT.md").read_text("utf-8")
    assert call(run, workspace, "install", "--frozen")[0] == 0
