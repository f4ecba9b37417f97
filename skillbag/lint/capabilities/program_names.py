"""Whether the first word of a command line names a program: documents show much else in their code."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.hosts import FILE_ENDINGS
from skillbag.lint.signals.programs import KNOWN, ProgramRun

_OF_SENTENCE = late(r"-{0,2}[A-Za-z]{2,}[,.;]\Z")
_SETTING = late(r"[a-z][\w-]*=")
_NO_PROGRAM = FILE_ENDINGS | {"conf", "service", "pem", "crt", "key", "db", "sqlite"}


def like_a_program(name: str, run: ProgramRun) -> bool:
    """Whether the first word of a line in a document is a program: no title, no placeholder, no output."""
    first = name[:1]
    return (
        not (first.isupper() and "/" not in name)
        and ("/" not in name or name.startswith(("./", "../", "~/", "/", "scripts/", "bin/")) or _has_extension(name))
        and not (first == "." and not name.startswith(("./", "../")))
        and not name.endswith((":", ".", ",", "/"))
        and not (name.startswith(("/", "~/")) and name.rpartition(".")[2] in _NO_PROGRAM and not _has_extension(name))
        and (name in KNOWN or name == "dd" or not _has_only_settings(run))
        and not any(text in ("=", "->", "=>", "|") for text in run.texts[:1])
        and "..." not in name
        and (name in KNOWN or not any(_OF_SENTENCE().match(text) for text in run.texts))
    )


def _has_only_settings(run: ProgramRun) -> bool:
    """Whether all that follows a name is `key=value`: a call of a tool, or an element of a pipeline of media."""
    texts = run.texts[: run.texts.index("!")] if "!" in run.texts else run.texts
    return bool(run.texts) and all(map(_SETTING().match, texts))


def _has_extension(name: str) -> bool:
    return name.endswith((".sh", ".py", ".js", ".ts", ".mjs", ".rb", ".pl", ".exe", ".ps1"))


def is_installed(path: str) -> bool:
    """Whether an absolute path is one of a program: in a folder of programs, or of a user."""
    return path.startswith(("/usr/", "/bin/", "/sbin/", "/opt/", "/home/", "/Users/", "/Applications/", "/snap/"))
