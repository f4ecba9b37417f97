"""Commands and settings that switch off an agent's questions before it acts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_instruction
from skillbag.lint.checks.intent import is_meant
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import fences_of, line_around, lines_of, some, span_at, windows

_FLAGS = (b"y-skip-p", b"y-bypass-a", b"w-all-t", b"t-all-t")
_YOLO = (b"--yolo", b"e yolo", b"e=yolo")
_MODES = (b"bypassP", b"r-full-a", b"skipDang")
# Lists of tools are common; those of allowed ones are not.
_LISTS = (b'allow":', b'allow" ', b'allow"\t', b"allow':", b"allow' ", b"allow'\t")
_GRANTS = tuple(
    f"{verb} {what}".encode() for verb in ("pprove", "ccept", "onfirm") for what in ("every", "all", "any", "each")
)
_SELF = late(
    r"""\b(?:auto-?)?(?:approve|accept|confirm)\s+(?:every|all|any|each)\s+(?:\w+\s+){0,2}?
        (?:commands?|tools?|calls?|actions?|prompts?|permissions?|requests?|confirmations?)\b [^.!?\n]{0,60}?
        \b(?: (?:by\s+)?yourself | without\s+asking | (?:never|do\s+not|don['’]t)\s+ask
             | on\s+the\s+user['’]s\s+behalf | on\s+behalf\s+of\s+the\s+user | for\s+the\s+user )\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""The words that tell an agent to answer its own questions."""
_AGENT = (
    r"\b(?:claude|codex|gemini|cursor-agent|copilot|qwen|kimi|opencode|openclaw|clawdbot|hermes|crush|droid|q|agent)\b"
)
_FORMS = late(
    r"""--dangerously-(?:skip-permissions|bypass-approvals[\w-]*) | --(?:allow|trust)-all-tools
      | (?<=[ \t"'])(?:--yolo|--approval-mode[= ]yolo)(?![\w-])
      | \b\w*[mM]ode["'\])]*\s*[:= ]\s*["']?(?:bypassPermissions|danger-full-access)\b
      | --sandbox[= ]danger-full-access\b | skipDangerousModePermissionPrompt["']?\s*[:=]\s*true
      | ["']allow["']\s*:\s*\[[^\]\n]{0,400}?["'](?:\*|Bash\((?:\*|\*:\*|:\*)\))["']""",
    re.VERBOSE,
)
_NAMES_AGENT = late(_AGENT, re.IGNORECASE)
_TO_BE_SET = late(r"\S*(?:\s*\|\s*[\"'`\w]|[\"'`]\s*,\s*[\"'`]\w+[\"'`])")
"""After a mode: a list or union of all modes is documentation."""


@Predicate("permission-bypass", Subject.TEXT, values=("what",), literals=(*_FLAGS, *_YOLO, *_MODES, *_LISTS, *_GRANTS))
def permission_bypass(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Flags and settings for an agent without questions, in commands, scripts and settings."""
    body = text.document.text
    for line in lines_of(body, text.places.of((*_FLAGS, *_YOLO, *_MODES, *_LISTS))):
        limit = min(line[1], line[0] + 20_000)
        agent = _NAMES_AGENT().search(body, line[0], limit)
        for match in _FORMS().finditer(body, line[0], limit):
            if "yolo" in match[0] and (agent is None or agent.end() > match.start()):
                continue
            if _TO_BE_SET().match(body, match.end()) or _is_bare(text, match.start()):
                continue
            if is_meant(text, *match.span()):
                yield Match(text.document.path, *match.span(), {"what": short(" ".join(match[0].split()))})
    if text.language in ("markdown", "text"):
        for window in windows(body, some(text.places.of(_GRANTS), 4_000), 8, 160):
            for match in _SELF().finditer(body, *window):
                if is_instruction(text, *match.span()):
                    yield Match(text.document.path, *match.span(), {"what": short(" ".join(match[0].split()))})


def _is_bare(text: TextFile, start: int) -> bool:
    """Whether a flag stands alone, without the command it belongs to: in prose, or as a quoted text in a script."""
    body = text.document.text
    before = line_around(body, start, start)[0]
    if text.language == "markdown" and span_at(fences_of(text), start) is None:
        command = before if "`" in before else ""
        return not (_NAMES_AGENT().search(command.rpartition("`")[2]) or _ADDS().search(before))
    return before.endswith(('"', "'")) and body.startswith("--", start) and not _NAMES_AGENT().search(before)


_ADDS = late(r"\b(?:run|start|launch|use|pass|add|enable|set)\b[^.`]{0,40}`?$", re.IGNORECASE)
