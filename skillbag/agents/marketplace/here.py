"""A search among the skills of a workspace, as the marketplace's index ranks them."""

from __future__ import annotations

from skillbag.agents.marketplace.index import SearchResult
from skillbag.agents.marketplace.index_builder import IndexedSkill, in_memory
from skillbag.kernel.workspace.model import Workspace
from skillbag.report.catalog import described
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.skills.effective_tags import effective_tags
from skillbag.session.skills.skills import listed_skills


def search_here(workspace: Workspace, query: str, limit: int = 20) -> SearchResult:
    """The matches among the skills of the workspace's catalog, with the tags that hold; no `SKILL.md` is opened.

    Raises:
        UserError: the catalog or a context file can't be used.
    """
    listed = listed_skills(workspace)
    tagging = effective_tags(listed, read_settings(workspace))
    offers = (IndexedSkill(name, described(each, tagging), "", workspace.root, None) for name, each in listed.items())
    with in_memory(offers) as index:
        return index.search(query, limit)
