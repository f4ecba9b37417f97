"""Commands that destroy data or turn protection off (MITRE ATT&CK T1485, T1490, T1562, T1070)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.code_regions import is_command, region_at
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.checks.prefilter import some, windows

_ALL = r"[\"']?(?:/|~|\$\{?HOME\}?|\$env:USERPROFILE|%USERPROFILE%|[Cc]:\\?)[\"']?[/\\]?\*?[\"']?(?=[\s;&|\"'`),]|\Z)"
_HOME_CALL = r"(?:Path\.home\(\)|os\.path\.expanduser\([\"']~/?[\"']\)|os\.homedir\(\)|homedir\(\)|[\"'](?:/|~)[\"'])"
_DESTROYS = late(
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
      | (?i:wevtutil(?:\.exe)?[ \t]+cl\b|clear-eventlog\b) | \bamsiInitFailed\b | \bAmsiScanBuffer\b""",
    re.VERBOSE,
)
_EVADES_WORDS = (
    *(b"xattr ", b"ppreference", b"pPreference", b"WinDefend", b"SecurityHealth"),
    *(b"stop Sense", b"delete Sense", b"config Sense", b"auditd", b"falcon-sensor"),
    *(b"clamav-daemon", b"crowdstrike", b"osqueryd", b"advfirewall", b"master-disable"),
    *(b"global-disable", b"csrutil", b"history -c", b"HISTFILE"),
    *(b"sh_history", b"evtutil", b"lear-EventLog", b"amsiInitFailed", b"AmsiScanBuffer"),
)
_BEFORE, _AFTER = 200, 200


@Predicate(
    "destructive-command", Subject.TEXT, values=("command",), literals=_DESTROYS_WORDS, needs="before_harm.destroys"
)
def destructive(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands and calls that delete everything of a user or a disk."""
    yield from _commands(text, _DESTROYS_WORDS, _DESTROYS)
    for match in _found(text, _DESTROYS_WORDS, _DESTROYS_CALL):
        if region_at(text, match.start()):
            yield _match(text, match)


@Predicate("defence-evasion", Subject.TEXT, values=("command",), literals=_EVADES_WORDS)
def evasion(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands that turn protection off or remove traces."""
    yield from _commands(text, _EVADES_WORDS, _EVADES)


def _commands(text: TextFile, words: Iterable[bytes], form: Late) -> Iterator[Match]:
    for match in _found(text, words, form):
        if region_at(text, match.start()) and is_command(text, match.start()):
            yield _match(text, match)


def _found(text: TextFile, words: Iterable[bytes], form: Late) -> Iterator[re.Match[str]]:
    for window in windows(text.document.text, some(text.places.of(words)), _BEFORE, _AFTER):
        yield from form().finditer(text.document.text, *window)


def _match(text: TextFile, match: re.Match[str]) -> Match:
    return Match(text.document.path, *match.span(), {"command": short(" ".join(match[0].split()))})
