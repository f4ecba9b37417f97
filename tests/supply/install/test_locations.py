"""Sources as people write them: the short form, pages of a code host, folders; from a git server on loopback."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rows import each_row
from tests.supply.install.outcomes import lock_of, statuses
from tests.supply.install.plain_sources import skills
from tests.supply.install.worlds import call, skill_text, source_files, write
from tests.supply.sources.repositories import make_repository
from tests.supply.sources.servers import Server, git_backend, serve
from tests.support import Run

pytestmark = pytest.mark.usefixtures("git_config")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A host with the SkillBag source `Org/skills` and the plain repository `Org/plain`."""
    (tmp_path / "Org").mkdir()
    repo = make_repository(tmp_path / "Org/skills.git", _files("One."))
    repo.git("tag", "v1", repo.commit(_files("One.")))
    # A page of `feature/x` begins with the name of this tag as well.
    repo.git("tag", "feature", "main")
    repo.commit(_files("Branch."), "feature/x")
    repo.commit(_files("Short."), "side")
    make_repository(tmp_path / "Org/plain.git", {"README.md": "x\n", **_plain()})
    with serve({"/": git_backend(tmp_path)}) as server:
        monkeypatch.setenv("SKILLBAG_CODE_HOST", server.url)
        yield server


def _files(body: str) -> dict[str, str | bytes]:
    return {**source_files({name: skill_text(name, body=body) for name in ("tidy", "sweep")})}


def _plain() -> dict[str, str | bytes]:
    return {**skills("pdf", "docx"), **skills("pdf", root=".claude/skills"), **skills("dust", root="skills/house")}


def installed(run: Run, workspace: Path, *arguments: str) -> dict[str, Any]:
    """The lock after an installation."""
    code, values = call(run, workspace, *arguments)
    assert code == 0, values["problems"]
    return dict(lock_of(workspace))


FORMS = {
    "short": ("Org/skills", None, "One."),
    "short with a tag": ("Org/skills@v1", "v1", "One."),
    "short with a branch": ("Org/skills@feature/x", "feature/x", "Branch."),
    "short with a mark": ("Org/skills#v1", "v1", "One."),
    "short with a folder": ("Org/skills/.skills/tidy@feature/x", "feature/x", "Branch."),
    "branch and folder": ("Org/skills@feature/x/.skills/tidy", "feature/x", "Branch."),
    "tree": ("{url}/Org/skills/tree/main", "main", "One."),
    "tree of a branch with a slash": ("{url}/Org/skills/tree/feature/x/.skills/tidy", "feature/x", "Branch."),
    "blob": ("{url}/Org/skills/blob/feature/x/.skills/tidy/SKILL.md?plain=1#L3", "feature/x", "Branch."),
    "GitLab": ("{url}/Org/skills/-/tree/v1/.skills/tidy?ref_type=tags", "v1", "One."),
    "Bitbucket": ("{url}/Org/skills/src/side/.skills/tidy", "side", "Short."),
    "Gitea": ("{url}/Org/skills/src/branch/feature/x/.skills", "feature/x", "Branch."),
    "raw": ("{url}/Org/skills/raw/v1/.skills/tidy/SKILL.md", "v1", "One."),
    "home of the host": ("{url}/Org/skills/?tab=readme#install", None, "One."),
    "address with a branch": ("{url}/Org/skills.git@feature/x", "feature/x", "Branch."),
    "address with a mark": ("{url}/Org/skills.git#v1", "v1", "One."),
    "quoted": ("'Org/skills'", None, "One."),
}


@pytest.mark.slow
@pytest.mark.parametrize(("text", "version", "body"), FORMS.values(), ids=FORMS)
def test_a_form_of_an_address_installs_from_the_repository(
    text: str, version: str | None, body: str, host: Server, run: Run, workspace: Path
) -> None:
    lock = installed(run, workspace, "install", "tidy", "--source", text.format(url=host.url))

    assert (lock["tidy"]["source"], lock["tidy"].get("requested")) == (f"{host.url}/Org/skills.git", version)
    assert body in (workspace / ".skills/tidy/SKILL.md").read_text("utf-8")
    assert call(run, workspace, "verify", "--source")[0] == 0


def test_a_declaration_has_the_full_address_and_the_version(host: Server, run: Run, workspace: Path) -> None:
    lock = installed(run, workspace, "add", "--source", "Org/skills/.skills/tidy@v1")

    assert list(lock) == ["tidy"]
    context = (workspace / "CONTEXT.md").read_text("utf-8")
    assert f'source: "{host.url}/Org/skills.git"' in context
    assert "version: v1" in context
    assert call(run, workspace, "install", "--frozen")[0] == 0


@each_row("address", ["Org/skills@feature/x", "Org/skills#feature/x", "{url}/Org/skills.git@feature/x"])
def test_a_source_is_read_at_a_version_with_a_slash(address: str, host: Server, run: Run, tmp_path: Path) -> None:
    for command in ("check", "capabilities", "list"):
        done = run(command, address.format(url=host.url), cwd=write(tmp_path / "here", {"notes.md": "x\n"}))
        assert done.code == 0, done


