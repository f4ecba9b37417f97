"""What `skillbag check` does once its command line is read; a plain run needs no click."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from skillbag.doors.cli.check_options import KEYS, STDIN, CheckOptions, WrongUsageError
from skillbag.doors.cli.exit_codes import EXIT_USAGE
from skillbag.doors.cli.messages import error as print_error
from skillbag.doors.cli.messages import hint, info, note_shown
from skillbag.doors.cli.output_style import ALWAYS, OutputStyle, colored, set_output_style
from skillbag.doors.cli.streams import columns, is_live, lines, safe, write, write_report
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


def check(options: CheckOptions) -> int:
    """Check, report, and give the exit code.

    Raises:
        WrongUsageError: the command line is wrong.
        UserError: a configuration, a rule or a baseline is; or there is nothing to check.
        OSError: the environment failed.
    """
    set_output_style(OutputStyle(options.color, options.quiet, options.verbose), info)
    if options.paths and not options.source:
        from skillbag.doors.cli.address_paths import address_among

        if (address := address_among(options.paths)) is not None:
            from skillbag.doors.cli.check_source import check_source

            return check_source(options, address, check)
    request, options = _prepared(options)
    try:
        if STDIN in options.paths or options.stdin_filename:
            return _check_stdin(request, options)
        if options.watch:
            return _watch(request, options)
        only_suppressions = options.select and _is_about_suppressions(options)
        if only_suppressions:
            from skillbag.doors.cli.check_suppressions import narrowed, of_all_rules

            request = of_all_rules(request)
        checker = _checker(request, options)
        if options.diff:
            return _show_diff(checker, options)

        def conclude(result: CheckResult) -> int:
            _announce(0)
            if only_suppressions:
                result = narrowed(result, options)
            if options.write_baseline:
                from skillbag.doors.cli.check_baseline import write

                return write(options.write_baseline, result)
            return _finish(_subtracted(result, options), options, checker.timing)

        if options.staged or options.changed_since is not None:
            from skillbag.doors.cli.check_changes import check_changes

            return check_changes(checker, options, None if options.quiet else _announce, conclude)
        if options.fix:
            from skillbag.doors.cli.check_fixes import fixed_result

            return conclude(fixed_result(checker))
        return conclude(checker.check(None if options.quiet else _announce))
    except UserError as error:
        from skillbag.doors.cli.check_hook import is_before_the_first_skill, other_paths

        if rest := other_paths(error, options):
            try:
                return check(options._replace(paths=rest, lacking=True))
            finally:
                print_error(safe(str(error)))
        if not is_before_the_first_skill(error, options):
            raise
        note_shown(str(error))
        return _finish(CheckResult((), ()), options)


def _prepared(options: CheckOptions) -> tuple[CheckRequest, CheckOptions]:
    if options.as_json:
        if options.format not in (CheckOptions().format, "json"):
            raise WrongUsageError(f"--json and --format {options.format} contradict each other: give one of them.")
        options = options._replace(format="json")
    try:
        request = _request(options)
    except FileNotFoundError as error:
        raise current_folder_gone(error) from error
    _refuse_mixtures(options)
    return request, options


def _is_about_suppressions(options: CheckOptions) -> bool:
    from skillbag.doors.cli.check_suppressions import is_meant

    return is_meant(options)


def _checker(request: CheckRequest, options: CheckOptions) -> Checker:
    if options.timing:
        import time

        from skillbag.lint.engine.timing import TimedChecker

        return TimedChecker(request, note_shown, time.process_time())
    if not options.cache and not options.staged and options.changed_since is None:
        return Checker(request, note_shown)
    from skillbag.lint.cache.checker import CachedChecker

    return CachedChecker(request, note_shown) if options.cache else CachedChecker.forgetful(request, note_shown)


def _refuse_mixtures(options: CheckOptions) -> None:
    files = {"--baseline": options.baseline, "--output": options.output}
    if empty := next((name for name, path in files.items() if path == ""), None):
        raise WrongUsageError(f"{empty} names no file; leave it out, or is a variable not set?")
    if options.timing and (options.watch or options.fix or options.diff or options.write_baseline):
        raise WrongUsageError(
            "timing=true measures one check and its report: leave out --watch, --fix, --format diff and -o baseline=."
        )
    others = {
        "--fix": options.fix,
        "--format diff": options.diff,
        "-o baseline=": options.write_baseline,
        "--staged": options.staged,
        "--changed-since": options.changed_since is not None,
    }
    for mode, is_on in (
        ("--watch", options.watch),
        *((mode, others[mode]) for mode in ("--staged", "--changed-since")),
    ):
        wrong = next((name for name, given in others.items() if given and name != mode), None)
        if is_on and (wrong or STDIN in options.paths):
            raise WrongUsageError(f"{mode} goes with neither {wrong or 'standard input'} nor anything that writes.")
    if options.watch and (options.also or options.output or not FORMATS[options.format].in_series):
        raise WrongUsageError("--watch prints text, concise or JSON, one report after the other: leave out --output.")
    if options.diff and (options.fix or options.write_baseline):
        raise WrongUsageError("--format diff writes nothing: leave out --fix and -o baseline=.")
    if options.diff and (options.also or options.format != "text"):
        raise WrongUsageError("--format diff prints a diff: it goes with neither --json nor -o FORMAT=FILE.")


def _check_stdin(request: CheckRequest, options: CheckOptions) -> int:
    from skillbag.doors.cli.check_stdin import named_file, result_for, standing_in

    path = named_file(options)
    with standing_in(path):
        checker = _checker(request._replace(paths=(path,)), options._replace(cache=False))
        return _finish(_subtracted(result_for(checker, path, options.stdin_filename), options), options, checker.timing)


def _show_diff(checker: Checker, options: CheckOptions) -> int:
    from skillbag.doors.cli.check_fixes import diff_of_fixes

    text, result = diff_of_fixes(checker, selected=bool(options.select or options.ignore), color=_color(options))
    _write(text, options.output)
    return int(result.fails(options.strict))


def _subtracted(result: CheckResult, options: CheckOptions) -> CheckResult:
    if not options.baseline:
        return result
    from skillbag.doors.cli.check_baseline import subtracted

    return subtracted(result, options, options.baseline)


def _watch(request: CheckRequest, options: CheckOptions) -> int:
    from skillbag.doors.cli.watching import watch_check
    from skillbag.kernel.base.extras import require

    require("watchfiles", "--watch", "watch")

    def report(result: CheckResult) -> int:
        return _finish(_subtracted(result, options), options)

    return watch_check(request, report, remember=options.cache)


def _request(options: CheckOptions) -> CheckRequest:
    return CheckRequest(
        paths=tuple(_absolute(path) for path in options.paths if path != STDIN) or (_start(options.root),),
        kind=TargetKind(options.kind) if options.kind else None,
        config=_existing("--config", options.config, "file", os.path.isfile),
        root=_existing("--config root =", options.root, "folder", os.path.isdir),
        select=options.select,
        ignore=options.ignore,
        exclude=options.exclude,
        here=os.getcwd(),
        test_data=options.test_data,
        trusted=not options.source,
        named=bool(options.paths) and not _is_given_files(options),
    )


def _is_given_files(options: CheckOptions) -> bool:
    """Whether the paths may be those of any files: of a commit, of a diff, or open in an editor."""
    is_diff = options.staged or options.changed_since is not None
    return is_diff or STDIN in options.paths or os.environ.get("PRE_COMMIT") == "1"


def _start(root: str | None) -> str:
    """Where a check without paths begins: this folder, or the `root` that it does not lie in."""
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
        keys = f" Keys that can be set here: {', '.join(KEYS)}." if "=" in path else ""
        raise WrongUsageError(f"{option} {path}: there is no such {kind}.{keys}")
    return _absolute(path)


def _announce(skills: int) -> None:
    """Show on a terminal that a long check is under way; 0 removes that line."""
    if is_live(sys.stderr):
        sys.stderr.write(f"\r\x1b[KChecking {skills:,} skills…" if skills >= _MANY else "\r\x1b[K")
        sys.stderr.flush()


def _finish(result: CheckResult, options: CheckOptions, timing: Timing | None = None) -> int:
    if result.findings:
        from skillbag.lint.engine.causes import reported_once

        result = reported_once(result)
    form = FORMATS[options.format]
    if any(each.has_fingerprints for each in (form, *(FORMATS[name] for name, _ in options.also))):
        from skillbag.lint.engine.fingerprints import fingerprinted

        result = result._replace(findings=tuple(fingerprinted(result.findings)))
    whole, result = result, result if options.level == CheckOptions().level else result.down_to(options.level)
    is_page = "html" in (options.format, *(name for name, _ in options.also))
    render_options = ReportOptions(
        cwd=os.getcwd(),
        color=_color(options),
        width=0 if options.output not in (None, STDIN) else columns(sys.stdout),
        quiet=options.quiet,
        statistics=options.statistics,
        strict=options.strict,
        exit=EXIT_USAGE if options.lacking else int(whole.fails(options.strict)),
        height=lines(sys.stdout),
        by_place=options.sort == "place",
        links=_links(options),
        command=_command(options) if is_page else "",
        source=options.source,
        graph=_graph(options) if is_page and result.targets else None,
    )
    text = _rendered(options.format, result, render_options, timing)
    _write(form.in_series(text) if options.watch and form.in_series else text, options.output)
    if options.source and options.format == "text":
        from skillbag.doors.cli.check_source import say_verdict

        say_verdict(whole, options.source)
    if options.format == "html" and options.output is None and sys.stdout.isatty():
        hint("that was a page for a browser: `-o report.html` writes it to a file.")
    for name, path in options.also:
        _write(_rendered(name, result, render_options._replace(color=False, links=""), timing), path)
    if timing and options.format not in WITH_TIMING:
        from skillbag.report.timing import timing_text

        write(timing_text(timing, columns(sys.stderr)), sys.stderr)
    return render_options.exit


def _graph(options: CheckOptions) -> SkillGraph | None:
    if STDIN in options.paths:
        return None
    from skillbag.doors.cli.check_graph import checked_graph

    return checked_graph(_request(options))


def _rendered(name: str, result: CheckResult, options: ReportOptions, timing: Timing | None) -> str:
    given = (timing,) if timing and name in WITH_TIMING else ()
    return FORMATS[name].render(result, options, *given)


def _command(options: CheckOptions) -> str:
    from skillbag.doors.cli.check_command import command_again

    return command_again(options)


def _color(options: CheckOptions) -> bool:
    return options.color == ALWAYS if options.output else colored(sys.stdout)


def _links(options: CheckOptions) -> str:
    if options.output or not (sys.stdout.isatty() or "FORCE_HYPERLINK" in os.environ):
        return ""
    from skillbag.doors.cli.hyperlinks import link_form

    return link_form(sys.stdout, _color(options))


def _write(text: str, path: str | None) -> None:
    """Print, or write to the file `path` (`-` is standard output)."""
    if path is None or path == STDIN:
        write(text, sys.stdout)
    else:
        write_report(path, text)
