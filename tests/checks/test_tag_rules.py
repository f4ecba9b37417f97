"""Tags in descriptions: what is taken for one, for a mistaken one, and for plain words."""

from __future__ import annotations

import pytest

from tests.checks.rule_runs import findings
from tests.support import Tree

TAG_RULES = (
    "companion-name",
    "description-comment-tag",
    "description-dropped-words",
    "description-hidden-tag",
    "tag-syntax",
    "tag-unknown",
)


@pytest.mark.parametrize(
    ("line", "rules"),
    [
        ('"Do it. #run/always #use/a-b"', []),
        ('"Do it. (#run/last, #use/a)"', ["companion-name"]),
        ('"Do it, #run/last; then #use/a-b, #use/c."', ["companion-name"]),
        ('"For #runners and #users: #use-case and #running/shoes"', []),
        ('"Explains `#run/always`, \\"#run\\" and #tags"', []),
        ("Do issue#12 and C#.", []),
        ("Do it. #run/always", ["description-hidden-tag"]),
        ("Do it. #team/files", ["description-hidden-tag"]),
        ("Do it. #123", ["description-dropped-words"]),
        ("Do it. # run/always", ["description-dropped-words"]),
        ("Do it. #Run/always", ["description-comment-tag"]),
        ("'Do it.' #run/always", ["description-comment-tag"]),
        ("'Do it.' # fine", ["description-dropped-words"]),
        ("Do it. #run-always", ["description-dropped-words"]),
        ('"Do it. #RUN/ALWAYS"', ["tag-syntax"]),
        ('"Do it. #run:always"', ["tag-syntax"]),
        ('"Do it. #use/"', ["tag-syntax"]),
        ('"Do it. #run"', ["tag-syntax"]),
        ('"Do it. #run/Always"', ["tag-unknown"]),
        ('"Do it. #run/never"', ["tag-unknown"]),
        ("Do it. #use/A_b", ["companion-name", "description-hidden-tag"]),
        ('"Do it. #use/a/b"', ["companion-name"]),
        ("", []),
        ("[#run/always]", []),
    ],
)
def test_descriptions(line: str, rules: list[str], tree: Tree) -> None:
    root = tree({".skills/a/SKILL.md": f"---\nname: a\ndescription: {line}\n---\n"})
    assert sorted(finding.rule for finding in findings(root, *TAG_RULES)) == rules


def test_a_long_run_of_signs_is_quick(tree: Tree) -> None:
    root = tree({".skills/a/SKILL.md": f'---\nname: a\ndescription: "{"#run/ " * 20000}{"#" * 200000}"\n---\n'})
    assert {finding.rule for finding in findings(root, *TAG_RULES)} == {"tag-syntax"}
