"""Scripts that write an agent's memory or identity, and texts that do so and turn the agent as well."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_agent_files import MEMORY
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, match_at

_WORDS = (
    *("gnore", "isregard", "orget", " the user", " your user", "https://", "http://", "eed to", "eed not", "no longer"),
    *("usuari", "usuár", "utilis", "utiliz", "utzer", "nwender", "пользоват", "用户", "使用者"),
)
"""Nearly every text that turns an agent has one of these."""
_MAX = 500
"""Phrases of each kind that are judged: one instruction is enough."""


@Predicate(
    "memory-written", Subject.TEXT, values=("file",), literals=MEMORY, needs="before_agent_files.may_write_memory"
)
def memorywritten(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Scripts that write such a file, and texts that also turn the agent against its user."""
    # Prose that writes such a file is common; only together with other phrases is it a fault.
    if text.language == "markdown" and not _turns_agent(text):
        return
    from skillbag.lint.checks.agent_settings import is_comment, written
    from skillbag.lint.signals.agent_files import MEMORY as KIND

    files = [file for file in written(text, MEMORY, KIND) if not is_comment(text, file.start)]
    raised = bool(files) and _turns_agent(text)
    for file in files:
        if raised or text.language not in ("markdown", "json", "yaml"):
            yield match_at(text.document.path, file, {"file": file.path[-80:]})._replace(raised=raised)


# Asked before and after the files are looked for.
@lru_cache(maxsize=1)
def _turns_agent(text: TextFile) -> bool:
    """Whether a text also tells the agent to drop its rules, to hide something, or to follow a fetched page."""
    if text.language not in ("markdown", "text"):
        return False
    if not any(word in text.document.text for word in _WORDS):
        return False
    from skillbag.lint.checks import concealment, override, remote_instructions
    from skillbag.lint.checks.instruction import is_instruction

    body, forms = text.document.text, (*override.FORMS, *concealment.FORMS)
    spans = chain(
        *(islice((match.span() for match in form().finditer(body)), _MAX) for form in forms),
        islice(((page.start, page.end) for page in remote_instructions.pages(body, 0, len(body))), _MAX),
    )
    return any(is_instruction(text, *span) for span in spans)
