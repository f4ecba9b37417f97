"""The installers that are compared: where each comes from, and how it is told to install everything of a source."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from contenders import NODE, PROJECT


class Task(StrEnum):
    """What is timed. The tasks that end in `again` are a second run over what the first has left."""

    FOLDER = "folder"
    FOLDER_AGAIN = "folder again"
    GIT = "git"
    GIT_AGAIN = "git again"
    MANY = "1,000 skills"
    VERSION = "version"


SECOND_RUNS = (Task.FOLDER_AGAIN, Task.GIT_AGAIN)
WITH_GIT = (Task.GIT, Task.GIT_AGAIN)


class Way(NamedTuple):
    """How an installer takes a kind of source.

    `command` runs in the workspace. In its words and in `declared` (the name and the text of a file that the workspace
    holds beforehand) `SOURCE` stands for the folder or the repository's address. `first` is a command that makes the
    workspace, and isn't timed; `again` is the command of a second run where that is another one.
    """

    command: tuple[str, ...]
    declared: tuple[str, str] | None = None
    first: tuple[str, ...] = ()
    again: tuple[str, ...] = ()


class Installer(NamedTuple):
    """A program under test, or a floor.

    `packages` (Python) and `npm` are installed into an environment of its own. `layout` is the layout of the corpus
    that it takes, `lands` the folder of the workspace that then holds the skills. The address of the repository is a
    `file://` one unless `hosted`: then it is an https one, and git itself is told to read the same repository for it.
    With `many` it is also given a thousand skills.
    """

    name: str
    version: tuple[str, ...]
    folder: Way | None
    git: Way | None
    packages: tuple[str, ...] = ()
    npm: tuple[str, ...] = ()
    layout: str = "skills"
    lands: str = ".agents/skills"
    hosted: bool = False
    many: bool = True

    def way(self, task: Task) -> Way | None:
        """How it does the task; None where it can't, or not in a reasonable time."""
        if task is Task.VERSION:
            return Way(self.version)
        if task is Task.MANY and not self.many:
            return None
        return self.git if task in WITH_GIT else self.folder


HOSTED = "https://git.example.com/bench/source.git"
"""What the https address of the repository looks like; no request ever goes there."""

FLOOR = "floor"
"""Copies and compares with `cp`, `git` and `diff`, and knows nothing of skills."""

_OURS = Way((PROJECT, "install", "--all", "--source", "SOURCE", "--yes"), first=(PROJECT, "init"))
_SKILLS = Way(("skills", "add", "SOURCE", "--skill", "*", "--agent", "universal", "--yes"))
_AGENTS_TOML = 'version = 1\nagents = []\n\n[[skills]]\nname = "*"\nsource = "git:SOURCE"\n'
_APM_YML = "name: bench\nversion: 1.0.0\ntargets:\n- agent-skills\ndependencies:\n  apm:\n  - "
_COPY = 'mkdir .agents && cp -r "$0/skills" .agents/skills'
_COMPARE = 'diff -r -q "$0/skills" .agents/skills'
_CLONE = 'git clone --quiet --depth 1 "$0" ../clone && mkdir .agents && cp -r ../clone/skills .agents/skills'
_FETCH = "git -C ../clone fetch --quiet --depth 1 && diff -r -q ../clone/skills .agents/skills"

INSTALLERS = (
    Installer(PROJECT, (PROJECT, "--version"), _OURS, _OURS, layout="skillbag", lands=".skills"),
    Installer("skills", ("skills", "--version"), _SKILLS, _SKILLS, packages=(NODE,), npm=("skills@1.7.4",)),
    # It takes no folder outside the workspace.
    Installer(
        "dotagents",
        ("dotagents", "--version"),
        None,
        Way(("dotagents", "install"), ("agents.toml", _AGENTS_TOML)),
        packages=(NODE,),
        npm=("@sentry/dotagents@1.19.0",),
    ),
    # It takes no file:// address. A thousand skills keep it busy for minutes.
    Installer(
        "apm",
        ("apm", "--version"),
        Way(("apm", "install"), ("apm.yml", f"{_APM_YML}SOURCE\n")),
        Way(("apm", "install"), ("apm.yml", f"{_APM_YML}git: SOURCE\n")),
        packages=("apm-cli==0.35.0",),
        hosted=True,
        many=False,
    ),
    Installer(
        FLOOR,
        ("python", "-c", "pass"),
        Way(("sh", "-c", _COPY, "SOURCE"), again=("sh", "-c", _COMPARE, "SOURCE")),
        Way(("sh", "-c", _CLONE, "SOURCE"), again=("sh", "-c", _FETCH, "SOURCE")),
    ),
)
