"""Hooks of git, in the folder that its configuration names: files that are about to be written could be some."""

from __future__ import annotations

import os

from skillbag.kernel.fs.folded_names import plain_name
from skillbag.kernel.workspace.git import hooks_folder

_HOOKS = frozenset(
    (
        *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-changelist", "p4-post-changelist", "p4-pre-submit"),
        *("p4-prepare-changelist", "post-applypatch", "post-checkout", "post-commit", "post-index-change"),
        *("post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc", "pre-commit"),
        *("pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive"),
        *("push-to-checkout", "reference-transaction", "sendemail-validate", "update"),
    )
)
"""The names that git runs in a folder of hooks (githooks(5))."""


def is_hook(path: str) -> bool:
    """Whether a file at this real path would be a hook in the folder that git's configuration names. Git is asked about
    files with the name of a hook alone."""
    folder, name = os.path.split(path)
    if plain_name(name).partition(".")[0] not in _HOOKS:
        return False
    existing = folder
    while not os.path.isdir(existing):
        existing = os.path.dirname(existing)
    hooks = hooks_folder(existing)
    return hooks is not None and _compared(os.path.realpath(hooks)) == _compared(folder)


def _compared(folder: str) -> list[str]:
    return [*map(plain_name, folder.split(os.sep))]
