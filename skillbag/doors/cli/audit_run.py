"""What `skillbag team audit` does once its command line is read; loaded only then."""

from __future__ import annotations

import gc
import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from skillbag.doors.cli.answers import CommandOutput, json_text
from skillbag.doors.cli.command_support import look_of
from skillbag.doors.cli.messages import note
from skillbag.doors.cli.output_style import output_style
from skillbag.doors.cli.outputs import check_output
from skillbag.doors.cli.person import check_code
from skillbag.doors.cli.progress import bars
from skillbag.doors.cli.streams import is_live
from skillbag.fleet.audit.records_file import Records
from skillbag.fleet.audit.runner import Engine, Watcher, audit_locally, run_audit
from skillbag.fleet.audit.settings import AuditSettings, make_settings
from skillbag.fleet.audit.source_rows import SourceRows
from skillbag.fleet.audit.sources import make_tasks, open_manifest, read_manifest, read_shard
from skillbag.fleet.audit.summary import summarize
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.name_lists import split_list
from skillbag.kernel.base.parallel import cores
from skillbag.kernel.fs.atomic import open_atomic, write_atomic
from skillbag.lint.rules.model import Rule
from skillbag.report.audit import audit_markdown, audit_text

_EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal."""

_WEEK = 7 * 24 * 60 * 60
_SCHEDULERS = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
"""How the address of a scheduler begins, and never that of a source."""


def audit(
    *,
    as_json: bool,
    sources: tuple[str, ...],
    manifests: tuple[str, ...],
    out: str | None,
    shard: str | None,
    retry_failed: bool,
    parquet: bool,
    sarif: bool,
    strict: bool,
    **options: Any,
) -> CommandOutput:
    """Audit the sources that have no record yet, and summarize the records.

    Raises:
        UserError: the options, a manifest or a record is wrong, or there is nothing to summarize.
        OSError: the environment failed.
    """
    # It may run for days.
    gc.enable()
    part = read_shard(shard) if shard else None
    if out is None:
        line = " ".join(map(shlex.quote, ("skillbag", "team", "audit", *sources)))
        raise UserError(f"--out is missing, the folder for records and summary: {line} --out audit")
    check_output(out)
    if parquet:
        from skillbag.kernel.base.extras import extra

        # An audit may take days: find out now whether its tables can be written.
        extra("pyarrow.parquet", "--format parquet", "audit")
    settings = _settings(**options)
    if sources or manifests:
        engine, sources = _engine(sources, **options)
        tasks = make_tasks(_named(sources, manifests), os.getcwd(), part)
        os.makedirs(out, exist_ok=True)
        for source in sources:
            _say_several(source, out)
        with _watched(as_json or output_style().quiet) as watcher:
            run_audit(tasks, settings, out, engine, shard=part, retry_failed=retry_failed, watcher=watcher)
    return _sum_up(out, strict, parquet=parquet, sarif=settings.own if sarif else None)


def _say_several(source: str, out: str) -> None:
    """Say that a folder of several repositories counts as one source."""
    found = [name for name in os.listdir(source) if _is_repository(source, name)] if os.path.isdir(source) else []
    if len(found) > 1 and not _is_repository(source):
        each = f"skillbag team audit {source.rstrip(os.sep)}/* --out {out}"
        note(f"{source} holds {len(found)} repositories, and is audited as one source: {each} takes each as its own")


def _is_repository(*parts: str) -> bool:
    return os.path.lexists(os.path.join(*parts, ".git"))


def _settings(
    *,
    config: Iterable[str],
    timeout: float,
    keep: bool,
    offline: bool,
    **_: Any,
) -> AuditSettings:
    if not 1 <= timeout <= _WEEK:
        raise UserError(f"--timeout {timeout:g}: give the seconds for one source, from 1 to {_WEEK} (a week)")
    path: str | None = None
    given: dict[str, list[str]] = {"select": [], "ignore": [], "suppressions": []}
    for text in config:
        key, equals, value = text.partition("=")
        if equals and key in given:
            given[key].append(value)
        elif os.path.isfile(text):
            path = os.path.abspath(text)
        else:
            raise UserError(f"--config {text}: there is no such file, and the keys are {', '.join(given)}")
    suppressions = given["suppressions"][-1:] != ["false"]
    settings = make_settings(path, split_list(given["select"]), split_list(given["ignore"]), suppressions=suppressions)
    return settings._replace(timeout=timeout, keep=keep or offline, offline=offline)


def _engine(sources: tuple[str, ...], *, engine: str, jobs: int | None, **_: Any) -> tuple[Engine, tuple[str, ...]]:
    """The engine, and the sources without the address of its scheduler."""
    if engine == "local":
        return partial(audit_locally, jobs=jobs or cores()), sources
    from skillbag.fleet.audit.cluster import audit_on_cluster

    schedulers = [source for source in sources if source.startswith(_SCHEDULERS)]
    if len(schedulers) != 1:
        raise UserError("--engine dask needs the address of one scheduler, such as --engine dask tcp://host:8786")
    check_code(f"working with the scheduler {schedulers[0]}, which can have this program run code")
    rest = tuple(source for source in sources if source not in schedulers)
    return partial(audit_on_cluster, address=schedulers[0]), rest


def _named(sources: Iterable[str], manifests: Iterable[str]) -> Iterator[str]:
    yield from sources
    for manifest in manifests:
        named = read_manifest(sys.stdin) if manifest == "-" else open_manifest(manifest)
        first = next(named, None)
        if first is None:
            # An audit of nothing would look like success, although the program that made the list has failed.
            raise UserError(f"--manifest {manifest}: it names no source; write one a line")
        yield first
        yield from named


def _sum_up(out: str, strict: bool, *, parquet: bool, sarif: tuple[Rule, ...] | None) -> CommandOutput:
    """Write the summary, and with the rules of a team for `sarif` the findings."""
    from skillbag.report.pages.audit import audit_page

    records = Records(out)
    if not records.paths:
        raise UserError(f"--out {out}: there are no records (records*.jsonl) there, and no source is named")
    sources = SourceRows()
    summary = summarize(sources.through(records))._replace(passed_over=records.passed_over)
    if parquet:
        from skillbag.fleet.audit.parquet import write_parquet

        write_parquet(records, out)
    if sarif is not None:
        _write_sarif(records, out, sarif)
    found = summary.findings.error + summary.findings.warning
    code = int(summary.sources.failed > 0 or (strict and found > 0))
    text = "" if output_style().quiet else audit_text(summary, look_of(sys.stdout))
    answer = CommandOutput(summary, text, code)
    _write(out, "summary.json", json_text("audit", answer))
    _write(out, "summary.md", audit_markdown(summary))
    _write(out, "summary.html", audit_page(summary, sources.rows))
    return answer


def _write_sarif(records: Records, out: str, own: tuple[Rule, ...]) -> None:
    from skillbag.report.audit_sarif import audit_sarif

    folder = os.path.abspath(out)
    with open_atomic(os.path.join(folder, "findings.sarif"), root=folder) as file:
        for piece in audit_sarif(records, own):
            file.write(piece.encode("ascii"))


def _write(folder: str, name: str, text: str) -> None:
    folder = os.path.abspath(folder)
    write_atomic(os.path.join(folder, name), text.encode("utf-8", "backslashreplace"), root=folder)


@contextmanager
def _watched(silent: bool) -> Iterator[Watcher]:
    """A bar on a terminal that comes and goes; elsewhere a line every so often."""
    if silent:
        yield Watcher()
        return
    if not is_live(sys.stderr):
        yield _Lines()
        return
    with bars() as progress:

        class Bar(Watcher):
            """Draws how many are done, and an estimate of the time left."""

            def begin(self, total: int, before: int) -> None:
                self.advance = progress("Auditing", total)

            def done(self, line: str) -> None:
                self.advance()

        yield Bar()


class _Lines(Watcher):
    """Prints a line at the beginning, and one every so often."""

    def begin(self, total: int, before: int) -> None:
        self.total, self.count = total, 0
        self.began = self.printed = time.monotonic()
        sources = "source" if total == 1 else "sources"
        note(f"auditing {total:,} {sources}" + (f"; {before:,} are done" if before else ""))

    def done(self, line: str) -> None:
        self.count += 1
        now = time.monotonic()
        if now - self.printed >= _EVERY and self.count < self.total:
            self.printed = now
            left = (now - self.began) / self.count * (self.total - self.count)
            note(f"{self.count:,} of {self.total:,}; about {_duration(left)} left")


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
