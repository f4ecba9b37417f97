"""Quick looks beside the literals of rules about theft; most texts need no expression after them.

Each errs on the side of too much: a text without the words that a rule wants beside its literals has no match of it.
"""

from __future__ import annotations

from functools import lru_cache

from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.before_harm import has, near
from skillbag.lint.signals.tongues import ASKS

_SENDS = (
    *(".post", ".put", ".patch", "axios(", "axios ", "sendbeacon", ".sendall", ".sendmail", ".send_", ".stor"),
    "fetch(",
    *("websocket", "create_connection(", ".upload", "net::http", "http.post", ".request(", "urlopen", "request("),
    *("xmlhttprequest", "requests.get", "httpx.get", "axios.get", "session.get", "client.get", "socket."),
    "net.connect",
    *("net.createconnection", "curl", "wget", "invoke-restmethod", "invoke-webrequest", "iwr ", "irm ", "iwr\t"),
    "irm\t",
    *("scp", "rsync", "sftp", "nc ", "nc\t", "ncat", "netcat", "aws s3", "s3 cp", "gsutil", "rclone", "mail", "mutt"),
    "gist",
)
"""What calls and commands that send data have, in small letters (`signals.sending`)."""
_TO = (
    *("http", "server", "endpoint", "hook", " url", "address", " api", " host", "service", "domain", "bucket"),
    "backend",
    *("request", "body", "header", "payload", " call", "query", "parameter", "message", "argument", "field", "attach"),
)
_READS = frozenset(
    {
        *("open", "cat", "less", "head", "tail", "tar", "zip", "cp", "copy", "copyfile", "scp", "rsync", "base64"),
        "xxd",
        *("strings", "grep", "sqlite3", "content", "gc", "type", "archive", "connect", "glob", "rglob", "listdir"),
        "walk",
        *("iterdir", "find", "dump", "copytree", "copy2", "dotenv_values"),
    }
)
_READS_SO = ("read", "load", "upload", "send")
_READS_AFTER = (".read", ".open", ".exists", ".glob", ".rglob", ".iterdir")
_BETWEEN = str.maketrans(dict.fromkeys("\t\"'`()[]{}<>|&;:,.=/\\$@#*+-!?%^~", " "))
_REACH = 6_000


@lru_cache(maxsize=8)
def _block_has(text: TextFile, block: int, words: tuple[str, ...]) -> bool:
    body = text.document.text
    if text.language != "markdown":
        return has(body.lower(), *words)
    return has(body[max(0, block * _REACH - _REACH) : (block + 2) * _REACH].lower(), *words)


