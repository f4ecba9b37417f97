"""Reports for code hosts from a folder of a repository: the host looks for files from the repository's top."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.supply.sources.repositories import git
from tests.support import Run, Tree

FILE = "skills/greet/SKILL.md"
HERE, TOP = FILE, f"apps/web/{FILE}"


@pytest.fixture
def folder(tree: Tree) -> Path:
    """A folder of a repository, with a broken skill."""
    root = tree({TOP: "no front matter\n"})
    git(root, "init", "-q")
    return root / "apps/web"


@pytest.mark.parametrize(
    ("form", "written"),
    [
        ("sarif", f'"uri": "{TOP}", "uriBaseId"'),
        ("github", f"file={TOP},"),
        ("gitlab", f'"path": "{TOP}"'),
        ("junit", f'file="{TOP}"'),
        ("rdjson", f'"path": "{HERE}"'),
        ("json", f'"path": "{HERE}"'),
        ("concise", f"{HERE}:1:1:"),
        ("azure", "sourcepath={folder}/" + HERE + ";"),
    ],
)
def test_paths_are_as_the_reader_of_the_format_resolves_them(run: Run, folder: Path, form: str, written: str) -> None:
    for also in (False, True):
        arguments = ("--output", f"{form}=report") if also else ("--format", form, "-o", "report")
        assert run("check", *arguments, cwd=folder).code == 1
        assert written.format(folder=os.path.realpath(folder)) in (folder / "report").read_text("utf-8")


def test_the_base_of_sarif_is_the_top(run: Run, folder: Path) -> None:
    top = os.path.realpath(folder.parent.parent)
    assert f'{{"%SRCROOT%": {{"uri": "file://{top}/"}}}}' in run("check", "--format", "sarif", cwd=folder).out


@pytest.mark.parametrize(
    ("cwd", "checked", "base", "path"),
    [
        (".", ("one",), "one/", FILE),
        (".", ("one/skills/greet",), "one/", FILE),
        ("/", ("{top}/one",), "one/", FILE),
        (".", ("one", "two"), "", f"one/{FILE}"),
        (".", ("one", "plain"), "", f"one/{FILE}"),
        ("two", ("../one",), "two/", None),
    ],
)
def test_from_elsewhere_the_base_is_the_repository_that_was_checked(
    cwd: str, checked: tuple[str, ...], base: str, path: str | None, run: Run, tree: Tree
) -> None:
    top = os.path.realpath(tree({f"{name}/{FILE}": "no front matter\n" for name in ("one", "two", "plain")}))
    for name in ("one", "two"):
        git(Path(top, name), "init", "-q")
    paths = [each.format(top=top) for each in checked]
    (log,) = json.loads(run("check", "--format", "sarif", *paths, cwd=Path(top, cwd)).out)["runs"]
    assert log["originalUriBaseIds"] == {"%SRCROOT%": {"uri": f"file://{top}/{base}"}}
    found = log["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert found == ({"uri": path, "uriBaseId": "%SRCROOT%"} if path else {"uri": f"file://{top}/one/{FILE}"})


def test_outside_of_a_repository_paths_begin_here(run: Run, tree: Tree) -> None:
    folder = tree({TOP: "no front matter\n"}) / "apps/web"
    assert f'"uri": "{HERE}"' in run("check", "--format", "sarif", cwd=folder).out
