"""Environment variables: which a shell text reads, and which have the name of a secret."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late

_READ = late(r"(?<![\\$])\$(?:\{(?P<braced>[A-Z][A-Z0-9_]+)(?:[}:?+\-#%/@^,]|\[)|(?P<plain>[A-Z][A-Z0-9_]+)\b)")
_ASSIGNED = late(
    r"(?:^|[\s;&|(\"'])(?:(?:export|local|declare|readonly|typeset)[ \t]+(?:-\w+[ \t]+)?)?([A-Z][A-Z0-9_]+)\+?=(?!=)"
    r"|\b(?:for|read(?:[ \t]+-\w+)*)[ \t]+([A-Z][A-Z0-9_]+)\b"
)
_SECRET = late(
    r"(?:^|_)(?:(?:API|ACCESS|PRIVATE|SECRET|AUTH|SIGNING|ENCRYPTION|SERVICE|MASTER|ACCOUNT|LICENSE)_?KEY(?:S|_ID)?"
    r"|APIKEY|TOKEN|PAT|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|BEARER|COOKIE|MNEMONIC|SEED_PHRASE)(?:_|\Z)"
    r"|_KEY\Z|PASSWORD|WEBHOOK_URL|DATABASE_URL|CONNECTION_STRING"
)
_NO_SECRET = late(r"(?:MAX|MIN|NUM|N)_.*TOKENS?\Z|TOKENS?_(?:LIMIT|COUNT|BUDGET)|PUBLIC_KEY|PUBLISHABLE")

_ORDINARY_WORDS = """
    HOME PATH PWD OLDPWD USER LOGNAME SHELL TERM LANG LC_ALL TMPDIR TMP TEMP HOSTNAME OSTYPE EDITOR VISUAL DISPLAY
    COLUMNS LINES UID EUID PPID RANDOM SECONDS LINENO IFS OPTARG OPTIND PS1 BASH_SOURCE BASH_VERSION BASH_REMATCH
    FUNCNAME PIPESTATUS REPLY SHLVL EOF XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME NO_COLOR CI ARGUMENTS"""
ORDINARY = frozenset(_ORDINARY_WORDS.split())
"""Variables of every system and shell: reading them says nothing."""


def shell_reads(text: str) -> Iterator[tuple[str, int]]:
    """The variables that a shell text reads and does not set before, with their offsets."""
    assigned: dict[str, int] = {}
    for match in _ASSIGNED().finditer(text):
        assigned.setdefault(match[1] or match[2], match.start())
    for match in _READ().finditer(text):
        name = match["braced"] or match["plain"]
        if name not in ORDINARY and match.start() <= assigned.get(name, len(text)) + len(name) + 14:
            if name in assigned and not _is_own(text, match.start(), assigned[name]):
                continue
            yield name, match.start()


def _is_own(text: str, read: int, assigned: int) -> bool:
    """Whether a variable is read before it is set, or within its own assignment (`NAME=${NAME:-x}`)."""
    return read <= assigned or ("\n" not in text[assigned + 1 : read] and ";" not in text[assigned:read])


def is_secret(name: str) -> bool:
    """Whether a variable's name is that of a key, a token or a password."""
    upper = name.upper()
    return bool(_SECRET().search(upper)) and not _NO_SECRET().search(upper)
