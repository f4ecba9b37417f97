"""Links and bare paths, beyond the rules' examples: which wordings are reported."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from skillbag.kernel.model.findings import MakeExecutable
from tests.lint.checks.rule_runs import findings, places
from tests.rows import each_row
from tests.support import Tree, skill, table

LINKS = table(__file__, "links.toml")

HEAD = "---\nname: tidy\ndescription: Tidy a folder.\n---\n"
FILES = {
    "skills/tidy/references/rules.md": "# Rules\n\n## What & how?\n",
    "skills/tidy/scripts/tidy.py": "print(1)\n",
    "skills/tidy/assets/a b.svg": "<svg/>\n",
    "skills/sort/SKILL.md": "---\nname: sort\ndescription: Sort.\n---\n## Use\n",
    "skills/sort/scripts/sort.py": "print(1)\n",
    "docs/guide.md": "# Guide\n",
}


def built(tree: Tree, body: str, **others: str) -> Path:
    return tree({"skills/tidy/SKILL.md": HEAD + body, **FILES, **others})


@each_row(
    "target",
    LINKS["quiet-targets"],
)
def test_target_that_stays_quiet(target: str, tree: Tree) -> None:
    rules = ("link-broken", "link-case-mismatch", "link-outside", "link-absolute", "link-anchor-broken")
    assert places(built(tree, f"See [it]({target}).\n"), *rules) == []


@each_row(
    ("target", "rule"),
    LINKS["reported-targets"],
)
def test_target_that_fires_one_rule(target: str, rule: str, tree: Tree) -> None:
    # A README at the root must not answer for one that is missing two folders below.
    root = built(tree, f"See [it]({target}).\n", **{"README.md": "# Read me\n"})
    kinds = ("broken", "case-mismatch", "outside", "absolute", "outside-skill", "anchor-broken")
    rules = [f"link-{kind}" for kind in kinds]
    assert [(f.rule, f.line, f.column, f.end_column) for f in findings(root, *rules)] == [
        (rule, 5, 10, 10 + len(target))
    ]


def test_link_from_a_reference_counts_from_its_own_folder_first(tree: Tree) -> None:
    reference = "[a](rules.md), [b](references/rules.md), [c](../SKILL.md), [d](../references/rules.md), [e](gone.md)\n"
    root = built(tree, "Sort.\n", **{"skills/tidy/references/more.md": reference})
    assert places(root, "link-broken") == ["skills/tidy/references/more.md:1:93"]


def test_a_sample_with_samples_within_is_code_to_its_end(tree: Tree) -> None:
    sample = "```markdown\n# Title\n```sh\ngo\n```\nSee [one](gone.md), `references/gone.md`.\n```\n"
    root = built(tree, f"{sample}\nSee [two](gone.md).\n\n```sh\ngo\n```\n\nSee [three](gone.md).\n")
    assert places(root, "link-broken", "path-broken") == ["skills/tidy/SKILL.md:19:13"]


def test_what_a_link_reports_is_not_reported_as_a_path(tree: Tree) -> None:
    root = built(tree, "Read `references/gone.md`, see [it](./references/gone.md#kinds).\n")
    assert places(root, "link-broken", "path-broken") == ["skills/tidy/SKILL.md:5:37"]


def test_files_of_the_readers_project(tree: Tree) -> None:
    line = "See [Button](src/Button.tsx) in your project.\n"
    commands = "Your project may have `assets/gone.sh`.\n\n```sh\n./assets/gone.sh\n```\n"
    root = tree({"skills/tidy/SKILL.md": f"{HEAD}{line}{commands}"})
    assert places(root, "link-broken", "path-broken") == []


def test_link_through_a_linked_folder(tree: Tree) -> None:
    root = built(tree, "See [it](shared/guide.md) and [it](shared/gone.md).\n")
    (root / "skills/tidy/shared").symlink_to("../../docs")
    assert places(root, "link-broken") == ["skills/tidy/SKILL.md:5:36"]


@each_row(
    ("line", "column"),
    [*LINKS["reported-paths"], *((line, None) for line in LINKS["quiet-paths"])],
)
def test_paths(line: str, column: int | None, tree: Tree) -> None:
    expected = [f"skills/tidy/SKILL.md:5:{column}"] if column else []
    assert places(built(tree, f"{line}\n"), "path-broken") == expected


def test_command_that_runs_a_missing_script_fires_even_without_the_folder(tree: Tree) -> None:
    fence = "```bash\n./scripts/gone.sh\ncd x && python scripts/other.py\n```\n"
    root = tree({"skills/tidy/SKILL.md": f"{HEAD}{fence}The file scripts/mine.sh is yours.\n"})
    assert places(root, "path-broken") == ["skills/tidy/SKILL.md:6:3"]


@pytest.mark.parametrize("install", ["pip install x", "git clone https://example.com/x"])
def test_a_script_of_a_program_that_the_text_installs(install: str, tree: Tree) -> None:
    fence = f"```bash\n{install}\npython scripts/convert.py\n```\n"
    assert places(tree({"skills/tidy/SKILL.md": f"{HEAD}{fence}"}), "path-broken") == []


def test_a_reference_speaks_of_scripts_that_are_not_the_skills(tree: Tree) -> None:
    reference = "```bash\npython scripts/convert.py\n```\n"
    assert places(tree({"skills/tidy/SKILL.md": HEAD, "skills/tidy/x.md": reference}), "path-broken") == []


SHEBANG = "#!/usr/bin/env python3\nprint(1)\n"


@each_row(
    ("body", "column"),
    [*LINKS["run"], *((body, None) for body in LINKS["not-run"])],
)
def test_run_directly(body: str, column: int | None, tree: Tree) -> None:
    root = built(tree, f"{body}\n", **{"skills/tidy/scripts/go.py": SHEBANG})
    found = findings(root, "script-not-executable")
    assert [f.column for f in found] == ([column] if column else [])
    script = str(root / "skills/tidy/scripts/go.py")
    assert all(f.edits == (MakeExecutable(script),) for f in found)
    os.chmod(script, 0o755)  # noqa: S103
    assert findings(root, "script-not-executable") == []


def test_bits_are_ignored_where_git_does_not_keep_them(tree: Tree) -> None:
    root = built(tree, "Run `./scripts/go.py`.\n", **{"skills/tidy/scripts/go.py": SHEBANG, ".git/config": "[core]\n"})
    assert len(findings(root, "script-not-executable")) == 1
    (root / ".git/config").write_text("[core]\n\tfileMode = false\n")
    assert findings(root, "script-not-executable") == []


def test_paths_count_from_the_repository_too(tree: Tree) -> None:
    """A plain tree in a folder of a repository may speak of the repository's own scripts and documents."""
    body = "Run `node scripts/build.js`; see [the guide](../../../../docs/guide.md).\n"
    root = tree(
        {
            "sub/.claude/skills/a/SKILL.md": HEAD + body,
            "sub/.claude/skills/a/scripts/own.js": "x\n",
            "scripts/build.js": "x\n",
            "docs/guide.md": "# Guide\n",
        }
    )
    rules = ("link-outside", "link-outside-skill", "path-broken")
    assert sorted(finding.rule for finding in findings(root, *rules)) == ["link-outside", "path-broken"]
    (root / ".git").mkdir()
    assert [finding.rule for finding in findings(root, *rules)] == ["link-outside-skill"]


