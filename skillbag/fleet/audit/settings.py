"""The settings of an audit: the same for every source, whatever configuration it has, and on every machine."""

from __future__ import annotations

import datetime
import json
import os
from hashlib import sha256
from typing import NamedTuple

from skillbag import STANDARD_VERSION, __version__
from skillbag.kernel.base.package_data import rule_sources
from skillbag.lint.engine.config import BadConfigError, Config, choose, read_config
from skillbag.lint.engine.planner import all_rules
from skillbag.lint.rules.builtin import INDEXES, load_rules
from skillbag.lint.rules.model import Rule


class AuditSettings(NamedTuple):
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
) -> AuditSettings:
    """The settings with the configuration file `config` (absolute; None: what runs without any).

    Raises:
        BadConfigError, BadRuleError: the configuration, or a rule of a team's, can't be used.
    """
    read = read_config(config) if config else Config(folder="")
    made = read._replace(select=select or read.select, ignore=(*read.ignore, *ignore))
    if made.packs:
        # Code of a pack may not be on the machines of a cluster, and an audit reads what nobody trusts yet.
        raise BadConfigError(f"{made.path}: an audit takes no `packs`; name a configuration without them by --config")
    rules = all_rules(made.rules).rules
    choose(rules, made)
    ours = {rule.id for rule in load_rules()}
    own = tuple(rule for rule in rules if rule.id not in ours)
    # The folders exist on this machine only; the rules in them are part of the settings.
    settings = AuditSettings("", made._replace(folder="", path=None, rules=()), own, suppressions)
    today = datetime.date.today().isoformat()
    return settings._replace(run=_digest(settings, made.rules), today=today)


def _digest(settings: AuditSettings, folders: tuple[str, ...]) -> str:
    config = settings.config
    values = [settings.program, settings.standard, settings.suppressions, config.select, config.ignore, config.exclude]
    paths = [(section.pattern, section.ignore, section.levels) for section in config.paths]
    text = json.dumps([*values, config.levels, config.options, paths], sort_keys=True, default=str)
    digest = sha256(text.encode())
    files = [*INDEXES, *(source.path for source in rule_sources())]
    for top in folders:
        for folder, names, found in os.walk(top):
            names.sort()
            files += (os.path.join(folder, name) for name in sorted(found))
    for path in files:
        with open(path, "rb") as file:
            digest.update(sha256(file.read()).digest())
    return digest.hexdigest()[:32]


_chosen: dict[str, tuple[tuple[Rule, ...], dict[str, str]]] = {}


def chosen(settings: AuditSettings) -> tuple[tuple[Rule, ...], dict[str, str]]:
    """The rules that run, bound once in each process, and the family of every rule there is, by id."""
    if settings.run not in _chosen:
        rules = (*load_rules(), *settings.own)
        _chosen.clear()
        _chosen[settings.run] = choose(rules, settings.config), {rule.id: rule.family for rule in rules}
    return _chosen[settings.run]
