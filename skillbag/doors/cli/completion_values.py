"""The values that shells complete: rules, skills, sources, agents. They are looked up quickly, and not checked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import click


class CompletionValue(NamedTuple):
    """A value, and what a shell shows beside it."""

    value: str
    text: str = ""


FILES, FOLDERS = CompletionValue("", ":file"), CompletionValue("", ":dir")
"""The shell's own names of files, or of folders."""

_Source = Callable[[click.Context], Iterator[CompletionValue]]


def values_of(context: click.Context, parameter: click.Parameter) -> Iterator[CompletionValue] | None:
    """The values of an option or an argument; None where click knows them, or nobody."""
    path = context.command_path.partition(" ")[2]
    name = parameter.opts[0] if isinstance(parameter, click.Option) else parameter.name or ""
    source = VALUES.get((path, name)) or (VALUES.get(("", name)) if name.startswith("-") else None)
    return None if source is None else source(context)


def _rules(_: click.Context) -> Iterator[CompletionValue]:
    from skillbag.lint.rules.builtin import load_clauses
    from skillbag.lint.rules.index import RULES
    from skillbag.lint.rules.late_index import RULES as MANIFEST

    rules = [*RULES, *MANIFEST]
    yield from (CompletionValue(family, "family of rules") for family in sorted({rule[1] for rule in rules}))
    yield from (CompletionValue(rule[0], rule[10]) for rule in rules)
    yield from (CompletionValue(name) for name in _own_rules())
    yield from (CompletionValue(each.id, each.gist) for each in load_clauses() if "lint" in each.proved_by)


def _own_rules() -> Iterator[str]:
    """The rules of a team, by the names of their files."""
    from skillbag.lint.engine.config import find_config

    path = find_config(os.getcwd())
    if path is None or not path.endswith("skillbag.toml"):
        return
    import tomllib

    with open(path, "rb") as file:
        folders = tomllib.load(file).get("rules", [])
    for folder in folders:
        for _, _, names in os.walk(os.path.join(os.path.dirname(path), folder)):
            yield from (os.path.splitext(name)[0] for name in names if name.endswith((".yaml", ".yml")))


def _security_rules(context: click.Context) -> Iterator[CompletionValue]:
    from skillbag.lint.rules.index import RULES

    return (CompletionValue(rule[0], rule[10]) for rule in RULES if rule[1] == "security")


def _skills(context: click.Context) -> Iterator[CompletionValue]:
    """Names of skills of the workspace: those in `.skills/`, and those that are locked."""
    from skillbag.kernel.workspace.discovery import enclosing_root

    root = enclosing_root(os.path.abspath(context.params.get("folder") or "."))
    if root is None:
        return
    names = set(_folders(os.path.join(root, ".skills")))
    with contextlib.suppress(OSError, ValueError):
        import json

        with open(os.path.join(root, "skillbag.lock"), encoding="utf-8") as file:
            names.update(json.load(file).get("skills", {}))
    yield from map(CompletionValue, sorted(names))


def _folders(folder: str) -> Iterator[str]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        yield from (entry.name for entry in entries if entry.is_dir() and not entry.name.startswith("."))


def _personal_skills(context: click.Context) -> Iterator[CompletionValue]:
    from skillbag.agents.settings.user_settings import personal_root

    root = personal_root(context.params.get("personal"))
    return map(CompletionValue, sorted(_folders(root)) if root else [])


def _market_names(_: click.Context) -> Iterator[CompletionValue]:
    from skillbag.agents.settings.user_settings import read_user_settings

    return (CompletionValue(source.name, source.address) for source in read_user_settings().sources)


def _sources(context: click.Context) -> Iterator[CompletionValue]:
    """Addresses of the marketplace's sources, and folders."""
    yield from (CompletionValue(source.text, source.value) for source in _market_names(context))
    yield FOLDERS


def _agents(_: click.Context) -> Iterator[CompletionValue]:
    from skillbag.kernel.workspace.agents import AGENTS

    yield from (
        CompletionValue(word, "of every agent" if word == "all" else "of those found here")
        for word in ("all", "detected")
    )
    yield from (CompletionValue(agent.name, agent.title) for agent in AGENTS.values())


def _facts(_: click.Context) -> Iterator[CompletionValue]:
    from skillbag.doors.cli.options import DENIABLE

    return map(CompletionValue, DENIABLE)


def _revisions(_: click.Context) -> Iterator[CompletionValue]:
    from skillbag.kernel.workspace.programs import find

    git = find("git")
    if git is None:
        return
    import subprocess

    form = ("for-each-ref", "--format=%(refname:short)", "--count=200", "refs/heads", "refs/remotes", "refs/tags")
    done = subprocess.run([git, *form], capture_output=True, text=True, timeout=2, check=False)
    yield from map(CompletionValue, ["HEAD", *done.stdout.split()])


def _files(_: click.Context) -> Iterator[CompletionValue]:
    yield FILES


def _dirs(_: click.Context) -> Iterator[CompletionValue]:
    yield FOLDERS


def _entries(source: _Source, names: tuple[str, ...]) -> dict[tuple[str, str], _Source]:
    """Of commands with their arguments: `why name` is the argument `name` of `why`."""
    pairs = (name.rpartition(" ") for name in names)
    return {(command, argument): source for command, _, argument in pairs}


_SKILL_ARGUMENTS = (
    *("update names", "remove names", "diff name", "run identifier", "rename old"),
    *("session resolve skill", "session order skills", "session winner skills", "session refresh skills"),
    *("runtime info name", "runtime why name"),
    *("runtime activate name", "runtime deactivate name", "runtime permissions name"),
)
_SKILL_OPTIONS = ("--overwrite", "--merge", "--except", "--allow", "--without", "--skill", "--prefer", "--why")
_FILE_ARGUMENTS = ("check paths", "capabilities paths", "runtime scan paths", "runtime test targets")
_FOLDER_ARGUMENTS = (
    *("agent personal add folders", "agent personal root folder"),
    *("team audit sources", "team marketplace add address"),
)

VALUES: Mapping[tuple[str, str], _Source] = {
    ("", "--select"): _rules,
    ("", "--ignore"): _rules,
    ("", "--accept"): _security_rules,
    ("", "--agents"): _agents,
    ("", "--deny"): _facts,
    ("", "--source"): _sources,
    ("", "--workspace"): _dirs,
    ("", "--personal"): _dirs,
    ("", "--changed-since"): _revisions,
    ("explain", "rule_id"): _rules,
    ("search", "--source"): _market_names,
    ("team marketplace list", "--source"): _market_names,
    ("team marketplace remove", "name"): _market_names,
    ("team marketplace update", "names"): _market_names,
    ("agent personal remove", "names"): _personal_skills,
    **{("", name): _skills for name in _SKILL_OPTIONS},
    **_entries(_skills, _SKILL_ARGUMENTS),
    **_entries(_files, _FILE_ARGUMENTS),
    **_entries(_dirs, _FOLDER_ARGUMENTS),
}
"""By command and parameter; by no command where an option means the same everywhere."""
