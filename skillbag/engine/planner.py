"""What a request comes to: its targets, each with the rules of its configuration, and what they find."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest

from skillbag.base.records import NamedTuple
from skillbag.engine.config import Config, choose, find_config, read_config
from skillbag.engine.lint import Memory, RuleSet, lint, rules_for
from skillbag.engine.request import CheckRequest
from skillbag.model.findings import Finding
from skillbag.model.result import Aside, CheckedTarget, Result, RuleInfo
from skillbag.rules.model import Rule, load_rules
from skillbag.transaction.recovery import Notice, recover_all
from skillbag.workspace.discovery import NothingToCheckError, find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import SKILL_FILE, Kind, SkillFolder, Target


class _Chosen(NamedTuple):
    config: Config
    rules: tuple[Rule, ...]
    families: Mapping[str, str]
    sets: dict[Kind, RuleSet]


class Planned(NamedTuple):
    """A target that is to be checked, and by what."""

    workspace: Workspace
    chosen: _Chosen

    @property
    def rules(self) -> str:
        """A digest of what distinguishes its rules from others."""
        return _digest(self.chosen)


class CheckPlan:
    """Judges the targets of one request, again and again, loading rules and configurations once."""

    def __init__(self, request: CheckRequest, notice: Notice | None = None) -> None:
        self.request = request
        self._notice = notice
        self._chosen: dict[str, _Chosen] = {}
        self._loaded: dict[tuple[str, ...], tuple[Rule, ...]] = {}

    def of(self, target: Target, folders: tuple[SkillFolder, ...]) -> Planned:
        """What is to be checked of a target whose skill folders are known."""
        return Planned(Workspace.of(target, folders), self._choose(target.root))

    def plan(self, *, afresh: bool = False) -> list[Planned]:
        """What is to be checked; `afresh`: with configurations and rules as they are by now.

        Raises:
            NothingToCheckError: a path has no target, or everything is excluded.
            BadConfigError, BadRuleError: a configuration or a team's rule can't be used.
        """
        if afresh:
            self._chosen.clear()
            self._loaded.clear()
        planned = []
        for target in self._targets():
            chosen = self._choose(target.root)
            if not any(target.kind in rule.targets for rule in chosen.rules):
                raise NothingToCheckError(f"{target.root}: nothing to check: no rule for its kind is selected")
            narrowed = _without_excluded(target, chosen.config)
            if narrowed is not None:
                planned.append(Planned(Workspace(narrowed), chosen))
        if not planned:
            raise NothingToCheckError("nothing to check: everything that was found is excluded")
        return planned

    def judge(
        self,
        planned: Sequence[Planned],
        today: str,
        progress: Callable[[int], None] | None = None,
        memories: Sequence[Memory] = (),
    ) -> tuple[Result, bool]:
        """The result, and whether it holds `today` alone; `memories`: one for each target, where there are any."""
        checked: list[CheckedTarget] = []
        findings: list[Finding] = []
        aside: set[Aside] = set()
        suppressed, dated = 0, False
        for (workspace, chosen), memory in zip_longest(planned, memories):
            if progress:
                progress(len(workspace.skill_folders))
            rules = self._rule_set(chosen, workspace.kind)
            linted = lint(workspace, rules, defined=chosen.families.keys(), today=today, memory=memory)
            kept = [chosen.config.keep(finding, chosen.families[finding.rule]) for finding in linted.findings]
            findings += [finding for finding in kept if finding is not None]
            found = (*linted.aside, *(Aside(*one) for one in workspace.target.aside))
            aside.update(one for one in found if not chosen.config.excludes(one.path))
            suppressed += linted.suppressed + kept.count(None)
            checked.append(CheckedTarget(workspace.kind.value, workspace.root, linted.skills, linted.files))
            dated = dated or linted.dated
        findings.sort(key=lambda finding: (finding.path, finding.line, finding.column, finding.rule))
        found_aside = tuple(sorted(aside))
        return Result(tuple(checked), tuple(findings), _infos(planned), suppressed, aside=found_aside), dated

    def _rule_set(self, chosen: _Chosen, kind: Kind) -> RuleSet:
        if kind not in chosen.sets:
            chosen.sets[kind] = rules_for(kind, chosen.rules)
        return chosen.sets[kind]

    def _targets(self) -> tuple[Target, ...]:
        """The targets as whoever wrote to them last meant to leave them."""
        request = self.request
        targets = find_targets(request.paths, request.kind, request.root)
        if recover_all((target.root for target in targets), self._notice):
            return find_targets(request.paths, request.kind, request.root)
        return targets

    def _choose(self, root: str) -> _Chosen:
        path = self.request.config or find_config(root, self.request.root)
        # Without a configuration, patterns are relative to the target itself.
        key = path or root
        if key not in self._chosen:
            config = _with_request(read_config(path) if path else Config(folder=root), self.request)
            if config.rules not in self._loaded:
                self._loaded[config.rules] = all_rules(config.rules)
            rules = self._loaded[config.rules]
            self._chosen[key] = _Chosen(config, choose(rules, config), {rule.id: rule.family for rule in rules}, {})
        return self._chosen[key]


def _infos(planned: Sequence[Planned]) -> tuple[RuleInfo, ...]:
    rules: dict[str, RuleInfo] = {}
    for chosen in {id(one.chosen): one.chosen for one in planned}.values():
        for rule in chosen.rules:
            rules.setdefault(rule.id, describe(rule))
    return tuple(rules[name] for name in sorted(rules))


def _digest(chosen: _Chosen) -> str:
    """What distinguishes the rules that run from others."""
    from _blake2 import blake2b

    config = chosen.config
    own = [_own(rule) for rule in chosen.rules] if config.rules else []
    rules = [(rule.id, rule.level.value, rule.message, rule.fix) for rule in chosen.rules]
    return blake2b(repr((rules, config.options, own)).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _own(rule: Rule) -> tuple[object, ...]:
    return rule.predicate.name, rule.options, rule.clause, sorted(rule.targets)


def _without_excluded(target: Target, config: Config) -> Target | None:
    """The target without the plain skills that are excluded; None where nothing of it is left to check."""
    if not config.exclude and not config.exclude_here:
        return target
    if config.excludes(target.root):
        return None
    if target.kind is not Kind.SKILLS:
        return target
    folders = [folder.path for folder in Workspace(target).skill_folders]
    kept = tuple(path for path in folders if not config.excludes(os.path.join(path, SKILL_FILE)))
    return target._replace(only=kept) if kept else None


def all_rules(folders: tuple[str, ...]) -> tuple[Rule, ...]:
    """The rules of this package, and those of a team's own folders (absolute)."""
    rules = load_rules()
    if not folders:
        return rules
    # Reading rule files takes a schema validator, which only a team with rules of its own pays for.
    from skillbag.rules.loader import load_own

    return load_own(folders, rules)


def describe(rule: Rule) -> RuleInfo:
    """What reports say about a rule."""
    return RuleInfo(rule.id, rule.family, rule.clause, rule.level, rule.summary, rule.why, rule.fix, rule.why)


def _with_request(config: Config, request: CheckRequest) -> Config:
    return config._replace(
        select=request.select or config.select,
        ignore=(*config.ignore, *request.ignore),
        exclude_here=request.exclude,
        here=request.here,
    )
