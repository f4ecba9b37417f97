"""`skillbag init`: plan what a workspace or a source lacks. Existing files stay, byte for byte."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from skillbag import STANDARD_VERSION
from skillbag.kernel.workspace.agents import INSTRUCTIONS, SETTINGS, known_agents
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.statements import states_identity, states_location, states_steps
from skillbag.kernel.workspace.target import (
    AGENTS,
    BOOTSTRAP_SKILL,
    ENTRYPOINT,
    SKILL_ROOT,
    USER_CONTEXT,
    TargetKind,
    installed,
    skill_path,
)
from skillbag.supply.bootstrap.address import parse_address
from skillbag.supply.bootstrap.catalog import catalog_action
from skillbag.supply.bootstrap.check_files import hook_action, is_checked_without, need_top, workflow_action
from skillbag.supply.bootstrap.existing import CannotInitError, find, text_of
from skillbag.supply.bootstrap.plan import Action, SetupPlan, append, create, keep
from skillbag.supply.bootstrap.session_hook import session_hook_actions
from skillbag.supply.bootstrap.templates import template

# The bare word SKILLBAG in AGENTS.md would make the workspace a source: only the file's name may be used here.
_POINTER = (
    f"Before any other work in this folder, read `{ENTRYPOINT}` and follow it.\n"
    "If `skillbag` is installed, run `skillbag enter` once, then `skillbag turn --session ID` before each response,\n"
    "and add skills with `skillbag add ADDRESS NAME`.\n"
)
_SHIM = f"Read `{AGENTS}` before you begin, and follow it.\n"

_IDENTITY = "This repository is a `SKILLBAG` source.\n"
_LOCATION = "The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.\n"
_STEPS = "There are no extra installation steps.\n"

_FIRST_LINE = re.compile(r"SkillBag v\d\S*[ \t]*(?:\r?\n|$)")


@dataclass(frozen=True, slots=True)
class InitOptions:
    """The options of `init`.

    `agents` are keys of `INSTRUCTIONS`; with `hooks` those of `SETTINGS` enter the workspace when a
    session starts, and ask active skills at its steps.
    `entrypoint_text` is a published text to use as `SKILLBAG.md` instead of ours.
    `repo` is the address where this project is published, for the hook and the workflow, which needs it; `rev` is what
    they take of it: a tag or a commit, without it the tag of this version. Whether it is there is the caller's to see.
    """

    agents: tuple[str, ...] = ()
    hooks: bool = False
    source: bool = False
    entrypoint_text: bytes | None = None
    pre_commit: bool = False
    github: bool = False
    repo: str | None = None
    rev: str | None = None


def plan_init(root: str, options: InitOptions) -> SetupPlan:
    """Plan what the folder `root` lacks; the folder need not exist.

    Raises:
        CannotInitError: an option can't be used, or something is in the place of a file.
        UserError: an agent is not known.
    """
    root = os.path.abspath(root)
    if options.rev is not None and options.repo is None:
        raise CannotInitError("--rev: it is a tag or a commit of the repository that --repo names; give both")
    address = None if options.repo is None else parse_address(options.repo, options.rev)
    actions = [] if adds_only_checks(root, options) else [*_folder(root, options)]
    actions += _shims(root, options.agents)
    if options.hooks:
        actions += _session_hooks(root, options)
    if options.pre_commit:
        need_top(root, "--pre-commit", "pre-commit")
        actions.append(hook_action(root, address))
    if options.github:
        need_top(root, "--github", "GitHub")
        actions.append(workflow_action(root, address))
    return SetupPlan(root, tuple(actions))


def adds_only_checks(root: str, options: InitOptions) -> bool:
    """Whether only a hook or a workflow is asked for, in a folder that is checked without being a workspace."""
    wants_checks = options.pre_commit or options.github
    wants_more = options.source or options.agents or options.hooks or options.entrypoint_text is not None
    return wants_checks and not wants_more and is_checked_without(root)


def _folder(root: str, options: InitOptions) -> Iterator[Action]:
    return _source(root, options) if options.source else _workspace(root, options)


def _workspace(root: str, options: InitOptions) -> Iterator[Action]:
    yield _entrypoint(root, options.entrypoint_text)
    yield _pointer(root, AGENTS, _POINTER, "points agents to SKILLBAG.md", (ENTRYPOINT,))
    yield from _bootstrap_skill(root)
    yield _ignored_user_context(root)


def _source(root: str, options: InitOptions) -> Iterator[Action]:
    if options.entrypoint_text is not None:
        raise CannotInitError(f"a source has no {ENTRYPOINT}: give --source or --entrypoint, not both")
    yield _source_agents(root)
    yield catalog_action(Workspace(installed(TargetKind.SOURCE, root)))


def _entrypoint(root: str, given: bytes | None) -> Action:
    if given is not None and not _FIRST_LINE.match(text_of("--entrypoint", given).text):
        raise CannotInitError(f"--entrypoint: its first line is not like 'SkillBag {STANDARD_VERSION}'")
    if find(root, ENTRYPOINT):
        return keep(ENTRYPOINT, "the entrypoint is there")
    return create(ENTRYPOINT, template("entrypoint.md") if given is None else given, "the entrypoint")


def _pointer(root: str, path: str, line: str, why: str, marks: tuple[str, ...]) -> Action:
    """Make sure that the file at `path` has a line with one of `marks`; `line` is the one to add."""
    document = find(root, path)
    if document is None:
        return create(path, line, why)
    if any(mark in document.text for mark in marks):
        return keep(path, why)
    return append(document, path, line, why, gap=True)


def _shims(root: str, agents: tuple[str, ...]) -> Iterator[Action]:
    # If one file is a link to another, the line must be added only once.
    seen = {os.path.realpath(os.path.join(root, AGENTS))}
    for agent in known_agents(agents, INSTRUCTIONS):
        path = INSTRUCTIONS[agent]
        real = os.path.realpath(os.path.join(root, path))
        if path == AGENTS:
            yield keep(path, f"{agent} reads it")
        elif real in seen:
            yield keep(path, f"is a link to {os.path.basename(real)}")
        else:
            yield _pointer(root, path, _SHIM, f"points {agent} to {AGENTS}", (AGENTS, ENTRYPOINT))
        seen.add(real)


def _session_hooks(root: str, options: InitOptions) -> Iterator[Action]:
    if options.source:
        raise CannotInitError("--hooks: a source is not entered; give --source or --hooks, not both")
    agents = [agent for agent in known_agents(options.agents, INSTRUCTIONS) if agent in SETTINGS]
    if not agents:
        raise CannotInitError(f"--hooks needs an agent that has them: --agents {','.join(SETTINGS)}")
    for agent in agents:
        yield from session_hook_actions(root, agent)


def _bootstrap_skill(root: str) -> Iterator[Action]:
    workspace = Workspace(installed(TargetKind.WORKSPACE, root))
    path = skill_path(BOOTSTRAP_SKILL)
    if find(root, path) is None:
        yield create(path, template("get-skills.md"), "the reserved skill that installs others")
        yield catalog_action(workspace, BOOTSTRAP_SKILL, "Install one or more skills into .skills/.")
        return
    yield keep(path, "the reserved skill is there")
    card = read_skill(workspace.path(SKILL_ROOT, BOOTSTRAP_SKILL), workspace.path(SKILL_ROOT), root).card
    # A reserved skill that can't be read has no description to list; the check reports it.
    listed = card.description.value if card.valid and card.description else None
    yield catalog_action(workspace, BOOTSTRAP_SKILL if listed else None, listed or "")


def _source_agents(root: str) -> Action:
    why = "says that this is a source, and where its skills are"
    document = find(root, AGENTS)
    if document is None:
        return create(AGENTS, _IDENTITY + _LOCATION + _STEPS, why)
    statements = ((states_identity, _IDENTITY), (states_location, _LOCATION), (states_steps, _STEPS))
    missing = "".join(statement for states, statement in statements if not states(document.text))
    return append(document, AGENTS, missing, why, gap=True) if missing else keep(AGENTS, why)


def _ignored_user_context(root: str) -> Action:
    path, why = ".gitignore", f"keeps {USER_CONTEXT} out of git"
    document = find(root, path)
    if document is None:
        return create(path, f"{USER_CONTEXT}\n", why)
    lines = {line.strip() for line in document.text.splitlines()}
    if f"!{USER_CONTEXT}" in lines or f"!/{USER_CONTEXT}" in lines:
        return keep(path, f"it asks git to keep {USER_CONTEXT}")
    if lines & {USER_CONTEXT, f"/{USER_CONTEXT}", f"**/{USER_CONTEXT}"}:
        return keep(path, why)
    return append(document, path, f"{USER_CONTEXT}\n", why)