def _near_has(text: TextFile, at: int, words: tuple[str, ...]) -> bool:
    """Whether one of the words is near an offset, or anywhere in a script; places of one block are looked at once."""
    return _block_has(text, at // _REACH if text.language == "markdown" else 0, words)


def _sends(text: TextFile, at: int) -> bool:
    """Whether something near an offset, or anywhere in a script, may send data."""
    return _near_has(text, at, _SENDS)


_WALLETS = ("wallet", "solana", "ethereum", "web3", "ethers", "bitcoin", "metamask", "keypair", "eth_account")


def sends_wallet(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a key of a wallet may be named beside what sends data."""
    body = text.document.text
    # The key is in the call or command that sends it.
    places = text.places.of(literals)
    if any(has(near(body, at, 1_200, 0), *_SENDS) and _is_wallet(body, at) for at in places):
        return True
    return any(_is_phrase(body, at) and _may_request(text, at) for at in places)


def _is_phrase(body: str, at: int) -> bool:
    return "phrase" in body[at : at + 24].lower() or body.startswith("rivate key of", at)


def _may_request(text: TextFile, at: int) -> bool:
    """Whether the sentence of an offset may ask to send something, or a script that keeps it sends anything."""
    if text.language not in ("markdown", "text"):
        return _sends(text, at)
    sentence = near(text.document.text, at, 160, 400)
    return has(sentence, *ASKS) and has(sentence, *_TO)


def _is_wallet(body: str, at: int) -> bool:
    """Whether the name at an offset is that of a seed phrase, or of a key in a text about wallets."""
    end = at
    while body[end : end + 1].isalpha() or body[end : end + 1] == "_":
        end += 1
    name = body[at:end].lower()
    return name in _SEEDS or (name in _KEYS and has(body.lower(), *_WALLETS))


_SEEDS = frozenset({"mnemonic", "seed_phrase", "seedphrase", "recovery_phrase", "recoveryphrase", "wallet_secret"})
_KEYS = frozenset({"private_key", "privatekey", "secretkey", "secret_key"})


def asks_names(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a query for a name may have something computed in it."""
    body = text.document.text
    return any(has(body[at : at + 400].partition("\n")[0], "$", "{", "`", "+") for at in text.places.of(literals))


_GIVES = (
    *("add", "include", "append", "pass", "send", "attach", "put", "embed", "copy", "forward", "post", "upload"),
    "supply",
    *("provide", "insert", "transmit", "contain", "carry", "have"),
)
_CALLS = ("call", "request", "open", "fetch", "visit", "query", "get ", "load", "ping")
"""Words before an address that the conversation is given to."""
_FILLED = ("to http", "to `http", "to <http", *(f"={mark}" for mark in "<{[$`"), "that you saw")
"""What stands where an address gets something."""
_EVERY = ("every", "each", "all", "any")
_PART = ("parameter", "argument", "field", "header", "value", "property", "option", "flag")


WHOLE = (b"entire", b"full", b"whole", b"omplete")
TALKS = (b"chat", b"dialogue", b"transcript", b"thread", b"session")
"""The conversation, in words that are rare after one of `WHOLE`."""
ANSWERS = tuple(
    each + b" " + answer
    for each in (b"very", b"each", b"your")
    for answer in (b"answer", b"reply", b"response", b"message")
)
CARRIED = tuple(
    mark + name + b"="
    for mark in (b"?", b"&")
    for name in (
        b"pw",
        b"pwd",
        b"password",
        b"passwd",
        b"passphrase",
        b"passcode",
        b"mnemonic",
        b"seed",
        b"cvv",
        b"otp",
    )
)
"""Values of an address that nobody else is to have."""
_SO_FAR = ("so far", "up to", "until now", "to date", "word for word", "verbatim", "system prompt", "user")


def leaks_talk(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether words that give something away stand before the conversation, and a call or an address after it."""
    if text.language in ("python", "shell"):
        return False
    body = text.document.text
    return any(_leaks(body, at) for at in text.places.of(literals))


_STARTS = tuple(whole.decode() for whole in WHOLE)


_ANSWERS = tuple(answer.decode() for answer in ANSWERS)


def _leaks(body: str, at: int) -> bool:
    if has(near(body, at, 24, 0), "entire", "full", "whole", "complete") or body.startswith(_STARTS, at):
        rest = " ".join(near(body, at, 0, 160).split())
        if has(rest, *_SO_FAR) and "http" in near(body, at, 900, 460):
            return True
    if body.startswith(_ANSWERS, at):
        return has(near(body, at, 160, 160), "![", "<img")
    if body.startswith(("?", "&"), at):
        # A placeholder, which somebody is to fill in.
        value = body[at : at + 20].partition("=")[2]
        return value.startswith(("<", "{", "[", "$", "%")) or value[:2].isupper()
    before, window = near(body, at, 200, 0), near(body, at, 160, 320)
    if not has(before[-100:], *_GIVES):
        return "http" in window and (("http" in before and has(before, *_CALLS)) or has(window, *_FILLED))
    return "http" in window or (
        has(window, *_EVERY) and (has(window, *_PART) or has(window, "must", "should", "has to", "needs to"))
    )


_FETCHES = (
    *("requests.", "httpx.", "session.get", "session.post", "client.get", "client.post", "axios", "urlopen"),
    *("urllib.request", "urllib2.request", "http.client", "fetch", "got", "http.get", "https.get", "needle"),
    *("superagent", "curl_exec", "file_get_contents", "uri.open", "net::http"),
)
_OWNERS = ("window", "globalThis", "global", "builtins", "__builtins__", "vm")


def _is_call(body: str, at: int) -> bool:
    """Whether the name at an offset is a whole one; others have it at their end, or as a method."""
    before = body[at - 1 : at] if at else ""
    if body[at] in "\"'(I":
        return True
    if before == ".":
        return body[max(0, at - 16) : at - 1].endswith(_OWNERS)
    return not (before.isalnum() or before in ("_", "$"))


def runs_fetched(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a call that runs a text may stand near one that fetches it."""
    body = text.document.text
    return any(_is_call(body, at) and _near_has(text, at, _FETCHES) for at in text.places.of(literals))
