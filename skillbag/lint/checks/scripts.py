"""Scripts and data files with syntax errors, parsed in this process except for suspicious shell scripts."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterable

from skillbag.kernel.base.errors import MissingExtraError
from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple
from skillbag.kernel.documents.fast_yaml import read_plain
from skillbag.kernel.documents.source import Position
from skillbag.kernel.workspace.target import MANIFEST_FILE
from skillbag.kernel.workspace.text import TextFile
from skillbag.kernel.workspace.tree import SAMPLES
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import Match, Predicate, Subject, Unjudged
from skillbag.lint.checks.shell import shell_fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class ScriptFault(NamedTuple):
    """A syntax error: its place and the parser's message."""

    line: int
    column: int
    detail: str


class Languages(NamedTuple):
    """`languages`: those to check, of `python`, `json`, `yaml`, `toml`, `shell`, `javascript` (and TypeScript)."""

    languages: tuple[str, ...] = ("python", "json", "yaml", "toml", "shell", "javascript")


@Predicate("unparsable", Subject.TEXT, values=("detail", "language"), options=Languages)
def unparsable(text: TextFile, options: Languages) -> Iterable[Match | Unjudged]:
    """The first syntax error of a file. Templates and fragments are left alone, and empty files but for JSON."""
    language = _language(text)
    name, read = _READERS.get(language, ("", None))
    if read is None or language not in options.languages:
        return ()
    try:
        fault = read(text)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        # Deeper or larger than this parser can read.
        return ()
    except MissingExtraError as error:
        return (Unjudged(text.document.path, str(error)),)
    if fault is None or _is_left_alone(text) or (language != "javascript" and _is_template(fault, text)):
        return ()
    name = name if language != "javascript" or not text.relative.lower().endswith(_TYPED) else "TypeScript"
    at = Position(max(1, fault.line), max(1, fault.column))
    return (Match(text.document.path, values={"detail": fault.detail, "language": name}, at=at),)


_TYPED = (".ts", ".mts", ".cts", ".tsx")
_JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx", *_TYPED)
_NODE = late(r"#![^\n]*\b(?:node|deno|bun)\b")


def _language(text: TextFile) -> str:
    """The language of a text; the model of texts does not tell scripts for browsers and Node from other texts."""
    if text.language != "text":
        return text.language
    name = text.relative.rpartition("/")[2]
    source = text.document.text
    is_script = name.lower().endswith(_JAVASCRIPT) or (
        "." not in name and source.startswith("#!") and _NODE().match(source)
    )
    return "javascript" if is_script else "text"


def _is_left_alone(text: TextFile) -> bool:
    if text.relative in (MANIFEST_FILE, "agents/openai.yaml") or (text.base and text.language == "json"):
        # It has a rule of its own, and so have all files around skills.
        return True
    folders = text.relative.lower().split("/")[:-1]
    if text.language in ("json", "yaml", "toml") and folders[:1] == ["assets"] and SAMPLES.isdisjoint(folders[1:]):
        # Data files are complete; programs among the assets may be fragments to paste.
        return "template" in text.relative.lower()
    return is_sample(text.relative)


_TEMPLATE = late(r"\{\{|\{%|<%|\$\{\{|<[A-Za-z][\w -]*>|^\s*[%!]|\.\.\.|__[A-Z_]+__|@[A-Z_]+@|…")


def _is_template(fault: ScriptFault, text: TextFile) -> bool:
    source = text.document.text
    if "{{" in source or "{%" in source or "<%" in source:
        # An f-string has braces, too; a template has them outside of quotes.
        return text.language != "python" or bool(re.search(r"^\s*\{[{%]|\{%-?\s*\w", source, re.MULTILINE))
    return bool(_TEMPLATE().search(text.document.line(fault.line)))


_NOT_AT_TOP = late(r"\n(?:return|break|continue|yield|await)")


def _python(text: TextFile) -> ScriptFault | None:
    source = text.document.text
    first = source.partition("\n")[0]
    if first.startswith("#!") and "python2" in first:
        return None
    # The public module `symtable` is slow to load.
    from _symtable import symtable  # type: ignore[import-not-found]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # It parses and resolves names in three quarters of the time of compiling; only compiling finds a
            # statement in a wrong place.
            symtable(source, text.relative, "exec")
            if _NOT_AT_TOP().search(f"\n{source}"):
                compile(source, text.relative, "exec", dont_inherit=True)
    except SyntaxError as error:
        line = text.document.line(error.lineno or 1)[:1000]
        if is_newer(line):
            return None
        return ScriptFault(error.lineno or 1, error.offset or 1, python_words(error))
    return None


