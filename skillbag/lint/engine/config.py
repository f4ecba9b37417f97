"""Configuration: `[tool.skillbag]` of `pyproject.toml`, or `skillbag.toml`, found upward from what is checked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.source import why_unread
from skillbag.kernel.fs import tracked
from skillbag.kernel.fs.read import read
from skillbag.kernel.model.findings import Finding, Severity
from skillbag.lint.rules.model import Rule, RuleBindingError, check_options, literals_of, read_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from pathspec import GitIgnoreSpec


NAMES: tuple[str, ...] = ("skillbag.toml", "pyproject.toml")
_MAY_HAVE_TABLE = late(
    r"""^[ \t]*["']?tool["']?[ \t]*[.=]|^[ \t]*\[{1,2}[ \t]*["']?tool["']?[ \t]*(?:\]|\.[ \t]*["']?skillbag)"""
    r"|tool\.skillbag|\\[uUx]",
    re.MULTILINE,
)
"""What a table `tool.skillbag` begins with: a key of `tool`, its header, or that of the table; or any escape."""


class BadConfigError(UserError):
    """A configuration that can't be used; the message begins with its path."""


class PathSettings(NamedTuple):
    """Settings for the files that `pattern` matches (a glob, relative to the configuration's folder)."""

    pattern: str
    ignore: tuple[str, ...] = ()
    levels: Mapping[str, str] = {}


class Config(NamedTuple):
    """The settings of a configuration file and the command line.

    Patterns are relative to `folder`; those of the command line, `exclude_here`, to its working directory `here`.
    `select` and `ignore` name rules, families or clauses; the keys of `levels` and `options` are rule ids; `rules` are
    absolute folders of a team's own rules, `packs` references to rule packs (`rules.packs`). `test_data`: files of
    tests are held to all rules, too.
    """

    folder: str
    path: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_here: tuple[str, ...] = ()
    here: str = ""
    levels: Mapping[str, str] = {}
    options: Mapping[str, Mapping[str, Any]] = {}
    paths: tuple[PathSettings, ...] = ()
    rules: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()
    test_data: bool = False

    def excludes(self, path: str) -> bool:
        """Whether the absolute `path`, or a folder that holds it, is excluded."""
        if self.exclude and _matches(_relative(path, self.folder), self.exclude):
            return True
        return bool(self.exclude_here) and _matches(_relative(path, self.here), self.exclude_here)

    def keep(self, finding: Finding, family: str) -> Finding | None:
        """The finding of a rule of `family`, with the level for its path; None if the path excludes it."""
        if self.excludes(finding.path):
            return None
        relative = _relative(finding.path, self.folder) if self.paths else ""
        for settings in self.paths:
            if not _matches(relative, (settings.pattern,)):
                continue
            level = settings.levels.get(finding.rule)
            if level == "off" or _named(finding.rule, finding.clause, family, settings.ignore):
                return None
            if level:
                finding = finding._replace(level=Severity(level))
        return finding


