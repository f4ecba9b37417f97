"""The options of `skillbag check` as data, of which click's command and the reader of plain command lines are made."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.doors.cli.output_style import AUTO, COLORS
from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.model.findings import Severity
from skillbag.kernel.workspace.target import TargetKind
from skillbag.report import FORMATS

FLAG, TEXT, FILE, FOLDER = "flag", "text", "file", "folder"
"""What follows an option: nothing; a text; the path of a file, or of a folder, that may be missing."""


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

    `off` is the name that switches a flag off, where there is one. Without `choices`, any value will do; `listed` ones
    are split at commas, `paired` ones at the first `=`, and both may be given several times.
    """

    field: str
    names: tuple[str, ...]
    takes: str
    help: str | None = None
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    off: str | None = None
    listed: bool = False
    paired: bool = False

    def value(self, given: Iterable[str]) -> object:
        """The value of the option, which is given once or several times; of a simple one the last counts.

        Raises:
            WrongValueError: a pair is not one of a format and a file, or a list is empty.
        """
        if self.listed:
            values = [*given]
            names = split_list(values)
            if values and not names:
                raise WrongValueError("it names nothing; leave it out, or is a variable not set?")
            return names
        return split_pairs(given) if self.paired else [*given][-1]


COMMON = (
    Option("color", ("--color",), TEXT, "Colours, by default only on a terminal.", choices=COLORS),
    Option("quiet", ("--quiet", "-q"), FLAG, "Print results and errors only."),
    Option("verbose", ("--verbose", "-v"), FLAG, "Say on standard error what is done, and why."),
)
"""The options of every command."""

OPTIONS = (
    Option(
        "kind", ("--target",), TEXT, "The kind of target, instead of detecting it.", choices=tuple(map(str, TargetKind))
    ),
    Option("format", ("--format",), TEXT, "What the report looks like.", choices=tuple(FORMATS)),
    Option("output", ("--output", "-o"), FILE, "Write the report to this file."),
    Option("also", ("--also",), TEXT, "Write another report as well.", metavar="FORMAT=FILE", paired=True),
    Option("select", ("--select",), TEXT, "Rules, families or clauses to run instead of the default set.", listed=True),
    Option("ignore", ("--ignore",), TEXT, "Rules, families or clauses to leave out.", listed=True),
    Option("exclude", ("--exclude",), TEXT, "Globs of files and folders to leave out.", listed=True),
    Option("test_data", ("--test-data",), FLAG, "Hold files of tests to all rules, not only to those about security."),
    Option("config", ("--config",), FILE, "Use this configuration file."),
    Option("root", ("--root",), FOLDER, "Do not search for targets or configuration above this folder."),
    Option("fix", ("--fix",), FLAG, "Apply the safe fixes, then report the remaining findings."),
    Option("diff", ("--diff",), FLAG, "Show the safe fixes as a patch; write nothing."),
    Option("baseline", ("--baseline",), FILE, "Ignore the findings recorded in this file."),
    Option("write_baseline", ("--write-baseline",), FILE, "Write the findings to this file."),
    Option("stdin_filename", ("--stdin-filename",), TEXT, "With the path -: the name of the file on standard input."),
    Option("staged", ("--staged",), FLAG, "Report findings in what the next commit changes, and those it causes."),
    Option(
        "changed_since",
        ("--changed-since",),
        TEXT,
        "Report findings in what changed since the merge base with this commit, and those it causes elsewhere.",
        metavar="REF",
    ),
    Option("watch", ("--watch",), FLAG, "Report again whenever the findings change, until Ctrl-C."),
    Option("cache", ("--cache",), FLAG, "Use the cache (default).", off="--no-cache"),
    Option("strict", ("--strict",), FLAG, "Also fail on warnings, except in installed skills."),
    Option("level", ("--level",), TEXT, "Show findings of this level and above.", choices=tuple(map(str, Severity))),
    Option("sort", ("--sort",), TEXT, "What text and pages begin with: errors, or files.", choices=("level", "place")),
    Option("statistics", ("--statistics",), FLAG, "Count the findings by rule."),
    Option("timing", ("--timing",), FLAG, "Report the seconds of each phase and rule; without the cache."),
    Option("as_json", ("--json",), FLAG, "Print JSON, including errors."),
    *COMMON,
)
"""In the order in which `--help` lists them."""


class WrongValueError(ValueError):
    """A value that an option can't take; the message says which it takes."""


def split_pairs(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Formats and files of values such as `sarif=out.sarif`.

    Raises:
        WrongValueError: one is not of this form, or names no format.
    """
    pairs = []
    for value in values:
        name, _, path = value.partition("=")
        if name not in FORMATS or not path:
            raise WrongValueError(f"{value!r}: give FORMAT=FILE, with one of {', '.join(FORMATS)}.")
        pairs.append((name, path))
    return tuple(pairs)
