"""Whether a text may lead its reader to run a file of unknown origin: quick looks that need no expressions.

Each errs on the side of too much. `literals` are those of the predicate that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillbag.kernel.documents.frontmatter import bounds
from skillbag.kernel.documents.nodes import Scalar
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.signals.nearness import around
from skillbag.lint.signals.needs import FETCHES

_ADDRESSED = ("://", "www.", ".com/", ".io/", ".nz/", ".org/", ".net/", ".moe/", ".sh/")
"""What an address has, with a scheme or without; most names of files are none."""
_PASSWORDS = (
    *("pass", "pwd", "psw", "kennwort", "парол", "contraseña", "clave", "senha", "wachtwoord", "lösenord", "hasło"),
    *("parola", "şifre", "khẩu", "密", "解", "口令", "パスワード", "비밀번호", "암호"),
)
_OPENING = (
    *("unlock", "decrypt", "unpack", "extract", "unzip", "decompress", "unrar", "uncompress", "entsperr", "распак"),
    *("разархив", "descomprim", "décompress", "rar", "7z", "7-z", "archive", "zipped", "bsdtar"),
)
"""Words about unpacking, of which one stands beside a key that is not called a password."""
_GIVING = (
    *("code", "key", "pin", "phrase", "secret", " with", " using", " via", " by ", " by:", " mit ", " avec ", " con "),
    *(" com ", " с ", " -p"),
)
"""Words of which one gives the key."""
_NEEDED = (
    *("require", "needed", "needs to", "need to", "has to", "have to", "must", "mandatory", "prerequisite"),
    *("necessary", "before", "essential", "depend"),
    *("nothing", "not work", "not func", "not run", "not oper", "not start", "not be used", "n't", "n’t", "cannot"),
)
_STARTS = ("run", "keep", "leave", "launch", "execut", "start", "open", "double", "must")
ADDRESSES = (
    b" http",
    b"(http",
    b"<http",
    b"*http",
    b"`http",
    b">http",
    b":http",
    b"\thttp",
    "。http".encode(),
    "：http".encode(),
)
"""How an address begins in prose."""
_TERMINALS = (
    *("terminal", "powershell", "prompt", "command", "console", "shell"),
    *("cmd", "iterm", "win+", "win +", "run "),
)
_STEP = 300
_LOCAL = ("127.", "192.168.", "10.", "0.0.0.", "169.254.")


def locked_archive(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether the address of a file and a password may stand near each other."""
    return text.language in ("markdown", "text", "yaml", "json") and any(
        _has_password(near) for near in _addressed(text, literals, 8)
    )


def required_binary(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether words about need and about starting something may stand near the address of a file."""
    if text.language != "markdown":
        return False
    body, files = text.document.text, frozenset(literals) - frozenset(ADDRESSES)
    return any(asks_for(body, at) for at in text.places.of(ADDRESSES)) or any(
        _has(_NEEDED, near) and _has(_STARTS, near) for near in _addressed(text, files, 10)
    )


def asks_for(body: str, at: int) -> bool:
    """Whether a verb of fetching stands before an address, within its line."""
    return _has(FETCHES, body[max(0, at - 120) : at].rpartition("\n")[2].lower())


def terminal_paste(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether words about copying and the name of a terminal may stand near each other."""
    body = text.document.text
    return text.language == "markdown" and any(
        _has(_TERMINALS, body[max(0, at - 320) : at + 200].lower()) for at in text.places.of(literals)
    )


def raw_address(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether an address begins with a digit, and is not clearly one of a local network."""
    body = text.document.text
    return not all(body.startswith(_LOCAL, at + 3) for at in text.places.of(literals))


def described(skill: Skill) -> tuple[str, int, int]:
    """The description of a skill and its bounds; its first line where the front matter is invalid."""
    node = skill.field("description")
    if isinstance(node, Scalar):
        return node.value, node.start, node.end
    text = skill.document.text[:2_000] if node is None and isinstance(skill.document, Document) else ""
    start = text.find("\ndescription:") + 1
    end = text.find("\n", start)
    return (text[start:end], start, end) if start and bounds(text) and end > 0 else ("", 0, 0)


_PROGRAMS = (".exe", ".dmg", ".msi", ".pkg")


def has_lure(value: str) -> bool:
    """Whether a description (lower case) may say to download a file or to open one with a password."""
    if not _has(("download", "install", "get the", "grab", *_PROGRAMS), value):
        return False
    return _has(
        (".exe", ".zip", ".rar", ".7z", ".dmg", ".msi", ".pkg", "executable", "command"), value
    ) or _has_password(value)


def _addressed(text: TextFile, literals: Iterable[bytes], lines: int) -> Iterator[str]:
    """The lines, in lower case and with single blanks, around the places of literals that have an address near them.

    One piece is for all places within 300 characters: a hostile text has many.
    """
    body, done = text.document.text, -1
    for at in text.places.of(literals):
        if at > done and _is_in_path(body, at) and _has(_ADDRESSED, body[max(0, at - 400) : at + _STEP + 200]):
            done = at + _STEP
            yield " ".join(body[slice(*around(body, at, min(done, len(body)), lines))].lower().split())


def _is_in_path(body: str, at: int) -> bool:
    """Whether the word at an offset has a slash, as each address of a file has."""
    before = body[max(0, at - 400) : at].rsplit(None, 1)
    return "/" in (before[-1] if before else "") or "/" in body[at : at + 40].lstrip().split(None, 1)[0]


def _has_password(near: str) -> bool:
    """Whether a text (lower case) may give a password for an archive."""
    if any(_begins(word, near) for word in _PASSWORDS):
        return True
    for word in _OPENING:
        at = near.find(word)
        while at >= 0:
            if _has(_GIVING, near[max(0, at - 160) : at + 2 * 160]):
                return True
            at = near.find(word, at + 160)
    return False


def _begins(word: str, text: str) -> bool:
    """Whether a word of a text begins so; not as in "overpass" and in a path."""
    at = text.find(word)
    while at > 0 and (text[at - 1] in "_$.-/" or ("a" <= text[at - 1] <= "z")):
        at = text.find(word, at + 1)
    return at >= 0


def _has(words: Iterable[str], text: str) -> bool:
    return any(word in text for word in words)
