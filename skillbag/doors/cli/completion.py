"""`skillbag self completion`."""

from __future__ import annotations

import os

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.completing import SHELLS, completer
from skillbag.doors.cli.options import json_option
from skillbag.report.answers.commands import CompletionJson

_EXAMPLES = """\b
Add to your shell's start-up file:
  ~/.bashrc                   eval "$(skillbag self completion bash)"
  ~/.zshrc, after compinit    eval "$(skillbag self completion zsh)"
  ~/.config/fish/config.fish  skillbag self completion fish | source
  PowerShell's $PROFILE       skillbag self completion powershell | Out-String | Invoke-Expression

Commands, options, rules, skills, sources, agents and formats are completed; names of files where a command takes them.
"""


@click.command("completion", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@json_option
def command(shell: str | None, as_json: bool) -> None:
    """Print the script that completes command lines in SHELL, by default the shell of the variable SHELL."""
    with answering("completion", as_json=as_json) as say:
        name = shell or os.path.basename(os.environ.get("SHELL", ""))
        if name not in SHELLS:
            raise click.UsageError(f"There is no script for the shell {name!r}; give one: {', '.join(SHELLS)}.")
        script = f"{completer(name, click.get_current_context().find_root().command).source().rstrip()}\n"
        say(CommandOutput(CompletionJson(name, script), script))
