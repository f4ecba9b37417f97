"""A release rehearsed: the shell steps of `release.yml` run as the runner would, up to the upload."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from skillbag import __version__
from tests.support import PROJECT, Completed

TAG = f"v{__version__}"
ADDRESS = "https://code.example/tidy/skillbag"
GH = """#!/bin/sh
printf '%s\\n' "$GH_TOKEN" "$GH_REPO" "$@" > "$GH_CALLED"
"""

Project = Callable[[str], Path]


def release(folder: Path, *words: str | Path) -> Completed:
    """Call the tool of the project in a folder."""
    command = [sys.executable, folder / "tools/release.py", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return Completed(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """The files that a release reads, with this change log."""

    def make(changelog: str) -> Path:
        (tmp_path / "skillbag").mkdir()
        (tmp_path / "skillbag/__init__.py").write_text(f'__version__ = "{__version__}"\n', "utf-8")
        (tmp_path / "pyproject.toml").write_text(f'[project.urls]\nRepository = "{ADDRESS}"\n', "utf-8")
        (tmp_path / "CHANGELOG.md").write_text(changelog, "utf-8")
        (tmp_path / "tools").mkdir()
        shutil.copy(PROJECT / "tools/release.py", tmp_path / "tools")
        return tmp_path

    return make


@pytest.mark.parametrize("heading", [__version__, f"{__version__} - 2027-01-31", f"[{__version__}] - 2027-01-31"])
def test_notes_are_the_section_of_the_version(project: Project, heading: str) -> None:
    older = "## 0.0.9\n\n- Old.\n"
    folder = project(
        f"# Changelog\n\n## Unreleased\n\n- Later.\n\n## {heading}\n\n- [New](docs/a.md).\n### Fixed\n\n{older}"
    )
    notes = f"- [New]({ADDRESS}/blob/{TAG}/docs/a.md).\n### Fixed\n"
    assert release(folder, "notes", TAG) == Completed(0, notes, "")


@pytest.mark.parametrize(
    ("tag", "changelog", "reason"),
    [
        ("v9.9.9", f"## {__version__}\n\n- New.\n", f"the tag v9.9.9 is not {TAG}"),
        (__version__, f"## {__version__}\n\n- New.\n", f"is not {TAG}"),
        (TAG, "## Unreleased\n\n- New.\n", f"has no section `## {__version__}`"),
        (TAG, f"## {__version__}0\n\n- New.\n", f"has no section `## {__version__}`"),
        (TAG, f"## {__version__}\n\n## 0.0.9\n\n- Old.\n", "is empty"),
    ],
)
def test_without_a_section_or_the_right_tag_there_is_no_release(
    project: Project, tag: str, changelog: str, reason: str
) -> None:
    done = release(project(changelog), "notes", tag)
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert done.err.startswith("release: ")
    assert reason in done.err


def test_without_arguments_it_says_how_it_is_called(project: Project) -> None:
    done = release(project(""))
    assert (done.code, done.out) == (2, "")
    assert "tools/release.py notes" in done.err


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project as it would be tagged: with its address, and a section about the version."""
    folder = tmp_path_factory.mktemp("release") / "skillbag"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=PROJECT,
        check=True,
        capture_output=True,
    ).stdout
    for name in filter(None, os.fsdecode(listed).split("\0")):
        if (PROJECT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PROJECT / name, folder / name)
    for name in ("pyproject.toml", "README.md", "skillbag/__init__.py"):
        replace(folder / name, "https://example.com/OWNER/NAME", ADDRESS)
    replace(folder / "CHANGELOG.md", "## Unreleased\n", f"## {__version__} - 2027-01-31\n")
    git = ["git", "-c", "user.name=Tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--no-verify", "-m", "Release"]):
        subprocess.run([*git, *words], cwd=folder, check=True)
    return folder


