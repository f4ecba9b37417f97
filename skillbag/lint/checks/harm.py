"""Commands that destroy data, turn protection off or remove traces (MITRE T1485, T1490, T1562, T1070)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.signals.phrases import CommandForm, FormTable

_ALL = r"[\"']?(?:/|~|\$\{?HOME\}?|\$env:USERPROFILE|%USERPROFILE%|[Cc]:\\?)[\"']?[/\\]?\*?[\"']?(?=[\s;&|\"'`),]|\Z)"
_HOME_CALL = r"(?:Path\.home\(\)|os\.path\.expanduser\([\"']~/?[\"']\)|os\.homedir\(\)|homedir\(\)|[\"'](?:/|~)[\"'])"


def form_of(signs: str, form: str, before: int = 0) -> CommandForm:
    return CommandForm(tuple(signs.split("|")), late(form, re.VERBOSE), before)


def command_of(signs: str, form: str, before: int = 0) -> CommandForm:
    return form_of(signs, rf"(?<![\w./-])(?:{form})", before)


_ANY_DISK = "/dev/(?:sd|hd|nvme|disk|rdisk|mmcblk|vd)"
DESTRUCTIVE = FormTable(
    command_of("rm -", rf"rm[ \t]+(?:-[\w-]+[ \t]+)*?(?:-\w*[rR]\w*|--recursive)[ \t]+(?:-[\w-]+[ \t]+)*{_ALL}"),
    command_of("-delete", rf"find[ \t]+{_ALL}[^\n|;]{{0,80}}-delete\b", 160),
    command_of("of=/dev/", rf"dd[ \t][^\n|;]{{0,60}}\bif=/dev/(?:zero|u?random)[^\n|;]{{0,60}}\bof={_ANY_DISK}", 160),
    command_of("> /dev/|>/dev/", r"(?:cat|echo|yes|head)\b[^\n|;]{0,80}>[ \t]*/dev/(?:sd[a-z]|nvme\d|disk\d)", 100),
    command_of("shred |wipefs", rf"(?:shred|wipefs)[ \t][^\n|;]{{0,60}}{_ANY_DISK}"),
    form_of(
        "hadows|hadowcopy|delete catalog",
        r"""(?i:vssadmin(?:\.exe)?[ \t]+delete[ \t]+shadows|wmic[ \t]+shadowcopy[ \t]+delete
          |wbadmin[ \t]+delete[ \t]+catalog)""",
        40,
    ),
    form_of(
        "emove-Item|remove-item",
        rf"""(?i:remove-item)[ \t][^\n|;]{{0,60}}{_ALL}(?=[^\n|;]{{0,60}}-(?i:rec)|(?<=-Recurse[^\n]{{0}}))
          | (?i:remove-item)[ \t][^\n|;]{{0,40}}-(?i:recurse)[^\n|;]{{0,40}}[ \t]{_ALL}""",
        1,
    ),
    command_of("rd /|rmdir /|del /", rf"(?i:rd|rmdir|del)[ \t]+(?:/[sqfSQF][ \t]+){{1,3}}{_ALL}"),
    command_of(":()", r":\(\)[ \t]*\{[ \t]*:[ \t]*\|[ \t]*:[ \t]*&[ \t]*\}[ \t]*;[ \t]*:"),
)
_DESTRUCTIVE_CALL = FormTable(
    form_of(
        "rmtree(|imraf|rmSync(|rmdirSync(|.rm(",
        rf"(?:\b(?:rmtree|rimraf(?:\.sync|Sync)?|rmSync|rmdirSync)|\.rm)\([ \t]*{_HOME_CALL}[ \t]*[,)]",
        1,
    ),
    form_of("'rm'|\"rm\"", rf"[\"']rm[\"'][ \t]*,[ \t]*[\"']-[rRfv]{{1,4}}[\"'][ \t]*,[ \t]*{_HOME_CALL}"),
)
_PROTECTION = r"(?:WinDefend|SecurityHealthService|Sense|auditd|falcon-sensor|clamav-daemon|crowdstrike|osqueryd)"
_EVADES = FormTable(
    command_of("xattr ", r"xattr[ \t]+-(?:r?d|dr)[ \t]+com\.apple\.quarantine | xattr[ \t]+-(?:c|cr|rc)[ \t]"),
    form_of(
        "ppreference|pPreference",
        r"""(?i:set-mppreference)[ \t][^\n|;]{0,80}-(?i:disable)\w+
        | (?i:add-mppreference)[ \t][^\n|;]{0,80}-(?i:exclusion)\w+""",
        8,
    ),
    command_of(
        "WinDefend|SecurityHealth|stop Sense|delete Sense|config Sense|auditd|falcon-sensor|clamav-daemon|crowdstrike"
        "|osqueryd",
        rf"""sc(?:\.exe)?[ \t]+(?:stop|delete|config)[ \t]+{_PROTECTION}\b
          | systemctl[ \t]+(?:stop|disable|mask)[ \t]+(?:--now[ \t]+)?{_PROTECTION}\b""",
        40,
    ),
    form_of("advfirewall", r"(?i:netsh[ \t]+advfirewall[ \t]+set[ \t]+\w+[ \t]+state[ \t]+off)", 10),
    command_of("master-disable|global-disable", r"spctl[ \t]+--(?:master|global)-disable", 10),
    command_of("csrutil", r"csrutil[ \t]+disable"),
    command_of("history -c", r"history[ \t]+-c\b"),
    command_of("HISTFILE", r"unset[ \t]+HISTFILE\b | (?:export[ \t]+)?HISTFILE=/dev/null", 10),
    command_of("sh_history", r"(?:rm|shred)[ \t]+(?:-\w+[ \t]+)*[\"']?(?:~|\$HOME)[\"']?/\.(?:ba|z)sh_history", 60),
    command_of(
        "--privileged|pid=host|pid host|cap-add",
        r"""(?:docker|podman|nerdctl)[ \t]+(?:container[ \t]+)?(?:run|create)\b
        (?=[^\n|;]{0,300}[ \t]--(?:privileged|pid[= ]host|cap-add[= ](?:ALL|SYS_ADMIN))\b)
        (?=[^\n|;]{0,300}[ \t](?:(?:-v|--volume)[= \t]*["']?/:/|--mount[^\n|;]{0,60}(?:src|source)=/,))""",
        300,
    ),
    form_of("evtutil|lear-EventLog", r"(?i:wevtutil(?:\.exe)?[ \t]+cl\b|clear-eventlog\b)", 1),
    form_of("amsiInitFailed|AmsiScanBuffer", r"\b(?:amsiInitFailed|AmsiScanBuffer)\b"),
)


@Predicate(
    "destructive-command", Subject.TEXT, values=("command",), literals=(*DESTRUCTIVE.signs, *_DESTRUCTIVE_CALL.signs)
)
def destructive(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands and calls that delete everything of a user or a disk."""
    yield from _found(text, DESTRUCTIVE)
    yield from _found(text, _DESTRUCTIVE_CALL, in_calls=True)


@Predicate("defence-evasion", Subject.TEXT, values=("command",), literals=_EVADES.signs)
def evasion(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Commands that turn protection off or remove traces."""
    yield from _found(text, _EVADES)


def _found(text: TextFile, forms: FormTable, *, in_calls: bool = False) -> Iterator[Match]:
    for match in forms.matches(text):
        # Most texts with such a word have no such command.
        from skillbag.lint.checks.code_regions import is_command, region_at
        from skillbag.lint.facts.roles import is_shown

        at, end = match.span()
        if region_at(text, at) and (in_calls or is_command(text, at)) and not is_shown(text, at, end):
            yield Match(text.document.path, at, end, {"command": short(" ".join(match[0].split()))})
