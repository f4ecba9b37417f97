"""`skillbag new`: plan a skill and its line in the catalog."""

from __future__ import annotations

import os
import re
import unicodedata
from functools import partial

from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.nodes import Scalar, foreign_type
from skillbag.kernel.standard.names import MAX_LENGTH, is_name
from skillbag.kernel.workspace.kinds import kind_at
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL, SKILL_FILE, SKILL_ROOT, installed
from skillbag.supply.bootstrap.active_skill import NewType, active_actions, instructions
from skillbag.supply.bootstrap.catalog import catalog_action, refuse_stale_line
from skillbag.supply.bootstrap.existing import CannotInitError, find
from skillbag.supply.bootstrap.plan import SetupPlan, create
from skillbag.supply.bootstrap.templates import template

PLAIN_ROOTS = ("skills", ".agents/skills", ".claude/skills", ".cursor/skills", ".github/skills", ".codex/skills")
"""Where a tree of plain Agent Skills keeps them; the first that exists is taken."""

MAX_DESCRIPTION = 1024
"""Characters of a description (the Agent Skills format)."""

PLACEHOLDER = "TODO: say in one or two sentences what this skill does and when to use it."
"""The description until its author writes one; the rule `placeholder-description` reports it."""


def plan_new(root: str, name: str, description: str | None = None, type_: NewType | None = None) -> SetupPlan:
    """Plan `<skills root>/<name>/SKILL.md`, the other files of an active skill of this type, and, in a workspace or
    source, its catalog line.

    `root` is the root of a workspace, a source or a plain tree, or a folder named `skills`. The description becomes
    one line, with runs of white space as single spaces; without one a placeholder is written.

    Raises:
        CannotInitError: the name or the description can't be used, the skill exists, or `root` is no place for skills.
    """
    root = os.path.abspath(root)
    _check_name(name)
    text = PLACEHOLDER if description is None else _one_line(description)
    folder = _skills_root(root)
    path = "/".join(filter(None, (folder, name, SKILL_FILE)))
    _check_free(os.path.join(root, folder), name)
    find(root, path)
    actions = [create(path, skill_text(name, text, type_), "the new skill")]
    if type_ is not None:
        actions += active_actions(path.rpartition("/")[0], name, type_, partial(_filled, name=name, description=text))
    kind = kind_at(root)
    if kind is not None:
        workspace = Workspace(installed(kind, root))
        refuse_stale_line(workspace, name, text)
        actions.append(catalog_action(workspace, name, text))
    return SetupPlan(root, tuple(actions))


def skill_text(name: str, description: str, type_: NewType | None = None) -> str:
    """The text of a new `SKILL.md`: front matter that every YAML reader reads alike, and general instructions, or
    those of an active skill of this type.
    """
    front = "---\nname: {yaml_name}\ndescription: {description}\n---\n\n"
    return _filled(front + (instructions(type_) if type_ else template("new-skill.md")), name, description)


def _filled(text: str, name: str, description: str) -> str:
    """A template with the values of a skill, which are put in at once: a description may look like a mark."""
    words = name.replace("-", " ")
    values = {
        "name": name,
        "yaml_name": yaml_string(name),
        "description": yaml_string(description),
        "title": words.capitalize(),
        "words": yaml_string(words),
        "tool": (tool := name.replace("-", "_")),
        "yaml_tool": yaml_string(tool),
    }
    return _MARK.sub(lambda mark: values[mark[1]], text)


_MARK = re.compile(r"\{(name|yaml_name|description|title|words|tool|yaml_tool)\}")

# Without `:` and `#`, which may have a meaning to YAML readers outside of quotes.
_PLAIN = re.compile(r"[^\W_][^:#]*")


def yaml_string(text: str) -> str:
    """One line of text as a YAML scalar, in quotes where any reader might take it for something else."""
    if _PLAIN.fullmatch(text) and foreign_type(Scalar(text, 0, len(text), True)) is None:
        return text
    return "'" + text.replace("'", "''") + "'"


def _check_name(name: str) -> None:
    if not is_name(name):
        better = suggest_name(name)
        hint = f"; did you mean {better}?" if better else ""
        raise CannotInitError(
            f"{name!r} is not a skill's name: use up to {MAX_LENGTH} of a-z and 0-9, with single hyphens between{hint}"
        )
    if name == BOOTSTRAP_SKILL:
        raise CannotInitError(f"{name} is reserved: skillbag init writes it")


def suggest_name(name: str) -> str | None:
    """The canonical name nearest to what was given (`My Skill`, `convertToPDF`, `café_menu`), or None."""
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name)
    ascii_only = unicodedata.normalize("NFKD", parted).encode("ascii", "ignore").decode().lower()
    better = re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:MAX_LENGTH].strip("-")
    return better or None


# What YAML does not call printable, and the byte order mark.
_UNPRINTABLE = re.compile(r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MARKUP = re.compile(r"</?[A-Za-z][^<>]*>")


def _one_line(description: str) -> str:
    text = collapse(description)
    if not text:
        raise CannotInitError("--description is empty: say what the skill does and when to use it")
    if len(text) > MAX_DESCRIPTION:
        raise CannotInitError(f"--description has {len(text)} characters; {MAX_DESCRIPTION} are allowed")
    if match := _UNPRINTABLE.search(text):
        raise CannotInitError(f"--description contains U+{ord(match[0]):04X}, which can't be printed")
    if match := _MARKUP.search(text):
        raise CannotInitError(
            f"--description contains {match[0]}: some hosts refuse skills with tags in angle brackets"
        )
    return text


def _skills_root(root: str) -> str:
    """The folder of skills below `root`, relative, with `/`; empty if it is `root` itself."""
    if kind_at(root):
        return SKILL_ROOT
    for folder in PLAIN_ROOTS:
        if os.path.isdir(os.path.join(root, *folder.split("/"))):
            return folder
    if os.path.basename(root) == "skills" and os.path.isdir(root):
        return ""
    raise CannotInitError(f"{root}: no workspace, source or skills folder is here; skillbag init makes a workspace")


def _check_free(folder: str, name: str) -> None:
    try:
        names = os.listdir(folder)
    except OSError:
        return
    for taken in names:
        # On many systems `Name` and `name` are one folder.
        if taken.casefold() == name:
            raise CannotInitError(f"{os.path.join(folder, taken)} exists already; nothing was changed")
