"""Names of files and folders that steer: agents, editors, shells, git, package managers, interpreters and services that
build or review obey them as soon as somebody enters, opens, checks out or commits the folder, and nobody names them.

What only does something when a person builds, tests or starts the project is its code and does not count: a Makefile,
the scripts of `package.json`, `conftest.py`, a Dockerfile. Some of it no skill writes at all.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Sequence

from skillbag.kernel.fs.folded_names import folded, plain_name
from skillbag.kernel.workspace.agents import AGENTS
from skillbag.kernel.workspace.git_hooks import is_hook
from skillbag.kernel.workspace.lock_file import LOCK
from skillbag.kernel.workspace.target import CONTEXT, MANIFEST_FILE, SKILL_ROOT, USER_CONTEXT
from skillbag.lint.signals.agent_files import ALONE, MEMORIES
from skillbag.lint.signals.hidden_characters import hidden_in_name

_INSTRUCTIONS = frozenset(("agents", "claude", "gemini", "qwen", "skill", "skillbag", "copilot-instructions"))
"""What texts for agents are called before the first dot; `CLAUDE.local.md` and `AGENTS.override.md` are among them."""

_PLAIN_WORDS = (
    frozenset(name.lower().removesuffix(".md") for name in (*MEMORIES, CONTEXT, USER_CONTEXT))
    .union(("skills", "agent", "warp", "replit", "conventions", "tools", "user", "boot", "bootstrap"))
    .union(word for agent in AGENTS.values() for word in (agent.name, *agent.aliases))
    .difference(_INSTRUCTIONS)
)
"""Others that a page may be called as well, the names of agents among them: they count at the top, and elsewhere with
capitals."""

_FILES = frozenset(
    (
        *(name.lower() for name in (MANIFEST_FILE, LOCK, *ALONE)),
        *("skillbag.toml", "mcp.json", "mcp_config.json", "hooks.json", "opencode.json", "opencode.jsonc"),
        "crush.json",
        *("gemini-extension.json", "promptscript.yaml", "openai.yaml"),
        # Services that review.
        *("greptile.json", "ellipsis.yaml", "sweep.yaml"),
        # Git takes a folder with this name and three others for a repository, and runs what its `config` says.
        *("head", "codeowners"),
        # Managers of git hooks, and what they are used to run.
        *("captainhook.json", "grumphp.yml", "grumphp.yaml"),
        *(
            f"{tool}.config.{end}"
            for tool in ("commitlint", "lint-staged")
            for end in ("js", "cjs", "mjs", "ts", "mts")
        ),
        *("appveyor.yml", "bitrise.yml", "circle.yml", "codemagic.yaml", "screwdriver.yaml"),
        *("bitbucket-pipelines.yml", "buildspec.yml", "cloudbuild.yaml", "cloudbuild.yml"),
        *("cloudbuild.json", "codefresh.yml", "devfile.yaml", "netlify.toml", "renovate.json", "renovate.json5"),
        *("render.yaml", "vercel.json", "wercker.yml"),
        *("bunfig.toml", "pip.conf", "pip.ini", "sitecustomize.py", "usercustomize.py"),
        *("_netrc", "_vimrc", "autorun.inf", "desktop.ini"),
        # Folders of installed programs, and of programs that start with the session.
        *("node_modules", "site-packages", "venv", "launchagents", "launchdaemons"),
    )
)
_PROTECTED = frozenset({SKILL_ROOT, ".skillbag", ".git", "git~1", ".hg", ".svn", ".jj", ".bzr"})
_OURS = (LOCK, "skillbag.toml")
"""Files at the root that decide about skills."""

_BEGINNINGS = ("azure-pipelines", "jenkinsfile", "lefthook.", "lefthook-local.", "mise.")
_ENDINGS = (".agent.md", ".chatmode.md", ".instructions.md", ".prompt.md", ".mdc", ".code-workspace", ".pth", ".git")

_HARMLESS = re.compile(
    r"\.(?:cache|tmp|editorconfig|gitkeep|keep|nojekyll|(?:git|docker|npm|eslint|prettier)ignore"
    r"|env\.(?:example|sample|template)|artifacts|coverage|reports?|results?|[\w-]*baseline\.json)"
)
"""Names with a dot that run nothing and tell nobody anything. All others count: tools look for such names."""

_SHORT = re.compile(r"[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?")
"""Names that Windows makes of longer ones: which one it is can't be known."""


def steering(names: Sequence[str], written: Callable[[], str]) -> tuple[int, ...]:
    """Which of the names on a path steer, by their places; `written` gives the last one as the disk has it."""
    places = [place for place, name in enumerate(names) if any(map(_steers, folded(name).split("\\")))]
    if _stem(plain_name(names[-1])) in _PLAIN_WORDS and (len(names) == 1 or not written().islower()):
        places.append(len(names) - 1)
    return tuple(places)


def objection(folder: str, names: Sequence[str], declared: Iterable[str]) -> str:
    """Why no skill writes the file of these names in the real `folder`: the rest of a sentence; empty if one may."""
    plain = [*map(plain_name, names)]
    if (len(plain) == 1 and plain[0] in _OURS) or not _PROTECTED.isdisjoint(plain):
        return "belongs to skills, their settings or version control; no skill writes there"
    if hidden := next(filter(None, map(hidden_in_name, names)), None):
        return f"has a character in its name that is not visible: {hidden}; remove it"
    if steers_undeclared(folder, names, declared):
        return (
            "steers agents, editors, shells, version control or services that build: they obey it though nobody names "
            "it. A skill writes such a file only if steering_files of its SKILL.yaml names it; else the user writes it"
        )
    return ""


def steers_undeclared(folder: str, names: Sequence[str], declared: Iterable[str] = ()) -> bool:
    """Whether the file of these names in the real `folder` steers, as a hook of git or by a name, and no entry of
    `declared`, the `steering_files` of a manifest, names it."""
    path = os.path.join(folder, *names)
    steers = {*steering(names, lambda: _as_written(path)), *([len(names) - 1] if is_hook(path) else [])}
    compared = [*map(folded, names)]
    return bool(steers) and not any(_declares(folded(entry), compared, steers) for entry in declared)


def _as_written(path: str) -> str:
    """The name of the file, in the spelling that is there already if the system may take that for the same."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError):
        return next((each for each in sorted(os.listdir(folder)) if folded(each) == folded(name)), name)
    return name


def _declares(entry: str, names: Sequence[str], steers: Collection[int]) -> bool:
    """Whether an entry names the file: by a name in any folder that does not steer itself, by a path from the
    workspace, or with `/` at the end all in a folder. `steers` is as from `steering`."""
    if "/" not in entry:
        return names[-1] == entry and set(steers) == {len(names) - 1}
    path = "/".join(names)
    return path == entry or (entry.endswith("/") and path.startswith(entry))


def _steers(name: str) -> bool:
    plain = plain_name(name)
    if plain.startswith(".") or not plain:
        return bool(name) and _HARMLESS.fullmatch(plain) is None
    if plain in _FILES or plain.startswith(_BEGINNINGS) or plain.endswith(_ENDINGS) or _SHORT.fullmatch(plain):
        return True
    return _stem(plain) in _INSTRUCTIONS


def _stem(name: str) -> str:
    """What stands before the first dot of the name of a text; empty for other files."""
    return name.partition(".")[0] if name.endswith(".md") else ""
