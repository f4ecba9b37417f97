"""Quick looks at what a text has to do with the scripts of its skill, before any command or import is read.

`literals` are those of the predicate that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.source import Document, DocumentProblem
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.facts.script_arguments import declares_arguments

ENDINGS = (".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts")
_FROM_BESIDE = late(r"from[ \t]+\.")
_SETS = late(r"=(?<=[A-Z0-9_]{2}=)")


@lru_cache(maxsize=1)
def named_scripts(text: TextFile) -> Sequence[str]:
    """The names in a Markdown text of scripts of its skill, and of modules: `scripts.x` for `scripts/x.py`."""
    if text.skill is None or text.language != "markdown":
        return ()
    return tuple(_named(text.document.text, _scripts(text.skill.names)))


def _named(source: str, scripts: Iterable[str]) -> Iterator[str]:
    for path in scripts:
        folder, _, name = path.rpartition("/")
        if name in source:
            yield name
        elif folder and "-m " in source and name.endswith(".py"):
            module = f"{folder.rpartition('/')[2]}.{name[:-3]}"
            if module in source:
                yield module


@lru_cache(maxsize=1)
def _scripts(names: str) -> Sequence[str]:
    """The scripts among the names in the folder of a skill."""
    return tuple([path for path in names.split("\n") if path.endswith(ENDINGS)])


@lru_cache(maxsize=1)
def _declaring(read: Callable[[str], Document | DocumentProblem], names: str) -> Sequence[str]:
    """Those that say which arguments they take; `read` is the method of the skill."""
    found = [(path, read(path)) for path in _scripts(names)]
    return tuple([path for path, file in found if isinstance(file, Document) and declares_arguments(path, file.text)])


def may_refuse(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a text names a script that says which arguments it takes."""
    skill = text.skill
    if skill is None or text.language != "markdown" or not (scripts := _declaring(skill.read, skill.names)):
        return False
    return any(_named(text.document.text, scripts))


def sets_variable(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a text may set a variable, and names a script."""
    return text.language == "markdown" and bool(_SETS().search(text.document.text) and named_scripts(text))


def names_script(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a text names a script."""
    return bool(named_scripts(text))


def has_siblings(text: TextFile, literals: Iterable[bytes]) -> bool:
    """Whether a Python script of a skill has other Python files beside it, or imports by a dot."""
    if text.language != "python" or text.skill is None:
        return False
    has_others = sum(path.endswith(".py") for path in _scripts(text.skill.names)) > 1
    return has_others or _FROM_BESIDE().search(text.document.text) is not None
