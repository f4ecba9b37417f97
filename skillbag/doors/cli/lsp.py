"""`skillbag agent lsp`."""

from __future__ import annotations

import gc
import sys

import click

from skillbag.doors.cli.answers import CliCommand
from skillbag.doors.cli.options import json_option
from skillbag.doors.cli.output_style import output_style
from skillbag.kernel.base.extras import require

_EXAMPLES = """\b
Examples:
  skillbag agent lsp                         over standard input and output, for an editor that starts it

\b
Neovim 0.11 and later:
  vim.lsp.config("skillbag", {cmd = {"skillbag", "agent", "lsp"}, filetypes = {"markdown", "yaml"}})
  vim.lsp.enable("skillbag")

Needs the extra lsp: pip install 'skillbag[lsp]'. Ends with its input, or when the editor says so.

Exit codes: 0 ended, 1 ended before the editor shut it down, 2 bad usage, 4 the extra is not installed.
"""


@click.command("lsp", cls=CliCommand, epilog=_EXAMPLES)
@json_option
def command(as_json: bool) -> None:
    """Serve editors over the Language Server Protocol: findings while you type, fixes and more.

    The protocol uses standard input and output. Other messages go to standard error. With --json, an error before it
    begins is printed as JSON.
    """
    require("pygls", "skillbag agent lsp", "lsp")
    from skillbag.doors.language_server.server import serve

    gc.enable()
    sys.exit(serve(verbose=output_style().verbose))