def replace(path: Path, old: str, new: str) -> None:
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the `python` that the runner sets up, and a `gh` that notes how it is called."""
    home = tmp_path_factory.mktemp("runner")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    (home / "bin/gh").write_text(GH, "utf-8")
    (home / "bin/gh").chmod(0o755)
    return home / "bin"


def scripts(job: str) -> Iterator[tuple[str, str, dict[str, str]]]:
    """The shell steps of a job of the workflow: name, script, environment."""
    workflow: Any = yaml.safe_load((PROJECT / ".github/workflows/release.yml").read_text("utf-8"))
    values = {"github.ref_name": TAG, "github.token": "a-token", "github.repository": "tidy/skillbag"}
    for step in workflow["jobs"][job]["steps"]:
        if "run" in step:
            environment = {**workflow["jobs"][job].get("env", {}), **step.get("env", {})}
            for name, text in environment.items():
                environment[name] = values[text.removeprefix("${{ ").removesuffix(" }}")]
            yield step["name"], step["run"], environment


class Machine(NamedTuple):
    """The runner: its environment, with the tagged project in `clone` and what `gh` was called with in `called`."""

    environment: dict[str, str]
    clone: Path
    called: Path

    @property
    def release(self) -> Path:
        """The notes, and the built files."""
        return self.called.parent / "release"

    def run(self, job: str, folder: Path) -> None:
        for name, script, environment in scripts(job):
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
                cwd=folder,
                env={**self.environment, **environment},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"


@pytest.fixture(scope="module")
def rehearsed(clone: Path, programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """The shell steps of the jobs have run."""
    temporary = tmp_path_factory.mktemp("temporary")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTHON", "COV"))}
    own = {"PATH": f"{programs}{os.pathsep}{kept['PATH']}", "RUNNER_TEMP": str(temporary)}
    machine = Machine({**kept, **own, "GH_CALLED": str(temporary / "called")}, clone, temporary / "called")
    machine.run("build", clone)
    # The next jobs get what was uploaded.
    machine.run("describe", temporary)
    return machine


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


@pytest.mark.nightly
@pytest.mark.slow
def test_each_shell_step_runs_up_to_the_upload(rehearsed: Machine) -> None:
    built = digests(rehearsed.release / "dist")
    assert built.keys() == {f"skillbag-{__version__}-py3-none-any.whl", f"skillbag-{__version__}.tar.gz"}
    assert "The first version." in (rehearsed.release / "notes.md").read_text("utf-8")
    token, repository, *words = rehearsed.called.read_text("utf-8").splitlines()
    assert (token, repository, words[:3]) == ("a-token", "tidy/skillbag", ["release", "create", TAG])
    assert {f"release/dist/{name}" for name in built} <= set(words)


@pytest.mark.nightly
@pytest.mark.slow
def test_another_build_of_the_commit_gives_the_same_files(rehearsed: Machine, programs: Path, tmp_path: Path) -> None:
    again = tmp_path / "elsewhere/skillbag"
    shutil.copytree(rehearsed.clone, again, symlinks=True)
    epoch = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=again, check=True, capture_output=True, text=True)
    environment = {**rehearsed.environment, "SOURCE_DATE_EPOCH": epoch.stdout.strip()}
    command = [str(programs / "python"), "-m", "build", "--outdir", str(tmp_path / "dist"), str(again)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert digests(tmp_path / "dist") == digests(rehearsed.release / "dist")


@pytest.mark.nightly
@pytest.mark.slow
def test_a_build_of_something_else_is_refused(rehearsed: Machine, tmp_path: Path) -> None:
    dist = rehearsed.release / "dist"
    assert release(rehearsed.clone, "check", TAG, dist) == Completed(0, "", "")
    assert "holds nothing, not skillbag-" in release(rehearsed.clone, "check", TAG, tmp_path).err
    shutil.copytree(dist, tmp_path / "dist")
    wheel = tmp_path / f"dist/skillbag-{__version__}-py3-none-any.whl"
    wheel.unlink()
    with zipfile.ZipFile(dist / wheel.name) as built, zipfile.ZipFile(wheel, "w") as changed:
        for name in built.namelist():
            data = built.read(name)
            changed.writestr(name, data.replace(ADDRESS.encode(), b"https://example.com/OWNER/NAME"))
    done = release(rehearsed.clone, "check", TAG, tmp_path / "dist")
    assert (done.code, "stands for the repository" in done.err) == (1, True)
