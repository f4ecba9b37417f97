"""Passwords for archives, as texts give them to readers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_NO_VALUE = (
    r"https?:|\$|<|\{|%|manager|field|input|getpass|os\.|args|env|x{3,}|\*{3,}|\.{3}"
    r"|ask[ \t]+(?:the|your|for|us|me|a|an)\b|demande[rz]\b"
    r"|(?:your|the|none|null|true|false|required|protected|is|for|and|or|optional|str|string|from|to|if|in|when|see|above|below"
    r"|this|that|given|provided|shown|listed|sent|by|with|using)\b"
)
_VALUE = rf"(?P<value>(?!{_NO_VALUE})" + r"[^\s\"'`*<>|(){}\[\],;$]{1,40})"
_WORD = (
    r"(?:(?:pass(?:word|code|phrase|wd|wort)?|pwd|psw|passwd|kennwort|парол\w+|contraseña|clave|mot\s+de\s+passe|senha"
    r"|palavra-?passe|wachtwoord|lösenord|hasło|parola|şifre|mật\s+khẩu)(?![\w-])"
    r"|密[码碼]|解[压壓](?:密?[码碼])|口令|パスワード|비밀번호|암호)"
)
_MARK = r"[\"'`*_“”«»:：=\-–—>→|(\[ \t]"
_GIVEN = r"(?=[ \t]*+[:\"'`*“«(<]|[ \t]++\w{0,20}\d)"
"""After "is": a value in quotes or with a digit. The password "is read" and "is required", too."""
_PASSWORD = late(
    rf"(?<![a-zA-Z0-9_$.\-/]){_WORD}(?:[ \t]+(?:of|for|to)[ \t]+(?:the|this|it)\b(?:[ \t]+(?!is\b)\w{{1,20}}){{0,2}}"
    r"|[ \t]+(?:от|для|к|del|de|du|des|da|do|für|zum|zur|dla|van)[ \t]+(?:\w{1,12}[ \t]+)?\w{1,20})?"
    rf"(?:[ \t*_`\"']*+(?:(?:is|ist|lautet|es|est|è|é|это)\b{_GIVEN}|[:：=–—→|是为為]|-[ \t])"
    rf"(?:{_MARK}|<\w{{1,10}}>|\r?\n[ \t>]*+)*+|[ \t]++[\"'`*“«(\[]++|[ \t]++(?=\d)){_VALUE}",
    re.IGNORECASE,
)
"""The word for a password and its value."""
_UNPACKED = (
    r"(?:[ \t]+(?:it|them|this|that|(?:(?:the|this|that|your|a|downloaded|zip(?:ped)?|rar|7z|release|encrypted)[ \t]+)"
    r"{0,3}(?:archives?|zips?|rar|7z|files?|folder|package|download|tool|release|installer|contents?|bundle|app|agent)))"
)
"""What one unpacks or opens; not a text, a table or a field."""
_UNLOCK = late(
    r"\b(?:(?P<opens>unlock|decrypt|entsperr)|unpack|extract|unzip|decompress|unrar|uncompress|распак|разархив"
    rf"|descomprim|décompress)\w*+(?P<object>{_UNPACKED})?[ \t]+(?:with|using|via|by|mit|avec|con|com|с)"
    r"(?P<colon>[ \t]*+[:：][ \t]*+|[ \t]++)(?:the[ \t]+)?"
    rf"(?P<named>{_WORD}|code|key|pin|phrase|token)?(?:[ \t]+is\b)?(?P<mark>{_MARK}*+){_VALUE}",
    re.IGNORECASE,
)
"""How to open an archive, with a value."""
_KEY = late(
    r"(?:(?<![\w$.\-/])(?:(?:un)?lock|archive|zip|rar|access|extraction)[ \t]+"
    r"|(?:^|(?<=[.!?:;,(|>*_\-–—]))[ \t>|*_-]*+(?:the[ \t]+)?|\b(?:the|use|using|with|enter)[ \t]+)"
    rf"(?:code|key|pin|phrase|secret)[*_`\"']*+[ \t]*+(?:is\b{_GIVEN}|[:：=→|])(?P<mark>{_MARK}*+){_VALUE}",
    re.IGNORECASE | re.MULTILINE,
)
"""Another word for a password and a value, only beside words about unpacking. No "exit code", no "primary key"."""
_OPENING = late(
    r"\b(?:extract|unpack|unlock|decompress|decrypt|open)(?:s|ed|ing)?"
    rf"(?:{_UNPACKED}\b|[ \t]*+(?:[.:,;*_)\r\n|]|\Z)|[ \t]+(?:with|using|via)\b)"
    r"|\bextraction\b|\bunzip|\bunrar|\barchive\b|\brar\b|\b7-?z(?:ip)?\b|\bwinrar|\w*zipped|解[压壓]",
    re.IGNORECASE,
)
"""Words about unpacking: a verb with an archive, with no object, or with "with"."""
_PICTURED = late(
    r"\b(?:picture|screenshot|image|photo|qr[ -]code|video)s?\b[^.!?\n]{0,40}?\b(?:shows?|has|holds|contains|gives)\b"
    r"[^.!?\n]{0,20}?\b(?:password|passcode|passphrase)\b"
    r"|\b(?:password|passcode|passphrase)\b[^.!?\n,]{0,20}?\b(?:is|shown|given|hidden|written)[ \t]+(?:in|on|by)\b"
    r"[^.!?\n]{0,20}?\b(?:picture|screenshot|image|photo|qr[ -]code|video)\b",
    re.IGNORECASE,
)
"""A password that no program reads."""
_OPTION = late(
    r"(?:\bunzip[ \t][^\n|;&]{0,60}?-P[ \t]*|\b(?:7z\w?|7zz|7zip|unrar|rar)[ \t]+[xe][ \t][^\n|;&]{0,60}?-p"
    r"|\bbsdtar[ \t][^\n|;&]{0,60}?--passphrase[ \t=]+)(?P<value>[^\s$<\"'-][^\s\"']*|[\"'][^$\"'\n]+[\"'])"
)
"""Programs that unpack, with a password."""
_TOOLS = (
    "tar unzip 7z 7za 7zip 7-zip gunzip gzip bsdtar ditto winrar unrar xz zstd dtrx python python3 pip npm jq sed awk"
    " grep cp powershell expand-archive a an this it any either file-roller archive finder tools tool libarchive zlib"
    " gpg openssl age sops jar cabextract peazip innoextract binwalk asar apktool squashfs unsquashfs ark node bun"
    " unar qpdf pdftk pypdf pikepdf pdfplumber pymupdf pdftotext poppler tika msoffcrypto zipfile py7zr john hashcat"
    " ansible-vault git-crypt vault veracrypt cryptsetup keybase ccrypt gocryptfs regex beautifulsoup bs4 exiftool"
)
_PROGRAMS = frozenset(_TOOLS.split())
"""What one unpacks with, and is no password."""


class Password(NamedTuple):
    """A password for an archive: its bounds with the words before it, its value (empty: in a picture).

    `is_opening`: the words around it speak of unpacking.
    """

    start: int
    end: int
    value: str
    is_opening: bool

    @property
    def masked(self) -> str:
        """The value as a message may show it."""
        return f"`{self.value[0]}***`" if self.value else "in a picture"


def passwords(text: str, start: int, end: int) -> Iterator[Password]:
    """The passwords in a part of a text, in no order. Names of programs, variables and placeholders are none."""
    folded = text[start:end].lower()
    for form, read, *words in _GIVEN_BY:
        if all(any(word in folded for word in group) for group in words):
            for match in form().finditer(text, start, end):
                if password := read(text, match, start, end):
                    yield password


def _by_option(text: str, match: re.Match[str], start: int, end: int) -> Password | None:
    return Password(*match.span(), match["value"].strip("\"'"), True)


def _by_word(text: str, match: re.Match[str], start: int, end: int) -> Password | None:
    if not _is_value(match["value"]) or _is_account(text, match, start):
        return None
    return Password(*match.span(), match["value"], _is_opening(text, match, start, end))


def _by_verb(text: str, match: re.Match[str], start: int, end: int) -> Password | None:
    if not (_is_value(match["value"]) and _is_given(match)):
        return None
    # "Extract using: word" is about any text; beside an archive it is about that.
    is_opening = bool(match["object"] or match["named"] or _MARKED & set(match["mark"]))
    return Password(*match.span(), match["value"], is_opening or any(map(str.isdigit, match["value"])))


def _by_picture(text: str, match: re.Match[str], start: int, end: int) -> Password | None:
    return Password(*match.span(), "", _is_opening(text, match, start, end))


def _by_key(text: str, match: re.Match[str], start: int, end: int) -> Password | None:
    is_key = any(map(str.isdigit, match["value"])) or bool(_MARKED & set(match["mark"]))
    is_key = is_key and not _ERROR_CODE().match(match["value"])
    is_key = is_key and not _ENDS_WITH().search(text, max(start, match.start() - 60), match.start())
    if not (is_key and _is_value(match["value"]) and _is_opening(text, match, start, end)):
        return None
    return Password(*match.span(), match["value"], True)


_GIVEN_BY = (
    (_OPTION, _by_option, ("unzip", "7z", "rar", "bsdtar")),
    (
        _PASSWORD,
        _by_word,
        (
            *("pass", "pwd", "psw", "kennwort", "парол", "contraseña", "clave", "senha", "wachtwoord", "lösenord"),
            *("hasło", "parola", "şifre", "khẩu", "密", "解", "口令", "パスワード", "비밀번호", "암호"),
        ),
    ),
    (
        _UNLOCK,
        _by_verb,
        ("unlock", "crypt", "unpack", "extract", "unzip", "compress", "unrar", "sperr", "распак", "архив", "comprim"),
    ),
    (
        _PICTURED,
        _by_picture,
        ("password", "passcode", "passphrase"),
        ("pictur", "screenshot", "image", "photo", "qr", "video"),
    ),
    (
        _KEY,
        _by_key,
        ("code", "key", "pin", "phrase", "secret"),
        (
            *("extract", "pack", "lock", "compress", "decrypt", "open", "unzip", "archive", "rar", "7z"),
            *("7-z", "zipped", "解"),
        ),
    ),
)
"""How a password is given: the expression, what it means, and groups of words of which a part of a text has one."""


def _is_value(value: str) -> bool:
    word = value.rstrip(".:!?_*").lower()
    return bool(word) and word not in _PROGRAMS and "/" not in word and not word.startswith("-")


_ACCOUNT = late(
    r"(?i)\b(?:user(?:[ _-]?name)?|log[ _-]?in|account|e-?mail)[ \t]*[:=][ \t]*[^\s,;]{1,40}[ \t,;/]+(?:and[ \t]+)?\Z"
    r"|\b(?:psql|mysql|mariadb|sqlcmd|mongosh)[ \t][^\n]*\Z|\b(?:host|dbname|server|database|uid)=[^\n]{0,80}\Z"
)
"""What stands before the password of an account: its name, or a command or settings for a database."""
_ERROR_CODE = late(r"E(?:RR)?[-_]?\d+\.?\Z")
_ENDS_WITH = late(
    r"(?i)\b(?:exit|fail|return|end|terminat|stop|quit|crash|abort|error|respon|status|finish)\w*[ \t]+"
    r"(?:\w+[ \t]+)?\Z"
)
"""What ends with a code: a program, whose code opens nothing."""
_MARKED = frozenset("\"'`*“«")


def _is_account(text: str, match: re.Match[str], start: int) -> bool:
    line = text.rfind("\n", max(start, match.start() - 100), match.start()) + 1
    return _ACCOUNT().search(text, line or max(start, match.start() - 100), match.start()) is not None


def _is_given(match: re.Match[str]) -> bool:
    """Whether the words after "unpack with" are a password, and no program or method."""
    if match["named"] or match["colon"].strip() or any(map(str.isdigit, match["value"])):
        return True
    return bool(match["opens"] and _MARKED & set(match["mark"]))


def _is_opening(text: str, match: re.Match[str], start: int, end: int) -> bool:
    return speaks_of_unpacking(text, max(start, match.start() - 120), min(end, match.end() + 80))


def speaks_of_unpacking(text: str, start: int, end: int) -> bool:
    """Whether a part of a text has words about opening an archive."""
    return _OPENING().search(text, start, end) is not None
