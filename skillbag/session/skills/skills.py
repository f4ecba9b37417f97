"""The skills that the catalog of a workspace lists; a `SKILL.md` is read when it is needed."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.catalog import parse_catalog
from skillbag.kernel.documents.source import DocumentProblem, decode
from skillbag.kernel.fs.read import because, is_within
from skillbag.kernel.standard.declarations import BadContextError, Place, read_declarations
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import Skill, read_skill
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG_PATH, SKILL_FILE, SKILL_ROOT, skill_path


class BadSkillError(UserError):
    """A skill does not exist or can't be used; the message says why and what to do."""


class CatalogSkill(NamedTuple):
    """A skill in the catalog; `description` contains its tags, `line` is 1-based."""

    name: str
    description: str
    line: int

    @property
    def place(self) -> Place:
        """The line in the catalog."""
        return Place(CATALOG_PATH, self.line)


def execution_id(name: str) -> str:
    """The identifier to run a skill by: `convert_to_pdf` (clause naming.invocation)."""
    return name.replace("-", "_")


def listed_skills(workspace: Workspace) -> Mapping[str, CatalogSkill]:
    """The catalog's skills by name, in its order; no `SKILL.md` is read (clause files.catalog-first).

    Lines without a valid name are left out, since the rules report them. Of equal names the first counts.

    Raises:
        BadSkillError: the catalog can't be read.
    """
    with because("catalog"):
        document = workspace.catalog_document
    if isinstance(document, DocumentProblem):
        raise BadSkillError(f"{CATALOG_PATH}:{document.line}: {document.detail}; skillbag self sync rewrites it")
    return _listed_in(document.raw) if document else {}


@lru_cache(maxsize=8)
def _listed_in(catalog: bytes) -> Mapping[str, CatalogSkill]:
    """The skills of a catalog of these bytes; cached because a server reads the same ones repeatedly."""
    document = decode(CATALOG_PATH, catalog)
    found: dict[str, CatalogSkill] = {}
    if isinstance(document, DocumentProblem):
        return found
    for line in parse_catalog(document).lines:
        if is_name(line.name):
            found.setdefault(line.name, CatalogSkill(line.name, line.description, document.position(line.start).line))
    return MappingProxyType(found)


def is_installed(workspace: Workspace, name: str) -> bool:
    """Whether the skill's `SKILL.md` exists, without a link that leaves the workspace; it is not opened."""
    return os.path.isfile(workspace.path(SKILL_ROOT, name, SKILL_FILE)) and not leaves_workspace(workspace, name)


def unlisted_skills(workspace: Workspace, listed: Mapping[str, CatalogSkill]) -> tuple[str, ...]:
    """The skills in `.skills/` that the catalog lacks, by name; no `SKILL.md` is opened."""
    try:
        names = os.listdir(workspace.path(SKILL_ROOT))
    except OSError:
        return ()
    lacking = sorted({name for name in names if is_name(name)} - listed.keys())
    return tuple(name for name in lacking if is_installed(workspace, name))


def leaves_workspace(workspace: Workspace, name: str) -> bool:
    """Whether the skill's path has a link that leaves the workspace."""
    folder = workspace.path(SKILL_ROOT)
    paths = (folder, os.path.join(folder, name), os.path.join(folder, name, SKILL_FILE))
    return any(os.path.islink(path) and not is_within(workspace.root, path) for path in paths)


def is_available(workspace: Workspace, listed: Mapping[str, CatalogSkill], name: str) -> bool:
    """Whether the catalog lists the skill and its `SKILL.md` exists."""
    return name in listed and is_installed(workspace, name)


def load_skill(workspace: Workspace, name: str, why: str) -> Skill:
    """Read a skill's `SKILL.md`; no other file is opened.

    Raises:
        BadSkillError: it or its front matter can't be read.
    """
    with because(why):
        skill = read_skill(workspace.path(SKILL_ROOT, name), workspace.path(SKILL_ROOT), workspace.root)
    if problem := skill.problem:
        raise BadSkillError(f"{skill_path(name)}:{problem.line}: {problem.detail}; skillbag check reports all problems")
    return skill


def find_skill(
    workspace: Workspace, listed: Mapping[str, CatalogSkill], name: str, typed: str | None = None
) -> CatalogSkill:
    """The skill of this canonical name; an error repeats what the user has `typed` for it.

    Raises:
        BadSkillError: the catalog does not list it, or its `SKILL.md` is missing; the message suggests a name.
    """
    found = listed.get(name)
    if found is None:
        typed = typed or name
        raise BadSkillError(why_unlisted(workspace, name, typed) or _unknown(listed, name, typed))
    if not is_installed(workspace, name):
        leaves = leaves_workspace(workspace, name)
        why = (
            "is a link that leaves the workspace; put it there"
            if leaves
            else "is missing; skillbag self sync updates it"
        )
        raise BadSkillError(f"{found.place}: {name} is listed, but {skill_path(name)} {why}")
    return found


def find_invoked(workspace: Workspace, listed: Mapping[str, CatalogSkill], identifier: str) -> CatalogSkill:
    """As `find_skill`, of an execution identifier, `convert_to_pdf`, or a canonical name (clause naming.invocation)."""
    return find_skill(workspace, listed, _canonical_name(identifier), identifier)


def _canonical_name(identifier: str) -> str:
    """The name of an execution identifier; a mixture such as `a_b-c` is none."""
    return identifier if "-" in identifier else identifier.replace("_", "-")


def listed_names(listed: Mapping[str, CatalogSkill], identifiers: Iterable[str]) -> frozenset[str]:
    """The canonical names of listed skills, whether or not they exist.

    Raises:
        BadSkillError: the catalog does not list one; the message suggests a name.
    """
    names = {_canonical_name(identifier): identifier for identifier in identifiers}
    for name, identifier in names.items():
        if name not in listed:
            raise BadSkillError(_unknown(listed, name, identifier))
    return frozenset(names)


def why_unlisted(workspace: Workspace, name: str, typed: str) -> str | None:
    """Why the catalog does not list a skill of this canonical name and what to do; None if the skill is unknown."""
    if is_name(name) and is_installed(workspace, name):
        how = "skillbag self sync lists it, or says why not"
        return f"{_shown(typed)}: it is in {SKILL_ROOT}/, but not in the catalog; {how}"
    if name == BOOTSTRAP_SKILL:
        return f"{_shown(typed)}: it is not there yet; skillbag init writes it"
    with because("whether it is declared"), suppress(BadContextError):
        for wanted in read_declarations(workspace).dependencies:
            if wanted.name == name:
                return f"{name}: {wanted.place} declares it, but it is not installed; skillbag install installs it"
    return None


def _unknown(listed: Mapping[str, CatalogSkill], name: str, typed: str) -> str:
    better = canonical(name)
    close = [better] if better in listed else difflib.get_close_matches(name[:80], listed, 1)
    hint = f"did you mean {close[0]}?" if close else f"{CATALOG_PATH} lists the skills"
    return f"{_shown(typed)}: there is no such skill here; {hint}"


def _shown(typed: str) -> str:
    return " ".join(typed.split())[:80] or "''"
