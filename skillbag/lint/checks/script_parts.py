"""What a Python script of a skill needs beside it: modules and names that it imports, and files that it opens."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import islice

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.name_lists import nearest
from skillbag.kernel.documents.source import Document
from skillbag.kernel.workspace.skill import Skill
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.path_resolution import is_sample
from skillbag.lint.checks.predicate import MAX, Match, NoOptions, Predicate, Subject

_IMPORT = late(
    r"\n(?:from[ \t]+(?P<module>\.?[A-Za-z_][\w.]*)[ \t]+import[ \t]+(?P<names>\([^()]*\)|[^\n#(;]+)"
    r"|import[ \t]+(?P<plain>[A-Za-z_]\w*)[ \t]*(?:as\b[^\n]*)?(?=\n))"
)
_TRIED = ("ImportError", "ModuleNotFoundError", "importlib")
"""A script that has these does without a module, or gets it from elsewhere."""
_OPEN_MODULE = ("import *", "__getattr__", "globals()", "exec(", "setattr(")
"""What gives a module names that its text does not show."""
_DEFINED = late(r"(?m)^(?:async[ \t]+def|def|class)[ \t]+(\w+)|^(\w+)[ \t]*(?::[^=\n]+)?=")
_BESIDE = late(
    r"Path\(__file__\)(?:\.(?:resolve|absolute)\(\))?(?P<up>(?:\.parent)+)"
    r"(?P<parts>(?:[ \t]*/[ \t]*[\"'][\w./ -]+[\"'])+)"
    r"|os\.path\.join\(\s*os\.path\.dirname\((?:os\.path\.(?:abspath|realpath)\()?__file__\)?\)"
    r"(?P<joined>(?:\s*,\s*[\"'][\w./ -]+[\"'])+)\s*\)"
)
_QUOTED = late(r"[\"']([^\"']+)[\"']")
_MAKES = late(
    r"\.exists\(|\bexists\(|\bis_file\(|\bisfile\(|write_|mkdir|makedirs|[\"'][wax]b?\+?[\"']|\bglob\(|FileNotFoundError"
)
"""A script with these may do without the file, or make it."""


@Predicate("script-import", Subject.TEXT, values=("module", "detail"), needs="siblings")
def script_import(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Imports at the top of a script from a module beside it, which is not there or lacks the name."""
    skill, source = text.skill, text.document.text
    if skill is None or text.language != "python" or is_sample(text.relative):
        return
    if any(word in source for word in _TRIED):
        return
    if not (found := list(islice(_import_faults(text, skill), MAX))):
        return
    # Most scripts have none, and need no tree: a script may write others, whose imports stand in its texts.
    from skillbag.lint.signals.syntax_trees import import_lines

    lines = import_lines(source)
    for fault in found:
        if text.document.position(fault.start).line in lines:
            yield fault


def _import_faults(text: TextFile, skill: Skill) -> Iterator[Match]:
    folder = posixpath.dirname(text.relative)
    beside = _beside(folder, skill.names)
    # With a line feed at both ends, the expression begins and ends with one, which is searched for far faster.
    for found in _IMPORT().finditer(f"\n{text.document.text}\n"):
        module = found["module"] or found["plain"]
        if detail := _module_fault(module, beside):
            at = found.start("module" if found["module"] else "plain") - 1
            yield Match(text.document.path, at, at + len(module), {"module": module, "detail": detail})
        elif found["names"]:
            for name, at in _imported(found):
                if detail := _name_fault(name, module, folder, skill):
                    yield Match(text.document.path, at, at + len(name), {"module": module, "detail": detail})


def _module_fault(module: str, beside: AbstractSet[str]) -> str:
    """Why a module is not there; empty where it is, or may be one that is installed."""
    name = module.removeprefix(".")
    if "." in name or name in beside or (name in sys.stdlib_module_names and not module.startswith(".")):
        return ""
    if module.startswith("."):
        return f"is not there{nearest(name, sorted(beside), '`{}.py`')}"
    # Another spelling of a module beside it: `helper` for `helpers.py`, `my_tool` for `my-tool.py`.
    alike = [other for other in sorted(beside) if _plain(other) == _plain(name)]
    return f"is named `{alike[0]}.py` here" if alike else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "").removesuffix("s")


@lru_cache(maxsize=1)
def _beside(folder: str, entries: str) -> frozenset[str]:
    """The modules and folders beside a script, by the names of all entries of the skill."""
    prefix = f"{folder}/" if folder else ""
    names = [path[len(prefix) :] for path in entries.split("\n") if path.startswith(prefix)]
    return frozenset(
        [name.removesuffix(".py") for name in names if "/" not in name and (name.endswith(".py") or "." not in name)]
    )


def _imported(found: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The names of an import, with their places."""
    for name in re.finditer(r"(?:^|[,(])\s*([A-Za-z_]\w*)", found["names"]):
        yield name[1], found.start("names") + name.start(1) - 1


def _name_fault(name: str, module: str, folder: str, skill: Skill) -> str:
    path = posixpath.join(folder, f"{module.removeprefix('.').removeprefix(f'{folder}.')}.py")
    document = skill.read(path) if path in skill.paths else None
    if not isinstance(document, Document) or any(word in document.text for word in _OPEN_MODULE):
        return ""
    if re.search(rf"\b{name}\b", document.text):
        return ""
    known = [first or second for first, second in _DEFINED().findall(document.text)]
    return f"has no `{name}`{nearest(name, known, '`{}`')}"


@Predicate("script-asset", Subject.TEXT, values=("target",), literals=(b"__file__",))
def script_asset(text: TextFile, options: NoOptions) -> Iterator[Match]:
    """Files of the skill that a Python script names by its own place, and that are not there."""
    skill, source = text.skill, text.document.text
    if skill is None or text.language != "python" or is_sample(text.relative) or _MAKES().search(source):
        return
    folder = posixpath.dirname(text.relative)
    for found in _BESIDE().finditer(source):
        ups = found["up"].count(".parent") - 1 if found["up"] else 0
        parts = _QUOTED().findall(found["parts"] or found["joined"])
        path = posixpath.normpath(posixpath.join(folder, *[".."] * ups, *parts))
        inside = not path.startswith("..") and "." in posixpath.basename(path).lstrip(".")
        if inside and path not in skill.paths:
            yield Match(text.document.path, *found.span(), {"target": path})