def is_newer(line: str) -> bool:
    """Whether a line of Python may have the syntax of a later version than this one."""
    return any(sys.version_info < version and syntax().search(line) for version, syntax in _NEWER.items())


# The syntax of later versions of Python: f-strings with any text in braces, `type` and type parameters; template
# strings and bare lists of exceptions. `except Error, error` is Python 2.
_NEWER = {
    (3, 12): late(
        r"""(?:^|[^\w"'])(?:[rR]?[fF]|[fF][rR])["'].*\{|^\s*type\s+\w+\s*[\[=]|^\s*(?:class|(?:async\s+)?def)\s+\w+\["""
    ),
    (3, 14): late(
        r"""(?:^|[^\w"'])(?:[rR]?[tT]|[tT][rR])["']|^\s*except\*?\s+[\w.]+\s*,\s*(?:[A-Z][\w.]*|\w+\.[\w.]+)[\s,:]"""
    ),
}


def python_words(error: SyntaxError) -> str:
    """The parser's message, with the version of Python that has it."""
    message = str(error.msg).rstrip(".")
    if message.startswith(("Missing parentheses in call to 'print'", "Missing parentheses in call to 'exec'")):
        return f"{message.partition('. ')[0]} (Python 2 code)"
    return f"{message} (as Python {sys.version_info[0]}.{sys.version_info[1]} reads it)"


def _json(text: TextFile) -> ScriptFault | None:
    import json

    try:
        json.loads(text.document.text, parse_int=str, parse_float=str)
    except json.JSONDecodeError:
        from skillbag.lint.checks.json_syntax import json_fault

        found = json_fault(text.document.text, text.relative)
    else:
        return None
    return ScriptFault(*text.document.position(found[0]), found[1]) if found else None


_MAX_DEPTH = 100
"""Collections within each other that are read: libyaml takes quadratic time for them."""


def _yaml(text: TextFile) -> ScriptFault | None:
    # Most need no libyaml, whose import takes as long as to check five skills.
    return yaml_fault(text.document.text) if read_plain(text.document.text, 0) is None else None


def yaml_fault(source: str) -> ScriptFault | None:
    """The first syntax error of YAML, whatever its tags."""
    import yaml

    from skillbag.kernel.documents.libyaml import exceeds_depth, plain_words

    depth = 0
    try:
        # Events check the syntax only: any tags and several documents are allowed.
        parser = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(source)
        while depth <= _MAX_DEPTH and parser.check_event():
            event = parser.get_event()
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
    except yaml.MarkedYAMLError as error:
        if exceeds_depth(error):
            return None
        mark: Any = error.problem_mark or error.context_mark
        words = plain_words(error, source, mark.index if mark else 0) or "it cannot be read"
        return ScriptFault(mark.line + 1, mark.column + 1, words) if mark else ScriptFault(1, 1, words)
    except yaml.reader.ReaderError as error:
        at = error.position if isinstance(error.position, int) else 0
        line = source.rfind("\n", 0, at) + 1
        return ScriptFault(source.count("\n", 0, at) + 1, at - line + 1, "a character that YAML does not allow")
    return None


_MAX_DOTS = 300
_TOML_PLACE = late(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\Z")


def _toml(text: TextFile) -> ScriptFault | None:
    import tomllib

    source = text.document.text
    # tomllib takes quadratic time and memory for a key of very many parts.
    if any(line.count(".") > _MAX_DOTS for line in source.split("\n")):
        return None
    try:
        tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        place = _TOML_PLACE().search(str(error))
        detail = _TOML_PLACE().sub("", str(error))
        if place and place[1]:
            return ScriptFault(int(place[1]), int(place[2]), detail)
        return ScriptFault(*text.document.position(len(source.rstrip())), detail)
    return None


def _shell(text: TextFile) -> ScriptFault | None:
    found = shell_fault(text.document.text)
    return ScriptFault(found[0], 1, found[1].removeprefix("warning: ")) if found else None


def _javascript(text: TextFile) -> ScriptFault | None:
    if _is_left_alone(text):
        return None
    from skillbag.lint.checks.javascript import javascript_fault

    found = javascript_fault(text.document.text, text.relative)
    if found is None:
        return None
    line = text.document.line(found.line).encode("utf-8")[: found.offset].decode("utf-8", "replace")
    return ScriptFault(found.line, len(line) + 1, found.detail)


_READERS: dict[str, tuple[str, Callable[[TextFile], ScriptFault | None]]] = {
    "python": ("Python", _python),
    "json": ("JSON", _json),
    "yaml": ("YAML", _yaml),
    "toml": ("TOML", _toml),
    "shell": ("shell", _shell),
    "javascript": ("JavaScript", _javascript),
}
