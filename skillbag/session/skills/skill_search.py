"""Finds a listed skill by what a user or an agent calls it, or says why there is none."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from contextlib import suppress

from skillbag.kernel.fs.read import because
from skillbag.kernel.standard.declarations import BadContextError, read_declarations
from skillbag.kernel.standard.names import canonical, is_name
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, CATALOG_PATH, SKILL_ROOT, skill_path
from skillbag.session.skills.skills import BadSkillError, CatalogSkill, is_installed, leaves_workspace


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
        why = "is a link that leaves the workspace; put it there" if leaves else "is missing; skillbag sync updates it"
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
        return (
            f"{_shown(typed)}: it is in {SKILL_ROOT}/, but not in the catalog; skillbag sync lists it, or says why not"
        )
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
