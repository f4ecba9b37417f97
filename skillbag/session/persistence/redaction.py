"""Values as they are kept or shown: the texts in them, without secrets, and those that are not kept."""

from __future__ import annotations

import os
import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.standard.declarations import Level
from skillbag.session.persistence.secret_detection import leaves, why_secret
from skillbag.session.settings.value import Value, typed

_MASK = "****"


def redacted(name: str, value: Value, level: Level) -> Value:
    """The value of a parameter, with `****` for each part that its name, or its key in a mapping, makes a secret.

    In a conversation everything under such a name is hidden: its author knows the value. From files only random strings
    are hidden, since the agent may need the rest. Secrets of a known form are masked wherever text is put out.
    """
    shown = _redacted(name, value.value, every=level is Level.CONVERSATION)
    return value if shown == value.value else typed(shown)


def _redacted(name: str, plain: object, *, every: bool) -> object:
    if isinstance(plain, list):
        return [_redacted(name, item, every=every) for item in plain]
    if isinstance(plain, dict):
        return {key: _redacted(key, item, every=every) for key, item in plain.items()}
    if plain is None or isinstance(plain, bool):
        return plain

    if every and why_secret(name, typed(plain)) != why_secret("", typed(plain)):
        return _MASK
    return _masked(name, plain) if isinstance(plain, str) else plain


def _masked(name: str, text: str) -> str:
    """The text as it is masked in an assignment to the name."""
    from skillbag.kernel.secrets.detection import mask

    before = f"{name}="
    masked = mask(before + text)
    return masked.removeprefix(before) if masked.startswith(before) else _MASK


_LONGEST, _MAX = 300, 40
"""Characters of a value and items of a list that a person types; longer ones are pasted."""

_TEMPORARY = late(
    r"""(?:^|[\s"'=:\\/])(?:tmp|temp)[\\/] | [\\/](?:tmp|temp)(?![\w.-]) | [\\/]tmp\.?[a-z0-9_]{6,}(?![\w.-])
      | \.(?:tmp|temp)$ | /var/folders/ | /dev/(?:shm|fd)(?![\w-]) | /run/(?:user|lock|shm)/ | /proc/\w
      | \$\{?(?:env:)?(?:TMP|TEMP|TMPDIR|TEMPDIR|XDG_RUNTIME_DIR)(?!\w) | %(?:TMP|TEMP|TMPDIR)%""",
    re.VERBOSE | re.IGNORECASE,
)
_URL = late(
    r"""(?<![\w+.-])(?!(?:op|vault|keychain|env):)[a-z][a-z0-9+.-]{0,30}://\S
      | (?<![\w@.-])www\.\w | (?<!\w)(?:mailto|data|tel):\S""",
    re.VERBOSE | re.IGNORECASE,
)
_DAY, _MONTH = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_NAME = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATE = late(
    rf"""(?<![\w.-])(?: \d{{4}}-{_MONTH}-{_DAY} | \d{{4}}/{_MONTH}/{_DAY} | \d{{4}}\.\d\d\.\d\d
                      | {_DAY}([-/.]){_MONTH}\1\d{{4}} | {_MONTH}/{_DAY}/\d{{4}} | \d{{8}}(?=T\d{{4}}) )
         (?: T[\d:.,]+(?:Z|[-+]\d\d:?\d\d)? )? (?![\w-]|\.\d)
      | (?<!\w)\d{{1,2}}(?:st|nd|rd|th)?\.?\s{{1,3}}{_NAME},?\s{{1,3}}\d{{4}}(?!\w)
      | (?<!\w){_NAME}\s{{1,3}}\d{{1,2}}(?:st|nd|rd|th)?,?\s{{1,3}}\d{{4}}(?!\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_HASH = late(
    r"(?<!\w)(?:0x)?(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{12,}(?!\w)|(?<!\w)sha\d{1,3}[:-][\w+/=]{20,}", re.IGNORECASE
)
_STANDARDS = "UTF|UCS|ISO|IEC|SHA|AES|RSA|CP|KOI|RFC|TLS|GPT|RTX|GTX|HTTP|DIN|EN"
_ISSUE = late(
    rf"""(?<!\S)\(?(?:[\w.-]{{1,100}}/[\w.-]{{1,100}})?[\#!]\d{{1,5}}(?!\w)
      | (?<!\w)(?:issue|bug|ticket|pr|mr|(?:pull|merge|change)\srequest)s?\s[\#!]?\d+(?!\w)
      | (?<!\S)(?!(?:{_STANDARDS})-)(?-i:[A-Z]{{2,10}})-\d{{2,6}}(?!\S)""",
    re.VERBOSE | re.IGNORECASE,
)
_COLOR = late(r"#(\d)\1\1(?!\w)")

_KINDS = (
    ("is a temporary path", _TEMPORARY),
    ("holds a URL", _URL),
    ("holds the address of a repository", late(r"(?<!\S)[\w.-]{1,64}@[\w.-]{1,255}:[\w~./-]")),
    ("holds an e-mail address", late(r"[\w.+-]@[\w-]{1,63}(?:\.[\w-]{1,63})*\.[A-Za-z]{2,24}(?![\w@])")),
    ("holds a phone number", late(r"(?<![\w+])\+\d{1,3}[ ()/-]{0,2}\d(?:[ ()/-]{0,2}\d){5,13}(?![\w.])")),
    ("holds a date", _DATE),
    ("holds a UUID", late(r"(?<![\w-])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])", re.IGNORECASE)),
    ("holds a hash", _HASH),
    ("holds a point in time or an identifier", late(r"(?<![\w.,+-])(?:\d{13,}|1[5-9]\d{8})(?![\w.])")),
    ("names an issue or a change request", _ISSUE),
)


def why_ephemeral(name: str, value: Value) -> str | None:
    """Why a value belongs to one occasion, in words that follow "it"; None if it may last."""
    texts = [str(leaf).strip() for _, leaf in leaves(name, value)]
    if any("\n" in text or "\r" in text for text in texts):
        return "has several lines, like pasted text"
    if len(texts) > _MAX or sum(map(len, texts)) > _LONGEST:
        return "is as long as pasted text"
    return next(filter(None, map(_why_ephemeral, texts)), None)


def _why_ephemeral(text: str) -> str | None:
    if _is_temporary(text):
        return "is a temporary path"
    # `#333` is a grey.
    text = _COLOR().sub("", text)
    return next((reason for reason, pattern in _KINDS if pattern().search(text)), None)


def _is_temporary(text: str) -> bool:
    """Whether a path is in the system's folder for temporary files."""
    folders = (os.environ.get(name, "").rstrip("/\\") for name in ("TMPDIR", "TEMP", "TMP"))
    return any(folder and (text == folder or text.startswith((f"{folder}/", f"{folder}\\"))) for folder in folders)
