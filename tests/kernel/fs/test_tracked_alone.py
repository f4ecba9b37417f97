"""What a verdict hangs on is asked of the disk in one place, so that it is noticed when it changes.

Whatever a rule, a reader or the model learns of the world around passes `tracked` or `files`; this holds their sources
to it, word by word. Each exception has its reason.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from skillbag.lint.cache.store import JUDGING
from tests.rows import each_row
from tests.support import PROJECT

PACKAGE = PROJECT / "skillbag"
HELD = (
    "kernel/documents",
    "kernel/manifest",
    "kernel/secrets",
    "kernel/standard",
    "kernel/workspace",
    "lint/checks",
    "lint/rules",
    "lint/engine/config.py",
    "lint/engine/lint.py",
    "lint/engine/planner.py",
)
MODULES = sorted(
    path
    for name in HELD
    for path in ((PACKAGE / name).rglob("*.py") if (PACKAGE / name).is_dir() else [PACKAGE / name])
)

_PURE_NAMES = (
    "basename commonpath commonprefix dirname isabs join normcase normpath relpath split splitext devnull "
    "defpath fsdecode fsencode fspath name path pathsep sep DirEntry O_RDONLY O_WRONLY X_OK"
)
PURE = frozenset(_PURE_NAMES.split())
"""What `os` and `os.path` have that looks at nothing. `relpath` of absolute paths needs no current folder."""

_WORLDLY_NAMES = (
    "ctypes datetime fcntl getpass glob io linecache locale mmap pathlib platform pwd random secrets select "
    "shutil signal socket subprocess tempfile time urllib.request uuid"
)
WORLDLY = frozenset(_WORLDLY_NAMES.split())
"""Modules that look at the world."""

OPENERS = {"open", "input", "__import__", "exec", "eval"}

EXCEPTIONS = {
    ("lint/rules/builtin.py", "os.stat"): "the index is part of the program's version",
    ("lint/rules/builtin.py", "os.listdir"): "the rules of a checkout are part of the program's version",
    ("lint/checks/javascript.py", "time"): "limits a parse; a verdict that the limit decided is not kept",
    ("lint/checks/shell.py", "subprocess"): "bash judges a text that it is given; which bash is asked for",
    ("lint/checks/shell.py", "os.environ"): "the search path is part of what a request is remembered by",
    ("kernel/workspace/programs.py", "os.environ"): "the search path is part of what a request is remembered by",
    ("kernel/workspace/programs.py", "os.access"): "each change of the mode is noticed: the program is asked for",
    ("kernel/workspace/placed.py", "*"): "which skills are installed ones is said of a result, not kept with it",
    ("kernel/workspace/git.py", "subprocess"): "what git's answers hang on is noted, or they count once",
    ("kernel/workspace/git.py", "os.environ"): "what it says to git is part of what a request is remembered by",
    ("kernel/workspace/git.py", "os.pipe"): "to speak with git",
    ("kernel/workspace/git.py", "os.fdopen"): "to speak with git",
    ("kernel/workspace/git.py", "os.close"): "to speak with git",
    ("kernel/workspace/git.py", "os.posix_spawnp"): "to run git",
    ("kernel/workspace/git.py", "os.POSIX_SPAWN_DUP2"): "to run git",
    ("kernel/workspace/git.py", "os.POSIX_SPAWN_OPEN"): "to run git",
    ("kernel/workspace/git.py", "os.waitpid"): "to run git",
    ("kernel/workspace/git.py", "os.waitstatus_to_exitcode"): "to run git",
    ("kernel/workspace/git_state.py", "os.environ"): "what it says to git is part of what a request is remembered by",
    ("kernel/workspace/git_state.py", "os.path.expanduser"): "the home is part of what a request is remembered by",
    ("kernel/workspace/git_hooks.py", "*"): "it is asked about files that a skill writes; no verdict depends on it",
    ("kernel/workspace/git_changes.py", "*"): "what changed is asked for after the check; no verdict depends on it",
    (
        "kernel/workspace/model.py",
        "os.path.abspath",
    ): "the folder that a caller of Python names, before anything is asked",
    ("kernel/workspace/discovery.py", "os.lstat"): "it raises or has an answer that was asked for before",
    ("kernel/workspace/agent_links.py", "*"): "its verdict counts once: `judge_links` says so",
    ("kernel/workspace/tree_hash.py", "*"): "its verdict counts once: `judge_links` says so",
    ("lint/engine/config.py", "os.path.realpath"): "the link itself is asked for when it is read",
    ("lint/engine/config.py", "os.path.abspath"): "the path is absolute",
    ("kernel/manifest/paths.py", "os.close"): "the real path and the mode of what is opened are asked for besides",
    ("lint/rules/loader.py", "os.path.exists"): "it says why it raises",
    ("lint/rules/loader.py", "os.path.isdir"): "it raises, or the folder is listed",
    (
        "lint/rules/packs.py",
        "*",
    ): "a request with packs is planned each time, and entries know a digest of their contents",
    ("lint/rules/pack_code.py", "*"): "as `lint/rules/packs.py`, whose digest has the code",
    ("lint/rules/loader.py", "os.walk"): "each folder on the way is asked for besides",
    ("lint/checks/suppressions.py", "datetime"): "to read a date, not to ask for one",
    ("lint/checks/starlark_process.py", "time"): "a verdict that the limit of time keeps back is not remembered",
    ("lint/checks/starlark_process.py", "os.getpid"): "a fork has a child of its own",
    ("lint/checks/starlark_process.py", "os.path.realpath"): "where this program and its libraries are",
    ("lint/checks/children/starlark_syntax.py", "time"): "the limit of time of a hostile text",
    ("kernel/documents/settings_file.py", "*"): "the user's settings, on which no verdict depends",
}


def touches(tree: ast.AST) -> Iterator[str]:
    """What a module uses to look at the world, by its dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in WORLDLY)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module in WORLDLY:
                yield node.module
            elif node.module in ("os", "os.path"):
                yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in PURE)
            elif node.module in ("skillbag.kernel.fs.read",):
                yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name in PAST)
        elif isinstance(node, ast.Attribute):
            name = dotted(node)
            parent, _, last = name.rpartition(".")
            if parent in ("os", "os.path") and last not in PURE:
                yield name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OPENERS:
            yield node.func.id


