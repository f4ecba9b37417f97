"""Commands that destroy data, turn protection off or ask no more questions (MITRE T1485, T1490, T1562, T1070)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import is_command, region_at
from skillbag.lint.checks.instruction import is_instruction, is_negated, sentence_before
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import line_around, lines_of, windows
from skillbag.lint.facts.roles import is_meant, is_shown
from skillbag.lint.signals.approval import CONDITION, GRANTING
from skillbag.lint.signals.fences import fences_of, some, span_at

_LONGEST = 4_000
_SHELL = r"""(?:sudo[ \t]+(?:-\S+[ \t]+){0,3})?(?:env[ \t]+)?(?:/[\w./-]{0,40}/)?
    (?:(?:ba|z|da|k|fi)?sh|python[\d.]*|node|perl|ruby|php|iex)\b"""
_GETS = r"""(?<![\w./-])(?:curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)(?:\.exe)?[ \t"']"""
_DECODES = r"(?:base64[ \t]+(?:-d|-D|--decode)\b|xxd[ \t]+-r|openssl[ \t]+(?:enc|base64)\b[^|\n]{0,80}-d\b)"
_RUNS_DOWNLOAD = late(
    rf"""{_GETS}[^|\n]{{0,600}}\|[ \t]*{_SHELL}
      | (?:<|\$)\([ \t]*{_GETS}
      | (?:iex|Invoke-Expression)\b[^\n]{{0,80}}(?:iwr|irm|DownloadString)
      | {_GETS}[^\n]{{0,600}}?(?:&&|;)[ \t]*(?:chmod[ \t]+\S+[ \t]+\S+[ \t]*(?:&&|;)[ \t]*)?
          (?:(?:ba|z)?sh[ \t]|\./|/tmp/)""",
    re.VERBOSE,
)
_RUNS_DECODED = late(
    rf"""{_DECODES}[^\n]{{0,200}}\|[ \t]*{_SHELL} | \$\([^)\n]{{0,400}}{_DECODES}
      | \b(?:exec|eval)\([^\n]{{0,120}}(?:b64decode|atob|fromhex)
      | (?:powershell|pwsh)[^\n|]{{0,80}}[ ]-(?i:e|ec|enc\w{{0,12}})[ \t]+[A-Za-z0-9+/]{{40}}""",
    re.VERBOSE,
)
_REVERSE = late(
    r"/dev/(?:tcp|udp)/|(?<![\w./-])(?:nc|ncat)[ \t][^\n|;]{0,80}[ \t]-e\b|\bsocat\b[^\n]{0,120}exec:", re.IGNORECASE
)
_DESTROYS = late(
    r"""(?<![\w./-])rm[ \t]+(?:-\S+[ \t]+){0,3}(?<=[rRf][ \t])["']?(?:~|/|\$HOME|\$\{HOME\})(?:/?\*|/)?["']?
          (?=[ \t;&|)`"']|$)
      | \bmkfs\. | (?<![\w-])dd[ \t][^\n]{0,80}of=/dev/(?:sd|nvme|disk)""",
    re.VERBOSE | re.MULTILINE,
)
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
    for pattern, what in (
        (_RUNS_DOWNLOAD, "runs a download"),
        (_RUNS_DECODED, "decodes a text and runs it"),
        (_REVERSE, "opens a shell to another machine"),
        (_DESTROYS, "deletes a home folder or a disk"),
    ):
        if pattern().search(text):
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


_ALL = r"[\"']?(?:/|~|\$\{?HOME\}?|\$env:USERPROFILE|%USERPROFILE%|[Cc]:\\?)[\"']?[/\\]?\*?[\"']?(?=[\s;&|\"'`),]|\Z)"
_HOME_CALL = r"(?:Path\.home\(\)|os\.path\.expanduser\([\"']~/?[\"']\)|os\.homedir\(\)|homedir\(\)|[\"'](?:/|~)[\"'])"
_DESTRUCTIVE = late(
    rf"""(?<![\w./-])rm[ \t]+(?:-[\w-]+[ \t]+)*?(?:-\w*[rR]\w*|--recursive)[ \t]+(?:-[\w-]+[ \t]+)*{_ALL}
      | (?<![\w./-])find[ \t]+{_ALL}[^\n|;]{{0,80}}-delete\b
      | (?<![\w./-])dd[ \t][^\n|;]{{0,60}}\bif=/dev/(?:zero|u?random)[^\n|;]{{0,60}}\bof=/dev/(?:sd|hd|nvme
        |disk|rdisk|mmcblk|vd)
      | (?<![\w./-])(?:cat|echo|yes|head)\b[^\n|;]{{0,80}}>[ \t]*/dev/(?:sd[a-z]|nvme\d|disk\d)
      | (?<![\w./-])(?:shred|wipefs)[ \t][^\n|;]{{0,60}}/dev/(?:sd|hd|nvme|disk|vd)
      | (?i:vssadmin(?:\.exe)?[ \t]+delete[ \t]+shadows|wmic[ \t]+shadowcopy[ \t]+delete
        |wbadmin[ \t]+delete[ \t]+catalog)
      | (?i:remove-item)[ \t][^\n|;]{{0,60}}{_ALL}(?=[^\n|;]{{0,60}}-(?i:rec)|(?<=-Recurse[^\n]{{0}}))
      | (?i:remove-item)[ \t][^\n|;]{{0,40}}-(?i:recurse)[^\n|;]{{0,40}}[ \t]{_ALL}
      | (?<![\w-])(?i:rd|rmdir|del)[ \t]+(?:/[sqfSQF][ \t]+){{1,3}}{_ALL}
      | :\(\)[ \t]*\{{[ \t]*:[ \t]*\|[ \t]*:[ \t]*&[ \t]*\}}[ \t]*;[ \t]*:""",
    re.VERBOSE,
)
_DESTROYS_CALL = late(
    rf"""\b(?:rmtree|rimraf(?:\.sync|Sync)?|rmSync|rmdirSync|rm)\([ \t]*{_HOME_CALL}[ \t]*[,)]
      | [\"']rm[\"'][ \t]*,[ \t]*[\"']-[rRfv]{{1,4}}[\"'][ \t]*,[ \t]*{_HOME_CALL}""",
    re.VERBOSE,
)
_DESTROYS_WORDS = (
    *(b"rm -", b"-delete", b"of=/dev/", b"> /dev/", b">/dev/", b"shred ", b"wipefs", b"hadows", b"hadowcopy"),
    *(b"emove-Item", b"remove-item", b"delete catalog", b"rd /", b"rmdir /", b"del /", b":()"),
    *(b"rmtree(", b"imraf", b"rmSync(", b"rmdirSync(", b"'rm'", b'"rm"'),
)


_PROTECTION = r"(?:WinDefend|SecurityHealthService|Sense|auditd|falcon-sensor|clamav-daemon|crowdstrike|osqueryd)"
_EVADES = late(
    rf"""(?<![\w./-])xattr[ \t]+-(?:r?d|dr)[ \t]+com\.apple\.quarantine | (?<![\w./-])xattr[ \t]+-(?:c|cr|rc)[ \t]
      | (?i:set-mppreference)[ \t][^\n|;]{{0,80}}-(?i:disable)\w+
        | (?i:add-mppreference)[ \t][^\n|;]{{0,80}}-(?i:exclusion)\w+
      | (?<![\w./-])sc(?:\.exe)?[ \t]+(?:stop|delete|config)[ \t]+{_PROTECTION}\b
      | (?<![\w./-])systemctl[ \t]+(?:stop|disable|mask)[ \t]+(?:--now[ \t]+)?{_PROTECTION}\b
      | (?i:netsh[ \t]+advfirewall[ \t]+set[ \t]+\w+[ \t]+state[ \t]+off)
      | (?<![\w./-])spctl[ \t]+--(?:master|global)-disable | (?<![\w./-])csrutil[ \t]+disable
      | (?<![\w./-])history[ \t]+-c\b | (?<![\w./-])unset[ \t]+HISTFILE\b
        | (?<![\w./-])(?:export[ \t]+)?HISTFILE=/dev/null
      | (?<![\w./-])(?:rm|shred)[ \t]+(?:-\w+[ \t]+)*[\"']?(?:~|\$HOME)[\"']?/\.(?:ba|z)sh_history
      | (?<![\w./-])(?:docker|podman|nerdctl)[ \t]+(?:container[ \t]+)?(?:run|create)\b
        (?=[^\n|;]{{0,300}}[ \t]--(?:privileged|pid[= ]host|cap-add[= ](?:ALL|SYS_ADMIN))\b)
        (?=[^\n|;]{{0,300}}[ \t](?:(?:-v|--volume)[= \t]*["']?/:/|--mount[^\n|;]{{0,60}}(?:src|source)=/,))
      | (?i:wevtutil(?:\.exe)?[ \t]+cl\b|clear-eventlog\b) | \bamsiInitFailed\b | \bAmsiScanBuffer\b""",
    re.VERBOSE,
)
_EVADES_WORDS = (
    *(b"xattr ", b"ppreference", b"pPreference", b"WinDefend", b"SecurityHealth"),
    *(b"stop Sense", b"delete Sense", b"config Sense", b"auditd", b"falcon-sensor"),
    *(b"clamav-daemon", b"crowdstrike", b"osqueryd", b"advfirewall", b"master-disable"),
    *(b"global-disable", b"csrutil", b"history -c", b"HISTFILE"),
    *(b"--privileged", b"pid=host", b"pid host", b"cap-add"),
    *(b"sh_history", b"evtutil", b"lear-EventLog", b"amsiInitFailed", b"AmsiScanBuffer"),
)
_BEFORE, _AFTER = 200, 200


@Predicate(
    "destructive-command", Subject.TEXT, values=("command",), literals=_DESTROYS_WORDS, needs="before_harm.destroys"
)
def destructive(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands and calls that delete everything of a user or a disk."""
    yield from _commands(text, _DESTROYS_WORDS, _DESTRUCTIVE)
    for match in _found(text, _DESTROYS_WORDS, _DESTROYS_CALL):
        if region_at(text, match.start()) and not is_shown(text, *match.span()):
            yield _match(text, match)


@Predicate("defence-evasion", Subject.TEXT, values=("command",), literals=_EVADES_WORDS)
def evasion(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands that turn protection off or remove traces."""
    yield from _commands(text, _EVADES_WORDS, _EVADES)


def _commands(text: TextFile, words: Iterable[bytes], form: Late) -> Iterator[Match]:
    for match in _found(text, words, form):
        at = match.start()
        if region_at(text, at) and is_command(text, at) and not is_shown(text, at, match.end()):
            yield _match(text, match)


def _found(text: TextFile, words: Iterable[bytes], form: Late) -> Iterator[re.Match[str]]:
    for window in windows(text.document.text, some(text.places.of(words)), _BEFORE, _AFTER):
        yield from form().finditer(text.document.text, *window)


def _match(text: TextFile, match: re.Match[str]) -> Match:
    return Match(text.document.path, *match.span(), {"command": short(" ".join(match[0].split()))})


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
                yield Match(text.document.path, *match.span(), what, is_hint=_drives_agents(text))
    if text.language in ("markdown", "text"):
        for match in islice(GRANTING.said(text), MAX):
            if CONDITION().search(sentence_before(body, match.start())):
                continue
            if is_instruction(text, *match.span()) or _is_to_be_written(text, match.start()):
                yield Match(text.document.path, *match.span(), {"what": short(" ".join(match[0].split()))})


def _drives_agents(text: TextFile) -> bool:
    """Whether the description says that the skill starts such an agent, which its user then expects."""
    described = text.skill and text.skill.field("description")
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
