"""Error messages of git for the user: the relevant lines, without secrets, and what to do next."""

from __future__ import annotations

import re
from collections.abc import Iterable

_USERINFO = re.compile(r"(\w://)[^/\s'\"]*@")
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]+")
_RELEVANT = re.compile(
    r"(?:fatal|error|ERROR|remote): +(?=\S)|(?=ssh: |Host key verification failed|.*Permission denied)"
)
_NOISE = re.compile(r"\d+% \(|, done\.$|^Total \d|^Enumerating |^(?:Could not read from remote repository|-+)")
_MAX_LINES = 3
_LONGEST = 300
_SHORT = 4

OFFLINE_HINT = "; --offline uses what was fetched before"
"""The end of the advice where the network fails; for commands that have this option."""

_LOGIN = (
    "git must log in without asking: set up a credential helper (git config credential.helper) or an ssh agent. "
    "Some hosts also ask for a repository that does not exist: check the address"
)
_HINTS = (
    (
        r"could not read (?:Username|Password)|Authentication failed|Permission denied|error: 40[13]|terminal prompts",
        _LOGIN,
    ),
    (r"Host key verification failed", "connect to the host once with ssh, to accept its key"),
    (
        r"transport '.*' not allowed|rotocol .* (?:not supported|disabled)",
        "the address redirects to another kind of address; write that one",
    ),
    (r"dubious ownership", "the repository belongs to another user; git config --global --add safe.directory PATH"),
    (
        r"ould not resolve|unable to connect|Failed to connect|Connection (?:refused|reset|timed out)|unreachable",
        f"check the address and the network{OFFLINE_HINT}",
    ),
    (
        r"not found|does not (?:exist|appear to be a git repository)|No such file|repository '.*' not exported",
        "check the address; a private repository may be hidden without a login",
    ),
    (r"ould not read from remote repository", "check the address, and that ssh can log in there"),
    (r"SSL|certificate", "git does not trust the server; see http.sslCAInfo in git's manual"),
    (r"unknown option|unknown switch|^usage:", "this git is too old; version 2.31 or later is needed"),
)


class GitError(Exception):
    """A git command failed. `text` is its whole cleaned output; `str()` the few relevant lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(_short(text))

    @property
    def advice(self) -> str:
        """What went wrong and, if known, what to do."""
        hint = next((hint for pattern, hint in _HINTS if re.search(pattern, self.text, re.MULTILINE)), "")
        return f"{self}; {hint}" if hint else str(self)


class NoGitError(GitError):
    """Git is not installed."""


def clean(output: bytes, secrets: Iterable[str]) -> str:
    """Git's output as text, without credentials, and without control characters except line feeds."""
    text = output.decode("utf-8", "replace").replace("\r", "\n")
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        # A very short one occurs in many words, and is masked only where it stands alone.
        edge = r"[\w./-]" if len(secret) < _SHORT else r"(?!)"
        text = re.sub(rf"(?<!{edge}){re.escape(secret)}(?!{edge})", "****", text)
    return _CONTROL.sub(" ", _USERINFO.sub(r"\1", text))


def _short(text: str) -> str:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    relevant = [line[match.end() :] for line in lines if (match := _RELEVANT.match(line))]
    relevant = [line for line in relevant if not _NOISE.search(line)] or relevant[-1:] or lines[-1:]
    relevant = list(dict.fromkeys(line[:_LONGEST].rstrip(".") for line in relevant))
    # A server may send many lines; git's own conclusion comes last.
    return "; ".join(relevant if len(relevant) <= _MAX_LINES else [*relevant[: _MAX_LINES - 1], relevant[-1]])
