"""The options that several commands share; those of `check`, which is read without click, are in `check_options`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from skillbag.kernel.base.errors import UserError

if TYPE_CHECKING:
    _Word = click.ParamType[str]
else:
    # Old versions of click have no generic types.
    _Word = click.ParamType

_LEVELS = ("info", "low", "medium", "high")
_GROUPS = ("network",)
_KINDS = (
    *("download-run", "sent", "remote-instructions", "steering", "host", "unknown-host", "program", "package"),
    *("secret-file", "variable", "wallet", "write-outside", "rights", "persistence", "agent-file"),
    *("mcp-server", "hook", "allowed-tool", "input", "encoded-text", "opaque-file", "finding"),
)
DENIABLE = (*_LEVELS, *_GROUPS, *_KINDS)
"""The words of `--deny`, here so that no command has to load the facts for its options."""

WORKSPACE = "SKILLBAG_WORKSPACE"
SESSION_TYPE = "SKILLBAG_SESSION_TYPE"
WAIT = "SKILLBAG_WAIT"


class _File(click.Path):
    """A file with a name: that of a variable that is not set is empty."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path. Raises click.BadParameter if it is empty."""
        if value == "":
            self.fail("it names no file; leave the option out, or is a variable not set?", param, ctx)
        return super().convert(value, param, ctx)


FILE = _File(dir_okay=False)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, including errors.")
workspace_option = click.option(
    "--workspace",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    help="The workspace, or a folder in it.  [default: the current folder]",
)
offline_option = click.option("--offline", is_flag=True, help="Use only cached sources.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Accept what a skill can do, without a question.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would be done, without writing.")
overwrite_option = click.option(
    "--overwrite", multiple=True, metavar="NAME", help="Discard local edits of this skill; a copy is kept."
)


def wait_seconds() -> float:
    """How long to wait for another process that is writing: `SKILLBAG_WAIT`.

    Raises:
        UserError: it is no number of seconds.
    """
    text = os.environ.get(WAIT) or "60"
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if seconds >= 0:
        return seconds
    raise UserError(f"{WAIT} is {text!r}: give a number of seconds")


class _Deniable(_Word):
    """A word of `--deny`, in small letters or capitals; a mistyped one gets a suggestion instead of a list of all."""

    name = "fact"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        word = value.strip().lower()
        if word not in DENIABLE:
            self.fail(_instead_of(value, word), param, ctx)
        return word


def _instead_of(value: str, word: str) -> str:
    if "," in word or " " in word:
        return f"{value!r} holds several words: give --deny once for each."
    import difflib

    close = difflib.get_close_matches(word[:80], DENIABLE, 1)
    words = (f"a level ({', '.join(_LEVELS)})", f"a group ({', '.join(_GROUPS)})", f"a kind ({', '.join(_KINDS)})")
    known = f"Give {', '.join(words[:2])} or {words[2]}."
    return f"There is no level or kind {value!r}. " + (f"Did you mean {close[0]!r}?" if close else known)


deny_option = click.option(
    "--deny",
    multiple=True,
    type=_Deniable(),
    metavar="LEVEL|KIND",
    help="Refuse facts of this risk or higher, or of this kind.",
)

session_option = click.option(
    "--session", metavar="ID", envvar="SKILLBAG_SESSION", help="The session's id, as printed by skillbag enter."
)
set_option = click.option(
    "--set", "says", multiple=True, metavar="NAME=VALUE", help="A value from the conversation; the last one wins."
)
prohibit_option = click.option(
    "--prohibit",
    "prohibits",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value that the user excludes in this conversation.",
)
inputs_option = click.option(
    "--inputs", "source", metavar="FILE", help="Values as a JSON object; --set overrides them; - is standard input."
)
allow_option = click.option(
    "--allow",
    multiple=True,
    metavar="SKILL",
    help="A skill that the user allows in this conversation, although a context file prohibits it.",
)
without_option = click.option(
    "--without", multiple=True, metavar="SKILL", help="A skill that the user excludes in this conversation."
)


def combined(*options: Callable[..., Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Several options as one decorator; `--help` lists them in this order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


common_options = combined(
    workspace_option,
    json_option,
    click.option("--trace", is_flag=True, help="Show each file that was opened, and why."),
)
"""What every command of the lifecycle takes: `folder`, `as_json` and `trace`."""

scope_options = combined(
    click.option(
        "--workspace",
        "folder",
        metavar="DIR",
        envvar=WORKSPACE,
        default=".",
        help="The agent's working folder.  [env var: SKILLBAG_WORKSPACE; default: the current one]",
    ),
    click.option(
        "--personal",
        metavar="DIR",
        help="The folder of personal skills.  [env var: SKILLBAG_PERSONAL_DIR; default: the user's settings]",
    ),
    click.option(
        "--session", metavar="ID", envvar="SKILLBAG_SESSION", help="The session's id.  [env var: SKILLBAG_SESSION]"
    ),
    click.option(
        "--session-type",
        type=click.Choice(["user", "other"]),
        envvar=SESSION_TYPE,
        show_envvar=True,
        default="user",
        show_default=True,
        help="Only sessions of a user have personal skills.",
    ),
)
"""What an agent can reach: `folder`, `personal`, `session`, `session_type`, for `workspaces.scope_from_options`."""
