"""Whether a value lasts beyond its task, by its name and by what it looks like."""

from __future__ import annotations

import os
import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.secrets.names import name_words
from skillbag.session.persistence.secret_detection import leaves
from skillbag.session.settings.value import Value

_FOLDER_WORDS = """
    dir dirs directory directories folder folders ordner verzeichnis dossier repertoire carpeta directorio cartella
    diretorio フォルダ フォルダー ディレクトリ 文件夹 目录"""
"""Names of folders, at the end."""

_PLACE_WORDS = """
    path paths root home vault library workspace notebook output out dest destination export exports save save_to store
    archive archives backup backups inbox outbox downloads notes journal repo repository project location place where
    bin cache install templates assets dotfiles site blog pasta map ziel ausgabe sortie destino salida saida uscita"""
"""Names of places, at the end: they last if the value is the path of a folder."""

_DEFAULT_WORDS = "preferred preference preferences favorite favourite default usual"
_CHOICE_WORDS = """
    format formats language languages lang locale theme themes unit units unit_system measurement_system style
    styles style_guide tone voice editor ide shell terminal browser timezone time_zone tz region country
    currency font fonts font_size color colors colour colours color_scheme palette indent indentation tab_width
    tab_size line_width line_length page_size page_width paper paper_size encoding charset quality resolution
    dpi layout orientation margin margins dialect model engine tool tools toolchain package_manager
    password_manager formatter linter bundler test_runner framework license licence template level verbosity
    verbose keyboard audience calendar provider backend platform os distro compiler interpreter extension
    convention conventions spelling quotes separator delimiter newline signature greeting cadence frequency
    schedule density appearance dark_mode color_mode viewer player pager vcs registry mirror pronouns week_start
    first_day skin colour_scheme font_family font_face notes_app note_app runtime response_length answer_length
    diet date_order clock sprache einheit einheiten schriftart langue unite unites idioma unidad unidades lingua
    unita taal thema tema 言語 単位 テーマ 语言 单位 主题"""
"""Names of preferences and choices, at the end; `_DEFAULT_WORDS` make one of any name."""

_MATTER_WORDS = """
    input inputs file files filename query question prompt text content contents body message messages
    subject title topic headline customer client patient guest recipient recipients to cc bcc date deadline
    url uri address email mail phone ticket issue bug pr commit task summary description comment feedback
    transcript meeting event screen screenshot image images picture video audio document documents doc
    report invoice contract attachment attachments data dataset snippet code diff patch search keyword
    keywords term analysis findings request diagnosis excerpt paragraph eingabe datei kunde frage betreff
    fichier entree client sujet archivo entrada cliente pregunta asunto ファイル 入力 顧客 質問 文件 输入 客户 问题"""
"""Names of the matter of one task."""

_PASSING_WORDS = """
    source sources src name day id ids number page line lines words count total amount price status priority
    severity step start end from since until target result results draft account payload quote log logs
    error dry_run force confirm record records selection reason goal operation command action todo link hash
    revision sha"""
"""Names of what mostly belongs to one task, and may be a setting where it has a default."""

_CLIENT_WORDS = "customer client patient guest recipient invoice contract kunde cliente 顧客 客户"
"""Names of what is somebody else's."""

_FOLDERS, _PLACES, _DEFAULTS, _CHOICES, _MATTER, _PASSING, _CLIENTS = (
    frozenset(table.replace("_", "").split())
    for table in (
        *(_FOLDER_WORDS, _PLACE_WORDS, _DEFAULT_WORDS, _CHOICE_WORDS),
        *(_MATTER_WORDS, _PASSING_WORDS, _CLIENT_WORDS),
    )
)
_LONGEST_CHOICE = 80
_PATH = late(r"(?:~|\.{1,2}|\$\w+|\$\{\w+\}|%\w+%|[A-Za-z]:)?[\\/].*|~|[\w.-]+(?:[\\/][\w. -]*)+")
_OF_USER = late(r"~.*|(?:\$HOME|\$\{HOME\}|%USERPROFILE%|/(?:home|Users|mnt|srv|opt|data|Volumes)|[A-Za-z]:)[\\/].*")
_OF_FILE = late(r".*\.[A-Za-z][A-Za-z0-9]{0,5}")


def is_lasting(name: str, value: Value, *, is_choice: bool) -> bool:
    """Whether a value that each run needs is a durable folder, a preference or a choice (clause inputs.persist-stable).

    `is_choice`: the skill lists the possible values. What a name does not tell is unclear, and does not last.
    """
    words = _words(name)
    texts = [str(leaf).strip() for _, leaf in leaves(name, value)]
    if not words or max(map(len, texts), default=0) > _LONGEST_CHOICE or why_ephemeral(name, value):
        return False
    folders = all(map(_is_folder, texts))
    if words[-1] in _FOLDERS:
        return folders
    if is_one_off(name):
        return False
    if _ends(words, _CHOICES) or not _DEFAULTS.isdisjoint(words):
        return True
    if _ends(words, _PASSING):
        return False
    path = _PATH if _ends(words, _PLACES) else _OF_USER
    return is_choice or (folders and all(path().fullmatch(text) for text in texts))


def is_one_off(name: str) -> bool:
    """Whether a name is that of a task's own matter, or of somebody else's data."""
    words = _words(name)
    if not words or words[-1] in _FOLDERS or not _DEFAULTS.isdisjoint(words):
        return False
    if not _CLIENTS.isdisjoint(words):
        return True
    is_path = words[-1] in ("path", "paths") and words[0] in _MATTER
    return is_path or (_ends(words, _MATTER) and not _ends(words, _CHOICES))


def _words(name: str) -> list[str]:
    """The words of a name; the name of a theme is a theme."""
    words = name_words(name)
    return words[:-1] if words[-1:] == ["name"] and _ends(words[:-1], _CHOICES) else words


def _ends(words: list[str], names: frozenset[str]) -> bool:
    """Whether the last word, or the last two, are one of some names."""
    return not names.isdisjoint(words[-1:]) or "".join(words[-2:]) in names


def _is_folder(text: str) -> bool:
    """Whether a text may be the path of a folder: one line without the ending of a file."""
    return not _OF_FILE().fullmatch(text.rpartition("/")[2]) or text.endswith("/")


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
