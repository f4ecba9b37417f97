"""The predicates of a rule pack, imported and held to what a predicate promises.

A fault of a pack is an error that names the pack and the place in its code. It is never a traceback, and never takes
down the rules of others.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from skillbag.kernel.base.errors import UserError
from skillbag.lint.checks.lazy_predicate import INDEXED
from skillbag.lint.checks.predicate import LOADED, Match, Predicate, Unjudged

_MODULE = "predicates"
"""A pack's own predicates are in `predicates.py`, or in a package of this name."""

_IMPORTED: dict[tuple[str, ...], Mapping[str, Predicate]] = {}
"""The predicates of the packs that this process has imported, by folder, and by package or contents."""


class PackFailedError(UserError):
    """The code of a pack has a fault; the message says where."""


def load_predicates(pack: str, folder: str, package: str = "") -> Mapping[str, Predicate]:
    """The predicates that the code in a pack's `folder` registers, by name; none if it has no code.

    `package` is the Python package that the folder is, if it is an installed one.

    Raises:
        PackFailedError: the code can't be imported.
        ValueError: a predicate has the name of one of this program.
    """
    path = code_of(folder)
    if path is None:
        return {}
    key = (folder, package) if package else (folder, *_contents(folder))
    if key not in _IMPORTED:
        before = set(LOADED)
        try:
            _import(folder, path, package)
        except Exception as error:
            raise PackFailedError(f"pack {pack}: its code can't be imported: {_fault(error, folder)}") from error
        finally:
            new = {name: LOADED[name] for name in set(LOADED) - before if not _is_ours(LOADED[name])}
            for name in new:
                del LOADED[name]
        if known := sorted(INDEXED.keys() & new):
            raise ValueError(f"skillbag has a predicate {known[0]!r}; give the pack's another name")
        for predicate in new.values():
            predicate.check = _held(pack, folder, predicate, predicate.check)
        _IMPORTED[key] = new
    return _IMPORTED[key]


def code_of(folder: str) -> str | None:
    """The absolute path of the module of a pack's predicates; None if it has rule files only."""
    paths = (os.path.join(folder, f"{_MODULE}.py"), os.path.join(folder, _MODULE, "__init__.py"))
    return next((path for path in paths if os.path.isfile(path)), None)


def _contents(folder: str) -> Iterator[str]:
    for current, _, names in os.walk(folder):
        for path in sorted(os.path.join(current, name) for name in names if name.endswith(".py")):
            with open(path, "rb") as handle:
                yield f"{path}\0{hashlib.sha256(handle.read()).hexdigest()}"


def _is_ours(predicate: Predicate) -> bool:
    return str(predicate.check.__module__).startswith("skillbag.")


def _import(folder: str, path: str, package: str) -> None:
    if package:
        importlib.import_module(f"{package}.{_MODULE}")
        return
    name = f"skillbag_rule_pack_{len(_IMPORTED)}"
    inner = [os.path.dirname(path)] if os.path.basename(path) == "__init__.py" else None
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inner)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])


def _held(
    pack: str, folder: str, predicate: Predicate, check: Callable[[Any, Any], Iterable[Match | Unjudged]]
) -> Callable[[Any, Any], Iterator[Match | Unjudged]]:
    """`check`, whose faults name the pack, and whose matches have the values that messages are filled with."""
    name = f"pack {pack}: the predicate {predicate.name!r}"

    def held(subject: Any, options: Any) -> Iterator[Match | Unjudged]:
        try:
            for match in check(subject, options):
                if isinstance(match, Match) and (missing := set(predicate.values) - match.values.keys()):
                    raise PackFailedError(f"{name} gives no value {sorted(missing)[0]!r}, which it declares")
                if not isinstance(match, Match | Unjudged):
                    raise PackFailedError(f"{name} yields {type(match).__name__}, not Match")
                yield match
        except UserError:
            raise
        except Exception as error:
            raise PackFailedError(f"{name} failed: {_fault(error, folder)}") from error

    return held


def _fault(error: Exception, folder: str) -> str:
    """The error in a line, with the deepest place in the pack's own code."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, SyntaxError):
        return f"{text} ({error.filename}:{error.lineno})"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(folder)]
    return f"{text} ({frames[-1].filename}:{frames[-1].lineno})" if frames else text
