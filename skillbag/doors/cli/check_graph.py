"""The graph of the skills that a check was about, for reports that draw it."""

from __future__ import annotations

from skillbag.lint.engine.planner import Planner
from skillbag.lint.engine.request import CheckRequest
from skillbag.lint.skill_graph.build import build_graph
from skillbag.lint.skill_graph.values import SkillGraph


def checked_graph(request: CheckRequest) -> SkillGraph:
    """The graph; it is read from the disk once more, since a check keeps no skills.

    Raises:
        UserError, OSError: as a check does.
    """
    return build_graph([planned.workspace for planned in Planner(request).plan()], request.here)
