"""What a command does that no honest one does where it is hidden, and agents that ask no more questions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.harm import DESTRUCTIVE, command_of, form_of
from skillbag.lint.checks.instruction import is_instruction, is_negated, sentence_before
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import line_around, lines_of
from skillbag.lint.facts.roles import is_meant, is_shown
from skillbag.lint.facts.stated import skill_of
from skillbag.lint.facts.values import PlaceRole
from skillbag.lint.signals.approval import CONDITION, GRANTING
from skillbag.lint.signals.fences import fences_of, span_at
from skillbag.lint.signals.phrases import FormTable

_LONGEST = 4_000
_SHELL = r"""(?:sudo[ \t]+(?:-\S+[ \t]+){0,3})?(?:env[ \t]+)?(?:/[\w./-]{0,40}/)?
    (?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|iex)\b"""
_GETS = r"""(?<![\w./-])(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)(?:\.exe)?[ \t"']"""
_DECODES = r"(?:base64[ \t]+(?:-d|-D|--decode)\b|xxd[ \t]+-r|openssl[ \t]+(?:enc|base64)\b[^|\n]{0,80}-d\b)"
_SEVERE = {
    "runs a download": FormTable(
        form_of(
            "curl|wget|iwr|irm|Invoke-|iex",
            rf"""{_GETS}[^|\n]{{0,600}}\|[ \t]*{_SHELL} | (?:<|\$)\([ \t]*{_GETS}
              | (?:iex|Invoke-Expression)\b[^\n]{{0,80}}(?:iwr|irm|DownloadString)
              | {_GETS}[^\n]{{0,600}}?(?:&&|;)[ \t]*(?:chmod[ \t]+\S+[ \t]+\S+[ \t]*(?:&&|;)[ \t]*)?
                  (?:(?:ba|z)?sh[ \t]|\./|/tmp/)""",
        )
    ),
    "decodes a text and runs it": FormTable(
        form_of("base64|xxd|openssl", rf"{_DECODES}[^\n]{{0,200}}\|[ \t]*{_SHELL} | \$\([^)\n]{{0,400}}{_DECODES}"),
        form_of("exec(|eval(", r"\b(?:exec|eval)\([^\n]{0,120}(?:b64decode|atob|fromhex)"),
        form_of("powershell|pwsh", r"(?:powershell|pwsh)[^\n|]{0,80}[ ]-(?i:e|ec|enc\w{0,12})[ \t]+[A-Za-z0-9+/]{40}"),
    ),
    "opens a shell to another machine": FormTable(
        form_of("/dev/tcp/|/dev/udp/", "/dev/(?:tcp|udp)/"),
        command_of("nc", r"(?:nc|ncat)[ \t][^\n|;]{0,80}[ \t]-e\b"),
        form_of("socat", r"\bsocat\b[^\n]{0,120}(?i:exec:)"),
    ),
    "deletes a home folder or a disk": FormTable(
        *DESTRUCTIVE.rows,
        form_of("mkfs.", r"\bmkfs\."),
        command_of("of=/dev/", r"dd[ \t][^\n]{0,80}of=/dev/(?:sd|nvme|disk)"),
    ),
}
"""What commands do that no honest one does where they are hidden, and their forms."""


_RAW = late(r"https?://(\d{1,3}(?:\.\d{1,3}){3})(?=[:/\s\"'`]|$)")
_ENVIRONMENT = late(
    r"""(?:^|[|;&(`"'][ \t]*)(?:printenv|env)(?=[ \t]*(?:$|[|;&>)`"'])) | \$\(env\) | `env`""",
    re.VERBOSE | re.MULTILINE,
)
_PLAIN_GET = late(rf"{_GETS}[^\n]{{0,600}}?https?://(?!localhost|127\.|0\.0\.0\.0|\[::1\])", re.VERBOSE)


class Danger(NamedTuple):
    """What a command does, to follow its name in a message; `severe`: no honest use was seen."""

    what: str
    severe: bool


_SHOWS = late(r"""\becho[ \t]+(?:"[^"$`\n]*"|'[^'\n]*')(?=[ \t]*(?:[;)&\n]|\|\||\Z))""")
"""A text that is only shown: no pipe and no file gets it."""


def danger_of(command: str) -> Danger | None:
    """The worst of what a command or a few lines of commands do; None if nothing is remarkable."""
    text = _SHOWS().sub("echo", command[:_LONGEST])
    for what, forms in _SEVERE.items():
        if forms.stands_in(text):
            return Danger(what, True)
    if _names_raw_address(text):
        return Danger("contacts a host that has an address only, no name", True)
    return _leak(text)


def _leak(text: str) -> Danger | None:
    """Whether a text without the other dangers sends or reads what is secret, or downloads a text."""
    from skillbag.lint.checks.second_signs import names_secret
    from skillbag.lint.signals.sending import first_sending

    secret, whole = names_secret(text), _ENVIRONMENT().search(text) is not None
    if first_sending(text) is not None:
        what = "sends a secret file" if secret else "sends the environment" if whole else "sends data"
        return Danger(what, secret or whole)
    if secret:
        return Danger("names a secret file", False)
    if whole:
        return Danger("prints the environment with its secrets", False)
    return Danger("downloads a text that nobody has read", False) if _PLAIN_GET().search(text) else None


def _names_raw_address(text: str) -> bool:
    hosts = [match[1] for match in _RAW().finditer(text)]
    if not hosts:
        return False
    from skillbag.lint.signals.addresses import is_raw_public

    return any(map(is_raw_public, hosts))


_FLAGS = (b"y-skip-p", b"y-bypass-a", b"w-all-t", b"t-all-t")
_YOLO = (b"--yolo", b"e yolo", b"e=yolo")
_MODES = (b"bypassP", b"r-full-a", b"skipDang")
# Lists of tools are common; those of allowed ones are not.
_LISTS = (b'pprove": ["*"', b'pprove":["*"', b'allow":', b'allow" ', b'allow"\t', b"allow':", b"allow' ", b"allow'\t")
_SETTINGS = (*_FLAGS, *_YOLO, *_MODES, *_LISTS)
_AGENT = (
    r"\b(?:claude|codex|gemini|cursor-agent|copilot|qwen|kimi|opencode|openclaw|clawdbot|hermes|crush|droid|q|agent)\b"
)
_FORMS = late(
    r"""--dangerously-(?:skip-permissions|bypass-approvals[\w-]*) | --(?:allow|trust)-all-tools
      | (?<=[ \t"'])(?:--yolo|--approval-mode[= ]yolo)(?![\w-])
      | \b\w*[mM]ode["'\])]*\s*[:= ]\s*["']?(?:bypassPermissions|danger-full-access)\b
      | --sandbox[= ]danger-full-access\b | skipDangerousModePermissionPrompt["']?\s*[:=]\s*true
      | ["']auto_?[aA]pprove["']\s*:\s*(?:true|\[\s*["']\*["'])
      | ["']allow["']\s*:\s*\[[^\]\n]{0,400}?["'](?:\*|Bash\((?:\*|\*:\*|:\*)\))["']""",
    re.VERBOSE,
)
_FLAG = late(r"--[\w-]*\Z")
_NAMES_AGENT = late(_AGENT, re.IGNORECASE)
_TO_BE_SET = late(r"[ \t]*\)|\S*(?:\s*\|\s*[\"'`\w]|[\"'`]\s*,\s*[\"'`]\w+[\"'`])")
"""After a mode: a list or union of all modes is documentation; the label of a case reads an option of its own."""


@Predicate(
    "permission-bypass", Subject.TEXT, values=("what",), literals=(*_FLAGS, *_YOLO, *_MODES, *_LISTS, *GRANTING.signs)
)
def permission_bypass(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Flags and settings for an agent without questions, in commands, scripts and settings."""
    body = text.document.text
    for line in lines_of(body, text.places.of(_SETTINGS)):
        limit = min(line[1], line[0] + 20_000)
        agent = _NAMES_AGENT().search(body, line[0], limit)
        for match in _FORMS().finditer(body, line[0], limit):
            if "yolo" in match[0] and (agent is None or agent.end() > match.start()):
                continue
            if _TO_BE_SET().match(body, match.end()) or _is_bare(text, match.start()):
                continue
            is_set = match[0].startswith(("'", '"')) and not is_shown(text, *match.span())
            if is_set or is_meant(text, *match.span()):
                what = {"what": short(" ".join(match[0].split()))}
                # A flag is for an agent that the skill starts; a setting is for the agent of the user.
                start = match.start()
                is_flag = match[0].startswith("-") or _FLAG().search(body, max(0, start - 20), start)
                role = PlaceRole.TAUGHT if is_flag and _drives_agents(text) else None
                yield Match(text.document.path, *match.span(), what, role=role)
    if text.language in ("markdown", "text"):
        for match in islice(GRANTING.matches(text), MAX):
            if CONDITION().search(sentence_before(body, match.start()) + match[0]):
                continue
            if is_instruction(text, *match.span()) or _is_to_be_written(text, match.start()):
                yield Match(text.document.path, *match.span(), {"what": short(" ".join(match[0].split()))})


def _drives_agents(text: TextFile) -> bool:
    """Whether the description says that the skill starts such an agent, which its user then expects."""
    skill = skill_of(text)
    described = skill and skill.field("description")
    return isinstance(described, Scalar) and _DRIVES().search(described.value) is not None


_DRIVES = late(
    r"(?i)\bclaude[ -](?:code|cli|agent)|\b(?:codex|gemini|antigravity|cursor[ -](?:agent|cli)|copilot[ -]cli|qwen"
    r"|opencode|crush|droid)\b|\bsub-?agents?\b"
)
_WRITES_MEMORY = late(
    r"\b(?:write|add|append|put|save|insert|paste|store|record|copy)\b[^\n]{0,120}"
    r"\b(?:CLAUDE|AGENTS|GEMINI|MEMORY|SOUL|IDENTITY|settings[\w.]*)\.(?:md|json)\b",
    re.IGNORECASE,
)


def _is_to_be_written(text: TextFile, start: int) -> bool:
    """Whether a place is in a block of text, and the words before the block say to write it for an agent to obey."""
    fence = span_at(fences_of(text), start) if text.language == "markdown" else None
    if fence is None:
        return False
    before = text.document.text[max(0, fence.start - _LEAD) : fence.start].rstrip().rpartition("\n\n")[2]
    return bool(_WRITES_MEMORY().search(before)) and not is_negated(before.rstrip(" :*"))


_LEAD = 300
"""How far before a block the words that introduce it begin."""


def _is_bare(text: TextFile, start: int) -> bool:
    """Whether a flag stands alone, without the command it belongs to: in prose, or as a quoted text in a script."""
    body = text.document.text
    before = line_around(body, start, start)[0]
    if text.language == "markdown" and span_at(fences_of(text), start) is None:
        command = before if "`" in before else ""
        is_set = body[start] in "\"'" and _SETS().search(sentence_before(body, start))
        return not (_NAMES_AGENT().search(command.rpartition("`")[2]) or _ADDS().search(before) or is_set)
    return before.endswith(('"', "'")) and body.startswith("--", start) and not _NAMES_AGENT().search(before)


_ADDS = late(r"\b(?:run|start|launch|use|pass|add|enable|set)\b[^.`]{0,40}`?$", re.IGNORECASE)
_SETS = late(r"\b(?:add|set|put|write|register|configure|update)\b", re.IGNORECASE)
