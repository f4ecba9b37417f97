"""`skillbag tree`: who needs which skill, as a text, as JSON or as a drawing."""

from __future__ import annotations

import os

import click

from skillbag.doors.cli.address_paths import address_among
from skillbag.doors.cli.answers import CliCommand, CommandOutput, answering, json_text
from skillbag.doors.cli.command_support import check_names, outcome_answer, reporting
from skillbag.doors.cli.options import FILE, json_option, workspace_option
from skillbag.doors.cli.streams import write_report
from skillbag.doors.cli.workspaces import absolute, root_at, skills_root_at
from skillbag.kernel.base.errors import UserError
from skillbag.kernel.workspace.discovery import NoWorkspaceError, find_targets
from skillbag.kernel.workspace.target import TargetKind, installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from skillbag.kernel.workspace.model import Workspace
    from skillbag.lint.skill_graph.values import SkillGraph
    from skillbag.supply.install.outcome import Outcome

_FORMATS = ("text", "json", "mermaid", "dot", "svg", "html")
_GRAPHS = frozenset(_FORMATS) - {"text", "json"}
_EXAMPLES = """\b
Examples:
  skillbag tree
  skillbag tree --why lint-docs             who requires it
  skillbag tree --listing                   what models see of the skills
  skillbag tree --format mermaid            for Markdown
  skillbag tree --format svg -o skills.svg  needs skillbag[graph]
  skillbag tree --format html -o skills.html
"""


@click.command("tree", cls=CliCommand, epilog=_EXAMPLES)
@click.argument("address", required=False)
@click.option("--format", "form", type=click.Choice(_FORMATS), default="text", help="What to print.  [default: text]")
@click.option("--why", "name", metavar="NAME", help="Show every chain of dependencies that leads to this skill.")
@click.option("--listing", is_flag=True, help="Show what each agent shows its model of the skills, and what it costs.")
@click.option("-o", "--output", type=FILE, metavar="FILE", help="Write to this file instead.")
@workspace_option
@json_option
def tree(
    address: str | None,
    form: str,
    name: str | None,
    listing: bool,
    output: str | None,
    folder: str,
    as_json: bool,
) -> None:
    """Show what CONTEXT.md, the command line and each skill require.

    Drawings also have companions, links between skills, cycles and missing skills. They also work for sources and plain
    skills, which have no requirements, and so does --listing: which descriptions fit into the list that Claude Code,
    Codex and others show to the model, which are cut or left out, and which skills hide others of their name.
    """
    if listing and form in _GRAPHS:
        raise UserError(f"--listing and --format {form} contradict each other: give one of them")
    if as_json and form not in ("text", "json"):
        raise UserError(f"--json and --format {form} contradict each other: give one of them")
    as_json = as_json or form == "json"
    if name is not None:
        if address or listing or output or form in _GRAPHS:
            raise UserError("--why goes without an ADDRESS, --listing, --format and --output")
        _why(name, folder, as_json)
        return
    if address is None:
        _show(form, listing, output, folder, as_json)
        return
    if address_among([address]) is None:
        raise UserError(f"{address!r} is no address; --workspace names a folder")
    from skillbag.doors.cli.fetched import fetched_folder

    output = output and absolute(output)
    with fetched_folder(address, quiet=as_json) as fetched:
        # A source requires nothing of anybody yet.
        _show(form, listing or form not in _GRAPHS, output, fetched, as_json)


def _why(name: str, folder: str, as_json: bool) -> None:
    from skillbag.supply.install import queries

    with reporting("tree", as_json=as_json) as report:
        check_names([name], "skillbag list shows the names of what is installed")
        report(queries.why(skills_root_at(folder), name))


def _show(form: str, listing: bool, output: str | None, folder: str, as_json: bool) -> None:
    if output is None and (as_json or form == "text"):
        with reporting("tree", as_json=as_json) as report:
            report(_outcome(folder, as_json, listing))
        return
    with answering("tree", as_json=False) as say:
        text = _drawing(form, folder, output) if form in _GRAPHS else _written(folder, as_json, listing)
        if output is not None:
            write_report(output, text)
        say(CommandOutput((), "" if output else text))


def _outcome(folder: str, with_graph: bool, listing: bool) -> Outcome:
    if listing:
        from skillbag.lint.skill_graph.listing import listings
        from skillbag.report.graphs.listing import listing_lines
        from skillbag.supply.install.outcome import Outcome

        workspaces, base = _found(folder)
        found = listings(workspaces, base)
        return Outcome("tree", base, text=listing_lines(found), listings=found)
    from skillbag.supply.install import queries

    return queries.tree(skills_root_at(folder), with_graph=with_graph)


def _written(folder: str, as_json: bool, listing: bool) -> str:
    answer = outcome_answer(_outcome(folder, as_json, listing), as_json=as_json)
    return json_text("tree", answer) if as_json else answer.text


def _drawing(form: str, folder: str, output: str | None) -> str:
    """The drawing; links lead from the file to the skills."""
    if form == "svg":
        from skillbag.kernel.base.extras import require

        require("fast_sugiyama", "--format svg", "graph")
    graph, base = _graph(folder)
    if form == "mermaid":
        from skillbag.report.graphs.mermaid import graph_mermaid

        return graph_mermaid(graph)
    if form == "dot":
        from skillbag.report.graphs.dot import graph_dot

        return graph_dot(graph)
    if form == "html":
        from skillbag.report.pages.tree import graph_page

        return graph_page(graph, base, os.path.basename(base))
    from skillbag.report.graphs.svg import graph_svg

    return graph_svg(graph, _prefix(base, output))


def _graph(folder: str) -> tuple[SkillGraph, str]:
    """The graph of what is found, and the folder of its paths."""
    from skillbag.lint.skill_graph.build import build_graph

    workspaces, base = _found(folder)
    return build_graph(workspaces, base), base


def _found(folder: str) -> tuple[list[Workspace], str]:
    """The workspace around a folder, or else what `check` finds there, and the folder of its paths."""
    from skillbag.kernel.workspace.model import Workspace

    try:
        base = root_at(folder)
        return [Workspace(installed(TargetKind.WORKSPACE, base))], base
    except NoWorkspaceError:
        base = absolute(folder)
        return [Workspace(target) for target in find_targets([base])], base


def _prefix(base: str, output: str | None) -> str:
    """The way from the folder of the drawing to the one that its paths are relative to."""
    start = os.getcwd() if output is None else os.path.dirname(os.path.abspath(output))
    way = os.path.relpath(base, start).replace(os.sep, "/")
    return "" if way == "." else way
