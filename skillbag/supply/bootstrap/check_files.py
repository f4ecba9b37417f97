"""Files that have `skillbag check` run elsewhere: the hook of pre-commit, and the workflow of GitHub."""

from __future__ import annotations

import os

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import items_of
from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.git import repository
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.searching import TargetSearch
from skillbag.kernel.workspace.target import TargetKind
from skillbag.supply.bootstrap.address import RepositoryAddress
from skillbag.supply.bootstrap.existing import CannotInitError, find, refusal
from skillbag.supply.bootstrap.plan import Action, append, create, insert, keep, next_line
from skillbag.supply.bootstrap.skill import yaml_string
from skillbag.supply.bootstrap.templates import template

CONFIG = ".pre-commit-config.yaml"
HOOK_ID = "skillbag-check"

WHEN = ("always_run: true", "pass_filenames: false")
"""At each commit: no pattern of paths knows which folders are skills, nor is there one for files that are removed."""

_WHY = "runs skillbag check before a commit"


def hook_action(root: str, address: RepositoryAddress | None) -> Action:
    """Add the hook to the configuration in `root`; every existing byte stays.

    Raises:
        CannotInitError: the file has an unknown shape; the message shows what to add.
    """
    document, entry = find(root, CONFIG), "repos:\n" + hook_entry(address, "  ")
    if document is None:
        return create(CONFIG, entry, _WHY)
    top = parse_yaml(document.text)
    if isinstance(top, YamlError):
        raise refusal(CONFIG, f"line {document.position(top.offset).line}: {top.detail}", entry)
    if isinstance(top, Mapping) and _has_hook(top.get("repos")):
        return keep(CONFIG, "the hook is there")
    action = _added(document, top, address)
    if action is None or not _adds_one(top, action):
        raise refusal(CONFIG, "its shape is not the usual one", entry)
    return action


def hook_entry(address: RepositoryAddress | None, indent: str) -> str:
    """The item of `repos:`: the installed program, or the repository at `address` as of its revision."""
    lines = ["- repo: local", "  hooks:", f"    - id: {HOOK_ID}"]
    if address:
        lines[:1] = [f"- repo: {address.url}", f"  rev: {yaml_string(address.rev)}"]
    else:
        keys = ("name: skillbag check", "entry: skillbag check", "language: system", *WHEN)
        lines += [f"      {key}" for key in keys]
    # Without it, pre-commit hides what a hook that passes says: warnings.
    lines.append("      verbose: true")
    return "".join(f"{indent}{line}\n" for line in lines)


def _has_hook(repos: Node | None) -> bool:
    hooks = [hook for repo in items_of(repos) if isinstance(repo, Mapping) for hook in items_of(repo.get("hooks"))]
    names = [hook.get("id") for hook in hooks if isinstance(hook, Mapping)]
    return any(isinstance(name, Scalar) and name.value == HOOK_ID for name in names)


def _added(document: Document, top: Node | None, address: RepositoryAddress | None) -> Action | None:
    """The action that adds the entry, or None if there is no place for it."""
    text = document.text
    repos = top.entry("repos") if isinstance(top, Mapping) else None
    if repos is None:
        return append(document, CONFIG, "repos:\n" + hook_entry(address, "  "), _WHY)
    value = repos.value
    if isinstance(value, Scalar) and value.start == value.end:
        return insert(document, CONFIG, next_line(text, repos.key.end), hook_entry(address, "  "), _WHY)
    if not isinstance(value, Sequence):
        return None
    indent = " " * (document.position(value.start).column - 1)
    return insert(document, CONFIG, _end_of_item(text, value.end, len(indent)), hook_entry(address, indent), _WHY)


def _adds_one(top: Node | None, action: Action) -> bool:
    """Whether the result has the same values as before and one more repository, the last."""
    result = parse_yaml(action.result.decode("utf-8-sig"))
    if result is None or isinstance(result, YamlError):
        return False
    old, new = {} if top is None else core_value(top), core_value(result)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return False
    before, after = old.get("repos") or [], new.get("repos") or []
    return len(after) == len(before) + 1 and new == {**old, "repos": [*before, after[-1]]}


def _end_of_item(text: str, at: int, indent: int) -> int:
    """The offset after the line at `at` and the comments below it that are indented as part of the item."""
    end = next_line(text, at)
    while end < len(text):
        line = text[end : next_line(text, end)]
        if not line.lstrip(" ").startswith("#") or len(line) - len(line.lstrip(" ")) <= indent:
            break
        end += len(line)
    return end


WORKFLOW = ".github/workflows/skillbag.yml"
_PYTHON = '      - uses: actions/setup-python@v5\n        with:\n          python-version: "3.12"\n'


def workflow_action(root: str, address: RepositoryAddress | None) -> Action:
    """Create the workflow; one of that name which is there stays.

    Raises:
        CannotInitError: nothing says where the workflow gets the program from.
    """
    if find(root, WORKFLOW):
        return keep(WORKFLOW, "a workflow of this name is there")
    if address is None:
        raise CannotInitError(
            "--github: the workflow has to install skillbag, and nothing says from where; give --repo ADDRESS, "
            "the git repository in which skillbag is published (owner/name, where it is on GitHub)"
        )
    return create(WORKFLOW, workflow(address), "runs skillbag check on GitHub")


def workflow(address: RepositoryAddress) -> str:
    """The workflow's text: the action where `address` is on GitHub, else a program that is fetched from there."""
    if address.github:
        steps = f"      - uses: {address.github}@{address.rev}\n"
    else:
        steps = (
            f"      - name: Install skillbag\n        run: python -m pip install {address.requirement}@{address.rev}\n"
            "      - name: Check the skills\n        run: skillbag check --format github\n"
        )
    # The action compares a pull request with its base, which is the commit before the merge.
    depth = "          fetch-depth: 2\n" if address.github else ""
    return template("workflow.yml") + depth + _PYTHON + steps


def is_checked_without(root: str) -> bool:
    """Whether `skillbag check` finds something in the folder `root` (absolute) though it is no workspace: plain
    skills, a source, workspaces below it.

    Raises:
        CannotInitError: there are skills, and all of them are where a check does not look.
    """
    if not os.path.isdir(root) or kind_at(root) is TargetKind.WORKSPACE:
        return False
    try:
        return bool(find_targets((root,), top=root))
    except NothingToCheckError:
        skills = sorted(TargetSearch(root, None, None).skills)
    if skills:
        raise CannotInitError(
            f"skillbag check would not find the skills here, such as {os.path.relpath(skills[0], root)}: their folders "
            "are hidden, ignored by git, or for tests and samples. Nothing was written. Move them, or write the file "
            "by hand, with their folders as arguments of skillbag check"
        )
    return False


def need_top(root: str, option: str, reader: str) -> None:
    """Refuse a file that nobody would read: `reader` looks for it at the top of the repository only.

    Raises:
        CannotInitError: the folder `root` (absolute) is below the top of its repository.
    """
    top = repository(root)
    if top is not None and os.path.realpath(top) != os.path.realpath(root):
        raise CannotInitError(
            f"{option}: {reader} only reads the file at the top of the repository; nothing was written. "
            f"Name the top: skillbag init {option} {top}. That checks all skills and workspaces below it; a new "
            f"workspace here is made first, by skillbag init without {option}"
        )
