"""Quick looks at commands and comments around a literal: whether they can be dangerous at all.

The looks err on the side of too much, and need no expression: see `before_turning`.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_turning import MANY, may_be_at

_RUNS = (
    *("curl", "wget", "iwr", "irm ", "invoke-", "downloadstring", "base64", "xxd", "openssl", "b64decode", "atob("),
    *("fromhex", "powershell", "pwsh", "/dev/tcp", "/dev/udp", "nc ", "nc\t", "ncat", "socat", "rm ", "rm\t", "mkfs."),
    *("dd ", "dd\t", "printenv", *(f"://{digit}" for digit in "0123456789")),
)
"""Words of which each dangerous command has one, in lower case, if it sends nothing."""
_SENDS = (
    *(".post(", ".put(", ".patch(", "send", "fetch(", "urlopen", "request", "socket", "scp", "rsync", "sftp", "netcat"),
    *("s3", "gsutil", "rclone", "mail", "mutt", "gist", "upload", ".get(", "axios(", "http::post", "createconnection"),
    *("net.connect(", "create_connection", "storbinary", "storlines", ".post"),
)
"""Words of which each call or command that sends data has one, if it has none of the others."""
_SECRETS = (
    *(".ssh", "id_", ".aws", ".gnupg", "netrc", ".git-credentials", ".docker", ".pypirc", ".kube", "gcloud", ".azure"),
    *("hosts.yml", "login data", "cookies", "logins.json", "key4.db", "key3.db", "local state", "web data", "wallet"),
    *("keystore", "solana", "exodus", "lectrum", "nkbihfbeogaeaoehlefnkodbefgpgknn", "eychain", "keyrings"),
    *("find-generic", "find-internet", ".env", "credentials", "auth.json", "oauth_creds", "/etc/shadow", "_history"),
)
"""Words of which each path of a secret file has one, in lower case."""


def may_be_dangerous(folded: str) -> bool:
    """Whether commands, in lower case, can have a danger that `dangers` knows, other than naming a secret file."""
    return any(word in folded for word in _RUNS) or any(word in folded for word in _SENDS)


def names_secret(folded: str) -> bool:
    """Whether a text in lower case can name a secret file."""
    return any(word in folded for word in _SECRETS)


COMMENTS, DEFINITIONS = (b"<!--",), (b"[//]:", b"[comment]:", b"[_]:")
STYLES = (
    *(b"ay:none", b"ay: none", b"ty:hid", b"ty: hid", b"ize:0", b"ize: 0", b"or:whi", b"or: whi", b"or:#fff"),
    b"or: #fff",
)
HINTS = (
    *("curl", "wget", "base64", "iwr ", "irm ", "/dev/tcp", "http", "~/", "$HOME", ".ssh", ".aws", ".env", "rm -"),
    *("ssistant", "gent", "laude", "opilot", "LLM", "AI "),
)
"""What a hidden text must contain to be looked at: most say who made the file, or hold a part of it back."""
LONGEST = 4_000
_AGENTS = ("ai", "assistant", "agent", "claude", "copilot", "codex", "gemini", "llm", "model")
_DOES = ("run", "execute", "upload", "send", "post", "delete", "download", "read", "fetch", "install", "write", "open")


def comments(text: TextFile) -> Iterator[tuple[str, int, int]]:
    """Where each comment and each definition is that is never shown, and its bounds."""
    body = text.document.text
    for literals, where, lead, mark in (
        (COMMENTS, "A comment", 4, "-->"),
        (DEFINITIONS, "A definition that is never shown", 0, "\n"),
    ):
        end = -1
        for at in text.places.of(literals)[:MANY]:
            # A comment that begins within another is part of it.
            if at < end:
                continue
            end = body.find(mark, at + lead, at + LONGEST)
            end = end if end >= 0 else min(len(body), at + LONGEST)
            yield where, at + lead, end


def may_hide_commands(text: TextFile, _: object = None) -> bool:
    """Whether a Markdown text may have commands for an agent that a viewer does not show."""
    if text.language != "markdown":
        return False
    body = text.document.text
    return may_be_at(text, ((STYLES, _is_styled),)) or any(
        _may_command(body[start:end]) for _, start, end in comments(text)
    )


def _is_styled(body: str, at: int) -> bool:
    start = body.rfind("<", max(0, at - 600), at)
    return start >= 0 and "style" in body[start:at].lower()


def _may_command(content: str) -> bool:
    if not any(hint in content for hint in HINTS):
        return False
    folded = content.casefold()
    if may_be_dangerous(folded) or names_secret(folded) or "env" in folded:
        return True
    return any(word in folded for word in _AGENTS) and any(word in folded for word in _DOES)


SPANS, FENCES = (b"!`",), (b"```!", b"~~~!")
LABELS = (b": `cu", b": `wg", b": `rm", b": `ba", b": `ec", b"* `cu")
_STATES = ("status", "state", "context", "environment", "version", "branch", "current")


def may_load(text: TextFile, _: object = None) -> bool:
    """Whether a `SKILL.md` may have a dangerous command that runs while it is loaded."""
    if text.skill is None or text.relative != text.skill.file:
        return False
    body = text.document.text
    for at in text.places.of((*SPANS, *FENCES)):
        folded = body[at : at + LONGEST].casefold() if at >= text.body else ""
        if may_be_dangerous(folded) or names_secret(folded) or "env" in folded:
            return True
    return any(
        body[body.rfind("\n", 0, at) + 1 : at].lstrip(" \t*_-").casefold().startswith(_STATES)
        for at in text.places.of(LABELS)
    )


TAGS = (
    *(b"<IMPOR", b"<impor", b"<Impor", b"<SYST", b"<syst", b"<CRIT", b"<crit", b"<HIDD", b"<hidd", b"<SECR", b"<ADMI"),
    *(b"<|im_", b"<|sys", b"[INST", b"<<SYS", b"[SYST"),
)
_LIFTED = ("without", "automatically", "silently", "confirm", "permission", "approval", "safety")
_READING = ("read", "open", "load", "cat", "get")
_PASSED = ("parameter", "argument", "field", "header", "sidenote", "query", "request", "as `", 'as "', "as '")


def may_pose(text: TextFile, _: object = None) -> bool:
    """Whether a tag that pretends to come from the system may have such steps in it."""
    if text.language not in ("markdown", "text"):
        return False
    return may_be_at(text, ((TAGS, _may_misuse),))


def _may_misuse(body: str, at: int) -> bool:
    folded = body[at : at + 1_700].casefold()
    if may_be_dangerous(folded) or names_secret(folded) or any(word in folded for word in _LIFTED):
        return True
    return any(word in folded for word in _READING) and any(word in folded for word in _PASSED)
