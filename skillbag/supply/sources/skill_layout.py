"""The folders of the skills of a fetched source: `.skills/NAME` of a SkillBag source; in a plain repository of Agent
Skills the folders that `skillbag check --config target=skills` checks, by the names that the skills declare.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace

from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.skills_home import BY_RANK
from skillbag.kernel.workspace.target import SKILL_FILE, SKILL_ROOT, Target, TargetKind, installed
from skillbag.kernel.workspace.tree_hash import tree_hash
from skillbag.supply.sources.agent_skills_layout import TAKES_PLAIN
from skillbag.supply.sources.fetched import Fetched, InvalidSourceError, PlainSkills
from skillbag.supply.sources.source import install_command

PLAIN = "plain"
"""The layout that the lock records for a skill from a plain repository."""


def is_of_standard(root: str) -> bool:
    """Whether a folder is a SkillBag source, or has `.skills/` as one: it is held to the rules of sources."""
    return kind_at(root) is TargetKind.SOURCE or os.path.isdir(f"{root}/{SKILL_ROOT}")


def offered_skills(fetched: Fetched) -> Mapping[str, str]:
    """The absolute folder of each skill that a source offers, valid or not, by name, in order."""
    if fetched.plain is not None:
        return fetched.plain.folders
    return {folder.name: folder.path for folder in Workspace(installed(TargetKind.SOURCE, fetched.root)).skill_folders}


def named_skills(fetched: Fetched) -> set[str]:
    """The names of all skills that a source offers, and of those of a plain repository that can't be installed."""
    others = [] if fetched.plain is None else [*fetched.plain.ambiguous, *map(os.path.basename, fetched.plain.refused)]
    return {*offered_skills(fetched), *others}


def skill_folder(fetched: Fetched, name: str) -> str:
    """The absolute folder of the skill `name`; of a SkillBag source it need not exist.

    Raises:
        KeyError: a plain repository does not hold it; see `skill_folder_in`.
    """
    return f"{fetched.root}/{SKILL_ROOT}/{name}" if fetched.plain is None else fetched.plain.folders[name]


def skill_folder_in(fetched: Fetched, name: str) -> str | None:
    """The absolute folder of the skill `name`; None if the source does not hold it."""
    if fetched.plain is not None:
        return fetched.plain.folders.get(name)
    folder = skill_folder(fetched, name)
    return folder if os.path.isdir(folder) else None


def at_folders(fetched: Fetched, folders: Mapping[str, str | None]) -> Fetched:
    """The source, of which skills are taken from these folders (relative, with `/`): of several that have their name,
    or from one that declares another, whose copy has theirs.
    """
    plain = fetched.plain
    if plain is None:
        return fetched
    known = {name: f"{fetched.root}/{at}" for name, at in folders.items() if at in plain.copies.get(name, ())}
    places = {path: name for name, path in plain.folders.items()}
    places |= {f"{fetched.root}/{at}": name for name, several in plain.copies.items() for at in several}
    others = {
        name: at for name, at in folders.items() if at and places.get(f"{fetched.root}/{at}", name) not in (name, None)
    }
    if not known and not others:
        return fetched
    from skillbag.supply.sources.renamed import renamed

    known |= {name: renamed(f"{fetched.root}/{at}", name) for name, at in others.items()}
    left = {name: several for name, several in plain.ambiguous.items() if name not in known}
    taken = dict(sorted({**plain.folders, **known}.items()))
    return replace(fetched, plain=plain._replace(folders=taken, ambiguous=left, origins={**plain.origins, **others}))


def at_content(fetched: Fetched, name: str, tree: str | None) -> Fetched:
    """The source, of which a skill is taken from the folder with this tree hash, if several have its name."""
    copies = fetched.plain.copies.get(name, ()) if fetched.plain is not None else ()
    same = next((at for at in copies if tree_hash(f"{fetched.root}/{at}") == tree), None)
    return at_folders(fetched, {name: same}) if same else fetched


def folder_in_source(fetched: Fetched, name: str) -> str | None:
    """The folder of a skill of a plain repository, relative with `/`; None for the repository itself, and in others."""
    if fetched.plain is None or name not in fetched.plain.folders:
        return None
    if name in fetched.plain.origins:
        return fetched.plain.origins[name]
    path = os.path.relpath(fetched.plain.folders[name], fetched.root).replace(os.sep, "/")
    return None if path == "." else path


