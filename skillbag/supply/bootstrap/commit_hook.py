"""The entry in `.pre-commit-config.yaml` that runs `skillbag check` before a commit."""

from __future__ import annotations

from skillbag.kernel.documents.nodes import Mapping, Node, Scalar, Sequence, YamlError, core_value, parse_yaml
from skillbag.kernel.documents.source import Document
from skillbag.kernel.standard.blocks import items_of
from skillbag.supply.bootstrap.actions import Action, append, create, insert, keep, next_line
from skillbag.supply.bootstrap.address import RepositoryAddress
from skillbag.supply.bootstrap.existing import find, refusal
from skillbag.supply.bootstrap.skill import yaml_string

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
