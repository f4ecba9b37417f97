"""Renames of skills, parameters and tags: the plan with every edit, or why there is none.

After the edits of a plan, a check finds nothing that it did not find before.
"""

from __future__ import annotations

from skillbag.kernel.standard.context_blocks import TAG_FORM
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import RenamePlan, RenameRefusedError, is_plain_text, name_edits
from skillbag.lint.symbols.rename_parameter import check_parameter, plan_parameter
from skillbag.lint.symbols.rename_skill import plan_skill, unit_to_rename
from skillbag.lint.symbols.values import Symbol, SymbolKind


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
