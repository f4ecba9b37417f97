"""The names that `--except` gives: each must be that of a skill."""

from __future__ import annotations

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.standard.names import is_name
from skillbag.kernel.workspace.target import BOOTSTRAP_SKILL
from skillbag.supply.install.request import InstallRequest
from skillbag.supply.install.resolve import Resolution
from skillbag.supply.install.state import InstalledState
from skillbag.supply.sources.fetch import Fetcher
from skillbag.supply.sources.fetch_all import fetch_one
from skillbag.supply.sources.fetched import Fetched, FetchSpec
from skillbag.supply.sources.skill_layout import named_skills


def check_excluded(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> None:
    """Refuse an excluded name that no skill has: a mistyped name would protect nothing.

    Raises:
        UserError: there is such a name; suggests the one that may be meant.
    """
    unknown = sorted(name for name in request.excluded - request.failed if not state.is_present(name))
    if not unknown or not (unknown := sorted({*unknown} - (known := _known(state, resolution, request, fetcher)))):
        return
    import difflib

    names = sorted(filter(is_name, known))
    close = [match for name in unknown for match in difflib.get_close_matches(name, names, 1)]
    hint = f"; did you mean {', '.join(dict.fromkeys(close))}?" if close else ""
    raise UserError(
        f"{', '.join(unknown)}: no such skill is installed, declared, offered or needed, "
        f"so there is nothing to leave out{hint}"
    )


def _known(state: InstalledState, resolution: Resolution, request: InstallRequest, fetcher: Fetcher) -> set[str]:
    """The names of all skills in the workspace, its files, the sources and their dependencies."""
    known = {BOOTSTRAP_SKILL, *state.wants, *state.lock.skills, *(wanted.name for wanted, _ in request.listed)}
    known |= {wanted.name for wanted in state.declarations.dependencies}
    wants = [*state.wants.values(), *(chosen.wants for chosen in resolution.chosen.values())]
    known |= {wanted.name for needed in wants for wanted in needed}
    sources = {chosen.fetched.root: chosen.fetched for chosen in resolution.chosen.values() if chosen.fetched}
    if request.source:
        # If all its skills are excluded, nothing of it was chosen.
        source = state.source(request.source, plain=request.plain)
        answer = fetch_one(fetcher, FetchSpec(source, request.version, None))
        sources |= {answer.root: answer} if isinstance(answer, Fetched) else {}
    return known.union(*map(named_skills, sources.values()))
