"""Code that gives others a way in: reverse shells, and starts that survive the session (MITRE ATT&CK T1059, TA0003).

Sources: techniques A9 and F5 of the taxonomies of malicious skills. Honest managers of skills install skills, too, so
these are facts for a reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import Region, region_at
from skillbag.lint.checks.instruction import is_instruction
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject, short
from skillbag.lint.facts.roles import is_meant, is_taught, line_at, without_comments
from skillbag.lint.facts.stated import skill_of, stated
from skillbag.lint.facts.units import is_script
from skillbag.lint.signals import persistence
from skillbag.lint.signals.addresses import is_raw_public
from skillbag.lint.signals.fences import some
from skillbag.lint.signals.phrases import CommandForm, FormTable

_SHELL = r"(?:/(?:usr/)?bin/)?(?:ba|z|da|k)?sh\b"
_NETCAT = r"(?<![\w./-])(?:nc|ncat|netcat)"


def _form(signs: str, form: str, before: int = 0, after: int = 400, beside: str = "") -> CommandForm:
    groups = (tuple(beside.split()),) if beside else ()
    return CommandForm(tuple(signs.split("|")), late(form, re.VERBOSE), before, after, groups)


_SHELLS = FormTable(
    _form(
        "/dev/tcp/|/dev/udp/|<>/dev/",
        rf"""{_SHELL}[ \t]+-i\b[^\n]{{0,60}}/dev/(?:tcp|udp)/[^\n]{{0,80}}
          | /dev/(?:tcp|udp)/[^\n]{{1,80}}(?:0>&1|0<&1|<&[3-9]\b)[^\n]{{0,60}}
          | exec[ \t]+\d{{1,3}}<>[ \t]*/dev/(?:tcp|udp)/(?=[^\0]{{0,300}}(?:{_SHELL}[^\n]{{0,40}}[<>]&
            |while[ \t]+read[^\0]{{0,200}}\$line))
          | \bexec[ \t]+\d+<>[ \t]*/dev/(?:tcp\b|udp\b|["']?\$)[^\n]{{0,120}}""",
        100,
        700,
    ),
    _form(
        " nc -|\nnc -|`nc -|\"nc -|'nc -|(nc -|;nc -|&nc -|ncat |netcat |nc.exe|nc.traditional"
        "| -e /bin| -e bash| -e sh| -e cmd| -c /bin| -c bash| -c sh",
        rf"""{_NETCAT}(?:\.exe|\.traditional)?[ \t][^\n|;]{{0,80}}?(?<!\S)(?:-\w*[ec]|--(?:sh-)?exec)[ \t]+["']?
              (?:{_SHELL}|cmd(?:\.exe)?\b|powershell)[^\n]{{0,60}}
          | {_NETCAT}[ \t]+-\w*e[ \t]+(?:{_SHELL}|cmd)""",
        100,
        beside="sh cmd powershell",
    ),
    _form(
        "mkfifo",
        rf"""mkfifo[ \t][^\n]{{0,200}}{_SHELL}[^\n]{{0,60}}\|[ \t]*
          (?:nc|ncat|netcat|openssl[ \t]+s_client)\b[^\n]{{0,80}}""",
    ),
    _form("socat", rf"""socat\b[^\n]{{0,160}}(?i:exec|system):["']?(?:{_SHELL}|cmd|powershell)[^\n]{{0,80}}"""),
    _form(
        "dup2(", rf"\bdup2\([^\n)]{{0,40}}fileno\(\)[^\n]{{0,40}}\)(?=[^\0]{{0,600}}(?:{_SHELL}|pty\.spawn|cmd\.exe))"
    ),
    _form(
        ".stdin)",
        r"""\.pipe\([ \t]*\w+\.stdin[ \t]*\)
          (?=[^\0]{0,300}\.stdout\.pipe\([ \t]*(?:client|sock\w*|conn\w*|[cs])[ \t]*\))""",
        60,
    ),
    _form("TCPClient(", r"\bTCPClient\((?=[^\0]{0,900}(?i:\biex\b|invoke-expression))", 0, 1_000),
    _form("open(STDIN", r"\bopen\([ \t]*STDIN[ \t]*,[^\n]{0,20}&S[^\n]{0,200}exec[^\n]{0,40}sh"),
)
_OWN_KEY = late(
    r"\bid_\w+\.pub\b|\bkey\.pub\b|\.ssh/[\w*-]+\.pub\b|\$\{?\w*(?i:key|pub)\w*|<[^>\n]{0,30}>[^\n]{0,10}\.pub|AAAA\w{0,4}(?:\.\.\.|…)"
)
"""A public key of the user, who adds it to a machine of their own."""
_STAND_IN = late(
    r"""[A-Z]{2,}_?(?:IP|HOST|ADDR\w*|PORT)\b | \b(?:LHOST|RHOST|YOUR|ATTACKER|KALI)\w*(?i:\b|_)
      | <[\w. -]{1,30}> | \{\{ | \{\w{1,30}\} | /dev/(?:tcp|udp)/x/
      | \$\{?\w+ | \b(?:127|10)\.\d+\.\d+\.\d+ | \b192\.(?:168|0\.2)\.\d+ | \b172\.(?:1[6-9]|2\d|3[01])\.
      | \b198\.51\.100\. | \b203\.0\.113\. | \blocalhost\b | x\.x\.x\.x | \b(?:IP|PORT|HOST
        |attacker\w*)\b(?!\.\w) | \[[\w ]+\]""",
    re.VERBOSE,
)
"""Addresses of texts that teach: whoever copies the line fills them in."""
_IPV4 = late(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")


@Predicate("reverse-shell", Subject.TEXT, values=("command",), literals=_SHELLS.signs)
def reverse_shell(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Shells that another machine controls. Samples without a real address are weaker."""
    body, end = text.document.text, 0
    for match in sorted(_SHELLS.matches(text), key=re.Match.start):
        # One line has several signs of the same shell.
        if match.start() >= end and region_at(text, match.start()):
            end = text.document.bounds(match.end())[1]
            raised = is_script(text) or (
                not (_has_stand_in(body, match.start(), end) or is_taught(text, match.start(), end))
                and _HOSTS().search(body, match.start(), end) is not None
            )
            yield Match(
                text.document.path, *match.span(), {"command": short(" ".join(match[0].split()))}, raised=raised
            )


_HOSTS = late(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}\b|(?<![\w./])(?:[\w-]+\.)+(?!exe\b)[A-Za-z]{2,}(?![\w(])|/dev/(?:tcp|udp)/"
)
"""What a sample with a real address has. A pattern to block has none, nor has a shell that listens."""


def _has_stand_in(body: str, start: int, end: int) -> bool:
    """Whether the lines of a sample have a placeholder for an address."""
    first = max(body.rfind("\n", 0, start) + 1, start - 600)
    end = min(end, start + 600)
    is_real = any(is_raw_public(match[0]) for match in _IPV4().finditer(body, first, end))
    return not is_real and bool(_STAND_IN().search(body, first, end))


_HARMLESS_RC = late(
    r"\bPATH\b|\bexport[ \t]|\balias[ \t]|\bsource[ \t]|(?<=[\"' ])\.[ \t]|\b(?:init|hook|activate|completions?"
    r"|env|shellenv)\b"
)
_RUNS = late(r"\b(?:curl|wget|bash|sh|python[\d.]*|node|perl|nohup|base64|nc)\b|/tmp/|&[\"']|/\.\w")
_ODD = r"/(?:tmp|shm)/(?![\w./-]*\.(?:log|err|out|txt|pid)\b)[.\w]|\b(?:curl|wget|base64|nc|iwr|irm|mshta|certutil)\b"
_ODDLY = late(_ODD)
_HIDDEN = late(
    _ODD + r"|/\.\w[\w.-]*/|-(?:c|e|enc\w*)[ \t]|https?://(?!localhost|127\.)"
    r"|(?i:/sc[ \t]+(?:minute|onlogon|onstart|onidle)\b|\\users\\public\\|%(?:local)?appdata%|\\temp\\)"
)
_RESTARTS = late(r"\blaunchctl[\"', \t]+(?:unload|bootout|kickstart|stop)\b")
_COPIES = late(r"\b(?:cp|mv|ln|tee|install|rsync)[ \t]|\.plist[\"']?[ \t]*<<|write|copy")
"""What restarts a service that is there, and what may bring another one."""
_DEFINES = late(r"(?i)>[ \t]*[^\n>|;]{0,120}plist")
_DROPS = late(r"\bcrontab[ \t]+-l\b[^\n|;]{0,40}\|[ \t]*grep[ \t]+-\w*v\w*[ \t][^\n|;]{1,80}\|[ \t]*crontab[ \t]+-")
"""Takes a job away."""
_STRONG = late(
    r"""\b(?:curl|wget)\b[^\n|]{0,200}\|[ \t]*(?:sudo[ \t]+)?(?:\S*/)?(?:ba|z|da)?sh\b
      | \b(?:iwr|irm|DownloadString)\b[^\n]{0,200}\b(?i:iex)\b | \b(?i:iex)\b[^\n]{0,80}\b(?:iwr|irm|DownloadString)\b
      | base64[ \t]+(?:-d|-D|--decode)[^\n]{0,80}\|[ \t]*\S*sh\b | \bexec\([^\n]{0,40}b64decode
        | [ ]-(?i:enc)\w*[ \t]+[A-Za-z0-9+/=]{24}
      | https?://(?!127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|0\.0\.0\.0|169\.254\.)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}""",
    re.VERBOSE,
)
_NEAR = 400
_FILLS = {
    "registry Run key": late(
        r"(?i)reg(?:\.exe)? add|[\"']add[\"']|(?:set|new)-item|setvalue|regwrite|createkey|regset"
    ),
    "start folder": late(r"(?i)copy|move|shutil|write|createshortcut|new-item|out-file|set-content|>|save"),
}
"""What code near a key of the registry or a folder does that sets it up: lists of places to look at are common."""


@Predicate("persistence", Subject.TEXT, values=("mechanism",), literals=persistence.LITERALS)
def persistent(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Steps that start a program again later, stronger beside a download or an encoded text that is run."""
    body = text.document.text
    for step in persistence.persistences(body, some(text.places.of(persistence.LITERALS))):
        region = region_at(text, step.start)
        if region is None or not is_meant(text, step.start, step.end) or not _is_suspect(text, step, region):
            continue
        near = body[max(region.start, step.start - _NEAR) : min(region.end, step.end + _NEAR)]
        raised = bool(_STRONG().search(near)) and (region.is_script or not _STAND_IN().search(near))
        if not (raised or _ODDLY().search(near)) and _is_stated(text, step.mechanism):
            continue
        yield Match(text.document.path, step.start, step.end, {"mechanism": step.mechanism}, raised=raised)


_SERVICE = r"(?i)\bdaemon|\b(?:background|system)\s+service|\b(?:at|on)\s+(?:log(?:in|on)|boot|start)"
_BY_CLOCK = (
    r"|\bcron|\bschedul|\bperiodic|\bdaily\b|\b(?:every|each)\s+(?:\d+\s+)?(?:minute|hour|day|night|morning|week)"
)
_STATES = {
    "cron": late(_SERVICE + _BY_CLOCK),
    "launchd": late(_SERVICE + r"|launch(?:d|ctl|[ -]?agents?)\b"),
    "systemd": late(_SERVICE + r"|\bsystemd|\bsystemctl|\btimer\b"),
    "scheduled task": late(_SERVICE + _BY_CLOCK),
}
"""What SKILL.md says of a service that its files set up, by mechanism."""


def _is_stated(text: TextFile, mechanism: str) -> bool:
    """Whether SKILL.md states what one of the skill's files starts later."""
    said = _STATES.get(mechanism)
    return said is not None and said().search(stated(text) or text.document.text) is not None


def _is_suspect(text: TextFile, step: persistence.Persistence, region: Region) -> bool:
    """Whether a step is more than the usual set-up of a tool; a sample in a text must start something odd."""
    body = text.document.text
    bounds = line_at(text.document, step.start)
    line = without_comments(body[max(bounds.start, step.start - 300) : min(bounds.end, step.end + 300)])
    if step.mechanism == "shell start file":
        added = line.replace(body[step.start : step.end], "").replace("/dev/null", "")
        runs = _RUNS().search(added) is not None
        return runs and (_STRONG().search(line) is not None or not _HARMLESS_RC().search(line))
    if step.mechanism == "login key":
        return not _OWN_KEY().search(line)
    if step.mechanism == persistence.TUNNEL:
        skill = skill_of(text)
        described = skill and skill.field("description")
        return not (isinstance(described, Scalar) and _REMOTE().search(described.value))
    if step.mechanism == persistence.PYTHON_START:
        return True
    if step.mechanism == "cron" and _DROPS().search(line):
        return False
    if step.mechanism in _FILLS and not _FILLS[step.mechanism]().search(
        body, max(0, step.start - 300), step.end + 1_200
    ):
        return False
    near = body[max(region.start, step.start - _NEAR) : min(region.end, step.end + _NEAR)]
    if step.mechanism == "systemd" and step.end - step.start > 0 and "enable" in body[step.start : step.end]:
        return bool(_HIDDEN().search(near)) and "ExecStart" in near
    is_new = _COPIES().search(near) or _DEFINES().search(body, region.start, region.end)
    if body.startswith("launchctl", step.start) and _RESTARTS().search(near) and not is_new:
        return False
    return region.is_script or bool(_HIDDEN().search(near))


_REMOTE = late(r"(?i)\b(?:tunnel|tailscale|tailnet|vpn|mesh|ngrok|cloudflared?|ssh|port[ -]forward)")
"""What a description says of a skill whose user expects a tunnel."""
_KINDS = (b"other", b"new", b"more", b"additional", b"further")
_SPREADS = (
    *(b"nstall " + kind + b" skill" for kind in _KINDS),
    *(b"opy this skill", b"pread this skill", b"opy yourself", b"pread yourself", b"eplicate yourself"),
    *(b"hare this skill with ev", b"hare this skill with oth"),
)
# Unasked, by itself or again and again; or into places that are not the user's own choice.
_UNASKED = late(
    r"\b(?:without\s+(?:asking|confirm\w*|permission|approval|telling|notif\w*)|on\s+your\s+own|by\s+yourself"
    r"|whenever\s+you\s+can|every\s+(?:\d+\s+)?(?:minutes?|hours?|days?|heartbeats?|sessions?)"
    r"|(?:to|into|with|in)\s+(?:every|all|each|any)\s+(?:other\s+)?(?:agent|repositor|project|workspace|machine|contact)\w*"
    r"|(?:to|into|with)\s+other\s+(?:agents?|machines?|repositories))\b",
    re.IGNORECASE,
)
_MINERS = (b"xmrig", b"XMRig", b"stratum+tcp://", b"stratum+ssl://", b"coinhive", b"cpuminer", b"minerd ")
_REACH = 200
_ENDS = (".", "!", "?", "\n")


@Predicate("unasked-spread", Subject.TEXT, values=("phrase",), literals=_SPREADS)
def unasked_spread(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose that tells the agent to install skills unasked, or to copy the skill to others."""
    if text.language not in ("markdown", "text"):
        return
    body, after = text.document.text, -1
    for at in text.places.of(_SPREADS)[:MAX]:
        start, end = _sentence(body, at)
        if at > after and _UNASKED().search(body, start, end) and is_instruction(text, at, end):
            after = end
            phrase = body[at - 1 : at + 40].partition("\n")[0]
            yield Match(text.document.path, at - 1, end, {"phrase": phrase})


def _sentence(body: str, at: int) -> tuple[int, int]:
    """The bounds of the sentence around an offset, as far as it is near and in one line."""
    start = max(body.rfind(sign, max(0, at - _REACH), at) for sign in _ENDS) + 1
    ends = (body.find(sign, at, at + _REACH) for sign in _ENDS)
    return max(start, at - _REACH, 0), min((end for end in ends if end >= 0), default=min(at + _REACH, len(body)))


@Predicate("coin-miner", Subject.TEXT, values=("program",), literals=_MINERS)
def coin_miner(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """The first program or pool of a text that mines currency."""
    for at in text.places.of(_MINERS)[:1]:
        literal = next(sign.decode() for sign in _MINERS if text.document.text.startswith(sign.decode(), at))
        yield Match(text.document.path, at, at + len(literal), {"program": literal.strip().removesuffix("://")})
