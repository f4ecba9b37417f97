"""Paths of files with secrets in a text: keys, credentials, browser stores, wallets, keychains, an agent's own `.env`.

The list follows what stealers of credentials are known to collect (MITRE ATT&CK T1552, T1555, T1539).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple


class SecretPath(NamedTuple):
    """A path of a secret file: its span (in code points), what it holds, and the path as written.

    `read`: a call or command beside it reads, copies or packs it. Otherwise the text only names it.
    """

    start: int
    end: int
    kind: str
    path: str
    read: bool


_END = r"(?![\w.-])"
_JOINED = r"(?:[/\\]{1,2}|[\"'][ \t]*[,/)][ \t]*[\"']?)"
"""What stands between the parts of a path: a slash, or the quotes and comma of a call that joins them."""

_SSH = rf"""\.ssh{_END} (?!{_JOINED}(?:config|known_hosts|authorized_keys|environment|rc|[\w-]+\.pub)\b)
  (?:{_JOINED}id_\w+{_END})?"""
_CLOUD = rf"""\.config{_JOINED}gcloud{_END} | gcloud{_JOINED}(?:application_default_credentials\.json|credentials\.db)
  | \.azure{_JOINED}(?:accessTokens\.json|msal_token_cache\S*)"""
_BROWSER = r"""Login\ Data | cookies\.sqlite | logins\.json | key[34]\.db
  | (?<=[/\\"'])(?:Cookies(?:\.binarycookies)?|Local\ State|Web\ Data)(?=["'\s]|\Z)"""
_EXTENSION = "nkbihfbeogaeaoehlefnkodbefgpgknn"
_WALLET = rf"""wallet\.dat{_END} | \.ethereum{_JOINED}keystore
  | \.config{_JOINED}solana{_JOINED}(?:[\w-]{{0,40}}\.json|\*)
  | Exodus{_JOINED}exodus\.wallet | \.?[Ee]lectrum{_JOINED}wallets | {_EXTENSION}"""
_KEYCHAIN = rf"""Library[/\\]Keychains | login\.keychain | dump-keychain
  | \.local{_JOINED}share{_JOINED}keyrings"""
_AGENT = rf"""\.claude{_JOINED}\.credentials\.json | \.codex{_JOINED}auth\.json | \.gemini{_JOINED}oauth_creds\.json
  | \.(?:openclaw|clawdbot|moltbot|hermes|claude|codex|gemini|cursor) (?:{_JOINED}[\w.-]{{1,40}}){{0,3}}?
    {_JOINED}\.env{_END}"""
_KINDS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("SSH keys", (".ssh",), _SSH),
    ("SSH keys", ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa"), rf"id_(?:rsa|ed25519|ecdsa|dsa){_END}"),
    ("AWS credentials", (".aws",), rf"\.aws{_END}(?!{_JOINED}(?!credentials|sso|cli|\W))"),
    ("GnuPG keys", (".gnupg",), rf"\.gnupg{_END}"),
    ("logins of network tools", (".netrc", "_netrc", ".pgpass"), rf"[._]netrc{_END}|\.pgpass{_END}"),
    ("variables of R", (".Renviron",), rf"\.Renviron{_END}"),
    ("git credentials", (".git-credentials",), rf"\.git-credentials{_END}"),
    ("registry logins", (".docker", ".pypirc"), rf"\.docker{_JOINED}config\.json|\.pypirc{_END}"),
    ("registry logins", (".npmrc",), rf"(?:~|HOME\}}?|%|/home/\w+|/Users/\w+){_JOINED}\.npmrc{_END}"),
    ("Kubernetes credentials", (".kube",), rf"\.kube{_JOINED}config{_END}"),
    ("cloud credentials", ("gcloud", ".azure"), _CLOUD),
    ("GitHub login", ("hosts.yml",), rf"gh{_JOINED}hosts\.yml"),
    ("browser store", ("Login Data", "cookies.sqlite", "logins.json", "key4.db", "key3.db"), _BROWSER),
    ("browser store", ("Cookies", "Local State", "Web Data"), _BROWSER),
    ("wallet", ("wallet.dat", "keystore", "solana", "Exodus", "lectrum", _EXTENSION), _WALLET),
    ("keychain", ("eychain", "keyrings"), _KEYCHAIN),
    ("agent's credentials", ("/.env", ".env'", '.env"', "\\.env"), _AGENT),
    ("agent's credentials", (".credentials.json", "auth.json", "oauth_creds.json"), _AGENT),
    ("a project's .env", ("@.env", "cat .env", "< .env"), rf"(?:@|cat[ ]|<[ ])\.env{_END}"),
    ("system passwords", ("/etc/shadow",), rf"/etc/shadow{_END}"),
    ("shell history", ("_history",), rf"\.(?:bash|zsh|python|psql|mysql)_history{_END}"),
)
_BY_LITERAL = {literal: (kind, late(form, re.VERBOSE)) for kind, literals, form in _KINDS for literal in literals}

LITERALS = tuple(literal.encode() for literal in _BY_LITERAL)
"""Text without any of these names no secret file that `secret_paths` knows."""

_REACH = 80
_PATH_BEFORE = late(r"[\w./\\~${}%:*@-]*\Z")
_PATH_AFTER = late(r"[\w./\\*@-]*")
_READS = late(
    r"""\b(?: open|read\w*|cat|less|head|tail|tar|zip|cp|copy|copyfile|scp|rsync|base64|xxd|strings|grep|sqlite3
            | load\w*|get-content|gc|type|compress-archive|connect|glob|rglob|listdir|walk|iterdir|upload\w*|send\w*
            | find-(?:generic|internet)-password|dump-keychain|copytree|copy2|dotenv_values )\b
      | (?: -T[ \t]|--upload-file|=@|[ \t\"']@|<[ \t]*)(?=[\w./\\~$\"'{}-]*\Z)""",
    re.IGNORECASE | re.VERBOSE,
)
_READ_AFTER = late(r"[\w./\\*\"')\]} \t-]{0,60}?\.(?:read\w*|open|exists\(\)[ \t]*and|glob|rglob|iterdir)\b")


def secret_paths(text: str, offsets: Iterable[int]) -> Iterator[SecretPath]:
    """The paths of secret files in `text`, in order and without overlaps; `offsets` are where `LITERALS` are in it."""
    end = -1
    for at in offsets:
        if at < end:
            continue
        for found in _at(text, at):
            if found.start >= end:
                end = found.end
                yield found
                break


def _at(text: str, at: int) -> Iterator[SecretPath]:
    """The secret paths whose literal is at an offset."""
    window_start = max(0, at - _REACH)
    for literal, (kind, form) in _BY_LITERAL.items():
        if not text.startswith(literal, at):
            continue
        # The literal need not be the first part of the path.
        for match in form().finditer(text, window_start, at + _REACH):
            if match.start() <= at < match.end() and not _is_part(text, match.start()):
                yield _found(text, match, kind)


def _is_part(text: str, start: int) -> bool:
    """Whether the name is the end of a longer one: `my.ssh`, `test_id_rsa`."""
    return start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_-")


def _found(text: str, match: re.Match[str], kind: str) -> SecretPath:
    line = max(text.rfind("\n", max(0, match.start() - 200), match.start()) + 1, match.start() - 200, 0)
    before = _PATH_BEFORE().search(text, max(line, match.start() - _REACH), match.start())
    after = _PATH_AFTER().match(text, match.end(), match.end() + _REACH)
    start, end = before.start() if before else match.start(), after.end() if after else match.end()
    read = bool(_READS().search(text, line, match.end())) or bool(_READ_AFTER().match(text, match.end()))
    return SecretPath(start, end, kind, text[start:end], read)