def test_many_faults_of_one_kind_hide_none_of_another(tree: Tree) -> None:
    body = "".join(f"[a](gone{number}.md)\n" for number in range(1_200)) + "\n[b](#nowhere)\n"
    found = [finding.rule for finding in findings(built(tree, body), "link-broken", "link-anchor-broken")]
    assert (found.count("link-broken"), found.count("link-anchor-broken")) == (1_001, 1)


@each_row(
    ("line", "hint"),
    [
        ("See [it](rules.md).", "Did you mean `references/rules.md`? "),
        ("Run `python scripts/tidyy.py`.", "Did you mean `scripts/tidy.py`? "),
        ("Read `references/Rulez.md`.", "Did you mean `references/rules.md`? "),
        ("See [it](../sorts/SKILL.md).", "Did you mean the skill `sort`? "),
        ("Read `references/unlike.md`.", ""),
    ],
)
def test_a_missing_path_is_answered_with_what_it_may_mean(line: str, hint: str, tree: Tree) -> None:
    (found,) = findings(built(tree, f"{line}\n"), "link-broken", "path-broken")
    assert (found.fix or "").startswith(f"{hint}Correct the path")


@each_row(
    ("others", "hint"),
    [
        (["sort-mail"], "The skill `sort-mail` beside this one has a file of this path. "),
        (["sort-mail", "sort-notes"], ""),
        (["mail-sort"], ""),
    ],
)
def test_a_file_of_one_related_skill_is_named_and_of_several_none(tree: Tree, others: list[str], hint: str) -> None:
    files = {f"skills/{name}/references/deep.md": "# Deep\n" for name in others}
    texts = {f"skills/{name}/SKILL.md": skill(name) for name in others}
    own = {"skills/sort-files/SKILL.md": skill("sort-files") + "\nSee [it](references/deep.md).\n"}
    (found,) = findings(tree({**files, **texts, **own}), "link-broken")
    assert (found.fix or "").startswith(f"{hint}Correct the path")


def test_a_copy_of_a_repository_has_its_own_files(tree: Tree) -> None:
    body = "Run `node scripts/build.js`; see [the guide](../../../../docs/guide.md).\n"
    files = {"sub/.claude/skills/a/SKILL.md": HEAD + body, "sub/.claude/skills/a/scripts/own.js": "x\n"}
    root = tree({**files, "scripts/build.js": "x\n", "docs/guide.md": "# Guide\n", "README.md": "x\n"})
    assert sorted(f.rule for f in findings(root, "link-outside", "path-broken")) == ["link-outside", "path-broken"]
    (root / "LICENSE").write_text("Free.\n")
    assert findings(root, "link-outside", "path-broken") == []


def test_a_link_in_a_template_is_a_blank(tree: Tree) -> None:
    blanks = "- [Feature name]: [Short description]\n- [Other name]: [Owner]\n"
    assert places(built(tree, f"{blanks}- [Part](./part-name.md) - [Its role]\n"), "link-broken") == []


@each_row("piece", ["/home/berta/", "[a b][", "](file:", "scripts\\a", "][", "../", "]()", "[Aa b] "])
def test_a_long_hostile_line_is_read_in_time(piece: str, tree: Tree) -> None:
    rules = ("machine-path", "reference-undefined", "backslash-path", "link-empty", "link-outside", "link-broken")
    start = time.perf_counter()
    findings(built(tree, piece * (1_000_000 // len(piece)) + "\n"), *rules)
    assert time.perf_counter() - start < 20
