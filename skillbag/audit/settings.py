"""What an audit is made with: the same for every source, whatever the source says of itself, and on every machine."""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

from skillbag import STANDARD_VERSION, __version__
from skillbag.engine.config import Config, choose, read_config
from skillbag.engine.planner import all_rules
from skillbag.rules.model import INDEX, Rule, load_rules


class Settings(NamedTuple):
    """How sources are audited.

    `run` is a hash of all that findings depend on besides the sources: program, standard, rules, configuration. `own`
    are the rules of a team. `suppressions`: whether comments in the files excuse findings. `today` is an ISO date.
    `timeout` is in seconds. What is fetched goes below `scratch` (None: where temporary files go) and is deleted again,
    or with `keep` into the user's cache.
    """

    run: str
    config: Config
    own: tuple[Rule, ...] = ()
    suppressions: bool = True
    today: str = ""
    timeout: float = 600.0
    scratch: str | None = None
    keep: bool = False
    offline: bool = False
    program: str = __version__
    standard: str = STANDARD_VERSION


def make_settings(
    config: str | None = None,
    select: tuple[str, ...] = (),
    ignore: tuple[str, ...] = (),
    *,
    suppressions: bool = True,
) -> Settings:
    """The settings with the configuration file `config` (absolute; None: what runs without any).

    Raises:
        BadConfigError, BadRuleError: the configuration, or a rule of a team's, can't be used.
    """
    read = read_config(config) if config else Config(folder="")
    made = read._replace(select=select or read.select, ignore=(*read.ignore, *ignore))
    rules = all_rules(made.rules)
    choose(rules, made)
    ours = {rule.id for rule in load_rules()}
    own = tuple(rule for rule in rules if rule.id not in ours)
    # Its folders are of this machine, and what they hold comes along.
    settings = Settings("", made._replace(folder="", path=None, rules=()), own, suppressions)
    today = datetime.date.today().isoformat()
    return settings._replace(run=_digest(settings, made.rules), today=today)


def _digest(settings: Settings, folders: tuple[str, ...]) -> str:
    config = settings.config
    told = [settings.program, settings.standard, settings.suppressions, config.select, config.ignore, config.exclude]
    paths = [(one.pattern, one.ignore, one.levels) for one in config.paths]
    text = json.dumps([*told, config.levels, config.options, paths], sort_keys=True, default=str)
    found = sha256(text.encode())
    for path in (INDEX, *_rule_files(folders)):
        with open(path, "rb") as file:
            found.update(sha256(file.read()).digest())
    return found.hexdigest()[:32]


def _rule_files(folders: tuple[str, ...]) -> Iterator[str]:
    for top in folders:
        for folder, names, found in os.walk(top):
            names.sort()
            yield from (os.path.join(folder, name) for name in sorted(found))


class Chosen(NamedTuple):
    """The rules that run, and the family of every rule there is, by id."""

    rules: tuple[Rule, ...]
    families: dict[str, str]


def chosen(settings: Settings) -> Chosen:
    """The rules of an audit, bound once in each process."""
    return _chosen(_Same(settings))


class _Same:
    """Settings that are the same when their runs are: a configuration can't be hashed."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.settings.run == other.settings.run

    def __hash__(self) -> int:
        return hash(self.settings.run)


@lru_cache(maxsize=4)
def _chosen(same: _Same) -> Chosen:
    rules = (*load_rules(), *same.settings.own)
    return Chosen(choose(rules, same.settings.config), {rule.id: rule.family for rule in rules})
