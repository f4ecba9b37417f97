"""Before a command looks at a workspace: what a killed process left there is brought to an end, and said so."""

from __future__ import annotations

from skillbag.transaction.recovery import recover_around


def recovered(path: str) -> str:
    """The absolute `path` itself, once every workspace that it may belong to is whole.

    Raises:
        OSError: one can't be made whole now; the message says why and what to do (exit code 4).
    """
    recover_around([path], notice=report_recovery)
    return path


def report_recovery(sentence: str) -> None:
    """Say what is waited for or was done, on standard error."""
    import click

    from skillbag.report.sanitize import shown_page

    click.echo(f"skillbag: {shown_page(sentence)}", err=True)
