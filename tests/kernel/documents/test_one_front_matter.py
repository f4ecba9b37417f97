"""Nothing but `kernel/documents/` splits front matter, so that all agree where it ends."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.rows import each_row
from tests.support import PROJECT

READER = "skillbag/kernel/documents/"
MARK = re.compile(r"(?:\\r|\\n|[\s^(?:])*-(?:--|\{3,?\})(?![\w-])")
SOME_MARK = re.compile(r"--|-\{3")
"""What a text has that has the mark: to parse all others takes long."""

# With the reason.
OTHERS = {
    "skillbag/lint/checks/loader_attacks.py": "takes what loaders take that are wrong",
    "skillbag/lint/checks/documents.py": "finds the mark within a value, where one host ends the front matter",
    "skillbag/lint/checks/path_surroundings.py": "takes an address of front matter for that of an original",
    "skillbag/lint/checks/replaced_text.py": "knows samples of skills within a skill",
    "skillbag/lint/checks/code_slips.py": "knows lines of YAML, and front matter that is shown as YAML",
    "skillbag/lint/checks/lazy_predicate.py": "compares the two lines that the reader has found",
    "skillbag/doors/language_server/hover.py": "writes a rule between paragraphs",
    "skillbag/fleet/conformance/kit.py": "writes the columns of a table",
    "skillbag/report/markdown.py": "writes the columns of a table",
    "skillbag/report/outcome_text.py": "the header of a diff",
    "skillbag/supply/install/difference.py": "the header of a diff",
    "skillbag/supply/bootstrap/skill.py": "writes front matter",
}


def _marks(source: str) -> Iterator[int]:
    """The lines with a text or an expression that begins with the line around front matter."""
    if not SOME_MARK.search(source):
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
            if MARK.match(text):
                yield node.lineno


def _others() -> dict[str, list[int]]:
    files = ((file.relative_to(PROJECT).as_posix(), file) for file in (PROJECT / "skillbag").rglob("*.py"))
    found = {path: [*_marks(file.read_text())] for path, file in files if not path.startswith(READER)}
    return {path: lines for path, lines in found.items() if lines}


def test_no_other_module_has_the_line() -> None:
    assert _others().keys() == OTHERS.keys()


@each_row(
    "code",
    ['text.startswith("---")', 'text.find("\\n---")', 're.compile(r"^---[ ]*$")', 're.compile(r"\\n---")', 'b"---"'],
)
def test_the_line_is_seen(code: str) -> None:
    assert [*_marks(code)] == [1]


@each_row("code", ['"-----BEGIN"', '"--"', '"a --- b"', '"---x"'])
def test_what_is_like_it_is_not(code: str) -> None:
    assert not [*_marks(code)]
