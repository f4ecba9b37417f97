"""Tests that prove a clause by behaviour: those marked `@pytest.mark.proves("install", "install.place", …)`."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

TESTS = Path(__file__).resolve().parent.parent / "tests"


class Proof(NamedTuple):
    """A test that proves a clause: the kind of behaviour, the clause's id, and the test."""

    kind: str
    clause: str
    path: str
    test: str


@cache
def read_proofs(folder: Path = TESTS) -> tuple[Proof, ...]:
    """All proofs below `folder`, in order of files and of tests."""
    return tuple(proof for path in sorted(folder.rglob("test_*.py")) for proof in _of_file(path, folder))


def _of_file(path: Path, folder: Path) -> Iterator[Proof]:
    name = path.relative_to(folder.parent).as_posix()
    text = path.read_text("utf-8")
    for node in ast.walk(ast.parse(text)) if "mark.proves" in text else ():
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.proves":
                kind, *clauses = (ast.literal_eval(argument) for argument in mark.args)
                yield from (Proof(kind, clause, name, node.name) for clause in clauses)
