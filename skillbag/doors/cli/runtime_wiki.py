"""`skillbag runtime wiki`: write the documentation that skills generate."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering
from skillbag.doors.cli.messages import messages
from skillbag.doors.cli.options import dry_run_option
from skillbag.doors.cli.outputs import check_output
from skillbag.doors.cli.runtime_planning import planned, planning
from skillbag.doors.cli.runtime_session import EXIT_FAILED, act, acting_options, failure
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.fs.read import is_within
from skillbag.report.sanitize import shown

if TYPE_CHECKING:
    from skillbag.runtime.sessions.runtime import Runtime

_WIKI = """\b
Examples:
  skillbag runtime wiki --out docs/generated
  skillbag runtime wiki --out docs/generated --skills kubernetes --dry-run

\b
Skills with the section `wiki` take part: those that the mode `wiki` or the workspace triggers, that are named with
--skills, or active in the session. A page that you have edited is kept.
Exit codes: 0 done, 1 a page could not be made, 2 bad usage, 3 the user must be asked something first, 4 the
environment failed.
"""


@click.command("wiki", cls=CliCommand, epilog=_WIKI)
@click.option("--out", required=True, metavar="DIR", help="The folder of the pages.")
@acting_options
@dry_run_option
def wiki(out: str, dry_run: bool, as_json: bool, **acting: Any) -> None:
    """Write the documentation that skills generate.

    It is in Markdown: a page for each section of a skill, and an index.
    """
    folder = os.path.abspath(out)

    def work(runtime: Runtime) -> CommandOutput:
        return _written(runtime, folder)

    with answering("runtime wiki", as_json=as_json, on_error=failure) as say:
        acting["mode"] = "wiki"
        say(_planned(**acting) if dry_run else act(work, as_json=as_json, **acting))


def _planned(**acting: Any) -> CommandOutput:
    """The pages that would be written."""
    from skillbag.runtime.scanning.documentation.pages import INDEX, page_paths
    from skillbag.runtime.sessions.preview import plan_triggered
    from skillbag.runtime.sessions.standings import active_names

    with planning(**acting) as runtime:
        steps = plan_triggered(runtime)
        active = [runtime.skills.status(name).found for name in active_names(runtime)]
        skills = [*active, *(step.found for step in steps if not step.refusal)]
        files = tuple(path for found in skills for path in page_paths(found))
        files += (INDEX,) if files else ()
        lines = ["then these pages would be written:", *(f"  {path}" for path in files)]
        return planned(runtime, steps, lines if files else ["no page would be written"], files)


def _written(runtime: Runtime, folder: str) -> CommandOutput:
    from skillbag.report.runtime.acts import WikiJson, wiki_text
    from skillbag.runtime.scanning.documentation.pages import WrittenPages, index_page, make_pages, write_pages
    from skillbag.runtime.scanning.sources import SkillFailure
    from skillbag.runtime.sessions.preview import activate_triggered

    _check_place(folder, runtime.request.workspace)
    check_output(folder)
    failed = activate_triggered(runtime, lambda found: found.manifest.wiki is not None)
    made = make_pages(runtime)
    errors = (*(SkillFailure(name, name, why) for name, why in failed.items()), *made.errors)
    pages = (*made.pages, index_page(made.pages)) if made.pages else ()
    written = write_pages(folder, pages) if pages else WrittenPages((), (), ())
    lines = messages("error", (shown(f"{error.path}: {error.message}") for error in errors))
    return CommandOutput(WikiJson(folder, *written, errors), wiki_text(written), EXIT_FAILED if errors else 0, lines)


def _check_place(folder: str, workspace: str | None) -> None:
    """Refuse a folder of the workspace that is a link out of it: a cloned repository must not choose another place."""
    if workspace and f"{folder}{os.sep}".startswith(f"{workspace}{os.sep}") and not is_within(workspace, folder):
        raise UserError(f"--out {folder}: a link leads out of the workspace; name the folder that is meant")
