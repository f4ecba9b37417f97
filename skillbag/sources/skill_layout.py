"""Which folder of a fetched source holds which skill: `.skills/NAME` of a SkillBag source; of a plain repository of
Agent Skills whatever `skillbag check --target skills` would look at, by the names that the skills themselves declare.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from skillbag.sources.address import SourceKind
from skillbag.sources.agent_skills_layout import TAKES_PLAIN
from skillbag.sources.fetched import Fetched, InvalidSourceError, PlainSkills
from skillbag.workspace.kinds import kind_at
from skillbag.workspace.model import Workspace
from skillbag.workspace.skill import read_skill
from skillbag.workspace.target import NAME, SKILL_FILE, SKILL_ROOT, Kind, Target, installed
from skillbag.workspace.tree_hash import tree_hash

PLAIN = "plain"
"""The layout that the lock records of a skill from a plain repository."""

_MAX_NAME = 64


def offered_skills(fetched: Fetched) -> Mapping[str, str]:
    """The absolute folder of each skill that a source offers, valid or not, by name, in order."""
    if fetched.plain is not None:
        return fetched.plain.folders
    return {folder.name: folder.path for folder in Workspace(installed(Kind.SOURCE, fetched.root)).skill_folders}


def named_skills(fetched: Fetched) -> set[str]:
    """The names of all skills that a source offers, and of those of a plain repository that can't be had."""
    unsound = [] if fetched.plain is None else [*fetched.plain.ambiguous, *map(os.path.basename, fetched.plain.refused)]
    return {*offered_skills(fetched), *unsound}


def skill_folder(fetched: Fetched, name: str) -> str:
    """The absolute folder in which a source holds the skill `name`; of a SkillBag source, or would hold it.

    Raises:
        KeyError: a plain repository does not hold it; `find_skill` asks.
    """
    return f"{fetched.root}/{SKILL_ROOT}/{name}" if fetched.plain is None else fetched.plain.folders[name]


def find_skill(fetched: Fetched, name: str) -> str | None:
    """The absolute folder of the skill `name`; None where the source does not hold it."""
    if fetched.plain is not None:
        return fetched.plain.folders.get(name)
    folder = skill_folder(fetched, name)
    return folder if os.path.isdir(folder) else None


def plain_skills(root: str, found: Iterable[str]) -> PlainSkills:
    """The skills of the plain repository at the absolute `root`; `found` are its `plain_folders`.

    Raises:
        OSError: a skill that is there twice can't be read.
    """
    folders = {folder: _declared_name(folder, root) for folder in found}
    by_name: dict[str, list[str]] = {}
    for folder, name in folders.items():
        if name is not None:
            by_name.setdefault(name, []).append(folder)
    # A skill without a readable name can be requested by its folder's, to see what is wrong with it.
    silent = {folder: os.path.basename(folder) for folder, name in folders.items() if name is None and folder != root}
    asked_for = {name: folder for folder, name in silent.items() if _is_name(name) and name not in by_name}
    by_name |= {name: [folder] for name, folder in asked_for.items()}
    nameless = [folder for folder, name in folders.items() if name is None and folder not in asked_for.values()]
    ambiguous = {name: folders for name, folders in sorted(by_name.items()) if _differ(folders)}
    return PlainSkills(
        {name: folders[0] for name, folders in sorted(by_name.items()) if name not in ambiguous},
        {name: _relative(folders, root) for name, folders in ambiguous.items()},
        _relative(nameless, root),
    )


def judged_skills(root: str, *, is_folder: bool) -> PlainSkills:
    """The skills of the plain repository at `root`; a folder is checked now, what was unpacked has been checked before.

    Raises:
        InvalidSourceError: what the folder holds is hostile or too much.
        OSError: something can't be read.
    """
    # Their patterns are needed only where a source is fetched.
    from skillbag.sources.folder import check_plain, check_size
    from skillbag.sources.refused_skills import is_refused, recorded

    if is_folder:
        check_size(root)
    folders = plain_folders(root)
    # Where an unpacked repository is a skill itself, the name of the record would be a file of its own.
    unpacked = {} if folders == [root] or is_folder else recorded(root)
    refused = check_plain(root, folders) if is_folder else unpacked
    sound = [path for path in folders if not is_refused(os.path.relpath(path, root).replace(os.sep, "/"), refused)]
    return plain_skills(root, sound)._replace(refused=refused)


def plain_folders(root: str) -> list[str]:
    """The absolute folders of a plain repository that hold skills; of those that lead to one, the real one, once.

    A repository that is a skill itself is that one skill.
    """
    from skillbag.workspace.discovery import NothingToCheckError, find_targets

    if _holds_skill(root):
        return [root]
    try:
        targets = find_targets([root], Kind.SKILLS, root)
    except NothingToCheckError:
        return []
    roots = tuple(sorted({skills_root for target in targets for skills_root in target.skill_roots}))
    loose = tuple(sorted({path for target in targets for path in target.loose}))
    real = os.path.realpath(root)
    paths = (folder.path for folder in Workspace(Target(Kind.SKILLS, root, roots, loose=loose)).skill_folders)
    inner = (os.path.relpath(os.path.realpath(path), real) for path in paths if _holds_skill(path))
    return sorted({os.path.join(root, path) for path in inner})


def plain_hint(fetched: Fetched) -> str:
    """A sentence about `--plain` for who found no skill in what is no SkillBag source; else an empty text."""
    if fetched.plain is not None or kind_at(fetched.root) is Kind.SOURCE:
        return ""
    if fetched.source.kind is not SourceKind.FOLDER:
        # What is no part of a source was not unpacked.
        return f"If it holds {TAKES_PLAIN}."
    from skillbag.sources.folder import check_size

    try:
        check_size(fetched.root)
    except InvalidSourceError:
        return ""
    return f"It holds {TAKES_PLAIN}." if plain_folders(fetched.root) else ""


def _holds_skill(folder: str) -> bool:
    """Whether `folder` has a `SKILL.md`, in any case: rules report a wrong one."""
    try:
        return any(name.lower() == SKILL_FILE.lower() for name in os.listdir(folder))
    except OSError:
        return False


def _declared_name(folder: str, root: str) -> str | None:
    """The name that the skill in `folder` declares, if a skill can have it."""
    declared = read_skill(folder, os.path.dirname(folder), root).card.name
    return declared.value if declared and _is_name(declared.value) else None


def _is_name(name: str) -> bool:
    return len(name) <= _MAX_NAME and NAME.fullmatch(name) is not None


def _differ(folders: list[str]) -> bool:
    return len(folders) > 1 and len({tree_hash(folder) for folder in folders}) > 1


def _relative(folders: Iterable[str], root: str) -> tuple[str, ...]:
    return tuple(os.path.relpath(folder, root).replace(os.sep, "/") for folder in folders)
