"""A second `check --fix` changes nothing, and `sync` agrees with it, whatever the folders are called."""

from __future__ import annotations

import subprocess
import unicodedata
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.lint.engine.test_fixes import changed, snapshot
from tests.rows import each_row
from tests.support import Run, Tree, skill

SOUND = ["tidy", "a-b", "1", "null", "x" * 64]
LISTED = ["Tidy", "tidy_x", "_x", "trail-", "a--b", "y" * 65]
"""Names that are wrong, and that a line of the catalog can have."""
UNLISTED = {
    "dots": ["tidy.bak", "a..b", "v1.0"],
    "spaces": ["a b", " begins", "ends ", "a\u00a0b", "a\tb"],
    "accents, composed and not": [unicodedata.normalize(form, "tidé") for form in ("NFC", "NFD")],
    "letters of other scripts": ["日本", "ß", "İ"],
    "emoji": ["😀", "a😀"],
    "quotes and brackets": ["it's", 'a"b', "`x`", "[x]", "$(x)", "<b>"],
    "signs of YAML and Markdown": ["x: y", "x:", "x#y", "#x", "- x", "~", "*x*", "%x"],
    "hyphens before": ["-lead", "--help"],
    "characters that are not seen": ["a\nb", "a\rb", "a\u2028b", "\ufeffx", "a\u200bb", "x\x07y"],
}
EVERY = [*SOUND, *LISTED, *(name for names in UNLISTED.values() for name in names)]
HEAD = {"SKILLBAG.md": "SkillBag v0.3.0\n"}
FAULTS = (
    "---\nname: tidy\ndescription: It's here. #run/always\nmetadata:\n  version: 1.10\n"
    "dependencies:\n  - name: A_B\n---\n\n```sh\n./scripts/x.sh\n```\n"
)


def fixed_twice(run: Run, root: Path, *options: str) -> set[str]:
    """Fix twice, and hold that the second time changes nothing; the changed files."""
    before = snapshot(root)
    run("check", "--config=cache=false", "--fix", *options, root)
    once = snapshot(root)
    run("check", "--config=cache=false", "--fix", *options, root)
    assert snapshot(root) == once
    return changed(before, once)


@pytest.mark.parametrize("catalog", [None, "", "tidy: Old words.\n", "# Skills\n"])
def test_a_catalog_has_one_line_at_most_for_any_folder(tree: Tree, run: Run, catalog: str | None) -> None:
    given = {} if catalog is None else {".skills/SKILLS.md": catalog}
    root = tree({**HEAD, **given, **{f".skills/{name}/SKILL.md": skill(name.strip() or "x") for name in EVERY}})
    fixed_twice(run, root)
    text = (root / ".skills/SKILLS.md").read_text("utf-8")
    names = [line.partition(":")[0] for line in text.splitlines() if not line.startswith("#")]
    assert names == sorted([*SOUND, *LISTED])
    found = run("check", "--select", "catalog-entry-missing,catalog-entry-unknown,catalog-unsorted", root)
    assert found.code == 0, found.out


@each_row("names", [SOUND, LISTED, *UNLISTED.values()], ids=["sound", "listed", *UNLISTED])
def test_sync_and_check_agree_on_the_catalog(tree: Tree, run: Run, names: list[str]) -> None:
    root = tree({**HEAD, ".skills/SKILLS.md": "", **{f".skills/{name}/SKILL.md": skill("x") for name in names}})
    fixed_twice(run, root)
    after = (root / ".skills/SKILLS.md").read_bytes()
    assert run("self", "sync", cwd=root).code == 0
    assert (root / ".skills/SKILLS.md").read_bytes() == after
    (root / ".skills/SKILLS.md").unlink()
    assert run("self", "sync", cwd=root).code == 0
    assert (root / ".skills/SKILLS.md").read_bytes() == after
    assert run("check", "--select", "catalog-entry-missing,catalog-entry-unknown", root).code == 0


@pytest.mark.parametrize("base", [".skills", "skills"])
def test_every_fix_changes_nothing_the_second_time(tree: Tree, run: Run, base: str) -> None:
    files = {
        name: {f"{base}/{name}/SKILL.md": FAULTS.replace("tidy", "x"), f"{base}/{name}/scripts/x.sh": "#!/bin/sh\n"}
        for name in EVERY
    }
    root = tree({path: text for some in files.values() for path, text in some.items()})
    tree({f"{base}/a-b/SKILL.yaml": "name: a-b\nversion: 1.0\n", f"{base}/case/skill.md": skill("case")})
    tree(HEAD if base == ".skills" else {})
    found = fixed_twice(run, root, "--select=all")
    parts = ("SKILL.md", "scripts/x.sh")
    assert {f"{base}/{name}/{part}" for name in EVERY for part in parts if ":" not in name} <= found
    assert f"{base}/case/SKILL.md" in found
    outcome = run("check", "--fix", "--select=all", cwd=root)
    for name in EVERY:
        assert outcome.err.count(f"left alone: {base}/{name}/SKILL.md") == (":" in name)


@each_row("ignored", [None, "", "*.log", "*.log\r\n", "!USER_CONTEXT.md\n", "USER_CONTEXT.md\\\n", "\ufeff"])
@each_row("tracked", [False, True])
def test_the_ignore_file_gets_one_line(tree: Tree, run: Run, ignored: str | None, tracked: bool) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n", **({} if ignored is None else {".gitignore": ignored})})
    subprocess.run(["git", "init", "-q", root], check=True)
    if tracked:
        subprocess.run(["git", "-C", root, "add", "-f", "USER_CONTEXT.md"], check=True)
    fixed_twice(run, root)
    text = (root / ".gitignore").read_text("utf-8") if (root / ".gitignore").exists() else ""
    assert text.splitlines().count("USER_CONTEXT.md") <= 1


def test_an_ignore_file_that_git_does_not_read_is_left_alone(tree: Tree, run: Run) -> None:
    root = tree({**HEAD, "USER_CONTEXT.md": "# Mine\n", "ours/ignored": "*.log\n"})
    (root / ".gitignore").symlink_to("ours/ignored")
    subprocess.run(["git", "init", "-q", root], check=True)
    fixed_twice(run, root)
    assert (root / "ours/ignored").read_text("utf-8").count("USER_CONTEXT.md") <= 1


LEADS = ("", "docs/", "./a/b/")
NAMES = ["v1.2 notes.md", "Überblick.md", "a b.md", "x (1).md", "100%.md", "a<b>.md", "q&a.md", "日本.md", "UPPER.md"]


@each_row(("written", "name"), [(form, name) for name in NAMES for form in ("[x]({})", "[x](<{}>)", '<img src="{}">')])
def test_a_link_is_led_to_the_only_file_that_it_can_mean(tree: Tree, run: Run, written: str, name: str) -> None:
    forms = {
        quote(name),
        name if "<" in written and "img" not in written and not set("<>%") & set(name) else quote(name),
    }
    for form in forms:
        body = "".join(written.format(f"{lead}{form}{end}") + "\n\n" for lead in LEADS for end in ("", "?raw=1"))
        files = {".skills/tidy/a (b) é/SKILL.bak": "", f".skills/tidy/a (b) é/{name}": "# Kinds\n"}
        root = tree({**HEAD, **files, ".skills/tidy/SKILL.md": skill("tidy") + body})
        fixed_twice(run, root, "--select=link-broken")
        assert run("check", "--config=cache=false", "--select=links", "--ignore=path-broken", root).code == 0
        assert "no findings" in run("check", "--config=cache=false", "--select=link-broken", root).out.lower()
