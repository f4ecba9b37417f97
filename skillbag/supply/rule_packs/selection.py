"""Which rules `skillbag rules test` runs: each rule file with its rule, bound."""

from __future__ import annotations

import os
from collections.abc import Iterable

from skillbag.kernel.base.errors import UserError
from skillbag.lint.engine.config import Config
from skillbag.lint.engine.planner import all_rules
from skillbag.lint.rules.loader import RuleFile, read_folder
from skillbag.lint.rules.model import Rule, load_rules
from skillbag.lint.rules.pack_code import code_of
from skillbag.lint.rules.packs import RULES, Pack, bind_pack, find_pack, parse_pack, rule_files


def named_rules(paths: Iterable[str]) -> list[tuple[RuleFile, Rule]]:
    """The rules in folders that the user names: of a pack, of a project with packs in it, or of rule files.

    Raises:
        UserError: there are none, or one of them can't be used.
    """
    pairs = []
    for path in map(os.path.abspath, paths):
        if not (packs := _packs(path)):
            pairs += _plain_rules(path)
        for folder in packs:
            pairs += _pack_rules(Pack(os.path.basename(folder).replace("_", "-"), folder))
    return pairs


def packs_with_code(paths: Iterable[str]) -> list[str]:
    """The packs among what `named_rules` takes whose code it would import."""
    return [folder for path in paths for folder in _packs(os.path.abspath(path)) if code_of(folder)]


def _packs(path: str) -> list[str]:
    inner = (entry.path for entry in sorted(os.scandir(path), key=lambda each: each.name) if entry.is_dir())
    return [folder for folder in (path, *inner) if os.path.isdir(os.path.join(folder, RULES))]


def configured_rules(config: Config) -> list[tuple[RuleFile, Rule]]:
    """The rules of the folders and packs that a configuration names. Raises as `named_rules`."""
    pairs = [pair for folder in config.rules for pair in _plain_rules(folder)]
    for text in config.packs:
        pairs += _pack_rules(find_pack(parse_pack(text)))
    if not pairs:
        raise UserError("no rules to test: name their folder, or configure `rules` or `packs`")
    return pairs


def _plain_rules(folder: str) -> list[tuple[RuleFile, Rule]]:
    rules = {rule.id: rule for rule in all_rules((folder,)).rules}
    pairs = [(file, rules[file.data["id"]]) for file in read_folder(folder)]
    if not pairs:
        raise UserError(f"{folder}: there are no rule files in it")
    return pairs


def _pack_rules(pack: Pack) -> list[tuple[RuleFile, Rule]]:
    rules = bind_pack(pack, {rule.id for rule in load_rules()})
    return list(zip(rule_files(pack), rules, strict=True))