def _relative(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def find_config(start: str, top: str | None = None) -> str | None:
    """The nearest `skillbag.toml`, or `pyproject.toml` with a table `[tool.skillbag]`, at or above the folder `start`.

    The search does not go above the folder `top`.
    """
    folder = start
    while True:
        for name in NAMES:
            path = os.path.join(folder, name)
            if tracked.is_file(path) and (name == NAMES[0] or _has_table(path)):
                return path
        parent = os.path.dirname(folder)
        if folder in (parent, top):
            return None
        folder = parent


def read_config(path: str) -> Config:
    """Read and check one configuration file.

    Raises:
        BadConfigError: it can't be read, is not TOML, or has a key or value that the schema does not know.
    """
    table = read_table(path)
    folder = os.path.dirname(os.path.abspath(path))
    return Config(
        folder=folder,
        path=path,
        select=tuple(table.get("select", ())),
        ignore=tuple(table.get("ignore", ())),
        exclude=tuple(table.get("exclude", ())),
        levels=table.get("levels", {}),
        options=table.get("options", {}),
        paths=tuple(
            PathSettings(pattern, tuple(entry.get("ignore", ())), entry.get("levels", {}))
            for pattern, entry in table.get("paths", {}).items()
        ),
        rules=tuple(os.path.normpath(os.path.join(folder, name)) for name in table.get("rules", ())),
        packs=tuple(table.get("packs", ())),
        test_data=bool(table.get("test-data", False)),
    )


def read_table(path: str) -> Mapping[str, Any]:
    """Our table in a configuration file, which the schema allows. Raises as `read_config`."""
    table = _parsed(path)
    if os.path.basename(path) == NAMES[1]:
        tool = table.get("tool", {})
        if not isinstance(tool, dict):
            raise BadConfigError(f"{path}: `tool` is not a table")
        table = tool.get("skillbag", {})
    elif isinstance(tool := table.get("tool"), dict) and "skillbag" in tool:
        raise BadConfigError(f"{path}: leave the header [tool.skillbag] out, which is for {NAMES[1]}")
    from skillbag.kernel.base.package_data import schema_fault, schema_words

    if error := schema_fault("config", table):
        where = ".".join(map(str, error.absolute_path))
        raise BadConfigError(f"{path}: {where + ': ' if where else ''}{schema_words(error)}")
    return table


def _has_table(path: str) -> bool:
    """Whether a `pyproject.toml` has our table, in any notation of TOML (but an escape in `skillbag`)."""
    data = _bytes(path)
    # Most projects that use the program have it among their dependencies, and loading a parser of TOML takes as long
    # as checking several skills.
    if b"skillbag" not in data or not _MAY_HAVE_TABLE().search(data.decode("utf-8-sig", "replace")):
        return False
    try:
        tool = _parsed(path).get("tool")
    except BadConfigError:
        # If it seems to have the table, reading it reports the error.
        return b"tool.skillbag" in data
    return isinstance(tool, dict) and "skillbag" in tool


def _parsed(path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise BadConfigError(f"{path}: this is not UTF-8 text") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadConfigError(f"{path}: this is not TOML: {error}") from error


def _bytes(path: str) -> bytes:
    # A configuration may be a link to a file elsewhere.
    data = read(path, os.path.dirname(os.path.realpath(path)))
    if isinstance(data, bytes):
        return data
    raise BadConfigError(f"{path}: it can't be read: {why_unread(data)}")


def choose(rules: Sequence[Rule], config: Config) -> tuple[Rule, ...]:
    """The rules that run, with their configured levels and options.

    `select` replaces the default set; a rule that it names by id runs even if it is off by default.

    Raises:
        BadConfigError: a name that is no rule, family or clause, or an invalid option.
    """
    check_names(rules, config)
    return choose_known(rules, config)


def choose_known(rules: Iterable[Rule], config: Config) -> tuple[Rule, ...]:
    """As `choose`, for a configuration whose names are known to be valid.

    Raises:
        BadConfigError: an invalid option.
    """
    chosen = (rule for rule in rules if config.levels.get(rule.id) != "off" and _runs(rule, config))
    return tuple([_adjust(rule, config) for rule in chosen])


def _adjust(rule: Rule, config: Config) -> Rule:
    if rule.plain:
        rule = rule._replace(plain=_adjust(rule.plain, config))
    level = config.levels.get(rule.id)
    options = config.options.get(rule.id)
    if options:
        try:
            given = {**rule.given, **read_options(rule.predicate, options)}
            check_options(rule.predicate, given)
            rule = rule._replace(given=given, literals=literals_of(rule.predicate, given))
        except RuleBindingError as error:
            raise BadConfigError(f"{config.path}: options of {rule.id}: {error.message}") from error
    if not level:
        return rule
    roles = {role: Severity(level) if known else None for role, known in rule.roles.items()}
    return rule._replace(level=Severity(level), raised=None, roles=roles, sign="")


def _runs(rule: Rule, config: Config) -> bool:
    if _named(rule.id, rule.clause, rule.family, config.ignore):
        return False
    if not config.select:
        return rule.default or rule.id in config.levels
    if rule.id in config.select:
        return True
    named = _named(rule.id, rule.clause, rule.family, config.select)
    return named and (rule.default or "all" in config.select)


def _named(rule: str, clause: str | None, family: str, names: Iterable[str]) -> bool:
    return any(
        name == "all" or name in (rule, family, clause) or bool(clause and clause.startswith(name + "."))
        for name in names
    )


def check_names(rules: Sequence[Rule], config: Config, further: Mapping[str, str] = {}) -> None:
    """Check what a configuration names; `further` are the families of rules that are not loaded, by their ids.

    Raises:
        BadConfigError: a name that is no rule, family or clause.
    """
    known = {"all", *further, *further.values()} | {rule.id for rule in rules} | {rule.family for rule in rules}
    clauses = {rule.clause for rule in rules if rule.clause}
    known |= clauses | {clause.partition(".")[0] for clause in clauses}
    names = [*config.select, *config.ignore, *(name for paths in config.paths for name in paths.ignore)]
    ids = {rule.id for rule in rules} | further.keys()
    levels = [*config.levels, *(name for paths in config.paths for name in paths.levels)]
    unknown = [name for name in names if name not in known]
    unknown += [name for name in (*levels, *config.options) if name not in ids]
    if unknown:
        hint = nearest(unknown[0], sorted(known)) or "; `skillbag explain` lists them"
        raise BadConfigError(f"{config.path or 'command line'}: there is no rule {unknown[0]!r}{hint}")


def _matches(relative: str, patterns: tuple[str, ...]) -> bool:
    return _spec(patterns).match_file(relative)


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    """The globs, with the syntax of `.gitignore`."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)