def test_the_check_that_an_installation_names_is_of_what_it_takes(
    host: Server, run: Run, workspace: Path, tmp_path: Path
) -> None:
    links = "".join(f"[it](./{number}.md)\n" for number in range(3))
    files = {f"skills/{name}/SKILL.md": skill_text(name, body=links) for name in ("tidy", "sweep")}
    repo = make_repository(tmp_path / "Org/faults.git", files)
    repo.git("tag", "v1")
    repo.commit(skills("tidy"))
    for name in ("tidy", "--all"):
        done = run("install", name, "--source", "Org/faults@v1", "--yes", cwd=workspace)
        found = re.search(r"(\d+ warnings): skillbag (check \S+)", done.out + done.err)
        assert found, done
        done = run(*found[2].split(), cwd=workspace)
        assert f"\n{found[1]} in " in done.out
        assert f"Checked the skills in `{found[2].split()[1]}`" in done.out


def test_a_folder_of_a_source_offers_the_skills_in_it(host: Server, run: Run, workspace: Path) -> None:
    def offered(*arguments: str) -> set[str]:
        code, values = call(run, workspace, "list", "--source", *arguments)
        assert code == 0, values["problems"]
        return set(statuses(values))

    assert offered("Org/skills") == {"tidy", "sweep"}
    assert offered("Org/skills/.skills/tidy") == {"tidy"}
    assert offered("Org/plain") == {"pdf", "docx", "dust"}
    assert offered("Org/plain/skills/house") == {"dust"}
    assert offered("Org/plain/.claude") == {"pdf"}
    assert offered(f"{host.url}/Org/plain/blob/main/skills/pdf/SKILL.md") == {"pdf"}
    assert offered("Org/plain/docx") == {"docx"}


def test_one_skill_is_meant_without_its_name_and_several_are_not(host: Server, run: Run, workspace: Path) -> None:
    installed(run, workspace, "install", "--source", f"{host.url}/Org/plain/tree/main/skills/pdf")
    assert set(lock_of(workspace)) == {"pdf"}

    done = run("install", "--source", "Org/plain", cwd=workspace)
    assert done.code == 2
    assert "It offers `docx`, `dust`, `pdf`. Name them, as in `skillbag install docx --source " in done.err
    code, values = call(run, workspace, "add", "--source", "Org/skills")
    assert code == 2
    assert "It offers `sweep`, `tidy`. Name them" in json.dumps(values["problems"])

    installed(run, workspace, "install", "--all", "--source", "Org/plain/skills/house")
    assert set(lock_of(workspace)) == {"dust", "pdf"}


WRONG = {
    "no such repository": (["Org/skils"], "/Org/skils.git"),
    "no such version": (["Org/skills@v9"], "there is no tag, branch or commit v9; it has "),
    "no such branch of a page": (["{url}/Org/skills/tree/main2/.skills"], "begins with no tag, branch or commit"),
    "no such folder": (["Org/skills/skills/tidy"], "did you mean `.skills/tidy`?"),
    "two versions": (["Org/skills@v1", "--version", "side"], "it names the version v1, and --version names side"),
}


@pytest.mark.parametrize(("arguments", "why"), WRONG.values(), ids=WRONG)
def test_what_is_not_there_is_named(arguments: list[str], why: str, host: Server, run: Run, workspace: Path) -> None:
    text, *more = arguments
    done = run("add", "--source", text.format(url=host.url), *more, cwd=workspace)

    assert done.code != 0
    assert why in " ".join(done.err.split())
    assert not (workspace / "skillbag.lock").exists()


def test_a_name_outside_of_the_folder_is_refused(host: Server, run: Run, workspace: Path) -> None:
    done = run("install", "sweep", "--source", "Org/skills/.skills/tidy", cwd=workspace)

    assert done.code == 2
    assert "sweep: `.skills/tidy` of " in done.err
    assert "holds `tidy`; leave the folder out" in done.err


def test_offline_the_version_of_a_page_is_known_from_before(host: Server, run: Run, workspace: Path) -> None:
    page = f"{host.url}/Org/skills/tree/feature/x/.skills/tidy"
    done = run("install", "--offline", "--source", page, cwd=workspace)
    assert done.code == 4
    assert "give it with --version as well" in " ".join(done.err.split())

    installed(run, workspace, "install", "--source", page)
    (workspace / "skillbag.lock").unlink()
    installed(run, workspace, "install", "--offline", "--source", page, "--overwrite", "tidy")


def test_a_local_folder_of_the_same_name_is_taken_and_named(host: Server, run: Run, workspace: Path) -> None:
    for name, text in _files("Local.").items():
        path = workspace / "Org/skills" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(str(text), "utf-8")
    code, values = call(run, workspace, "install", "tidy", "--source", "Org/skills")

    assert code == 0
    assert values["notes"][0] == f"Org/skills is a folder here; {host.url}/Org/skills names the repository"
    assert lock_of(workspace)["tidy"]["kind"] == "folder"
    assert not host.requests
