"""`skillbag team registry`."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import click

from skillbag.doors.cli.answers import CliGroup, CommandOutput, answering, error_answer, json_line
from skillbag.doors.cli.messages import note, put, warning
from skillbag.doors.cli.options import json_option
from skillbag.doors.cli.outputs import check_not_own
from skillbag.doors.cli.streams import write
from skillbag.kernel.base.errors import UserError, format_error
from skillbag.kernel.base.extras import require
from skillbag.kernel.base.posix import need_posix
from skillbag.report.answers.registry import PublishedVersionJson, PublishJson, ServeJson
from skillbag.report.sanitize import shown

_EXAMPLES = """\b
Examples:
  skillbag team registry publish .skills/kubernetes --to ~/registry
  skillbag team registry serve ~/registry

\b
A published version never changes. Exit codes: 0 done, 2 bad usage, or the skill has errors, 4 the environment failed.
"""
_PUBLISH = """\b
Examples:
  skillbag team registry publish .skills/kubernetes --to ~/registry
  skillbag team registry publish .skills/kubernetes --to ~/registry --json

\b
The skill needs a SKILL.yaml, whose name and version it is published under. What git ignores is left out. To publish
other content, raise the version; to publish the same again changes nothing.
"""
_SERVE = """\b
Examples:
  skillbag team registry serve ~/registry                                    for this machine
  skillbag team registry serve .skills --port 0                              on any port that is free; it is printed
  skillbag team registry serve ~/registry --host 0.0.0.0 --token-env TOKEN   for others, who send this token

\b
Skill folders in DIR whose version is not published yet are published first, into DIR/.registry. Over a network, put
it behind a proxy with TLS: the token is sent as it is. Ends by a signal, with exit code 0.
"""


@click.group("registry", cls=CliGroup, epilog=_EXAMPLES)
def command() -> None:
    """Publish skills to a folder, and serve it as a registry."""


@command.command("publish", epilog=_PUBLISH)
@click.argument("skill", metavar="SKILL_DIR", type=click.Path(file_okay=False))
@click.option("--to", "folder", metavar="DIR", required=True, help="The folder of the registry; it is made.")
@json_option
def publish(skill: str, folder: str, as_json: bool) -> None:
    """Check a skill and publish its version, which never changes after that."""
    from skillbag.supply.registry.publishing import publish as publish_skill
    from skillbag.supply.registry.store import RegistryStore

    with answering("registry publish", as_json=as_json) as say:
        check_not_own(folder)
        done = publish_skill(os.path.abspath(skill), RegistryStore(folder))
        text = "Published {}.\n" if done.is_new else "{} is published already, with the same content.\n"
        say(CommandOutput(PublishJson(PublishedVersionJson(*done)), text.format(f"{done.name} {done.version}")))


@command.command("serve", epilog=_SERVE)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@click.option("--host", metavar="HOST", default="127.0.0.1", help="Where to listen.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), default=8750, help="0: any that is free.  [default: 8750]")
@click.option("--token-env", metavar="NAME", help="The environment variable with the token that clients must send.")
@click.option("--json", "as_json", is_flag=True, help="Print the address as JSON, or why it can't be served.")
def serve(folder: str, host: str, port: int, token_env: str | None, as_json: bool) -> None:
    """Serve the skills in a folder, all published versions of them.

    The requests are logged on standard error.
    """
    from skillbag.supply.registry.access import address_of, listening, token_from
    from skillbag.supply.registry.publishing import publish_new
    from skillbag.supply.registry.store import RegistryStore

    with _errors_as_json(as_json):
        need_posix("serving a registry")
        require("uvicorn", "skillbag team registry serve", "registry")
        token = token_from(os.environ, token_env)
        if not os.path.isdir(folder):
            raise UserError(f"{folder}: there is no such folder")
        check_not_own(folder)
        store = RegistryStore(folder)
        listener, access = listening(host, port, token)

    from skillbag.supply.registry.serving import RegistryService
    from skillbag.supply.registry.serving import serve as serve_registry

    gc.enable()

    def ready() -> None:
        url = address_of(listener)
        line = json_line("registry serve", CommandOutput(ServeJson(url), ""))
        write(line if as_json else f"Serving {shown(folder)} at {url}\n", sys.stdout)

    with listener:
        for each in publish_new(os.path.abspath(folder), store):
            if isinstance(each, Exception):
                warning(shown(format_error(each)))
            else:
                note(shown(each))
        serve_registry(RegistryService(store, access, lambda line: put(f"{shown(line)}\n")), listener, ready)


@contextmanager
def _errors_as_json(as_json: bool) -> Iterator[None]:
    """Answer an error of the block with JSON, on a line as the address, where that is asked for."""
    try:
        yield
    except (UserError, OSError) as error:
        if not as_json:
            raise
        failed = error_answer(error)
        write(json_line("registry serve", failed), sys.stdout)
        sys.exit(failed.exit)
