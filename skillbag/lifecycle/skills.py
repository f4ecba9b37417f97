"""The skills of a workspace as its catalog lists them, and one of them read when it is needed."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from skillbag.base.errors import UserError
from skillbag.documents.catalog import parse_catalog
from skillbag.documents.source import DocumentProblem, decode
from skillbag.fs.read import because, is_within
from skillbag.standard.declarations import BadContextError, Place, read_declarations
from skillbag.standard.names import canonical, is_name
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import Skill, read_skill
from skillbag.workspace.target import (
    BOOTSTRAP_SKILL,
    CATALOG_PATH,
    SKILL_FILE,
    SKILL_ROOT,
    skill_path,
)


class BadSkillError(UserError):
    """No such skill, or one that can't be used as it is; the message says why and what to do."""


class Listed(NamedTuple):
    """A skill as the catalog has it; `description` holds its tags, `line` is its 1-based line in the catalog."""

    name: str
    description: str
    line: int

    @property
    def place(self) -> Place:
        """Its line in the catalog."""
        return Place(CATALOG_PATH, self.line)


def execution_id(name: str) -> str:
    """The identifier to run a skill by: `convert_to_pdf` (clause naming.invocation)."""
    return name.replace("-", "_")


def listed_skills(workspace: Workspace) -> Mapping[str, Listed]:
    """The catalog's skills by name, in its order; no `SKILL.md` is read (clause files.catalog-first).

    Lines whose name is none are left out: the rules report them. A name that is listed twice counts once, the first.

    Raises:
        BadSkillError: the catalog can't be read.
    """
    with because("catalog"):
        document = workspace.catalog_document
    if isinstance(document, DocumentProblem):
        raise BadSkillError(f"{CATALOG_PATH}:{document.line}: {document.detail}; skillbag sync writes it anew")
    return _listed_in(document.raw) if document else {}


@lru_cache(maxsize=8)
def _listed_in(catalog: bytes) -> Mapping[str, Listed]:
    """The skills of a catalog of these bytes: a server is asked for the same ones over and over."""
    document = decode(CATALOG_PATH, catalog)
    found: dict[str, Listed] = {}
    if isinstance(document, DocumentProblem):
        return found
    for line in parse_catalog(document).lines:
        if is_name(line.name):
            number = document.position(line.start).line
            found.setdefault(line.name, Listed(line.name, line.description, number))
    return MappingProxyType(found)


def is_installed(workspace: Workspace, name: str) -> bool:
    """Whether the skill's `SKILL.md` is there, and not by a link that leaves the workspace; it is not opened."""
    return os.path.isfile(workspace.path(SKILL_ROOT, name, SKILL_FILE)) and not _leaves(workspace, name)


def _leaves(workspace: Workspace, name: str) -> bool:
    folder = workspace.path(SKILL_ROOT)
    paths = (folder, os.path.join(folder, name), os.path.join(folder, name, SKILL_FILE))
    return any(os.path.islink(path) and not is_within(workspace.root, path) for path in paths)


def is_available(workspace: Workspace, listed: Mapping[str, Listed], name: str) -> bool:
    """Whether the catalog lists the skill and its `SKILL.md` is there."""
    return name in listed and is_installed(workspace, name)


def find_skill(workspace: Workspace, listed: Mapping[str, Listed], name: str) -> Listed:
    """The skill of this canonical name.

    Raises:
        BadSkillError: the catalog does not list it, or it is not there; with the name that may be meant.
    """
    found = listed.get(name)
    if found is None:
        raise BadSkillError(_unknown(workspace, listed, name, name))
    if not is_installed(workspace, name):
        leaves = _leaves(workspace, name)
        why = "is a link that leaves the workspace; put it there" if leaves else "is not there; skillbag sync"
        raise BadSkillError(f"{found.place}: {name} is listed, but {skill_path(name)} {why}")
    return found


def find_invoked(workspace: Workspace, listed: Mapping[str, Listed], identifier: str) -> Listed:
    """The skill that is meant by what it is run by: `convert_to_pdf`, or its canonical name (clause naming.invocation).

    Raises:
        BadSkillError: as `find_skill`.
    """
    name = canonical_name(identifier)
    if name not in listed:
        raise BadSkillError(_unknown(workspace, listed, name, identifier))
    return find_skill(workspace, listed, name)


def canonical_name(identifier: str) -> str:
    """The name that an execution identifier stands for; a mixture such as `a_b-c` stands for nothing but itself."""
    return identifier if "-" in identifier else identifier.replace("_", "-")


def listed_name(listed: Mapping[str, Listed], identifier: str) -> str:
    """The canonical name of a listed skill, whether or not it is there.

    Raises:
        BadSkillError: the catalog does not list it; with the name that may be meant.
    """
    name = canonical_name(identifier)
    if name not in listed:
        raise BadSkillError(f"{_shown(identifier)}: there is no such skill here; {_hint(listed, name)}")
    return name


def listed_names(listed: Mapping[str, Listed], identifiers: Iterable[str]) -> frozenset[str]:
    """The canonical names of listed skills, as `listed_name`."""
    return frozenset(listed_name(listed, identifier) for identifier in identifiers)


def why_unlisted(workspace: Workspace, name: str, typed: str) -> str | None:
    """Why the catalog lists no skill of this canonical name and what to do; None where nothing here knows of it."""
    if is_name(name) and is_installed(workspace, name):
        return f"{_shown(typed)}: it is in {SKILL_ROOT}/, but not in the catalog; skillbag sync lists it"
    if name == BOOTSTRAP_SKILL:
        return f"{_shown(typed)}: it is not there yet; skillbag init writes it"
    if place := _declared(workspace, name):
        return f"{name}: {place} declares it, and it is not installed; skillbag install"
    return None


def _unknown(workspace: Workspace, listed: Mapping[str, Listed], name: str, typed: str) -> str:
    known = why_unlisted(workspace, name, typed)
    return known or f"{_shown(typed)}: there is no such skill here; {_hint(listed, name)}"


def _declared(workspace: Workspace, name: str) -> Place | None:
    try:
        with because("whether it is declared"):
            wanted = read_declarations(workspace).dependencies
    except BadContextError:
        return None
    return next((dependency.place for dependency in wanted if dependency.name == name), None)


def _shown(typed: str) -> str:
    return " ".join(typed.split())[:80] or "''"


def _hint(listed: Mapping[str, Listed], name: str) -> str:
    better = canonical(name)
    close = [better] if better in listed else difflib.get_close_matches(name[:80], listed, 1)
    return f"did you mean {close[0]}?" if close else f"{CATALOG_PATH} lists what there is"


def load_skill(workspace: Workspace, name: str, why: str) -> Skill:
    """Read a skill's `SKILL.md`; no other file is opened.

    Raises:
        BadSkillError: it can't be read, or its front matter can't.
    """
    with because(why):
        skill = read_skill(workspace.path(SKILL_ROOT, name), workspace.path(SKILL_ROOT), workspace.root)
    problem = skill.problem
    if problem is not None:
        raise BadSkillError(f"{skill_path(name)}:{problem.line}: {problem.detail}; skillbag check tells all of it")
    return skill
