"""What `skillbag check` does once its command line is read; a plain run needs no click."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from skillbag.doors.cli.check_options import STDIN, CheckOptions, WrongUsageError
from skillbag.doors.cli.messages import hint, info, note_shown
from skillbag.doors.cli.output_style import ALWAYS, OutputStyle, colored, set_output_style
from skillbag.doors.cli.streams import columns, is_live, write, write_report
from skillbag.kernel.base.errors import UserError, current_folder_gone
from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.target import TargetKind
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.request import CheckRequest
from skillbag.report import FORMATS, WITH_TIMING
from skillbag.report.options import ReportOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.model.timing import Timing
    from skillbag.lint.skill_graph.values import SkillGraph

_MANY = 2_000
"""Skills from which on a check shows that it is under way."""


def check(asked: CheckOptions) -> int:
    """Check, report, and give the exit code.

    Raises:
        WrongUsageError: the command line is wrong.
        UserError: a configuration, a rule or a baseline is; or there is nothing to check.
        OSError: the environment failed.
    """
    set_output_style(OutputStyle(asked.color, asked.quiet, asked.verbose), info)
    request, asked = _prepared(asked)
    try:
        if STDIN in asked.paths or asked.stdin_filename:
            return _check_stdin(request, asked)
        if asked.watch:
            return _watch(request, asked)
        only_suppressions = asked.select and _is_about_suppressions(asked)
        if only_suppressions:
            from skillbag.doors.cli.check_suppressions import narrowed, of_all_rules

            request = of_all_rules(request)
        checker = _checker(request, asked)
        if asked.diff:
            return _show_diff(checker, asked)

        def conclude(result: CheckResult) -> int:
            _announce(0)
            if only_suppressions:
                result = narrowed(result, asked)
            if asked.write_baseline:
                from skillbag.doors.cli.check_baseline import write

                return write(asked.write_baseline, result)
            return _finish(_subtracted(result, asked), asked, checker.timing)

        if asked.staged or asked.changed_since is not None:
            from skillbag.doors.cli.check_changes import check_changes

            return check_changes(checker, asked, None if asked.quiet else _announce, conclude)
        if asked.fix:
            from skillbag.doors.cli.check_fixes import fixed_result

            return conclude(fixed_result(checker))
        return conclude(checker.check(None if asked.quiet else _announce))
    except UserError as error:
        from skillbag.doors.cli.check_hook import is_before_the_first_skill

        if not is_before_the_first_skill(error, asked):
            raise
        note_shown(str(error))
        return _finish(CheckResult((), ()), asked)


def _prepared(asked: CheckOptions) -> tuple[CheckRequest, CheckOptions]:
    if asked.as_json:
        if asked.format not in (CheckOptions().format, "json"):
            raise WrongUsageError(f"--json and --format {asked.format} contradict each other: give one of them.")
        asked = asked._replace(format="json")
    try:
        request = _request(asked)
    except FileNotFoundError as error:
        raise current_folder_gone(error) from error
    _refuse_mixtures(asked)
    return request, asked


def _is_about_suppressions(asked: CheckOptions) -> bool:
    from skillbag.doors.cli.check_suppressions import is_meant

    return is_meant(asked)


def _checker(request: CheckRequest, asked: CheckOptions) -> Checker:
    if asked.timing:
        import time

        from skillbag.lint.engine.timing import TimedChecker

        return TimedChecker(request, note_shown, time.process_time())
    if not asked.cache and not asked.staged and asked.changed_since is None:
        return Checker(request, note_shown)
    from skillbag.lint.cache.checker import CachedChecker

    return CachedChecker(request, note_shown) if asked.cache else CachedChecker.forgetful(request, note_shown)


def _refuse_mixtures(asked: CheckOptions) -> None:
    files = {"--baseline": asked.baseline, "--write-baseline": asked.write_baseline, "--output": asked.output}
    if empty := next((name for name, path in files.items() if path == ""), None):
        raise WrongUsageError(f"{empty} names no file; leave it out, or is a variable not set?")
    if asked.timing and (asked.watch or asked.fix or asked.diff or asked.write_baseline):
        raise WrongUsageError(
            "--timing measures one check and its report: leave out --watch, --fix, --diff and --write-baseline."
        )
    others = {
        "--fix": asked.fix,
        "--diff": asked.diff,
        "--write-baseline": asked.write_baseline,
        "--staged": asked.staged,
        "--changed-since": asked.changed_since is not None,
    }
    for mode, is_on in (("--watch", asked.watch), *((mode, others[mode]) for mode in ("--staged", "--changed-since"))):
        wrong = next((name for name, given in others.items() if given and name != mode), None)
        if is_on and (wrong or STDIN in asked.paths):
            raise WrongUsageError(f"{mode} goes with neither {wrong or 'standard input'} nor anything that writes.")
    if asked.watch and (asked.also or asked.output or not FORMATS[asked.format].in_series):
        raise WrongUsageError(
            "--watch prints text, concise or JSON, one report after the other: leave out --output and --also."
        )
    if asked.diff and (asked.fix or asked.write_baseline):
        raise WrongUsageError("--diff writes nothing: leave out --fix and --write-baseline.")
    if asked.diff and (asked.also or asked.format != "text"):
        raise WrongUsageError("--diff prints a diff: it goes with neither --format nor --also.")


def _check_stdin(request: CheckRequest, asked: CheckOptions) -> int:
    from skillbag.doors.cli.check_stdin import named_file, result_for, standing_in

    path = named_file(asked)
    with standing_in(path):
        checker = _checker(request._replace(paths=(path,)), asked._replace(cache=False))
        return _finish(_subtracted(result_for(checker, path, asked.stdin_filename), asked), asked, checker.timing)


def _show_diff(checker: Checker, asked: CheckOptions) -> int:
    from skillbag.doors.cli.check_fixes import diff_of_fixes

    text, result = diff_of_fixes(checker, selected=bool(asked.select or asked.ignore), color=_color(asked))
    _write(text, asked.output)
    return int(result.fails(asked.strict))


def _subtracted(result: CheckResult, asked: CheckOptions) -> CheckResult:
    if not asked.baseline:
        return result
    from skillbag.doors.cli.check_baseline import subtracted

    return subtracted(result, asked, asked.baseline)


def _watch(request: CheckRequest, asked: CheckOptions) -> int:
    from skillbag.doors.cli.watching import watch_check
    from skillbag.kernel.base.extras import require

    require("watchfiles", "--watch", "watch")

    def report(result: CheckResult) -> int:
        return _finish(_subtracted(result, asked), asked)

    return watch_check(request, report, remember=asked.cache)


def _request(asked: CheckOptions) -> CheckRequest:
    return CheckRequest(
        paths=tuple(_absolute(path) for path in asked.paths if path != STDIN) or (_start(asked.root),),
        kind=TargetKind(asked.kind) if asked.kind else None,
        config=_existing("--config", asked.config, "file", os.path.isfile),
        root=_existing("--root", asked.root, "folder", os.path.isdir),
        select=asked.select,
        ignore=asked.ignore,
        exclude=asked.exclude,
        here=os.getcwd(),
    )


def _start(root: str | None) -> str:
    """Where a check without paths begins: this folder, or the `--root` that it does not lie in."""
    here = os.getcwd()
    top = _absolute(root or here)
    return here if here == top or here.startswith(top.rstrip(os.sep) + os.sep) else top


def _absolute(path: str) -> str:
    if not path:
        raise WrongUsageError("a path is empty: is a variable not set? Name a file or folder, or . for this one.")
    # Not the real path: a file that is named by a link is reported by the name that the user gave.
    return os.path.abspath(path)


def _existing(option: str, path: str | None, kind: str, exists: Callable[[str], bool]) -> str | None:
    if path is None:
        return None
    if not exists(path):
        raise WrongUsageError(f"{option} {path}: there is no such {kind}.")
    return _absolute(path)


def _announce(skills: int) -> None:
    """Show on a terminal that a long check is under way; 0 removes that line."""
    if is_live(sys.stderr):
        sys.stderr.write(f"\r\x1b[KChecking {skills:,} skills…" if skills >= _MANY else "\r\x1b[K")
        sys.stderr.flush()


def _finish(result: CheckResult, asked: CheckOptions, timing: Timing | None = None) -> int:
    if result.findings:
        from skillbag.lint.engine.once import reported_once

        result = reported_once(result)
    form = FORMATS[asked.format]
    if any(each.has_fingerprints for each in (form, *(FORMATS[name] for name, _ in asked.also))):
        from skillbag.lint.engine.fingerprints import fingerprinted

        result = result._replace(findings=tuple(fingerprinted(result.findings)))
    is_page = "html" in (asked.format, *(name for name, _ in asked.also))
    options = ReportOptions(
        cwd=os.getcwd(),
        color=_color(asked),
        width=0 if asked.output not in (None, STDIN) else columns(sys.stdout),
        quiet=asked.quiet,
        statistics=asked.statistics,
        strict=asked.strict,
        exit=int(result.fails(asked.strict)),
        links=_links(asked),
        command=_command(asked) if is_page else "",
        graph=_graph(asked) if is_page and result.targets else None,
    )
    text = _rendered(asked.format, result, options, timing)
    _write(form.in_series(text) if asked.watch and form.in_series else text, asked.output)
    if asked.format == "html" and asked.output is None and sys.stdout.isatty():
        hint("that was a page for a browser: `-o report.html` writes it to a file.")
    for name, path in asked.also:
        _write(_rendered(name, result, options._replace(color=False, links=""), timing), path)
    if timing and asked.format not in WITH_TIMING:
        from skillbag.report.timing import timing_text

        write(timing_text(timing, columns(sys.stderr)), sys.stderr)
    return options.exit


def _graph(asked: CheckOptions) -> SkillGraph | None:
    if STDIN in asked.paths:
        return None
    from skillbag.doors.cli.check_graph import checked_graph

    return checked_graph(_request(asked))


def _rendered(name: str, result: CheckResult, options: ReportOptions, timing: Timing | None) -> str:
    given = (timing,) if timing and name in WITH_TIMING else ()
    return FORMATS[name].render(result, options, *given)


def _command(asked: CheckOptions) -> str:
    from skillbag.doors.cli.check_command import command_again

    return command_again(asked)


def _color(asked: CheckOptions) -> bool:
    return asked.color == ALWAYS if asked.output else colored(sys.stdout)


def _links(asked: CheckOptions) -> str:
    if asked.output or not (sys.stdout.isatty() or "FORCE_HYPERLINK" in os.environ):
        return ""
    from skillbag.doors.cli.hyperlinks import link_form

    return link_form(sys.stdout, _color(asked))


def _write(text: str, path: str | None) -> None:
    """Print, or write to the file `path` (`-` is standard output)."""
    if path is None or path == STDIN:
        write(text, sys.stdout)
    else:
        write_report(path, text)
