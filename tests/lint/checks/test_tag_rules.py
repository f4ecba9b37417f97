"""Tags in descriptions: what is taken for one, for a mistaken one, and for plain words."""

from __future__ import annotations

from tests.lint.checks.rule_runs import findings
from tests.rows import each_row
from tests.support import Tree

TAG_RULES = (
    "companion-name-not-canonical",
    "description-tag-in-comment",
    "description-cut-off",
    "description-tag-unquoted",
    "tag-invalid",
    "tag-unknown",
)


@each_row(
    ("line", "rules"),
    [
        ('"Do it. #run/always #use/a-b"', []),
        ('"Do it. (#run/last, #use/a)"', ["companion-name-not-canonical", "tag-unknown"]),
        ('"Do it (#use/a-b)."', ["tag-unknown"]),
        ("'Do it. \"#use/a-b\"'", ["tag-unknown"]),
        ('"Do it. **#run/always**"', ["tag-unknown"]),
        ('"Do it.#run/always"', ["tag-unknown"]),
        ('"Do it. # run/always"', ["tag-unknown"]),
        ('"Do it. #uses/a-b"', ["tag-unknown"]),
        ('"Do it. #run/allways"', ["tag-unknown"]),
        ('"See https://example.com/#run/always and (`#run/last`)."', []),
        ('"Adds the (#run/always) tag."', []),
        ('"Do it, #run/last; then #use/a-b, #use/c."', ["companion-name-not-canonical"]),
        ('"For #runners and #users: #use-case and #running/shoes"', []),
        ('"Explains `#run/always`, \\"#run\\" and #tags"', []),
        ("Do issue#12 and C#.", []),
        ("Do it. #run/always", ["description-tag-unquoted"]),
        ("Do it. #team/files", ["description-tag-unquoted"]),
        ("Do it. #123", ["description-cut-off"]),
        ("Do it. # run/always", ["description-cut-off"]),
        ("Do it. #Run/always", ["description-tag-in-comment"]),
        ("'Do it.' #run/always", ["description-tag-in-comment"]),
        ("'Do it.' # fine", ["description-cut-off"]),
        ("Do it. #run-always", ["description-cut-off"]),
        ('"Do it. #RUN/ALWAYS"', ["tag-invalid"]),
        ('"Do it. #run:always"', ["tag-invalid"]),
        ('"Do it. #use/"', ["tag-invalid"]),
        ('"Do it. #run"', ["tag-invalid"]),
        ('"Do it. #run/Always"', ["tag-unknown"]),
        ('"Do it. #run/never"', ["tag-unknown"]),
        ("Do it. #use/A_b", ["companion-name-not-canonical", "description-tag-unquoted"]),
        ('"Do it. #use/a/b"', ["companion-name-not-canonical"]),
        ("", []),
        ("[#run/always]", []),
    ],
)
def test_descriptions(line: str, rules: list[str], tree: Tree) -> None:
    root = tree({".skills/a/SKILL.md": f"---\nname: a\ndescription: {line}\n---\n"})
    assert sorted(finding.rule for finding in findings(root, *TAG_RULES)) == rules


def test_a_long_run_of_signs_is_quick(tree: Tree) -> None:
    root = tree({".skills/a/SKILL.md": f'---\nname: a\ndescription: "{"#run/ " * 20000}{"#" * 200000}"\n---\n'})
    assert {finding.rule for finding in findings(root, *TAG_RULES)} == {"tag-invalid"}
