"""One check from arguments to result: find the targets, lint each under its own configuration, gather."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from skillbag.config import Config, choose, find_config, read_config
from skillbag.findings import Finding
from skillbag.lint import lint
from skillbag.result import CheckedTarget, Result, RuleInfo
from skillbag.rules import Rule, load_rules
from skillbag.transaction.recovery import Notice, recover_all, recover_around
from skillbag.workspace.discovery import NothingToCheckError, find_targets
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import SKILL_FILE, Kind, Target


class Request(NamedTuple):
    """What a check is asked to do: absolute `paths`, and what the command line adds to the configuration.

    `config` is the absolute path of a configuration to use instead of those found upward of each target; `root` the
    folder that the search for it, and for targets around a path, does not go beyond (None: the file system's root);
    `here` the folder that the patterns of `exclude` are relative to.
    """

    paths: tuple[str, ...]
    kind: Kind | None = None
    config: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    root: str | None = None
    here: str = ""
    today: str = ""


class _Chosen(NamedTuple):
    config: Config
    rules: tuple[Rule, ...]
    families: Mapping[str, str]


class Checker:
    """Checks again and again under one request, loading rules and configurations once.

    `notice` is told, in a sentence, of a change of a workspace that had been interrupted and was brought to an end.
    """

    def __init__(self, request: Request, notice: Notice | None = None) -> None:
        self.request = request
        self._notice = notice
        self._today = request.today or datetime.date.today().isoformat()
        self._chosen: dict[str, _Chosen] = {}
        self._loaded: dict[tuple[str, ...], tuple[Rule, ...]] = {}

    def check(self, progress: Callable[[int], None] | None = None) -> Result:
        """Check everything that the request names; `progress` is told of each target's number of skills beforehand.

        Raises:
            NothingToCheckError: a path has no target, or everything is excluded.
            BadConfigError, BadRuleError: a configuration or a team's rule can't be used.
            OSError: a change of a workspace was interrupted, and can't be brought to an end.
        """
        checked: list[CheckedTarget] = []
        findings: list[Finding] = []
        suppressed = 0
        for target in self._targets():
            chosen = self._choose(target.root)
            if not any(target.kind in rule.targets for rule in chosen.rules):
                raise NothingToCheckError(f"{target.root}: nothing to check: no rule for its kind is selected")
            narrowed = _without_excluded(target, chosen.config)
            if narrowed is None:
                continue
            target = narrowed
            workspace = Workspace(target)
            if progress:
                progress(len(workspace.skill_folders))
            linted = lint(workspace, chosen.rules, defined=chosen.families.keys(), today=self._today)
            kept = [chosen.config.keep(finding, chosen.families[finding.rule]) for finding in linted.findings]
            findings += [finding for finding in kept if finding is not None]
            suppressed += linted.suppressed + kept.count(None)
            checked.append(CheckedTarget(target.kind.value, target.root, linted.skills, linted.files))
        if not checked:
            raise NothingToCheckError("nothing to check: everything that was found is excluded")
        findings.sort(key=lambda finding: (finding.path, finding.line, finding.column, finding.rule))
        return Result(tuple(checked), tuple(findings), self._rules(), suppressed=suppressed)

    def _targets(self) -> tuple[Target, ...]:
        """The targets as whoever wrote to them last meant to leave them."""
        request = self.request
        recover_around(request.paths, request.root, self._notice)
        targets = find_targets(request.paths, request.kind, request.root)
        if recover_all((target.root for target in targets), self._notice):
            return find_targets(request.paths, request.kind, request.root)
        return targets

    def _rules(self) -> tuple[RuleInfo, ...]:
        rules: dict[str, RuleInfo] = {}
        for chosen in self._chosen.values():
            for rule in chosen.rules:
                rules.setdefault(rule.id, describe(rule))
        return tuple(rules[name] for name in sorted(rules))

    def _choose(self, root: str) -> _Chosen:
        path = self.request.config or find_config(root, self.request.root)
        # Without a configuration, patterns are relative to the target itself.
        key = path or root
        if key not in self._chosen:
            config = _with_request(read_config(path) if path else Config(folder=root), self.request)
            if config.rules not in self._loaded:
                self._loaded[config.rules] = all_rules(config.rules)
            rules = self._loaded[config.rules]
            self._chosen[key] = _Chosen(config, choose(rules, config), {rule.id: rule.family for rule in rules})
        return self._chosen[key]


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
    from skillbag.rule_files import load_own

    return load_own(folders, rules)


def describe(rule: Rule) -> RuleInfo:
    """What reports say about a rule."""
    return RuleInfo(rule.id, rule.family, rule.clause, rule.level, rule.summary, rule.why, rule.fix, rule.why)


def _with_request(config: Config, request: Request) -> Config:
    return replace(
        config,
        select=request.select or config.select,
        ignore=(*config.ignore, *request.ignore),
        exclude_here=request.exclude,
        here=request.here,
    )


def only_paths(result: Result, paths: Iterable[str]) -> Result:
    """The result with the findings of these absolute paths alone."""
    real = {os.path.realpath(path) for path in paths}
    return replace(result, findings=tuple(f for f in result.findings if os.path.realpath(f.path) in real))
