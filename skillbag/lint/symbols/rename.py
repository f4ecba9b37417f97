"""Renames of skills, parameters and tags: the plan with every edit, or why there is none.

After the edits of a plan, a check finds nothing that it did not find before.
"""

from __future__ import annotations

import re

from skillbag.kernel.standard.context_blocks import ANY_SKILL, TAG_FORM
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import RenamePlan, RenameRefusedError, is_plain_text, name_edits, relative_place
from skillbag.lint.symbols.rename_skill import check_not_installed, plan_skill, unit_to_rename
from skillbag.lint.symbols.values import Symbol, SymbolKind, skill_symbol


def plan_rename(index: SymbolIndex, symbol: Symbol, name: str) -> RenamePlan:
    """The plan for the new name of a symbol.

    Raises:
        RenameRefusedError: it can't be renamed, or not to `name`.
    """
    if symbol.kind is SymbolKind.SKILL:
        return plan_skill(index, symbol, name)
    if symbol.kind is SymbolKind.PARAMETER:
        return plan_parameter(index, symbol, name)
    return _plan_tag(index, symbol, name)


def check_renamable(index: SymbolIndex, symbol: Symbol) -> None:
    """Whether a symbol can be renamed at all.

    Raises:
        RenameRefusedError: it can't.
    """
    if symbol.kind is SymbolKind.SKILL:
        unit_to_rename(index, symbol)
    elif symbol.kind is SymbolKind.PARAMETER:
        check_parameter(index, symbol)
    else:
        _check_tag(symbol)


def _check_tag(symbol: Symbol) -> None:
    if symbol.name.startswith("#run/"):
        raise RenameRefusedError(
            f"`{symbol.name}` is a tag of the standard, and its name decides when a skill runs; "
            "to change that, edit the tags of the skill's description"
        )


def _plan_tag(index: SymbolIndex, symbol: Symbol, name: str) -> RenamePlan:
    _check_tag(symbol)
    if symbol.name.startswith("#"):
        if not TAG_FORM.fullmatch(name) or name.startswith(("#run/", "#use/")) or not set(name).isdisjoint("\"'`"):
            raise RenameRefusedError(
                f"`{name[:80]}` can't be the new tag: write `#group/name`, and no group of the standard (`run`, `use`)"
            )
    elif not name.replace("-", "").replace("_", "").isalnum() or not is_plain_text(name):
        raise RenameRefusedError(f"`{name[:80]}` can't be the new tag: use letters, digits, `-` and `_`")
    return RenamePlan(tuple(name_edits(index.occurrences(symbol), name)), ())


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
_CONFIRM = "confirm"


def plan_parameter(index: SymbolIndex, symbol: Symbol, name: str) -> RenamePlan:
    """The plan for the new name of a parameter.

    Raises:
        RenameRefusedError: it can't be renamed, or not to `name`.
    """
    check_parameter(index, symbol)
    if not _NAME.fullmatch(name) or name == _CONFIRM or not is_plain_text(name):
        raise RenameRefusedError(
            f"`{name[:80]}` can't be a parameter's name: use letters, digits, `-` and `_`, beginning with a letter, "
            "and no word that YAML reads otherwise (`true`, `null`); `confirm` has a meaning of its own"
        )
    used = index.occurrences(symbol._replace(name=name)) if name != symbol.name else []
    if used:
        raise RenameRefusedError(
            f"`{name}` is a parameter of `{symbol.skill}` already ({relative_place(index, used[0])})"
        )
    return RenamePlan(tuple(name_edits(index.occurrences(symbol), name)), ())


def check_parameter(index: SymbolIndex, symbol: Symbol) -> None:
    """Whether a parameter can be renamed.

    Raises:
        RenameRefusedError: it is nobody's, of every skill, of the standard, or of an installed skill.
    """
    if symbol.skill == ANY_SKILL:
        raise RenameRefusedError(
            f"`{symbol.name}` is set for every skill here; rename it where a skill declares it, under `Parameters`"
        )
    if not index.definitions(symbol):
        raise RenameRefusedError(f"no skill `{symbol.skill}` declares the parameter `{symbol.name}`")
    if symbol.skill == BOOTSTRAP_SKILL:
        raise RenameRefusedError(f"the standard names the parameters of `{BOOTSTRAP_SKILL}`")
    units = index.units_of(skill_symbol(symbol.skill))
    if len(units) > 1:
        raise RenameRefusedError(f"several skills are named `{symbol.skill}`; give them different names first")
    for unit in units:
        check_not_installed(index.target.root, unit.folder.name)
    _check_shared(index, symbol)


def _check_shared(index: SymbolIndex, symbol: Symbol) -> None:
    """Refuse if a value for every skill (`*`) is one for another skill as well."""
    shared = index.references(symbol._replace(skill=ANY_SKILL))
    others = {
        other.skill
        for other in index.symbols(SymbolKind.PARAMETER)
        if other.name == symbol.name and other.skill != ANY_SKILL
    } - {symbol.skill}
    if shared and others:
        raise RenameRefusedError(
            f"{relative_place(index, shared[0])} sets `{symbol.name}` for every skill, and `{min(others)}` has it too: "
            f"set it for `{symbol.skill}` by its name first"
        )
