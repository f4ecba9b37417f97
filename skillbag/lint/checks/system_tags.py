"""Tags that pretend to come from the system around steps that take secrets or pass on files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_quoted
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_TAGS = (
    *(b"<IMPOR", b"<impor", b"<Impor", b"<SYST", b"<syst", b"<CRIT", b"<crit", b"<HIDD", b"<hidd", b"<SECR", b"<ADMI"),
    *(b"<|im_", b"<|sys", b"[INST", b"<<SYS", b"[SYST"),
)
_TAG = late(r"<(?:\|\w{1,12}\|>|<SYS>>|[A-Za-z][\w-]{0,40}[^<>\n]{0,60}>)|\[(?:INST|SYSTEM[^\]\n]{0,20})\]")
_END = late(r"</[A-Za-z]|<\|im_end\|>|\[/INST\]|<</SYS>>|\[/SYSTEM")
_LONGEST = 1_500
_MAX = 100
"""Tags of a text that are looked at: each costs a look at all that it encloses."""
# A file of the user's goes where nobody asked for it: the form of poisoned descriptions of tools.
_PASSES_ON = late(
    r"""\b(?:read|open|load|cat|get)\b[^.\n]{0,80}? (?:~/|\$HOME/|/etc/|\.\w+/[\w.-]+|\.env\b|\bmcp\.json\b) .{0,240}?
        \b(?:pass|include|add|attach|append|supply|put|provide|send)\b .{0,120}?
        (?:\b(?:parameter|argument|field|header|sidenote|query|request)\b | \bas\s+[`"']\w+)
      | \b(?:pass|include|add|attach|append|supply|put|provide|send|upload|copy)\b[^.\n]{0,80}?
        (?:~/|\$HOME/|/etc/|\.env\b|\.ssh\b|\.aws\b|\bmcp\.json\b) [^\n]{0,80}?
        \b(?:with|as|in|into|to)\s+(?:an?|the|every|each|all)\s+(?:\w+\s+)?
        (?:parameter|argument|field|header|query|request|call|tool|body)s?\b""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_LIFTS = late(
    r"""\b(?: (?:approve|accept|allow|run|execute)\s+(?:every|all|any|each)\s+(?:\w+\s+)?
            (?:commands?|tools?|calls?|actions?|requests?|prompts?|permissions?) [^.!?\n]{0,60}?
            \b(?:without\s+(?:asking|confirm\w*|permission|approval|prompting|a\s+question)|automatically|silently)
        | (?:skip|bypass|omit|disable)\s+(?:every|all|any|the)\s+(?:\w+\s+)?(?:confirmations?|permissions?|approvals?
            |safety\s+checks?|permission\s+prompts?)
        | (?:do\s+not|don['’]t|never)\s+ask\s+(?:the\s+user\s+|for\s+){1,2}(?:permission|confirmation|approval) )\b""",
    re.IGNORECASE | re.VERBOSE,
)


@Predicate("fake-system-tag", Subject.TEXT, values=("tag", "what"), literals=_TAGS)
def fake_system_tag(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Such tags in prose. A tag for emphasis alone is common, and no fault."""
    if text.language not in ("markdown", "text"):
        return
    body, end = text.document.text, -1
    for at in text.places.of(_TAGS)[:_MAX]:
        tag = _TAG().match(body, at)
        if tag is None or at < end or _is_sample(text, *tag.span()):
            continue
        closing = _END().search(body, tag.end(), tag.end() + _LONGEST)
        end = closing.start() if closing else min(len(body), tag.end() + _LONGEST)
        if what := _misuse(body[tag.end() : end]):
            yield Match(text.document.path, *tag.span(), {"tag": tag[0][:40], "what": what})


def _is_sample(text: TextFile, start: int, end: int) -> bool:
    if text.language == "markdown" and start >= text.body and text.markdown.in_code(start):
        return True
    return is_quoted(text, start, end)


def _misuse(content: str) -> str:
    """What the steps within a tag are after; empty for mere emphasis."""
    from skillbag.lint.checks.dangers import danger_of
    from skillbag.lint.checks.second_signs import secret_steps

    if _PASSES_ON().search(content):
        return "pass a file of the user's on"
    if secret_steps(content):
        return "handle a secret file"
    danger = danger_of(content)
    if danger and danger.severe:
        return f"run a command that {danger.what}"
    return "lift the agent's questions" if _LIFTS().search(content) else ""
