"""The options of `skillbag check` as data, of which click's command and the reader of plain command lines are made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from skillbag.doors.cli.output_style import AUTO, COLORS
from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from skillbag.report import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FLAG, TEXT, FILE = "flag", "text", "file"
"""What follows an option: nothing; a text; the path of a file that may be missing."""

STDIN = "-"
"""The path that stands for standard input."""


class WrongUsageError(Exception):
    """Options that don't go together, or an invalid path; found before anything is read or written."""


class CheckOptions(NamedTuple):
    """What the command line asks of a check, each value as it is given."""

    paths: tuple[str, ...] = ()
    kind: str | None = None
    format: str = "text"
    output: str | None = None
    also: tuple[tuple[str, str], ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    test_data: bool = False
    config: str | None = None
    root: str | None = None
    fix: bool = False
    diff: bool = False
    baseline: str | None = None
    write_baseline: str | None = None
    stdin_filename: str | None = None
    staged: bool = False
    changed_since: str | None = None
    watch: bool = False
    cache: bool = True
    strict: bool = False
    level: str = "note"
    sort: str = "level"
    statistics: bool = False
    timing: bool = False
    as_json: bool = False
    color: str = AUTO
    quiet: bool = False
    verbose: bool = False
    source: str = ""
    """The address that was fetched into the folder that is checked; no option sets it."""
    lacking: bool = False
    """Whether another path has nothing to check; no option sets it."""

    @property
    def prints_json(self) -> bool:
        """Whether the report on standard output is JSON."""
        return (self.as_json or self.format == "json") and self.output is None


class Option(NamedTuple):
    """One option: the field of `CheckOptions` that it sets, its names, what it takes, and its line of help.

    Without `choices`, any value will do. `listed` ones are split at commas; these and `several` may be given several
    times.
    """

    field: str
    names: tuple[str, ...]
    takes: str
    help: str | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    listed: bool = False
    several: bool = False

    def value(self, given: Iterable[str]) -> object:
        """The value of the option, which is given once or several times; of a simple one the last counts.

        Raises:
            WrongValueError: a list is empty.
        """
        values = [*given]
        if self.listed:
            return _list(values)
        return tuple(values) if self.several else values[-1]


COMMON = (
    Option("color", ("--color",), TEXT, "Colours, by default only on a terminal.", choices=COLORS),
    Option("quiet", ("--quiet", "-q"), FLAG, "Print results and errors only."),
    Option("verbose", ("--verbose", "-v"), FLAG, "Say on standard error what is done, and why."),
)
"""The options of every command."""

DIFF, BASELINE = "diff", "baseline"
"""What a check can give beside the formats of its report: the fixes as a patch, and the file of known findings."""

OPTIONS = (
    Option("format", ("--format",), TEXT, "What is printed; diff: what --fix would change.", choices=(*FORMATS, DIFF)),
    Option(
        *("output", ("--output", "-o"), FILE, "Write the report to FILE, or one more; baseline=FILE: known findings."),
        metavar="[FORMAT=]FILE",
        several=True,
    ),
    Option("select", ("--select",), TEXT, "Only these rules, families or clauses.", metavar="NAMES", listed=True),
    Option("ignore", ("--ignore",), TEXT, "Leave these out.", metavar="NAMES", listed=True),
    Option(
        *("config", ("--config",), FILE, "Use this configuration file, or set one of the keys below."),
        metavar="FILE|KEY=VALUE",
        several=True,
    ),
    Option("fix", ("--fix",), FLAG, "Apply the safe fixes, then report the rest."),
    Option("baseline", ("--baseline",), FILE, "Leave out the findings that this file has.", metavar="FILE"),
    Option("staged", ("--staged",), FLAG, "Files of the next commit, and what they cause."),
    Option("changed_since", ("--changed-since",), TEXT, "The same since the merge base with REF.", metavar="REF"),
    Option("watch", ("--watch",), FLAG, "Report again whenever the findings change."),
    Option("strict", ("--strict",), FLAG, "Also fail on warnings."),
    Option("level", ("--level",), TEXT, "Show this level and above.", choices=tuple(map(str, Severity))),
    Option("as_json", ("--json",), FLAG, "Print JSON, including errors."),
    *COMMON,
)
"""In the order in which `--help` lists them."""

_ON = {"true": True, "false": False}
KEYS: Mapping[str, tuple[str, Collection[str]]] = {
    "exclude": ("exclude", ()),
    "test-data": ("test_data", _ON),
    "target": ("kind", tuple(map(str, TargetKind))),
    "root": ("root", ()),
    "cache": ("cache", _ON),
    "sort": ("sort", ("level", "place")),
    "statistics": ("statistics", _ON),
    "timing": ("timing", _ON),
}
"""What `--config KEY=VALUE` sets: by key, the field of `CheckOptions` and its values, if not all will do."""


def made(paths: Iterable[str], given: Mapping[str, Any]) -> CheckOptions:
    """The options of a command line; `given` are the values of `OPTIONS`.

    Raises:
        WrongValueError: a key or its value is none.
    """
    found = dict(given)
    outputs, settings = found.pop("output", ()), found.pop("config", ())
    if found.get("format") == DIFF:
        found |= {"format": CheckOptions().format, "diff": True}
    for text in outputs:
        name, equals, path = text.partition("=")
        if not equals or name not in (*FORMATS, BASELINE):
            found["output"] = text
        elif not path:
            raise WrongValueError(f"--output {text} names no file; leave it out, or is a variable not set?")
        elif name == BASELINE:
            found["write_baseline"] = path
        else:
            found["also"] = (*found.get("also", ()), (name, path))
    for text in settings:
        key, equals, value = text.partition("=")
        if equals and key in KEYS:
            _set(found, key, value)
        else:
            found["config"] = text
    names = [*paths]
    if len(names) == 2 and names[0] == STDIN:
        found["stdin_filename"] = names.pop()
    return CheckOptions(tuple(names), **found)


def _set(found: dict[str, Any], key: str, value: str) -> None:
    field, values = KEYS[key]
    if values and value not in values:
        raise WrongValueError(f"--config {key}={value}: give one of {', '.join(values)}")
    if field == "exclude":
        found[field] = (*found.get(field, ()), *_list([value]))
    else:
        found[field] = _ON[value] if values is _ON else value


def _list(values: list[str]) -> tuple[str, ...]:
    names = split_list(values)
    if values and not names:
        raise WrongValueError("it names nothing; leave it out, or is a variable not set?")
    return names


class WrongValueError(ValueError):
    """A value that an option can't take; the message says which it takes."""
