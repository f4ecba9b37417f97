"""What all reports of findings share: their options, which the command line decides, and how they write paths."""

from __future__ import annotations

import os

from skillbag.kernel.base.records import NamedTuple
from skillbag.report.sanitize import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from skillbag.kernel.model.findings import Finding
    from skillbag.kernel.model.result import CheckResult
    from skillbag.lint.skill_graph.values import SkillGraph


class ReportOptions(NamedTuple):
    """`cwd` is absolute: paths within it are printed relative to it.

    `width` is in terminal columns; with 0, for a pipe or a file, each line is as long as it is.

    `quiet` leaves out the summary, so that a clean run prints nothing. `strict` says that warnings fail the run,
    `exit` how it ends.
    `links` is the form of the addresses of places, if they are to be hyperlinks (`hyperlinks.to_place`); else empty.
    `height` is the number of lines of a screen. `by_place`: no level comes before another.
    `command` is what makes this result again, for a report that is read elsewhere; empty where none says so.
    `graph` is that of the skills, for reports that draw it.
    `source` is the address or archive that was fetched into `cwd`, if one was.
    `color`, `links`, `width`, `height`, `quiet` and `statistics` are for people: the machine formats print the same
    whatever they say.
    """

    cwd: str
    color: bool = False
    width: int = 80
    quiet: bool = False
    statistics: bool = False
    strict: bool = False
    exit: int = 0
    links: str = ""
    height: int = 40
    by_place: bool = False
    command: str = ""
    graph: SkillGraph | None = None
    source: str = ""


def base_on_host(cwd: str, roots: Iterable[str] = ()) -> str:
    """Where code hosts begin the paths of a report: at the top of the repository around `cwd`, without one at that
    around all of the `roots` that were checked; else `cwd`.

    Files outside keep absolute paths, even those of another repository: in a report about this one, relative paths of
    theirs would lead to wrong files. GitHub makes such addresses relative by the `checkout_uri` of an upload.
    """
    from skillbag.kernel.workspace.git import repository

    if top := repository(cwd):
        return top
    around = {repository(root) for root in roots}
    return (around.pop() if len(around) == 1 else None) or cwd


def base_of_page(cwd: str, paths: Iterable[str]) -> str:
    """Where the paths of a page begin, which is read on other machines: at `cwd`, or where one of the absolute `paths`
    does not lie within it, around all of them.
    """
    paths = [*paths]
    is_here = all(os.path.join(path, "").startswith(os.path.join(cwd, "")) for path in paths)
    return cwd if is_here else os.path.commonpath(paths)


def located(path: str, cwd: str) -> str:
    """An absolute path, with `/`: relative to `cwd` where it lies within it (`.` for `cwd` itself), else as it is."""
    if path == cwd:
        return "."
    base = cwd.rstrip(os.sep) + os.sep
    inside = path[len(base) :] if path.startswith(base) else path
    return inside if os.sep == "/" else inside.replace(os.sep, "/")


def shown_path(path: str, cwd: str) -> str:
    """The same for people: masked, and safe for a terminal or a log."""
    return shown(located(path, cwd))


def linked_place(text: str, finding: Finding, options: ReportOptions) -> str:
    """`text` as a link to the place of a finding, if links are wanted."""
    if not options.links:
        return text
    from skillbag.report.hyperlinks import to_place

    return to_place(text, finding.path, finding.line, finding.column, options.links)


def linked_page(text: str, url: str | None) -> str:
    """`text` as a link to a page, if there is one."""
    if not url:
        return text
    from skillbag.report.hyperlinks import to_page

    return to_page(text, url)


def linked_rules(result: CheckResult, options: ReportOptions) -> dict[str, str | None]:
    """The addresses of the rules, if links are wanted."""
    return {rule.id: rule.url for rule in result.rules} if options.links else {}
