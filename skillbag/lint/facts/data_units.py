"""Commands that stand in data: hooks and scripts in JSON, steps of workflows, images, makefiles, tables in code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.lint.signals.persistence import names_start_file, without_schedule
from skillbag.lint.signals.programs import KNOWN

_KEYS = (
    r"\w*[cC]ommands?|cmd|bash|powershell|apiKeyHelper|run|script|exec|shell|entrypoint|prepare"
    r"|(?:pre|post)?(?:install|start|build|test|pack|publish)"
)
_JSON = late(rf"\"(?:{_KEYS})\"[ \t]*:[ \t]*\"((?:[^\"\\\n]|\\.)*)\"")
_ARGUMENTS = late(r"\"command\"[ \t]*:[ \t]*\"([^\"\\\n]+)(\"\s*,\s*\"args\"\s*:\s*\[)([^\]\[]{1,2000}+)\]")
"""A program and its arguments, which no shell splits."""
_LIST = late(r"[\"'](?:-l?c|-ic|/c|-(?:C|c)ommand)[\"']\s*,\s*([\"'])((?:(?!\1)[^\\\n]|\\.)*)\1")
"""The option of an interpreter and its code, in a list of arguments."""
_FIELD = late(rf"(?:\b|[\"'])(?:{_KEYS})[\"']?[ \t]*:[ \t]*([\"'`])((?:(?!\1)[^\\\n]|\\.)*)\1")
"""A command in the literals of a program."""
_WRITTEN = late(
    r"(?:\.write(?:_text)?\(|\b(?:append|write)File(?:Sync)?\([^\n]{0,200}?,|\binput[ \t]*[=:])[ \t]*[bfru]{0,2}"
    r"([\"'`])((?:(?!\1)[^\\\n]|\\.)*)\1"
)
"""A text that a program writes, or that another program gets."""
_YAML_LINE = late(rf"(?m)^[ \t-]*(?:{_KEYS})[ \t]*:[ \t]+(?![|>&*])([\"']?)([^\n]+?)\1[ \t]*$")
_YAML_ITEM = late(r"(?m)^[ \t]*-[ \t]+(?![|>&*\w-]+:[ \t]|[|>])([\"']?)(?P<name>[\w./-]+)[ \t][^\n]*?\1[ \t]*$")
_YAML_BLOCK = late(
    rf"(?m)^([ \t-]*)(?:(?:{_KEYS})[ \t]*:|-)[ \t]*[|>][+-]?[ \t]*\n((?:(?:\1[ \t]+[^\n]*|[ \t]*)(?:\n|\Z))+)"
)
_DOCKER = late(r"(?mi)^[ \t]*(?:RUN|CMD|ENTRYPOINT)[ \t]+((?:--\S+[ \t]+)*(?:[^\n\\]|\\\n|\\.)*)")
_MAKE = late(r"(?m)^\t[@-]*([^\n]*(?:\\\n[^\n]*)*)")
_LISTS = frozenset(["json", "yaml", "toml", "dockerfile"])
_ESCAPES = {"n": "\n", "t": " ", '"': '"', "/": "/", "\\": "\\"}
_ESCAPE = late(r"\\(.)", re.DOTALL)
_MAX = 500


class DataCommand(NamedTuple):
    """A command line in a file of data, with its offset; it is as long as what stands in the file."""

    text: str
    start: int


def data_commands(text: str, language: str, name: str) -> Iterator[DataCommand]:
    """The commands of a file of data, at most `_MAX`."""
    found = _commands(text, language, name.rpartition("/")[2].lower())
    for _, command in zip(range(_MAX), found, strict=False):
        yield command


def _commands(text: str, language: str, name: str) -> Iterator[DataCommand]:
    if language in _LISTS or name.startswith("dockerfile"):
        for match in _LIST().finditer(text):
            yield DataCommand(_ESCAPE().sub(_unescaped, match[2]), match.start(2))
    if language in ("python", "javascript"):
        forms = (_FIELD, _WRITTEN) if names_start_file(text) else (_FIELD,)
        for match in (match for form in forms for match in form().finditer(text)):
            command = _ESCAPE().sub(_unescaped, match[2])
            yield DataCommand(without_schedule(command), match.start(2))
    elif language == "json":
        for match in _JSON().finditer(text):
            yield DataCommand(_ESCAPE().sub(_unescaped, match[1]), match.start(1))
        for match in _ARGUMENTS().finditer(text):
            if not _LIST().search(match[3]):
                words = match[3].replace(",", " ").replace("\n", " ")
                yield DataCommand(f"{match[1]}{' ' * len(match[2])}{words}", match.start(1))
    elif language == "yaml":
        for match in _YAML_LINE().finditer(text):
            yield DataCommand(match[2], match.start(2))
        for match in _YAML_ITEM().finditer(text):
            if match["name"].rpartition("/")[2] in KNOWN:
                yield DataCommand(match[0][match.start("name") - match.start() :].rstrip(" \t\"'"), match.start("name"))
        for match in _YAML_BLOCK().finditer(text):
            yield DataCommand(match[2], match.start(2))
    elif language == "dockerfile" or name.startswith("dockerfile") or name.endswith(".dockerfile"):
        yield from (DataCommand(match[1], match.start(1)) for match in _DOCKER().finditer(text))
    elif language in ("make", "makefile") or name in ("makefile", "gnumakefile") or name.endswith(".mk"):
        for match in _MAKE().finditer(text):
            yield DataCommand(match[1].replace("$(HOME)", "${HOME}"), match.start(1))


def _unescaped(match: re.Match[str]) -> str:
    """What an escape means, with a blank before it, so that places stay."""
    return " " + _ESCAPES.get(match[1], match[1])
