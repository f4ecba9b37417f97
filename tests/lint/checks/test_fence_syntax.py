"""Plain slips in code that a text shows are found; excerpts, sketches, templates and counterexamples are left alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.lint.checks.rule_runs import in_skill
from tests.rows import each_row
from tests.support import table

CODE = table(__file__, "fences.toml")
RULE = "fence-syntax-invalid"


def shown(language: str, code: str, said: str = "Write this:") -> str:
    return f"# Report\n\n{said}\n\n```{language}\n{code}\n```\n"


def rows(kind: str) -> list[tuple[str, str]]:
    return [(language, code) for language, codes in CODE[kind].items() for code in codes]


@each_row("language, code", rows("found"))
def test_a_slip_is_found(language: str, code: str, tmp_path: Path) -> None:
    assert len(in_skill(tmp_path, shown(language, code), RULE, name="references/a.md")) == 1
    indented = "\n".join(f"   {line}" for line in shown(language, code).split("\n"))
    assert len(in_skill(tmp_path, f"1. Do it:\n\n{indented}", RULE, name="references/a.md")) == 1
    wrong = shown(language, code, "This is wrong:")
    assert in_skill(tmp_path, wrong, RULE, name="references/a.md") == []


@each_row("language, code", rows("quiet"))
def test_other_code_is_left_alone(language: str, code: str, tmp_path: Path) -> None:
    assert in_skill(tmp_path, shown(language, code), RULE, name="references/a.md") == []


def test_code_in_a_quotation_is_left_alone(tmp_path: Path) -> None:
    quoted = "> ```bash\n> cat << 'END' > a.txt\n> a\n> END\n> ```\n"
    assert in_skill(tmp_path, quoted, RULE, name="references/a.md") == []


@pytest.mark.parametrize("language", ["json", "python", "yaml", "bash", "javascript"])
@pytest.mark.parametrize(
    "code",
    [
        *("{" * 40_000, '{"a": 1, ' * 5_000, "(" * 40_000, "'" * 39_999),
        *("a: b: c\n" * 6_000, " " * 40_000 + "x(", '"\n' * 9_999),
    ],
    ids=["braces", "keys", "brackets", "quotes", "lines", "blanks", "strings"],
)
def test_a_hostile_block_takes_linear_time(code: str, language: str, tmp_path: Path) -> None:
    started = time.process_time()
    in_skill(tmp_path, shown(language, code) * 3, RULE, name="references/a.md")
    assert time.process_time() - started < 20
