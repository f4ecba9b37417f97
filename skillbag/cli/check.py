"""`skillbag check`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import click

from skillbag import files
from skillbag.baseline import read_baseline, subtract, write_baseline
from skillbag.checking import Checker, Request, only_paths
from skillbag.cli.recovering import tell
from skillbag.findings import fingerprinted
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions
from skillbag.result import Result
from skillbag.workspace.target import Kind

STDIN = "-"
_MOST_PASSES = 10
_MANY = 2_000
"""Skills from which a check is long enough to say that it is under way."""


@dataclass(frozen=True)
class _Output:
    """How the result is shown and counted."""

    format: str
    file: str | None
    also: tuple[tuple[str, str], ...]
    strict: bool
    quiet: bool
    statistics: bool
    color: bool | None


def _csv(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name.strip() for value in values for name in value.split(",") if name.strip())


def _pairs(
    _context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    pairs = []
    for value in values:
        name, _, path = value.partition("=")
        if name not in FORMATS or not path:
            raise click.BadParameter(f"{value!r}: give FORMAT=FILE, with one of {', '.join(FORMATS)}.")
        pairs.append((name, path))
    return tuple(pairs)


_EXAMPLES = """\b
Examples:
  skillbag check                         the target around this folder, and those below
  skillbag check --format sarif -o out.sarif
  skillbag check --select root,links     two parts of the standard and rules alone
  skillbag check --diff                  what --fix would change
  skillbag check - --stdin-filename .skills/a/SKILL.md < SKILL.md
"""


@click.command("check", epilog=_EXAMPLES)
@click.argument("paths", nargs=-1)
@click.option("--target", "kind", type=click.Choice([kind.value for kind in Kind]), help="Check as this kind.")
@click.option("--format", "format_", type=click.Choice(list(FORMATS)), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False), help="Write the report to this file.")
@click.option("--also", multiple=True, callback=_pairs, metavar="FORMAT=FILE", help="Write another report as well.")
@click.option(
    "--select", multiple=True, callback=_csv, help="Rules, families or clauses to run, instead of the default."
)
@click.option("--ignore", multiple=True, callback=_csv, help="Rules, families or clauses to leave out.")
@click.option("--exclude", multiple=True, callback=_csv, help="Globs of files and folders to leave out.")
@click.option("--config", type=click.Path(dir_okay=False), help="Use this configuration file.")
@click.option("--root", type=click.Path(file_okay=False), help="Do not look for targets or configuration above this.")
@click.option("--fix", is_flag=True, help="Apply the safe fixes, then report what is left.")
@click.option("--diff", is_flag=True, help="Show the safe fixes as a patch; write nothing.")
@click.option("--baseline", type=click.Path(dir_okay=False), help="Leave out the findings that this file knows.")
@click.option("--write-baseline", type=click.Path(dir_okay=False), help="Write the findings to this file.")
@click.option("--stdin-filename", help="With the path -: the file that standard input stands in for.")
@click.option("--strict", is_flag=True, help="Warnings fail too.")
@click.option("--quiet", "-q", is_flag=True, help="Findings only; nothing on a clean run.")
@click.option("--statistics", is_flag=True, help="Count the findings by rule.")
@click.option("--color/--no-color", default=None, help="Colour, whatever the terminal is.")
def command(
    paths: tuple[str, ...],
    kind: str | None,
    format_: str,
    output: str | None,
    also: tuple[tuple[str, str], ...],
    config: str | None,
    root: str | None,
    fix: bool,
    diff: bool,
    baseline: str | None,
    write_baseline: str | None,
    stdin_filename: str | None,
    strict: bool,
    quiet: bool,
    statistics: bool,
    color: bool | None,
    **names: tuple[str, ...],
) -> None:
    """Check workspaces, sources and plain skill trees; PATHS default to this folder.

    A path may be a root, a folder within one, or a file: the target around it is found, and those below it.
    """
    # Nothing here makes reference cycles in number; the collector would only walk over what is still in use.
    gc.disable()
    request = _request(paths, kind, config, root, names)
    shown_as = _Output(format_, output, also, strict, quiet, statistics, color)
    if STDIN in paths or stdin_filename:
        if fix or diff or write_baseline:
            raise click.UsageError("standard input can't be fixed or made a baseline; name the file instead.")
        _check_stdin(request, paths, stdin_filename, baseline, shown_as)
    checker = Checker(request, tell)
    if diff:
        _show_diff(checker, shown_as)
    result = _fixed(checker) if fix else checker.check(None if quiet else _announce)
    _announce(0)
    if write_baseline:
        _write_baseline(write_baseline, result)
    _finish(_subtracted(result, baseline) if baseline else result, shown_as)


def _request(
    paths: tuple[str, ...], kind: str | None, config: str | None, root: str | None, names: dict[str, tuple[str, ...]]
) -> Request:
    return Request(
        paths=tuple(_absolute(path) for path in paths if path != STDIN) or ((_absolute(root or "."),)),
        kind=Kind(kind) if kind else None,
        config=_existing(config),
        root=_existing_folder(root),
        select=names["select"],
        ignore=names["ignore"],
        exclude=names["exclude"],
        here=os.getcwd(),
    )


def _absolute(path: str) -> str:
    if not path:
        raise click.UsageError("a path is empty: is a variable not set? Name a file or folder, or . for this one.")
    # Not the real path: what is named by a link is reported by the name that its user gave.
    return os.path.abspath(path)


def _existing(config: str | None) -> str | None:
    if config is not None and not os.path.isfile(config):
        raise click.UsageError(f"--config {config}: there is no such file.")
    return _absolute(config) if config else None


def _existing_folder(root: str | None) -> str | None:
    if root is not None and not os.path.isdir(root):
        raise click.UsageError(f"--root {root}: there is no such folder.")
    return _absolute(root) if root else None


def _announce(skills: int) -> None:
    """Say on a terminal what takes a while; 0 takes it back."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[KChecking {skills:,} skills…" if skills >= _MANY else "\r\x1b[K")
        sys.stderr.flush()


