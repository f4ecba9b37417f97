"""Names of files and folders that steer: agents, editors, shells, git, package managers, interpreters and services that
build or review obey them as soon as somebody enters, opens, checks out or commits the folder, and nobody names them.

What only does something when a person builds, tests or starts the project is its code and does not count: a Makefile,
the scripts of `package.json`, `conftest.py`, a Dockerfile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbag.signals.agent_files import ALONE, MEMORIES
from skillbag.workspace.lock_file import LOCK
from skillbag.workspace.target import CONTEXT, ENTRYPOINT, MANIFEST_FILE, SKILL_FILE, USER_CONTEXT

_INSTRUCTIONS = frozenset(
    name.lower().removesuffix(".md")
    for name in (*MEMORIES, ENTRYPOINT, CONTEXT, USER_CONTEXT, SKILL_FILE, "SKILLS.md", "AGENT.md", "QWEN.md")
) | {"warp", "crush", "replit", "copilot-instructions"}
"""What texts for agents are called before the first dot; `CLAUDE.local.md` and `AGENTS.override.md` are among them."""

_FILES = frozenset(
    (
        *(name.lower() for name in (MANIFEST_FILE, LOCK, *ALONE)),
        *(
            "skillbag.toml",
            "mcp.json",
            "mcp_config.json",
            "hooks.json",
            "opencode.json",
            "opencode.jsonc",
            "crush.json",
        ),
        *("gemini-extension.json", "promptscript.yaml"),
        # Git takes a folder with this name and three others for a repository, and runs what its `config` says.
        *("head", "codeowners", "lefthook.yml", "lefthook.yaml", "lefthook.toml", "lefthook.json"),
        *("appveyor.yml", "bitbucket-pipelines.yml", "buildspec.yml", "cloudbuild.yaml", "cloudbuild.yml"),
        *("cloudbuild.json", "codefresh.yml", "devfile.yaml", "netlify.toml", "renovate.json", "renovate.json5"),
        *("render.yaml", "vercel.json", "wercker.yml"),
        *("mise.toml", "bunfig.toml", "pip.conf", "pip.ini", "sitecustomize.py", "usercustomize.py"),
        *("_netrc", "_vimrc", "autorun.inf", "desktop.ini"),
        # Folders of installed programs, and of programs that start with the session.
        *("node_modules", "site-packages", "venv", "launchagents", "launchdaemons"),
    )
)
_BEGINNINGS = ("azure-pipelines", "jenkinsfile")
_ENDINGS = (".agent.md", ".chatmode.md", ".instructions.md", ".prompt.md", ".mdc", ".code-workspace", ".pth", ".git")

_HARMLESS = re.compile(
    r"\.(?:cache|tmp|editorconfig|gitkeep|keep|nojekyll|(?:git|docker|npm|eslint|prettier)ignore"
    r"|env\.(?:example|sample|template))"
)
"""Names with a dot that run nothing and tell nobody anything. All others count: tools look for such names."""

_SHORT = re.compile(r"[^.~]{1,6}~\d{1,6}(?:\.[^.]{0,3})?")
"""Names that Windows makes of longer ones: which one it is can't be known."""

GIT_HOOKS = frozenset(
    (
        *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit"),
        *("p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change"),
        *("post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit"),
        *("pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive"),
        *("push-to-checkout", "reference-transaction", "sendemail-validate", "update"),
    )
)
"""The names that git runs in a folder of hooks (githooks(5))."""


def steering(names: Sequence[str]) -> tuple[int, ...]:
    """Which of the names on a path steer, by their places. The names are as file systems compare them
    (`sources.entry_names.folded`)."""
    return tuple(place for place, name in enumerate(names) if any(map(_steers, name.split("\\"))))


def plain_name(name: str) -> str:
    """The name as Windows has it: without dots and blanks at the end, and without what names a part of the file."""
    return name.partition(":")[0].rstrip(". ")


def _steers(name: str) -> bool:
    plain = plain_name(name)
    if plain.startswith(".") or not plain:
        return bool(name) and _HARMLESS.fullmatch(plain) is None
    if plain in _FILES or plain.startswith(_BEGINNINGS) or plain.endswith(_ENDINGS) or _SHORT.fullmatch(plain):
        return True
    return plain.endswith(".md") and plain.partition(".")[0] in _INSTRUCTIONS
