"""What is dangerous about one command, for commands that nobody sees run: hooks, servers, comments, load-time lines."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

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


def danger_of(command: str) -> Danger | None:
    """The worst of what a command or a few lines of commands do; None if nothing is remarkable."""
    text = command[:_LONGEST]
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
    from skillbag.lint.checks.strong_signs import names_secret
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
