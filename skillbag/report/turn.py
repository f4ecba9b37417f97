"""What an agent is told before a response: what changed, what to run in which order, and the texts that it lacks."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.report.catalog import catalog_lines
from skillbag.report.entry import entry_text, prose_section, settings_section
from skillbag.report.invocation import ask_first_line, invocation_text, section
from skillbag.report.lifecycle_parts import question_lines
from skillbag.report.order import left_out_lines
from skillbag.report.phrasing import COMMANDS
from skillbag.report.refresh import refresh_text
from skillbag.session.entry.turn_report import TurnReport
from skillbag.session.order.order import ExecutionStep, Order, RunReason
from skillbag.session.settings.effective_settings import NO_TAGS


def turn_text(report: TurnReport, most_prose: int | None = None) -> str:
    """The text; empty where there is nothing to do but what was done in the turn before."""
    if report.order is None:
        return ""
    parts = "\n\n".join(filter(None, _parts(report, report.order, most_prose)))
    return entry_text(report.entry, most_prose=most_prose, turn=parts) if report.entry else f"{parts}\n"


def _parts(report: TurnReport, order: Order, most_prose: int | None) -> Iterator[str]:
    if not report.refresh.is_nothing:
        yield refresh_text(report.refresh._replace(read=())).rstrip()
    yield settings_section(report.stated, COMMANDS.all_of_it)
    for prose in report.prose:
        yield prose_section(prose, most_prose)
    lines = catalog_lines(report.catalog, report.tagging or NO_TAGS, COMMANDS.find)
    yield section("Skills that are new or described anew", lines)
    yield "\n".join([*question_lines(report.prohibited), *left_out_lines(report.left_out)])
    yield section("Run before this response, in this order", (f"- {_step(report, step)}" for step in order.turns))
    yield ask_first_line(report.runs)
    for run in report.runs:
        yield invocation_text(run._replace(ask_first=""), report.session)
    for run in report.reread:
        text = invocation_text(run._replace(ask_first=""), report.session)
        yield f"(changed since you read it; it does not run now)\n\n{text}"


def _step(report: TurnReport, step: ExecutionStep) -> str:
    run = next((run for run in report.runs if run.skill == step.name), None)
    if run and run.questions:
        how = "ask first, as said below"
    elif step.name in report.known:
        how = "unchanged, as you read it" + (", with the values below" if run and run.resolution.inputs else "")
    else:
        how = "as said below"
    last = " (#run/last: after all else)" if step.phase is RunReason.LAST else ""
    return f"{step.name}{last}: {how}"
