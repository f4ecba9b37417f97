"""Only `kernel/fs/` writes files, and only one module of it renames and replaces them, so that how it is done stands in
one place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.rows import each_row
from tests.support import PROJECT

WRITERS = "skillbag/kernel/fs/"
RENAMER = "skillbag/kernel/fs/atomic.py"

# With the reason.
EXCEPTIONS = {
    "skillbag/kernel/processes/confine.py": "files of the kernel below /proc, in a child that imports nothing of ours",
    "skillbag/fleet/conformance/kit.py": "its copy runs without the package",
}

RENAMES = {"os": {"rename", "renames", "replace", "link"}, "shutil": {"move"}}
CALLS = {
    "os": {*RENAMES["os"], "truncate"},
    "shutil": {*RENAMES["shutil"], "copy", "copy2", "copyfile", "copytree"},
    "tempfile": {"mkstemp", "NamedTemporaryFile"},
}
METHODS = {"write_text", "write_bytes", "hardlink_to", "rename"}
FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND", "CREATE"}


def _is_writing(call: ast.Call) -> bool:
    if isinstance(call.func, ast.Name):
        return call.func.id == "open" and _opens(call)
    if not isinstance(call.func, ast.Attribute):
        return False
    module, name = _name(call.func.value), call.func.attr
    if name in METHODS or name in CALLS.get(module, ()) or _is_path_replace(call):
        return True
    return name == "open" and (_has_flags(call) if module == "os" else module in ("io", "Path") and _opens(call))


def _name(value: ast.expr) -> str:
    return value.id if isinstance(value, ast.Name) else ""


def _is_path_replace(call: ast.Call) -> bool:
    """Whether it is `Path.replace`: that of a text has two values, and that of a date has keywords."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and len(call.args) == 1


def _opens(call: ast.Call) -> bool:
    """Whether `open` is called for writing."""
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(isinstance(mode, ast.Constant) and set("wax+") & set(str(mode.value)) for mode in modes)


def _has_flags(call: ast.Call) -> bool:
    if ast.unparse(call.args[0]) == "os.devnull":
        return False
    return any(word in FLAGS for word in ast.unparse(call.args[1]).replace(".", " ").replace("|", " ").split())


def _renaming(source: str) -> Iterator[int]:
    """The lines that rename a file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module, name = _name(node.func.value), node.func.attr
            if name in RENAMES.get(module, ()) or name == "rename" or _is_path_replace(node):
                yield node.lineno


def _writing(source: str) -> Iterator[int]:
    """The lines that write, or that import a function for it by name."""
    for node in ast.walk(ast.parse(source)):
        if (isinstance(node, ast.Call) and _is_writing(node)) or (
            isinstance(node, ast.ImportFrom)
            and {name.name for name in node.names} & CALLS.get(node.module or "", set())
        ):
            yield node.lineno


def test_only_one_place_writes() -> None:
    found = [
        f"{path}:{line}"
        for file in sorted((PROJECT / "skillbag").rglob("*.py"))
        if not (path := file.relative_to(PROJECT).as_posix()).startswith(WRITERS) and path not in EXCEPTIONS
        for line in _writing(file.read_text())
    ]
    assert not found, "use skillbag/kernel/fs/ to write, rename or replace"


def test_only_one_module_renames() -> None:
    files = sorted((PROJECT / WRITERS).rglob("*.py"))
    found = {file.relative_to(PROJECT).as_posix() for file in files if [*_renaming(file.read_text())]}
    assert found == {RENAMER}


@pytest.mark.parametrize("path", EXCEPTIONS)
def test_exceptions_are_needed(path: str) -> None:
    assert [*_writing(Path(PROJECT, path).read_text())]


@each_row(
    "line",
    [
        "os.replace(a, b)",
        "os.rename(a, b)",
        "shutil.move(a, b)",
        'open(a, "w")',
        'open(a, mode="r+b")',
        "os.open(a, os.O_CREAT | os.O_EXCL)",
        "os.open(a, CREATE)",
        "Path(a).write_bytes(b)",
        "Path(a).rename(b)",
        "Path(a).replace(b)",
        "from os import replace",
    ],
)
def test_what_writes_is_seen(line: str) -> None:
    assert [*_writing(line)] == [1]


@each_row("line", ["open(a)", 'open(a, "rb")', "os.open(a, FLAGS)", "text.replace(a, b)", "day.replace(hour=1)"])
def test_what_reads_is_not_seen(line: str) -> None:
    assert not [*_writing(line)]