def _plain_skills(root: str, found: Iterable[str]) -> PlainSkills:
    """The skills in the folders of the plain repository at the absolute `root`."""
    by_name: dict[str, list[str]] = {}
    unnamed: list[str] = []
    for folder in found:
        declared = read_skill(folder, os.path.dirname(folder), root).card.name
        if declared and is_name(declared.value):
            by_name.setdefault(declared.value, []).append(folder)
        else:
            unnamed.append(folder)
    # A skill without a readable name can be requested by its folder's, to get a report of its faults.
    names = {os.path.basename(folder): folder for folder in unnamed if folder != root}
    requestable = {name: folder for name, folder in names.items() if is_name(name) and name not in by_name}
    by_name |= {name: [folder] for name, folder in requestable.items()}
    nameless = [folder for folder in unnamed if folder not in requestable.values()]
    copies = {name: folders for name, folders in sorted(by_name.items()) if len(folders) > 1}
    ambiguous = {name for name, folders in copies.items() if len({tree_hash(folder) for folder in folders}) > 1}
    relative = {name: _relative(folders, root) for name, folders in copies.items()}
    taken = {name: _of_rank(folders, root) if name in ambiguous else folders[0] for name, folders in by_name.items()}
    return PlainSkills(
        {name: folder for name, folder in sorted(taken.items()) if folder},
        {name: folders for name, folders in relative.items() if name in ambiguous},
        _relative(nameless, root),
        copies=relative,
    )


def _of_rank(folders: Iterable[str], root: str) -> str | None:
    """The one that counts of folders with different skills of one name: the published one, else that for one agent."""
    for parent in BY_RANK:
        if found := [folder for folder in folders if os.path.dirname(folder) == os.path.join(root, parent)]:
            return found[0] if len(found) == 1 else None
    return None


def checked_skills(root: str, *, is_folder: bool) -> PlainSkills:
    """The skills of the plain repository at `root`. A folder is checked now, an unpacked source was checked before.

    Raises:
        InvalidSourceError: the content of the folder is hostile or too large.
    """
    # They compile patterns that are needed only when a source is fetched.
    from skillbag.supply.sources.folder import check_plain, check_size
    from skillbag.supply.sources.refused_skills import is_refused, recorded

    if is_folder:
        check_size(root)
    folders = plain_folders(root)
    # In a repository that is a skill itself, the record's path may be the skill's own file.
    unpacked = {} if folders == [root] or is_folder else recorded(root)
    refused = check_plain(root, folders) if is_folder else unpacked
    accepted = [path for path in folders if not is_refused(os.path.relpath(path, root).replace(os.sep, "/"), refused)]
    return _plain_skills(root, accepted)._replace(refused=refused)


def plain_folders(root: str) -> list[str]:
    """The absolute real folders of a plain repository that hold skills, without duplicates.

    A repository that is a skill itself is its only skill.
    """
    from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets

    if _holds_skill(root):
        return [root]
    try:
        targets = find_targets([root], TargetKind.SKILLS, root)
    except NothingToCheckError:
        return []
    roots = tuple(sorted({skills_root for target in targets for skills_root in target.skill_roots}))
    loose = tuple(sorted({path for target in targets for path in target.loose}))
    real = os.path.realpath(root)
    paths = (folder.path for folder in Workspace(Target(TargetKind.SKILLS, root, roots, loose=loose)).skill_folders)
    inner = (os.path.relpath(os.path.realpath(path), real) for path in paths if _holds_skill(path))
    return sorted({os.path.join(root, path) for path in inner})


def plain_hint(fetched: Fetched, name: str = "--all") -> str:
    """A sentence on how to declare what is no SkillBag source and has no skill of one; else an empty text.

    It ends with the whole command for the skill `name`.
    """
    if fetched.plain is not None or kind_at(fetched.root) is TargetKind.SOURCE:
        return ""
    command = f"`{install_command(name, fetched.source, fetched.requested, 'add')}`"
    if not fetched.source.kind.is_in_place:
        # Only the parts of a SkillBag source were unpacked.
        return f"If it holds {TAKES_PLAIN}: {command}."
    from skillbag.supply.sources.folder import check_size

    try:
        check_size(fetched.root)
    except InvalidSourceError:
        return ""
    return f"It holds {TAKES_PLAIN}: {command}." if plain_folders(fetched.root) else ""


def _holds_skill(folder: str) -> bool:
    """Whether `folder` has a `SKILL.md`, in any case: rules report a wrong one."""
    try:
        return any(name.lower() == SKILL_FILE.lower() for name in os.listdir(folder))
    except OSError:
        return False


def _relative(folders: Iterable[str], root: str) -> tuple[str, ...]:
    return tuple(os.path.relpath(folder, root).replace(os.sep, "/") for folder in folders)
