"""The extension for VS Code: built and packaged from its lock file, its own tests, and its manifest."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from skillbag import REPOSITORY, __version__
from tests.support import PROJECT

SOURCE = PROJECT / "editors/vscode"
PACKAGED = {
    *("package.json", "readme.md", "LICENSE.txt"),
    *("dist/extension.js", "dist/THIRD-PARTY-LICENSES.txt"),
}
LARGEST = 200_000
"""Bytes of the package; it had 110,000 when this was written."""


def manifest() -> Any:
    return json.loads((SOURCE / "package.json").read_text("utf-8"))


def readme() -> str:
    return (SOURCE / "README.md").read_text("utf-8")


def test_the_extension_has_the_version_of_the_program() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text("utf-8"))
    assert {manifest()["version"], lock["version"], lock["packages"][""]["version"]} == {__version__}


def test_the_addresses_of_the_extension_are_those_of_the_project() -> None:
    given = manifest()
    addresses = (given["repository"]["url"], given["homepage"], given["bugs"])
    assert all(address.startswith(REPOSITORY) for address in addresses)
    assert (PROJECT / given["homepage"].removeprefix(f"{REPOSITORY}/blob/main/")).is_file()
    assert given["publisher"] == REPOSITORY.split("/")[-2]


def test_the_lock_file_names_no_host() -> None:
    """Each package is pinned by its digest, and comes from the registry of the one who installs."""
    text = (SOURCE / "package-lock.json").read_text("utf-8")
    packages = json.loads(text)["packages"]
    assert all("integrity" in package for name, package in packages.items() if name)
    assert '"resolved"' not in text


def test_the_readme_lists_all_settings_and_commands() -> None:
    contributes = manifest()["contributes"]
    titles = {row["command"]: f"{row['category']}: {row['title']}" for row in contributes["commands"]}
    rows = dict(re.findall(r"^\| `([\w.]+)` \| (.*) \|$", readme(), re.MULTILINE))
    assert {name: rows.get(name) for name in titles} == titles
    assert rows.keys() == titles.keys() | contributes["configuration"]["properties"].keys()


def test_a_workspace_that_is_not_trusted_names_no_program() -> None:
    given = manifest()
    trust = given["capabilities"]["untrustedWorkspaces"]
    assert (trust["supported"], trust["restrictedConfigurations"]) == ("limited", ["skillbag.path"])
    assert given["contributes"]["configuration"]["properties"]["skillbag.path"]["scope"] == "machine-overridable"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension with what it needs, built and packaged."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed")
    folder = tmp_path_factory.mktemp("editors") / "vscode"
    shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    npm(folder, "ci", "--no-audit", "--no-fund")
    npm(folder, "run", "package")
    return folder


def npm(folder: Path, *words: str) -> None:
    done = subprocess.run(["npm", *words], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, f"npm {' '.join(words)}: {done.stdout}{done.stderr}"


@pytest.mark.nightly
@pytest.mark.slow
def test_the_package_holds_the_bundle_and_the_licences_alone(built: Path) -> None:
    packed = built / "dist/skillbag.vsix"
    assert packed.stat().st_size < LARGEST
    with zipfile.ZipFile(packed) as vsix:
        names = {name.removeprefix("extension/") for name in vsix.namelist() if name.startswith("extension/")}
        assert json.loads(vsix.read("extension/package.json")) == manifest()
        licences = vsix.read("extension/dist/THIRD-PARTY-LICENSES.txt").decode("utf-8")
    assert names == PACKAGED
    bundled = manifest()["devDependencies"].keys() & {"vscode-languageclient"}
    assert all(f"{name} " in licences for name in bundled)
    assert "Permission is hereby granted" in licences


@pytest.mark.nightly
@pytest.mark.slow
def test_the_extension_is_typed(built: Path) -> None:
    npm(built, "run", "types")


@pytest.mark.nightly
@pytest.mark.slow
def test_the_extension_starts_the_real_server(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own tests, the last of which starts this program."""
    monkeypatch.setenv("SKILLBAG", str(Path(sys.executable).parent / "skillbag"))
    npm(built, "test")
