"""The workflows: their shape, what they trust, and which versions and systems they name."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.project.vendor_schemas import hold
from tests.rows import each_row
from tests.support import PROJECT

FOLDER = PROJECT / ".github/workflows"
NAMES = sorted(path.name for path in FOLDER.iterdir())


def read(name: str) -> Any:
    # YAML 1.1 takes `on` for true; GitHub does not.
    return yaml.load((FOLDER / name).read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 - it makes texts only


def steps(workflow: Any) -> Iterator[Any]:
    for job in workflow["jobs"].values():
        yield from job.get("steps", ())


def test_the_files_have_the_shape_that_github_wants() -> None:
    hold("vendor.github-workflows", *(FOLDER / name for name in NAMES))
    hold("vendor.github-actions", PROJECT / "action.yml")


@each_row("name", NAMES)
def test_it_trusts_little(name: str) -> None:
    """No job has more than the rights it lists, actions are commits, and no value of an event is part of a script."""
    text, workflow = (FOLDER / name).read_text("utf-8"), read(name)
    assert workflow["permissions"] == {}
    assert all(job["permissions"] for job in workflow["jobs"].values())
    assert "pull_request_target" not in workflow["on"]
    for uses in re.findall(r"uses: (?!\./)(.*)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", uses), uses
    for step in steps(workflow):
        assert "${{" not in step.get("run", "")
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] == "false"


@pytest.mark.parametrize("action", ["actions/checkout", "actions/setup-python"])
def test_all_use_the_same_commit_of_an_action(action: str) -> None:
    text = "".join((FOLDER / name).read_text("utf-8") for name in NAMES)
    assert len(set(re.findall(rf"{action}@(.*)", text))) == 1


def test_ci_runs_every_version_and_system() -> None:
    project: Any = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]
    versions = [name.rpartition(" ")[2] for name in project["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert project["requires-python"] == f">={versions[0]}"
    jobs = read("ci.yml")["jobs"]
    suite = jobs["suite"]["strategy"]["matrix"]
    assert suite["python"] == versions
    others = {(each["system"], each["python"]) for each in suite["include"]}
    ends = (versions[0], versions[-1])
    assert others == {("macos-latest", version) for version in ends}
    assert jobs["windows"]["runs-on"] == "windows-latest"
    assert jobs["windows"]["strategy"]["matrix"]["python"] == list(ends)
    assert read("nightly.yml")["jobs"]["nightly"]["strategy"]["matrix"]["python"] == list(ends)


def test_only_a_tested_and_attested_build_is_published() -> None:
    workflow = read("release.yml")
    assert workflow["on"] == {"push": {"tags": ["v*"]}}
    jobs = workflow["jobs"]
    order = [name for name, job in jobs.items() if job.get("needs", "")]
    assert [jobs[name]["needs"] for name in order] == ["ci", "build", "attest", "publish"]
    assert jobs["publish"]["environment"] == "pypi"
    rights = {
        name: {right for right, how in job["permissions"].items() if how == "write"} for name, job in jobs.items()
    }
    assert rights == {
        "ci": set(),
        "build": set(),
        "attest": {"id-token", "attestations"},
        "publish": {"id-token"},
        "describe": {"contents"},
    }
    assert "secrets." not in Path(FOLDER / "release.yml").read_text("utf-8")


def test_ci_installs_the_programs_that_tests_drive() -> None:
    assert "sudo .ci/debian-packages" in [step.get("run") for step in read("ci.yml")["jobs"]["checks"]["steps"]]
    assert "\n.ci/debian-packages" in (PROJECT / ".ci/run").read_text("utf-8")


@each_row(
    ("tools", "code", "said"),
    [
        ({}, 1, "not installed, apt-get is missing: neovim"),
        ({"apt-get": "exit 0", "id": "echo 1000"}, 1, "not installed, this needs root: apt-get install neovim"),
        ({"apt-get": "echo no network; exit 100", "id": "echo 0"}, 1, "not installed: neovim\nno network"),
        (
            {"apt-get": 'echo "#!/bin/sh" > "$0.new"; chmod +x "$0.new"; mv "$0.new" "${0%/*}/nvim"', "id": "echo 0"},
            0,
            "installed: neovim",
        ),
        ({"nvim": "exit 0"}, 0, "all there: neovim"),
    ],
)
def test_debian_packages_are_installed_where_it_can_be_done(
    tmp_path: Path, tools: dict[str, str], code: int, said: str
) -> None:
    for name in ("bash", "env", "flock", "mktemp", "rm", "tail", "chmod", "mv", "cat"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    for name, script in tools.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    command = [str(tmp_path / "bash"), str(PROJECT / ".ci/debian-packages"), "neovim"]
    done = subprocess.run(command, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert (done.returncode, said in done.stdout) == (code, True), done


def test_the_site_is_published_from_what_make_builds() -> None:
    jobs = read("pages.yml")["jobs"]
    assert read("pages.yml")["on"]["push"] == {"branches": ["main"]}
    assert jobs["build"]["permissions"] == {"contents": "read"}
    assert jobs["publish"]["permissions"] == {"pages": "write", "id-token": "write"}
    (upload,) = (step for step in jobs["build"]["steps"] if "upload-pages-artifact" in step.get("uses", ""))
    assert "make site" in [step.get("run") for step in jobs["build"]["steps"]]
    assert upload["with"]["path"] == "build/site/pages"
