"""Whether a text may download and run, or decode and run, something: quick looks that need no expressions.

Each errs on the side of too much. `literals` are those of the predicate that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.workspace.text import TextFile

_REACH = 500
"""How far after its line a command may be piped, in code points."""
_SHELLS = ("sh", "bash", "zsh", "dash", "ksh", "fish", "iex", "invoke-e", "python", "perl", "ruby", "node", "php")
_RUNNERS = (*_SHELLS, "xargs", "sudo", "env", "/")
"""How what stands after a pipe begins, if it runs its input."""
_FETCHING = ("iwr", "irm", "invoke-webrequest", "invoke-restmethod", "downloadstring")
_REQUESTS = ("requests.get", "urlopen", "httpx.get", "fetch(")
_DECODING = (
    *("b64decode", "b32decode", "b85decode", "a85decode", "unhexlify", "fromhex", "decompress", "marshal.loads"),
    *("atob", "base64_decode", "decode64", "decode_base64", "buffer.from"),
)
_CALLS = ("exec", "eval", "function", "system", "popen", "subprocess")
_LATER = (*_DECODING, "frombase64string", "base64 -", "base64\t", "base64  ", "xxd", "openssl", "certutil")
"""What decodes a text that a later statement may run."""


def download_run(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a line may pass a download to an interpreter."""
    body = text.document.text
    return any(
        _is_passed_on(body, *line) or _fetches_code(body[slice(*line)].lower()) for line in _lines(text, literals)
    )


def encoded_run(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a line may decode a text and run it, or keep it for a later statement."""
    body = text.document.text
    return any(
        _is_passed_on(body, *line) or _decodes_code(body[slice(*line)].lower()) for line in _lines(text, literals)
    )


def _lines(text: TextFile, literals: Iterable[bytes]) -> Iterator[tuple[int, int]]:
    """The bounds of the lines that have a literal, each once."""
    body, end = text.document.text, -1
    for at in text.places.of(literals):
        # `confirm ` is no command.
        if at > end and not (body.startswith("irm ", at) and body[max(0, at - 1) : at].isalpha()):
            start, end = body.rfind("\n", 0, at) + 1, body.find("\n", at)
            end = len(body) if end < 0 else end
            yield start, end


def _is_passed_on(body: str, start: int, end: int) -> bool:
    """Whether a pipe or a substitution in a line may pass what it gives to an interpreter."""
    at = body.find("|", start, end + _REACH)
    while at >= 0:
        after = body[at + 1 : at + 60].lstrip(" \t\\\r\n>").lower()
        if after.startswith(_RUNNERS) or after.partition("=")[0].isidentifier():
            return True
        at = body.find("|", at + 1, end + _REACH)
    return any(_is_substituted(body, start, end, sign) for sign in ("$(", "<(", "`"))


def _is_substituted(body: str, start: int, end: int, sign: str) -> bool:
    at = body.find(sign, start, end)
    while at >= 0:
        before = body[max(start, at - 60) : at].rstrip(" \t\"'<").rpartition(" ")[2].rpartition("\t")[2]
        if before.startswith("-") or before.endswith(("sh", "eval", "source", ".")):
            return True
        at = body.find(sign, at + 1, end)
    return False


def _has(words: Iterable[str], line: str) -> bool:
    return any(word in line for word in words)


def is_saved_and_run(line: str) -> bool:
    """Whether a line (lower case) may save a download and start it."""
    return ("&&" in line or ";" in line) and " -" in line and _has(("chmod", "sh ", "python", "node ", "perl "), line)


def _fetches_code(line: str) -> bool:
    if ("curl" in line or "wget" in line) and is_saved_and_run(line):
        return True
    if ("iex" in line or "invoke-expression" in line) and _has(_FETCHING, line):
        return True
    return ("exec(" in line or "eval(" in line) and _has(_REQUESTS, line)


def _decodes_code(line: str) -> bool:
    if _has(_LATER, line) and ("=" in line or ">" in line or "certutil" in line):
        return True
    if ("powershell" in line or "pwsh" in line) and " -e" in line:
        return True
    if ("iex" in line or "-expression" in line) and "frombase64" in line:
        return True
    return _has(_CALLS, line) and _has(_DECODING, line)
