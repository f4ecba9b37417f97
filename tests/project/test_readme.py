"""What README and the pages of `docs/` show: links that lead somewhere, and examples that work."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from skillbag import __version__
from tests.project.pages import FENCE, PAGES, SPAN, read
from tests.rows import each_row
from tests.support import PROJECT, Run, Tree, skill

pytestmark = pytest.mark.boundary

GENERATED = sorted((PROJECT / "docs/rules").glob("*.md"))

REPOSITORY = tomllib.loads(read(PROJECT / "pyproject.toml"))["project"]["urls"]["Repository"]

_LINK = re.compile(r"\[[^\]\n]*\]\(([^)#\s]*)(#[^)\s]+)?\)")
_DEFINITION = re.compile(r"^\[([^\]\n]+)\]: ([^#\s]+)(#\S+)?$", re.MULTILINE)
_REFERENCE = re.compile(r"(?<!!)\[([^\]\n]+)\](?![(\[])")


def marked(kind: str) -> str:
    """The block of shell that follows the marker in README."""
    block = rf"^<!-- {kind} command -->\n```sh\n(.*?)^```$"
    match = re.search(block, read(PROJECT / "README.md"), re.DOTALL | re.MULTILINE)
    assert match, f"README has no block of shell after <!-- {kind} command -->"
    return match[1].rstrip("\n")


def test_readme_has_the_two_commands_and_each_makes_its_environment() -> None:
    for kind, words in (("run", ["skillbag check examples"]), ("test", ["'.[dev]'", "pytest"])):
        command = marked(kind)
        assert all(word in command for word in ["python3 -m venv .venv", "pip install", *words]), command


def test_ci_runs_the_test_command_of_readme() -> None:
    script = read(PROJECT / ".ci/run")
    (line,) = re.findall(r"^test_command=.*$", script, re.MULTILINE)
    assert re.search(r'^bash .*-c "\$test_command"', script, re.MULTILINE)
    command = ["bash", "-c", f'{line}\nprintf %s "$test_command"']
    assert subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout == marked("test")


@each_row("page", [*PAGES, *GENERATED], ids=lambda page: page.name)
def test_a_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target, anchor in links(page):
        path = local(page, target)
        assert path is None or path.exists(), target
        assert not path or not anchor or anchor[1:] in anchors(path), anchor


def links(page: Path) -> list[tuple[str, str]]:
    """The targets and anchors of a page's links."""
    text = prose(page)
    return [*_LINK.findall(text), *((target, anchor) for _, target, anchor in _DEFINITION.findall(text))]


def local(page: Path, target: str) -> Path | None:
    """The file of this project that a link leads to; None for an address elsewhere."""
    path = re.sub(rf"^{re.escape(REPOSITORY)}/(?:blob|raw)/main/", "", target)
    if path != target:
        return PROJECT / path
    return None if "://" in target else page.parent / target if target else page


def prose(page: Path) -> str:
    """The text of a page without code."""
    return SPAN.sub("", FENCE.sub("", read(page)))


def test_the_links_of_readme_work_on_a_package_index() -> None:
    readme = PROJECT / "README.md"
    assert [target for target, _ in links(readme) if "://" not in target] == []
    defined = {label for label, _, _ in _DEFINITION.findall(prose(readme))}
    used = _REFERENCE.findall(_DEFINITION.sub("", prose(readme)))
    assert {label.lower() for label in used} == defined


def test_the_versions_to_install_are_that_of_the_project() -> None:
    named = re.findall(r"^ *rev: (\S+)$|^- uses: OWNER/NAME@(\S+)$", read(PROJECT / "README.md"), re.MULTILINE)
    assert ["".join(groups) for groups in named] == [f"v{__version__}"] * 2


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", FENCE.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_the_configuration_that_is_shown_works(tree: Tree, run: Run) -> None:
    pages = [read(PROJECT / f"docs/{name}.md") for name in ("configuration", "own-rules")]
    blocks = [body for page in pages for _, _, body in FENCE.findall(page)]
    files = {body.splitlines()[0].removeprefix("# "): body for body in blocks if body.startswith("# ")}
    assert files.keys() == {"skillbag.toml", "pyproject.toml", "team-rules/no-internal.yaml"}
    root = tree({**files, "skills/tidy/SKILL.md": skill("tidy", "An internal skill.")})
    outcome = run("check", "--strict", cwd=root)
    assert (outcome.code, "The description says `internal`" in outcome.out) == (1, True), outcome
