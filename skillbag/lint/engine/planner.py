"""The plan of a check: the targets of a request, each with the rules of its configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial

from skillbag.kernel.base.records import NamedTuple, cached_property
from skillbag.kernel.base.verbose import log_step
from skillbag.kernel.fs import tracked
from skillbag.kernel.model.result import RuleInfo
from skillbag.kernel.transaction.locations import Notice
from skillbag.kernel.transaction.recovery import recover_all
from skillbag.kernel.workspace.discovery import NothingToCheckError, find_targets
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import SKILL_FILE, SkillFolder, Target, TargetKind
from skillbag.lint.engine.config import Config, check_names, choose_known, find_config, read_config
from skillbag.lint.engine.named import refuse_unread
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.engine.rule_set import RuleSet, rules_for
from skillbag.lint.rules.builtin import (
    late_families,
    load_clauses,
    load_core_rules,
    load_late_rules,
    load_rules,
)
from skillbag.lint.rules.model import LoadedRules, Rule


class ChosenRules(NamedTuple):
    """The rules of one configuration without those that are loaded late, and the family of every rule that there is.

    `packs` is a digest of the contents of its rule packs.
    """

    config: Config
    rules: tuple[Rule, ...]
    families: Mapping[str, str]
    sets: dict[tuple[TargetKind, bool], RuleSet]
    packs: str = ""

    @cached_property
    def late(self) -> tuple[Rule, ...]:
        """The rules about manifests and files around skills, loaded when they are first needed."""
        return choose_known(load_late_rules(), self.config)

    def has_any(self, kind: TargetKind) -> bool:
        """Whether there is a rule for a kind of target."""
        return any(kind in rule.targets for rule in self.rules) or any(kind in rule.targets for rule in self.late)

    def set_for(self, target: Target) -> RuleSet:
        """The rules for a target."""
        key = target.kind, target.searched
        if key not in self.sets:
            self.sets[key] = rules_for(
                target.kind,
                self.rules,
                lambda: self.late,
                searched=target.searched,
                test_data=self.config.test_data,
            )
        return self.sets[key]


class PlannedTarget(NamedTuple):
    """A target to check, and the rules of its configuration."""

    workspace: Workspace
    chosen: ChosenRules

    @property
    def rules(self) -> RuleSet:
        """The rules for its kind."""
        return self.chosen.set_for(self.workspace.target)

    @property
    def digest(self) -> str:
        """A digest of its rules, their levels and options."""
        from _blake2 import blake2b

        config = self.chosen.config
        chosen = [form for rule in self.chosen.rules for form in (rule, rule.plain) if form]
        rules = [(rule.id, rule.level.value, rule.message, rule.fix) for rule in chosen]
        # The other parts of the standard rules only change with the program.
        team = chosen if config.rules or config.packs else ()
        levels = [(rule.raised, rule.roles) for rule in team]
        own = [(rule.predicate.name, rule.options, rule.clause, sorted(rule.targets)) for rule in team]
        # These decide which of the rules about manifests run; those are not loaded for it.
        named = (config.select, config.ignore, config.levels, config.test_data)
        text = repr((rules, config.options, own, levels, named, self.chosen.packs, self.workspace.target.searched))
        return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Planner:
    """Plans checks of one request, loading rules and configurations once."""

    def __init__(self, request: CheckRequest, notice: Notice | None = None) -> None:
        self.request = request
        self._notice = notice
        self._chosen: dict[str, ChosenRules] = {}
        self._loaded: dict[tuple[tuple[str, ...], tuple[str, ...]], LoadedRules] = {}

    def of(self, target: Target, folders: tuple[SkillFolder, ...]) -> PlannedTarget:
        """What is to be checked of a target whose skill folders are known."""
        return PlannedTarget(Workspace.of(target, folders), self._choose(target.root))

    def plan(self, *, afresh: bool = False) -> list[PlannedTarget]:
        """What is to be checked; `afresh`: with configurations and rules as they are by now.

        Raises:
            NothingToCheckError: a path has no target, or everything is excluded.
            BadConfigError, BadRuleError: a configuration or a team's rule can't be used.
        """
        if afresh:
            self._chosen.clear()
            self._loaded.clear()
        planned: list[PlannedTarget] = []
        unfit: list[Target] = []
        for target in self._targets():
            chosen = self._choose(target.root)
            if not chosen.has_any(target.kind):
                unfit.append(target)
                continue
            parts = [_without_excluded(part, chosen.config) for part in (target, *target.apart)]
            planned += [PlannedTarget(Workspace(part), chosen) for part in parts if part is not None]
        if unfit and not planned:
            raise NothingToCheckError(f"{unfit[0].root}: nothing to check: no rule for its kind is selected")
        if not planned:
            raise NothingToCheckError("nothing to check: everything that was found is excluded")
        return planned

    def _targets(self) -> tuple[Target, ...]:
        """The targets, after recovery of interrupted changes."""
        request = self.request
        test_data = request.test_data or any(map(self._has_test_data, request.paths))
        search = partial(find_targets, request.paths, request.kind, request.root, test_data=test_data)
        targets = search()
        if recover_all((target.root for target in targets), self._notice):
            targets = search()
        if request.named:
            refuse_unread(request.paths, targets)
        return targets

    def _has_test_data(self, path: str) -> bool:
        """Whether the configuration at or above a named path takes test data in."""
        folder = path if tracked.is_folder(path) else os.path.dirname(path)
        file = self._config_at(folder)
        return file is not None and read_config(file).test_data

    def _config_at(self, folder: str) -> str | None:
        if self.request.config or not self.request.trusted:
            return self.request.config
        return find_config(folder, self.request.root)

    def _choose(self, root: str) -> ChosenRules:
        path = self._config_at(root)
        # Without a configuration, patterns are relative to the target itself.
        key = path or root
        _tell_configuration(root, path, self.request)
        if key not in self._chosen:
            config = read_config(path) if path else Config(folder=root)
            config = config._replace(
                select=self.request.select or config.select,
                ignore=(*config.ignore, *self.request.ignore),
                exclude_here=self.request.exclude,
                here=self.request.here,
                test_data=self.request.test_data or config.test_data,
            )
            named = (config.rules, config.packs)
            if named not in self._loaded:
                self._loaded[named] = _usual_rules(*named)
            rules, packs = self._loaded[named]
            further = late_families()
            check_names(rules, config, further)
            families = {**further, **{rule.id: rule.family for rule in rules}}
            self._chosen[key] = ChosenRules(config, choose_known(rules, config), families, {}, packs)
        return self._chosen[key]


def _without_excluded(target: Target, config: Config) -> Target | None:
    """The target without excluded plain skills; None if nothing is left."""
    if not config.exclude and not config.exclude_here:
        return target
    if config.excludes(target.root):
        return None
    if target.kind is not TargetKind.SKILLS:
        return target
    folders = [folder.path for folder in Workspace(target).skill_folders]
    kept = tuple(path for path in folders if not config.excludes(os.path.join(path, SKILL_FILE)))
    return target._replace(only=kept) if kept else None


def _usual_rules(folders: tuple[str, ...], packs: tuple[str, ...]) -> LoadedRules:
    """As `all_rules`, without those about manifests."""
    if not folders and not packs:
        return LoadedRules(load_core_rules())
    late = late_families()
    loaded = all_rules(folders, packs)
    return loaded._replace(rules=tuple(rule for rule in loaded.rules if rule.id not in late))


def all_rules(folders: tuple[str, ...], packs: tuple[str, ...] = ()) -> LoadedRules:
    """The rules of this package, those of a team's own folders (absolute), and those of the packs named.

    Raises:
        BadRuleError, BadPackError: one of them can't be used.
    """
    rules = load_rules()
    if folders:
        # Only a team's own rules need the schema validator.
        from skillbag.lint.rules.loader import load_own

        rules = load_own(folders, rules, load_clauses())
    if not packs:
        return LoadedRules(rules)
    from skillbag.lint.rules.packs import load_packs

    return load_packs(packs, rules)


def describe(rule: Rule) -> RuleInfo:
    """What reports say about a rule."""
    tags = tuple([f"external/owasp/{category}" for category in rule.owasp])
    # Only some reports describe rules.
    from skillbag.lint.rules.general_fix import general_fix

    fix = None if rule.fix is None else general_fix(rule.fix)
    texts = (rule.summary, rule.why, fix, rule.why)
    return RuleInfo(rule.id, rule.family, rule.clause, rule.level, *texts, tags, once=rule.once, url=rule.url)


def _tell_configuration(root: str, path: str | None, request: CheckRequest) -> None:
    if path is None:
        log_step("checks {} without a configuration: there is none at or above it", root)
    else:
        log_step("checks {} with {}: {}", root, path, "it is named" if request.config else "it is the nearest")
