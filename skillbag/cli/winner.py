"""`skillbag winner`."""

from __future__ import annotations

import click

from skillbag.cli import EXIT_QUESTION
from skillbag.cli.lifecycle import Answer, Command, answer, common_options, workspace_at

_EXAMPLES = """\b
Examples:
  skillbag winner format-black format-ruff
  skillbag winner format-black format-ruff --prefer format-ruff    what the conversation says
  skillbag winner format-black format-ruff --json                  with the rules that it hides

Exit codes: 0 one wins, 2 bad usage or a malformed file, 3 something must be asked first, 4 the environment failed.
"""


@click.command("winner", cls=Command, epilog=_EXAMPLES)
@click.argument("skills", nargs=-1, metavar="SKILL SKILL...")
@click.option("--prefer", "preferred", metavar="SKILL", help="The skill that the user prefers in this conversation.")
@common_options
def command(skills: tuple[str, ...], preferred: str | None, folder: str, as_json: bool, trace: bool) -> None:
    """Decide between skills that contradict each other: by conversation, user rule, project rule, else by name."""
    from skillbag.lifecycle.session import Session
    from skillbag.report.winner import winner_text, winner_values

    def work() -> Answer:
        verdict = Session(workspace_at(folder)).winner(*skills, preferred=preferred)
        return Answer(winner_values(verdict), winner_text(verdict), EXIT_QUESTION if verdict.question else 0)

    answer("winner", work, as_json=as_json, trace=trace)