def _check_stdin(
    request: Request, paths: tuple[str, ...], filename: str | None, baseline: str | None, output: _Output
) -> None:
    if STDIN not in paths or len(paths) > 1:
        raise click.UsageError("--stdin-filename goes with the one path -.")
    if not filename:
        raise click.UsageError("the path - needs --stdin-filename: which file does standard input stand in for?")
    path = _absolute(filename)
    if os.path.isdir(path):
        raise click.UsageError(f"--stdin-filename {filename} is a folder: name the file that the input stands for.")
    with files.overlay({path: sys.stdin.buffer.read()}):
        result = Checker(request._replace(paths=(path,)), tell).check()
        result = only_paths(result, [path])
        _finish(_subtracted(result, baseline) if baseline else result, output)


def _fixed(checker: Checker) -> Result:
    """Check and fix until nothing more can be fixed: one fix may bring to light what another one cures."""
    from skillbag.fixes import apply_changes, plan_fixes
    from skillbag.report.paths import shown_path

    mended: list[str] = []
    for _ in range(_MOST_PASSES):
        result = checker.check()
        changes = plan_fixes(result.findings)
        if not changes:
            break
        apply_changes(changes)
        mended += [change.renamed or change.path for change in changes]
    for path in dict.fromkeys(mended):
        click.echo(f"mended {shown_path(path, os.getcwd())}", err=True)
    return result


def _show_diff(checker: Checker, output: _Output) -> None:
    if output.also or output.format != "text":
        raise click.UsageError("--diff prints a diff: it goes with neither --format nor --also.")
    from skillbag.fixes import plan_fixes
    from skillbag.report.diff import render_diff

    before: dict[str, bytes | None] = {}
    after: dict[str, bytes] = {}
    moved = {}
    result = checker.check()
    latest = result
    for _ in range(_MOST_PASSES):
        changes = [change for change in plan_fixes(latest.findings) if change.path not in moved]
        if not changes:
            break
        for change in changes:
            before.setdefault(change.path, change.old)
            after[change.path] = change.new
            if change.renamed or change.mode is not None:
                moved[change.path] = change
        with files.overlay(after):
            latest = checker.check()
    _write(render_diff(before, after, moved, os.getcwd(), _color(output)), output.file)
    sys.exit(int(result.fails(output.strict)))


def _write_baseline(path: str, result: Result) -> None:
    count = write_baseline(path, result.findings)
    click.echo(f"{path}: {count} finding{'' if count == 1 else 's'} written", err=True)
    sys.exit(0)


def _subtracted(result: Result, baseline: str) -> Result:
    left = subtract(result.findings, read_baseline(baseline))
    return replace(result, findings=tuple(left), baselined=len(result.findings) - len(left))


def _finish(result: Result, output: _Output) -> None:
    if {"sarif", "gitlab"} & {output.format, *(name for name, _ in output.also)}:
        result = replace(result, findings=tuple(fingerprinted(result.findings)))
    options = ReportOptions(
        cwd=os.getcwd(),
        color=_color(output),
        width=_width(),
        quiet=output.quiet,
        statistics=output.statistics,
        strict=output.strict,
    )
    _write(FORMATS[output.format](result, options), output.file)
    for name, path in output.also:
        _write(FORMATS[name](result, options._replace(color=False)), path)
    sys.exit(int(result.fails(output.strict)))


def _color(output: _Output) -> bool:
    if output.color is not None:
        return output.color
    return not output.file and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _width() -> int:
    import shutil

    return min(shutil.get_terminal_size((80, 24)).columns, 100)


def _write(pieces: Iterator[str], path: str | None) -> None:
    """Print, or write to the file `path` (`-` is standard output)."""
    if path is None or path == STDIN:
        with _quiet_pipe():
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
        return
    from skillbag.cli.report_file import write_report

    write_report(path, "".join(pieces))


@contextmanager
def _quiet_pipe() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # Whoever read us has seen enough (`| head`); the interpreter must not complain at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