PAST = {"is_within"}
"""What `read` has that is not recorded."""


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


@each_row("path", MODULES, ids=of)
def test_only_tracked_queries_read_the_disk(path: Path) -> None:
    name = of(path)
    found = {touch for touch in touches(parsed(path)) if touch != "os.path"}
    assert found <= {touch for module, touch in EXCEPTIONS if module == name} or (name, "*") in EXCEPTIONS


def test_no_exception_outlives_its_reason() -> None:
    for module, touch in EXCEPTIONS:
        found = set(touches(parsed(PACKAGE / module)))
        assert (touch == "*" and found) or touch in found, (module, touch)


def test_untracked_queries_are_found() -> None:
    imports = "import os, subprocess\nfrom os import stat\nfrom skillbag.kernel.fs.read import is_within\n"
    sample = f"{imports}os.path.exists(x)\nopen(x)\nis_within(a, b)"
    assert set(touches(ast.parse(sample))) == {
        "subprocess", "os.stat", "skillbag.kernel.fs.read.is_within", "os.path.exists", "open"
    }  # fmt: skip


def test_all_modules_that_verdicts_depend_on_are_part_of_the_cache_key() -> None:
    """What these modules import lies in a folder of which `cache.store` takes each file's time and size."""
    folders = {"", "data", *JUDGING}
    for path in MODULES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("skillbag."):
                parts = node.module.split(".")[1:]
                package = "/".join(parts[:2]) if (PACKAGE / parts[0]).is_dir() else ""
                # Changes that were interrupted are brought to an end before anything is checked. How a child is started
                # changes nothing in what it finds.
                assert package in folders | {"kernel/transaction", "kernel/processes"}, (of(path), node.module)
