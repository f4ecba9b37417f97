"""What `skillbag check` does, once its command line is read; nothing here needs click for a plain run."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

from skillbag.cli.check_options import CheckOptions
from skillbag.cli.recovery import report_recovery
from skillbag.cli.streams import columns, silence
from skillbag.engine.checker import Checker, only_paths
from skillbag.engine.request import CheckRequest
from skillbag.fs.read import overlay
from skillbag.model.findings import fingerprinted
from skillbag.model.result import Result
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions
from skillbag.workspace.target import Kind

STDIN = "-"
_MOST_PASSES = 10
_MANY = 2_000
"""Skills from which a check is long enough to say that it is under way."""


class WrongUsageError(Exception):
    """Options that don't go together, or a path that can't be meant; found before anything is read or written."""


def check(asked: CheckOptions) -> int:
    """Check what is asked for, report, and give the exit code.

    Raises:
        WrongUsageError: the command line is a mistake.
        UserError: a configuration, a rule or a baseline is; or there is nothing to check.
        OSError: the environment failed.
    """
    # Nothing here makes reference cycles in number; the collector would only walk over what is still in use.
    gc.disable()
    request = _request(asked)
    _refuse_mixtures(asked)
    if STDIN in asked.paths or asked.stdin_filename:
        return _check_stdin(request, asked)
    if asked.watch:
        return _watch(request, asked)
    if asked.diff and (asked.also or asked.format != "text"):
        raise WrongUsageError("--diff prints a diff: it goes with neither --format nor --also.")
    if asked.staged:
        return _check_staged(request, asked)
    checker = _checker(request, asked)
    if asked.diff:
        return _show_diff(checker, asked)
    result = _fixed(checker) if asked.fix else checker.check(None if asked.quiet else _announce)
    _announce(0)
    if asked.write_baseline:
        return _write_baseline(asked.write_baseline, result)
    return _finish(_subtracted(result, asked.baseline), asked)


def _checker(request: CheckRequest, asked: CheckOptions) -> Checker:
    """The one place where a check with a cache and one without part."""
    if not asked.cache:
        return Checker(request, report_recovery)
    from skillbag.cache.checker import CachedChecker

    return CachedChecker(request, report_recovery)


def _refuse_mixtures(asked: CheckOptions) -> None:
    others = {
        "--fix": asked.fix,
        "--diff": asked.diff,
        "--write-baseline": asked.write_baseline,
        "--staged": asked.staged,
    }
    for mode, is_on in (("--watch", asked.watch), ("--staged", asked.staged)):
        wrong = next((name for name, given in others.items() if given and name != mode), None)
        if is_on and (wrong or STDIN in asked.paths):
            raise WrongUsageError(f"{mode} goes with neither {wrong or 'standard input'} nor anything that writes.")
    if asked.watch and (asked.also or asked.output or asked.format not in ("text", "json")):
        raise WrongUsageError("--watch prints text or JSON, one report after the other: leave out --output and --also.")


def _check_staged(request: CheckRequest, asked: CheckOptions) -> int:
    from skillbag.engine.staged import only_staged, staged_files

    files_ = staged_files(request.paths)
    checker = _checker(request, asked)
    result = checker.check(None if asked.quiet else _announce)
    _announce(0)
    return _finish(_subtracted(only_staged(result, files_), asked.baseline), asked)


def _watch(request: CheckRequest, asked: CheckOptions) -> int:
    from skillbag.cli.check_watch import watch

    def report(result: Result) -> int:
        return _finish(_subtracted(result, asked.baseline), asked, on_one_line=asked.format == "json")

    return watch(request, report, remember=asked.cache)


def _request(asked: CheckOptions) -> CheckRequest:
    return CheckRequest(
        paths=tuple(_absolute(path) for path in asked.paths if path != STDIN) or ((_absolute(asked.root or "."),)),
        kind=Kind(asked.kind) if asked.kind else None,
        config=_existing(asked.config),
        root=_existing_folder(asked.root),
        select=asked.select,
        ignore=asked.ignore,
        exclude=asked.exclude,
        here=os.getcwd(),
    )


def _absolute(path: str) -> str:
    if not path:
        raise WrongUsageError("a path is empty: is a variable not set? Name a file or folder, or . for this one.")
    # Not the real path: what is named by a link is reported by the name that its user gave.
    return os.path.abspath(path)


def _existing(config: str | None) -> str | None:
    if config is not None and not os.path.isfile(config):
        raise WrongUsageError(f"--config {config}: there is no such file.")
    return _absolute(config) if config else None


def _existing_folder(root: str | None) -> str | None:
    if root is not None and not os.path.isdir(root):
        raise WrongUsageError(f"--root {root}: there is no such folder.")
    return _absolute(root) if root else None


def _announce(skills: int) -> None:
    """Say on a terminal what takes a while; 0 takes it back."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[KChecking {skills:,} skills…" if skills >= _MANY else "\r\x1b[K")
        sys.stderr.flush()


