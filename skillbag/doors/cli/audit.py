"""`skillbag team audit`."""

from __future__ import annotations

from typing import Any

import click

from skillbag.doors.cli.answers import CliCommand, answering
from skillbag.doors.cli.options import FILE, json_option

_EXAMPLES = """\b
Examples:
  skillbag team audit https://example.com/Org/skills.git ../bag --out audit
  skillbag team audit --manifest sources.txt --out audit           resume
  skillbag team audit --manifest sources.txt --out part --shard 3/8
  skillbag team audit --out merged           summarize existing records
  skillbag team audit --manifest sources.txt --out audit --engine dask tcp://host:8786

\b
A line of a manifest is an address, a folder or a zip, perhaps with ` @ VERSION`.

\b
Exit codes: 0 done, 1 a source failed (--strict: or has errors or warnings), 2 bad usage,
4 the environment failed.
"""


@click.command("audit", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option(
    "--manifest", "manifests", multiple=True, metavar="FILE", help="Sources, one per line; - is standard input."
)
@click.option("--out", type=click.Path(file_okay=False), help="The folder for records and summary.  [required]")
@click.option("--shard", metavar="I/N", help="Audit part I of N of the sources.")
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
    help="Work here, or on a Dask cluster.  [default: local]",
)
@click.option(
    "--config",
    type=FILE,
    multiple=True,
    metavar="FILE|KEY=VALUE",
    help="For all sources; keys: select, ignore, suppressions.",
)
@click.option("--keep", is_flag=True, help="Keep fetched files in the cache for the next audit.")
@click.option("--offline", is_flag=True, help="Use only the cache of earlier audits with --keep.")
@click.option("--format", "forms", multiple=True, type=click.Choice(["parquet", "sarif"]), help="Also write these.")
@click.option("--strict", is_flag=True, help="Also fail if errors or warnings are found.")
@json_option
def command(forms: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Check many repositories, record each as one line of JSON, and summarize the findings.

    Their own configuration is ignored, and nothing in them is executed. A source with a record in --out is skipped.
    Without a source, the existing records are summarized.
    """
    from skillbag.doors.cli.audit_run import audit

    with answering("audit", as_json=as_json) as say:
        say(audit(as_json=as_json, parquet="parquet" in forms, sarif="sarif" in forms, **options))
