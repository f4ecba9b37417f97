"""`skillbag audit`."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from skillbag.base.errors import UserError, format_error
from skillbag.cli import EXIT_ENVIRONMENT, EXIT_USAGE
from skillbag.cli.check_options import split_list
from skillbag.cli.streams import write

if TYPE_CHECKING:
    from skillbag.audit.runner import Engine, Watcher
    from skillbag.audit.settings import Settings
    from skillbag.audit.sources import Shard

_EVERY = 30.0
"""Seconds between two lines of progress where there is no terminal."""

_WEEK = 7 * 24 * 60 * 60
_SCHEDULERS = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
"""How the address of a scheduler begins, and never that of a source."""

_EXAMPLES = """\b
Examples:
  skillbag audit https://example.com/Org/skills.git ../bag --out audit
  skillbag audit --manifest sources.txt --out audit           resume
  skillbag audit --manifest sources.txt --out audit --retry-failed
  skillbag audit --manifest sources.txt --out part --shard 3/8
  skillbag audit --out merged                                 summarize existing records
  skillbag audit --manifest sources.txt --out audit --engine dask tcp://host:8786

\b
A line of a manifest is an address, a folder or a zip, with an optional version:
  https://example.com/Org/skills.git @ v2.1.0

\b
Exit codes: 0 done, 1 a source failed (--strict: or has errors), 2 bad usage,
4 the environment failed.
"""


@click.command("audit", epilog=_EXAMPLES)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "--manifest", "manifests", multiple=True, metavar="FILE", help="Sources, one per line; - is standard input."
)
@click.option("--out", required=True, type=click.Path(file_okay=False), help="The folder for records and summary.")
@click.option("--shard", metavar="I/N", help="Audit part I of N of the sources, for example in a CI job.")
@click.option("--retry-failed", is_flag=True, help="Audit failed sources again.")
@click.option("--jobs", type=click.IntRange(1, 1024), metavar="N", help="Number of processes.  [default: the cores]")
@click.option(
    "--timeout",
    type=float,
    default=600.0,
    metavar="SECONDS",
    help="Limit for one source, at most a week.  [default: 600]",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    help="Work on this machine, or on the Dask cluster with the given address.  [default: local]",
)
@click.option("--config", type=click.Path(dir_okay=False), help="The configuration for all sources.")
@click.option("--select", multiple=True, help="Rules, families or clauses to run instead of the default set.")
@click.option("--ignore", multiple=True, help="Rules, families or clauses to leave out.")
@click.option("--no-suppressions", is_flag=True, help="Ignore inline suppressions.")
@click.option("--keep", is_flag=True, help="Keep fetched files in the cache for the next audit.")
@click.option("--offline", is_flag=True, help="Use only the cache of earlier audits with --keep.")
@click.option("--parquet", is_flag=True, help="Also write Parquet tables.")
@click.option("--strict", is_flag=True, help="Also fail if errors are found.")
@click.option("--quiet", "-q", is_flag=True, help="Print errors only.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON.")
def command(as_json: bool, **options: Any) -> None:
    """Check many repositories, record each as one line of JSON, and summarize the findings.

    The configuration of the audited repositories is ignored, and nothing in them is executed. A source with a record in
    --out is skipped. Without a source, the existing records are summarized.
    """
    code = 0
    try:
        code = _audit(as_json, **options)
    except UserError as error:
        if not as_json:
            raise
        code = EXIT_USAGE
        _print_json({"error": str(error), "exit": code})
    except OSError as error:
        if not as_json:
            raise
        code = EXIT_ENVIRONMENT
        _print_json({"error": format_error(error), "exit": code})
    sys.exit(code)


def _audit(
    as_json: bool,
    sources: tuple[str, ...],
    manifests: tuple[str, ...],
    out: str,
    shard: str | None,
    retry_failed: bool,
    parquet: bool,
    strict: bool,
    quiet: bool,
    **options: Any,
) -> int:
    from skillbag.audit.sources import read_shard

    part = read_shard(shard) if shard else None
    if parquet:
        from skillbag.audit.parquet import check_parquet

        check_parquet()
    if sources or manifests:
        _run(sources, manifests, out, part, retry_failed, as_json or quiet, options)
    return _sum_up(out, parquet, strict, quiet, as_json)


def _run(
    sources: tuple[str, ...],
    manifests: tuple[str, ...],
    out: str,
    shard: Shard | None,
    retry_failed: bool,
    silent: bool,
    options: dict[str, Any],
) -> None:
    from skillbag.audit.runner import run_audit
    from skillbag.audit.sources import make_tasks

    settings = _settings(options)
    engine, sources = _engine(sources, options)
    tasks = make_tasks(_named(sources, manifests), os.getcwd(), shard)
    os.makedirs(out, exist_ok=True)
    with _watched(silent) as watcher:
        run_audit(tasks, settings, out, engine, shard=shard, retry_failed=retry_failed, watcher=watcher)


def _settings(options: dict[str, Any]) -> Settings:
    from skillbag.audit.settings import make_settings

    config, timeout = options["config"], options["timeout"]
    if not 1 <= timeout <= _WEEK:
        raise UserError(f"--timeout {timeout:g}: give the seconds for one source, from 1 to {_WEEK} (a week)")
    if config is not None and not os.path.isfile(config):
        raise UserError(f"--config {config}: there is no such file")
    if options["offline"] and not options["keep"]:
        raise UserError("--offline uses what --keep has kept: give both")
    made = make_settings(
        os.path.abspath(config) if config else None,
        split_list(options["select"]),
        split_list(options["ignore"]),
        suppressions=not options["no_suppressions"],
    )
    return made._replace(timeout=timeout, keep=options["keep"], offline=options["offline"])


def _engine(sources: tuple[str, ...], options: dict[str, Any]) -> tuple[Engine, tuple[str, ...]]:
    """The engine, and the sources without the address of its scheduler."""
    if options["engine"] == "local":
        from skillbag.audit.runner import audit_locally, cores

        return partial(audit_locally, jobs=options["jobs"] or cores()), sources
    from skillbag.audit.cluster import audit_on_cluster

    schedulers = [source for source in sources if source.startswith(_SCHEDULERS)]
    if len(schedulers) != 1:
        raise UserError("--engine dask needs the address of one scheduler, such as --engine dask tcp://host:8786")
    rest = tuple(source for source in sources if source not in schedulers)
    return partial(audit_on_cluster, address=schedulers[0]), rest


def _named(sources: Iterable[str], manifests: Iterable[str]) -> Iterator[str]:
    from skillbag.audit.sources import open_manifest, read_manifest

    yield from sources
    for manifest in manifests:
        named = read_manifest(sys.stdin) if manifest == "-" else open_manifest(manifest)
        first = next(named, None)
        if first is None:
            # Nothing was audited is no good news: whatever made the list has failed.
            raise UserError(f"--manifest {manifest}: it names no source; write one a line")
        yield first
        yield from named


def _sum_up(out: str, parquet: bool, strict: bool, quiet: bool, as_json: bool) -> int:
    from skillbag.audit.records_file import Records
    from skillbag.audit.summary import summarize
    from skillbag.cli.command_support import look_of
    from skillbag.report.audit_html import audit_html
    from skillbag.report.audit_text import audit_markdown, audit_text
    from skillbag.report.audit_values import audit_values

    records = Records(out)
    if not records.paths:
        raise UserError(f"--out {out}: there are no records (records*.jsonl) there, and no source is named")
    summary = {**summarize(records), "passed_over": records.passed_over}
    if parquet:
        from skillbag.audit.parquet import write_parquet

        write_parquet(records, out)
    code = int(summary["sources"]["failed"] > 0 or (strict and summary["findings"]["error"] > 0))
    values = {**audit_values(summary), "exit": code}
    _write(out, "summary.json", _json(values))
    _write(out, "summary.md", audit_markdown(summary))
    _write(out, "summary.html", audit_html(summary))
    if as_json:
        _print_json(values)
    elif not quiet:
        write(audit_text(summary, look_of(sys.stdout)), sys.stdout)
    return code


def _json(values: object) -> str:
    import json

    return json.dumps(values, indent=2) + "\n"


def _print_json(values: dict[str, Any]) -> None:
    from skillbag.report.audit_values import audit_values
    from skillbag.report.encoding import encoded

    write(encoded(audit_values(values)) + "\n", sys.stdout)


def _write(folder: str, name: str, text: str) -> None:
    from skillbag.fs.atomic import write_atomic

    folder = os.path.abspath(folder)
    write_atomic(os.path.join(folder, name), text.encode("utf-8", "backslashreplace"), root=folder)


@contextmanager
def _watched(silent: bool) -> Iterator[Watcher]:
    """A bar on a terminal that comes and goes; elsewhere a line every so often."""
    from skillbag.audit.runner import Watcher

    if silent:
        yield Watcher()
    elif sys.stderr.isatty():
        with _bar() as watcher:
            yield watcher
    else:
        yield _teller()


@contextmanager
def _bar() -> Iterator[Watcher]:
    # Heavy, and of use on a terminal alone.
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from skillbag.audit.runner import Watcher

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=300) as progress:

        class Bar(Watcher):
            """Draws how far it is, and an estimate of what is left."""

            def begin(self, total: int, before: int) -> None:
                self.bar = progress.add_task("Auditing", total=total)

            def done(self, line: str) -> None:
                progress.advance(self.bar)

        yield Bar()


def _teller() -> Watcher:
    from skillbag.audit.runner import Watcher

    class Teller(Watcher):
        """Tells a line at the beginning, and one every so often."""

        def begin(self, total: int, before: int) -> None:
            self.total, self.count = total, 0
            self.began = self.told = time.monotonic()
            sources = "source" if total == 1 else "sources"
            click.echo(f"auditing {total:,} {sources}" + (f"; {before:,} are done" if before else ""), err=True)

        def done(self, line: str) -> None:
            self.count += 1
            now = time.monotonic()
            if now - self.told >= _EVERY and self.count < self.total:
                self.told = now
                left = (now - self.began) / self.count * (self.total - self.count)
                click.echo(f"{self.count:,} of {self.total:,}; about {_time(left)} left", err=True)

    return Teller()


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} seconds"
    return f"{seconds / 60:.0f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"