def _check_stdin(request: CheckRequest, asked: CheckOptions) -> int:
    filename = asked.stdin_filename
    if asked.fix or asked.diff or asked.write_baseline:
        raise WrongUsageError("standard input can't be fixed or made a baseline; name the file instead.")
    if asked.paths != (STDIN,):
        raise WrongUsageError("--stdin-filename goes with the one path -.")
    if not filename:
        raise WrongUsageError("the path - needs --stdin-filename: which file does standard input stand in for?")
    path = _absolute(filename)
    if os.path.isdir(path):
        raise WrongUsageError(f"--stdin-filename {filename} is a folder: name the file that the input stands for.")
    with overlay({path: sys.stdin.buffer.read()}):
        result = Checker(request._replace(paths=(path,)), report_recovery).check()
        result = only_paths(result, [path])
        return _finish(_subtracted(result, asked.baseline), asked)


def _fixed(checker: Checker) -> Result:
    """Check and fix until nothing more can be fixed: all at once, then what only a new name has brought to light."""
    import click

    from skillbag.engine.fixes import apply_changes, plan_whole
    from skillbag.report.paths import shown_path

    mended: list[str] = []
    for _ in range(_MOST_PASSES):
        result, changes = plan_whole(checker.check)
        if not changes:
            break
        apply_changes(changes, checker.request.paths)
        mended += [change.renamed or change.path for change in changes]
    for path in dict.fromkeys(mended):
        click.echo(f"mended {shown_path(path, os.getcwd())}", err=True)
    if changes:
        result = checker.check()
    if result.installed:
        from skillbag.report.summary import counted

        left = counted(result.installed, "finding")
        click.echo(f"left alone: {left} in installed skills, for the authors of their sources to mend", err=True)
    return result


def _show_diff(checker: Checker, asked: CheckOptions) -> int:
    from skillbag.engine.fixes import plan_whole
    from skillbag.report.diff import render_diff

    result, changes = plan_whole(checker.check)
    before = {change.path: change.old for change in changes}
    after = {change.path: change.new for change in changes}
    moved = {change.path: change for change in changes if change.renamed or change.mode is not None}
    _write(render_diff(before, after, moved, os.getcwd(), _color(asked)), asked.output)
    return int(result.fails(asked.strict))


def _write_baseline(path: str, result: Result) -> int:
    import click

    from skillbag.engine.baseline import write_baseline

    count = write_baseline(path, result.findings)
    click.echo(f"{path}: {count} finding{'' if count == 1 else 's'} written", err=True)
    return 0


def _subtracted(result: Result, baseline: str | None) -> Result:
    if not baseline:
        return result
    from skillbag.engine.baseline import read_baseline, subtract

    left = subtract(result.findings, read_baseline(baseline))
    return result._replace(findings=tuple(left), baselined=len(result.findings) - len(left))


def _finish(result: Result, asked: CheckOptions, *, on_one_line: bool = False) -> int:
    if {"sarif", "gitlab"} & {asked.format, *(name for name, _ in asked.also)}:
        result = result._replace(findings=tuple(fingerprinted(result.findings)))
    options = ReportOptions(
        cwd=os.getcwd(),
        color=_color(asked),
        width=_width(asked),
        quiet=asked.quiet,
        statistics=asked.statistics,
        strict=asked.strict,
    )
    pieces = FORMATS[asked.format](result, options)
    if on_one_line:
        # In JSON, ends of lines stand between values alone.
        pieces = iter(["".join(pieces).replace("\n", ""), "\n"])
    _write(pieces, asked.output)
    for name, path in asked.also:
        _write(FORMATS[name](result, options._replace(color=False)), path)
    return int(result.fails(asked.strict))


def _color(asked: CheckOptions) -> bool:
    if asked.color is not None:
        return asked.color
    return not asked.output and sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _width(asked: CheckOptions) -> int:
    return 0 if asked.output not in (None, STDIN) else columns(sys.stdout)


def _write(pieces: Iterator[str], path: str | None) -> None:
    """Print, or write to the file `path` (`-` is standard output)."""
    if path is None or path == STDIN:
        try:
            sys.stdout.writelines(pieces)
            sys.stdout.flush()
        except BrokenPipeError:
            # Whoever read us has seen enough (`| head`).
            silence(sys.stdout)
        return
    from skillbag.cli.report_file import write_report

    write_report(path, "".join(pieces))
