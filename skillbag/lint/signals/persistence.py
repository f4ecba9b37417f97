"""Steps that make a program start again later, or let others in: cron, launchd, systemd, tasks, files, keys, tunnels.

The mechanisms are those of MITRE ATT&CK T1053, T1098.004, T1543, T1546.004 and T1547.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import Late, late
from skillbag.kernel.base.records import NamedTuple


class Persistence(NamedTuple):
    """A step that sets up a start: its span (in code points) and its mechanism (`cron`, `launchd`, …)."""

    start: int
    end: int
    mechanism: str


_RC = r"\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv|bash_login)\b|/etc/profile\b|config\.fish\b"
_WRITE = r"(?:>>?[ \t]*|\btee\b[ \t]+(?:-a[ \t]+)?)[\"']?[\w./~${}@-]{0,60}"
_OPENED = r"[\"'][ \t]*\)?+[ \t]*,[ \t]*(?:mode[ \t]*=[ \t]*)?[\"'][aw]"
_CRONTAB = r"""(?<![\w./-])crontab[ \t]+ (?:-u[ \t]+\S+[ \t]+)?
    (?: -(?=[\s;)"'&]|\Z) | (?!files?\b)[\w./~$"'{}][^\s|;`]*(?=[ \t]*(?:$|[;&)"'])) )
  | \[[ \t]*["']crontab["'][ \t]*,[ \t]*["']-["']"""
_AGENTS = r"Library/Launch(?:Agents|Daemons)"
_AUTHORIZED = rf"""{_WRITE}authorized_keys\b | authorized_keys{_OPENED}
  | authorized_keys["')\] \t]{{0,4}}\.(?:open\([ \t]*["'][aw]|write_text)
  | \bappendFile(?:Sync)?\([^\n]{{0,80}}authorized_keys | (?i:add-content)\b[^\n]{{0,80}}authorized_keys"""
_CUSTOMIZE = r"(?:site|user)customize\.py"
_TUNNEL = r"""(?<![\w./-])ssh[ \t"',]+[^\n|;]{0,120}?-\w*R[ \t"',]*(?:[\w.*]+:)?\d+:
    (?:localhost|127\.0\.0\.1):(?:22|3389|5900)\b"""
TUNNEL, PYTHON_START = "tunnel into this machine", "start of Python"
_INTO = (">", "tee", "cp", "mv", "ln", "install", "ppendFile", '"a', "'a", '"w', "'w", "write_text", "dd-")
_FORMS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("cron", ("crontab",), _CRONTAB),
    ("cron", ("/etc/cron",), rf"(?:{_WRITE}|(?:cp|mv|ln|install)\b[^\n]{{0,120}}[ \t])/etc/cron[\w./-]*"),
    ("launchd", ("Library/Launch",), rf"(?:{_WRITE}/?|(?:cp|mv|ln)\b[^\n]{{0,120}}){_AGENTS}[\w./-]*"),
    ("launchd", ("launchctl",), r"(?<![\w./-])launchctl[\"', \t]+(?:load|bootstrap|submit|enable)\b"),
    ("systemd", ("systemctl",), r"(?<![\w./-])systemctl[\"', \t]+(?:--user[\"', \t]+)?enable\b[^\n|;&]{0,60}"),
    ("systemd", ("systemd/",), rf"{_WRITE}/systemd/(?:system|user)/[\w.@-]*"),
    ("scheduled task", ("schtasks", "SCHTASKS"), r"(?i:schtasks)(?:\.exe)?[ \t\"',]+/(?i:create)\b"),
    ("scheduled task", ("egister-Scheduled",), r"Register-ScheduledTask\b"),
    ("registry Run key", ("CurrentVersion\\",), r"CurrentVersion\\{1,2}Run(?:Once)?(?![\w])"),
    ("start folder", ("\\Startup",), r"Start[ ]Menu\\{1,2}Programs\\{1,2}Startup"),
    ("start folder", ("/.config/autostart",), rf"{_WRITE}/\.config/autostart/[\w.-]*"),
    ("login key", ("authorized_keys",), _AUTHORIZED),
    (
        PYTHON_START,
        ("sitecustomize", "usercustomize"),
        rf"""(?:{_WRITE}|(?:cp|mv|ln|install)\b[^\n]{{0,120}}[ \t/"']){_CUSTOMIZE} | {_CUSTOMIZE}{_OPENED}
          | {_CUSTOMIZE}["')\] \t]{{0,4}}\.(?:open\([ \t]*["'][aw]|write_text)""",
    ),
    (
        PYTHON_START,
        (".pth",),
        rf"""\bimport[ ][^\n]{{0,160}}{_WRITE}[^\s"']{{0,60}}\.pth\b | site[^\n]{{0,120}}\.pth{_OPENED}
          | site[^\n]{{0,120}}\.pth["')\] \t]{{0,4}}\.(?:open\([ \t]*["'][aw]|write_text)""",
    ),
    (TUNNEL, ("tailscale",), r"(?<![\w./-])tailscale[\"', \t]+(?:up|login)\b[^\n]{0,120}?--auth-?key"),
    (TUNNEL, ("ngrok",), r"(?<![\w./-])ngrok[\"', \t]+tcp\b[\"', \t]+\d"),
    (TUNNEL, ("cloudflared",), r"cloudflared[\"', \t]+tunnel\b[^\n]{0,60}?\brun\b[^\n]{0,60}?--token"),
    (TUNNEL, ("localhost:22", "127.0.0.1:22", "localhost:3389", "localhost:5900"), _TUNNEL),
    (
        "git hooks",
        ("core.hooksPath", "core.hookspath"),
        r"git[ ]config[ ](?:--(?:global|system)[ ])+core\.hooks[Pp]ath[ ]+\S+",
    ),
    (
        "shell start file",
        (".bashrc", ".zshrc", ".profile", ".bash_profile", ".zprofile", ".zshenv", "config.fish"),
        rf"{_WRITE}(?:{_RC})|(?:{_RC}){_OPENED}|\bappendFile(?:Sync)?\([^\n]{{0,80}}(?:{_RC})",
    ),
)
_BY_LITERAL: dict[str, list[tuple[str, Late]]] = {}
for _mechanism, _literals, _form in _FORMS:
    for _literal in _literals:
        _BY_LITERAL.setdefault(_literal, []).append((_mechanism, late(_form, re.MULTILINE | re.VERBOSE)))

_FILES = tuple(
    literal for literal in _BY_LITERAL if literal.startswith((".", "/", "Lib", "systemd/", "auth", "config"))
)
"""Literals of which a line writes to the file, with one of `_INTO`."""
LITERALS = tuple(literal.encode() for literal in _BY_LITERAL)
"""Text without any of these sets up nothing that `persistences` knows."""

_BEFORE, _AFTER = 200, 160
_MAX_VARIABLES, _NAMED = 20, ("authorized_keys", "sitecustomize", "usercustomize", ".pth")
"""Variables of a text whose later use is looked for."""


_START_FILE = late(rf"(?:{_RC})\Z|/etc/cron|/etc/rc\.local|\.git/hooks/|\.envrc\Z|\.husky/")
_NAMES_START = late(rf"{_RC}|/etc/cron|/etc/rc\.local|\.git/hooks|\bcrontab\b|\.envrc\b|\.husky/")


_SCHEDULE = late(r"(?:@\w+|(?:[\d*/,-]+[ \t]+){5})[ \t]*(?:root[ \t]+)?")


def without_schedule(line: str) -> str:
    """A command with blanks for when cron starts it, so that places stay."""
    match = _SCHEDULE().match(line)
    return " " * match.end() + line[match.end() :] if match else line


def names_start_file(text: str) -> bool:
    """Whether a program names a file whose lines run by themselves, or the program that sets up such lines."""
    return _NAMES_START().search(text) is not None


def is_start_file(path: str) -> bool:
    """Whether a shell, cron or git runs the lines of a file by itself."""
    return _START_FILE().search(path) is not None


def persistences(text: str, offsets: Iterable[int]) -> Iterator[Persistence]:
    """The steps in `text` that set up a later start, in order; `offsets` are where `LITERALS` are in it."""
    end, variables = -1, 0
    for at in offsets:
        found = _at(text, at) if at >= end else None
        if found is None and variables < _MAX_VARIABLES and text.startswith(_NAMED, at):
            variables += 1
            found = _in_variable(text, at)
        if found and found.start >= end:
            end = found.end
            yield found


def _in_variable(text: str, at: int) -> Persistence | None:
    """The step that writes the file of login keys, or of Python's start, by the name of a variable."""
    from skillbag.lint.signals.agent_files import ASSIGNED, writes_variable

    start = max(text.rfind("\n", max(0, at - _BEFORE), at) + 1, at - _BEFORE, 0)
    assigned = ASSIGNED().match(text[start:at])
    if assigned is None or (text.startswith(".pth", at) and "site" not in text[start:at]):
        return None
    if not writes_variable(text, assigned[1], at):
        return None
    return Persistence(at, at + 4, "login key" if text[at] == "a" else PYTHON_START)


def _at(text: str, at: int) -> Persistence | None:
    """The step whose literal is at an offset, within its line."""
    start = max(text.rfind("\n", max(0, at - _BEFORE), at) + 1, at - _BEFORE, 0)
    line_end = text.find("\n", at, at + _AFTER)
    line_end = min(len(text), at + _AFTER) if line_end < 0 else line_end
    if text.startswith(_FILES, at) and not any(sign in text[start:line_end] for sign in _INTO):
        return None
    for literal, forms in _BY_LITERAL.items():
        if not text.startswith(literal, at):
            continue
        for mechanism, form in forms:
            for match in form().finditer(text, start, line_end):
                if match.start() <= at < match.end():
                    return Persistence(*match.span(), mechanism)
    return None
