"""Shebang lines that the system does not find, or that name no interpreter or a wrong one."""

from __future__ import annotations

from collections.abc import Iterable

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import closest
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject

_KINDS = {
    **dict.fromkeys(("sh", "bash", "dash", "ash", "ksh", "zsh"), "shell"),
    **dict.fromkeys(("python", "python2", "python3", "pypy", "pypy3"), "Python"),
    **dict.fromkeys(("node", "nodejs", "bun", "deno", "tsx", "ts-node"), "JavaScript"),
    "ruby": "Ruby",
    "perl": "Perl",
}
"""The language of each interpreter."""
_LANGUAGES = {
    **dict.fromkeys(("sh", "bash"), "shell"),
    **dict.fromkeys(("js", "mjs", "cjs", "ts", "mts", "cts"), "JavaScript"),
    "py": "Python",
    "rb": "Ruby",
    "pl": "Perl",
}
"""The language of each extension."""
# The first line that begins so, after at most nine blank or commented ones.
_LATE = late(r"(?:[ \t]*+(?:(?:#(?!!)|//)[^\n]*+)?\n){0,9}+(?P<line>[ \t]*+#![ \t]*+/[^\n]*+)")
_LINE = late(r"#![ \t]*+(?P<program>[^\s]*+)(?P<arguments>[^\r\n]*+)")
_VERSION = late(r"[\d.]+\Z")
_WINDOW = 2000


@Predicate("shebang", Subject.TEXT, values=("fault", "advice"), literals=(b"#!",), needs="odd-shebang")
def shebang(text: TextFile, options: NoOptions) -> Iterable[Match]:
    """The fault of a script's shebang line; samples are left alone."""
    extension = text.relative.lower().rpartition(".")[2]
    is_script = extension in _LANGUAGES or (text.language in ("python", "shell") and "." not in text.relative)
    head = text.document.text[:_WINDOW]
    match = _LATE().match(head) or _LINE().match(head)
    if not is_script or match is None or is_sample(text.relative):
        return ()
    start, end = match.span("line" if "line" in match.re.groupindex else 0)
    found = _misplaced(text, start) or _named_wrongly(head[start:end], _LANGUAGES.get(extension, ""), head[end:])
    if found is None:
        return ()
    return (Match(text.document.path, start, end, {"fault": found[0], "advice": found[1]}),)


def _misplaced(text: TextFile, start: int) -> tuple[str, str] | None:
    source = text.document.text
    if start or not source.startswith("#!"):
        return "The `#!` line is not the first line, so it is a comment", "move it to the first line"
    if text.document.has_bom:
        return (
            "A byte order mark stands before `#!`, so the system does not see it",
            "save it without a byte order mark",
        )
    if source.partition("\n")[0].endswith("\r"):
        fault = "The `#!` line ends with CRLF: the carriage return becomes a part of the interpreter's name"
        return fault, "save the script with LF line ends"
    return None


def _named_wrongly(line: str, language: str, rest: str) -> tuple[str, str] | None:
    match = _LINE().match(line)
    if match is None:
        return None
    program, words = match["program"], match["arguments"].split()
    if not program.startswith("/"):
        return f"The interpreter `{program or line}` has no absolute path", "write `#!/usr/bin/env` and its name"
    name = program.rpartition("/")[2]
    if name == "env":
        if len(words) > 1 and not words[0].startswith("-") and "=" not in words[0]:
            fault = f"`env` gets `{' '.join(words)[:60]}` as one name: Linux splits no arguments of a `#!` line"
            return fault, "write `env -S` before them"
        named = [word for word in words if not word.startswith("-") and "=" not in word]
        name = named[0].rpartition("/")[2] if named else ""
    kind = _KINDS.get(name) or _KINDS.get(_VERSION().sub("", name))
    if kind and language and kind != language and "exec " not in rest[:_WINDOW]:
        return f"The `#!` line names `{name}`, but this is a {language} script", f"name an interpreter of {language}"
    near = _near(name) if language and kind is None else None
    return (f"There is no interpreter `{name}`", f"write `{near}`") if near else None


def _near(name: str) -> str | None:
    """The known interpreter that a name is a misspelling of."""
    near = closest(name, [known for known in _KINDS if len(known) > 3], 0.8) if len(name) > 3 else ""
    return near if near and sorted(near) == sorted(name) else None
