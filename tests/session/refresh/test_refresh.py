"""Refresh: found by content, told once at least, and never more read than what is loaded or newly selected."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.session.agents import CATALOG, CONVERT, SESSION, answer, changed, enter, loaded, refresh, script, state
from tests.session.bags import bag, context, skill_md
from tests.supply.install.worlds import write
from tests.support import Run


@pytest.fixture
def root(run: Run, tmp_path: Path) -> Path:
    return loaded(run, tmp_path)


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_where_nothing_changed_nothing_is_to_be_read(run: Run, root: Path) -> None:
    values = refresh(run, root)
    lists: dict[str, object] = {key: [] for key in ("changed", "read", "added", "removed", "described", "always")}
    assert values == {"version": 1, "command": "refresh", "exit": 0, "session": SESSION, **lists, "nothing": True}
    assert run("refresh", "--session", SESSION, cwd=root).out == "Nothing has changed.\n"


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_a_touch_is_no_change(run: Run, root: Path) -> None:
    for path in root.rglob("*.md"):
        os.utime(path, (1, 1))
    assert refresh(run, root)["nothing"] is True


@pytest.mark.proves("lifecycle", "refresh.trigger")
@pytest.mark.parametrize("path", ["SKILLBAG.md", "CONTEXT.md", CATALOG, CONVERT, ".skills/greet/SKILL.md"])
def test_other_bytes_of_the_same_size_and_time_are_a_change(run: Run, root: Path, path: str) -> None:
    before = (root / path).stat()
    text = (root / path).read_bytes()
    old, new = (b"parameters", b"pArameters") if path == "CONTEXT.md" else (b".", b"!")
    assert old in text
    (root / path).write_bytes(text.replace(old, new, 1))
    os.utime(root / path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (root / path).stat().st_size == before.st_size
    values = refresh(run, root)
    assert (changed(values), values["read"]) == ({path: "changed"}, [path])
    assert refresh(run, root)["nothing"] is True


@pytest.mark.proves("lifecycle", "refresh.minimal", "refresh.trigger")
def test_skills_of_the_catalog_come_go_and_are_described_otherwise(run: Run, root: Path) -> None:
    lines = (root / CATALOG).read_text("utf-8").splitlines()
    lines = [line.replace("Tidies.", "Tidies well.") for line in lines if not line.startswith("check-links")]
    write(root, {CATALOG: "\n".join([*lines, "zip-files: Zips.", ""]), ".skills/zip-files/SKILL.md": "unread"})
    values = refresh(run, root)
    assert (values["added"], values["removed"], values["described"]) == (["zip-files"], ["check-links"], ["tidy"])
    assert (changed(values), values["read"], values["always"]) == ({CATALOG: "changed"}, [CATALOG], [])


@pytest.mark.proves("lifecycle", "refresh.minimal")
def test_a_catalog_with_other_line_ends_and_order_describes_the_same_skills(run: Run, root: Path) -> None:
    lines = (root / CATALOG).read_text("utf-8").splitlines()
    (root / CATALOG).write_bytes("\r\n".join(reversed(lines)).encode() + b"\r\n\r\n")
    values = refresh(run, root)
    assert values["read"] == [CATALOG]
    assert (values["added"], values["removed"], values["described"]) == ([], [], [])


@pytest.mark.proves("lifecycle", "refresh.trigger")
def test_other_line_ends_of_a_loaded_skill_are_a_change_of_its_content(run: Run, root: Path) -> None:
    (root / CONVERT).write_bytes((root / CONVERT).read_bytes().replace(b"\n", b"\r\n"))
    assert refresh(run, root)["read"] == [CONVERT]


@pytest.mark.proves("lifecycle", "refresh.minimal")
def test_a_loaded_skill_that_is_gone_is_not_to_be_read_until_it_is_back(run: Run, root: Path) -> None:
    text = (root / CONVERT).read_bytes()
    (root / CONVERT).unlink()
    values = refresh(run, root)
    assert (changed(values), values["read"], values["removed"]) == ({CONVERT: "removed"}, [], [])
    assert refresh(run, root)["nothing"] is True
    (root / CONVERT).write_bytes(text)
    values = refresh(run, root)
    assert (changed(values), values["read"]) == ({CONVERT: "new"}, [CONVERT])


@pytest.mark.proves("lifecycle", "refresh.minimal")
def test_a_loaded_skill_that_is_no_longer_listed_is_loaded_no_longer(run: Run, root: Path) -> None:
    lines = (root / CATALOG).read_text("utf-8").splitlines(keepends=True)
    (root / CATALOG).write_text("".join(line for line in lines if not line.startswith("convert")))
    values = refresh(run, root)
    assert (values["removed"], values["read"]) == (["convert-to-pdf"], [CATALOG])
    (root / CONVERT).write_text("whatever")
    assert refresh(run, root)["nothing"] is True
    assert sorted(state()["loaded"]) == ["greet", "sign-off"]


@pytest.mark.proves("lifecycle", "refresh.minimal")
def test_a_context_file_that_comes_and_goes(run: Run, root: Path) -> None:
    (root / "USER_CONTEXT.md").write_text("# Mine\n")
    values = refresh(run, root)
    assert (changed(values), values["read"]) == ({"USER_CONTEXT.md": "new"}, ["USER_CONTEXT.md"])
    (root / "USER_CONTEXT.md").unlink()
    values = refresh(run, root)
    assert (changed(values), values["read"]) == ({"USER_CONTEXT.md": "removed"}, [])


def test_a_catalog_that_is_gone_takes_all_skills_with_it(run: Run, root: Path) -> None:
    (root / CATALOG).unlink()
    values = refresh(run, root)
    assert changed(values) == {CATALOG: "removed"}
    assert values["removed"] == ["check-links", "convert-to-pdf", "greet", "sign-off", "tidy"]
    assert (values["read"], values["always"]) == ([], [])


@pytest.mark.proves("lifecycle", "tags.run-always", "refresh.minimal")
def test_a_skill_that_runs_always_from_now_on_is_to_be_read(run: Run, root: Path) -> None:
    tags = "tags: {tidy: {add: ['#run/always']}, greet: {remove: ['#run/always']}}"
    (root / "USER_CONTEXT.md").write_text(context(tags))
    values = refresh(run, root)
    assert (values["always"], values["read"]) == (["tidy"], ["USER_CONTEXT.md", ".skills/tidy/SKILL.md"])
    (root / ".skills/tidy/SKILL.md").write_text(skill_md("tidy", "Tidies.", "Otherwise."))
    assert refresh(run, root)["read"] == [".skills/tidy/SKILL.md"]
    # What ran at entry, did not for a while and does again, does so newly; it was loaded all the while.
    (root / "USER_CONTEXT.md").unlink()
    values = refresh(run, root)
    assert (values["always"], values["read"]) == (["greet"], [])


@pytest.mark.proves("lifecycle", "tags.run-always")
def test_a_skill_that_runs_always_is_new_and_one_that_was_barred_at_entry_is_not(run: Run, tmp_path: Path) -> None:
    root = bag(tmp_path / "w", {"greet": "Greets. #run/always"})
    enter(run, root, "--without", "greet")
    (root / "CONTEXT.md").write_text("# C\n")
    assert refresh(run, root)["always"] == []
    bag(root, {"greet": "Greets. #run/always", "bow": "Bows. #run/always"})
    values = refresh(run, root)
    assert (values["added"], values["always"]) == (["bow"], ["bow"])
    assert values["read"] == [CATALOG, ".skills/bow/SKILL.md"]


@pytest.mark.proves("lifecycle", "refresh.minimal")
def test_a_selected_skill_is_to_be_read_unless_it_is_loaded_and_as_it_was(run: Run, root: Path) -> None:
    values = refresh(run, root, "tidy", "convert_to_pdf")
    assert (values["changed"], values["read"], values["nothing"]) == ([], [".skills/tidy/SKILL.md"], False)
    assert refresh(run, root, "tidy", "convert-to-pdf")["nothing"] is True
    (root / ".skills/tidy/SKILL.md").write_text(skill_md("tidy", "Tidies.", "Otherwise."))
    values = refresh(run, root, "tidy", "check-links")
    assert values["read"] == [".skills/tidy/SKILL.md", ".skills/check-links/SKILL.md"]


@pytest.mark.parametrize(
    ("name", "reported"), [("tidi", "did you mean tidy?"), ("../x", "no such skill"), ("", "no such")]
)
def test_an_unknown_selected_skill_is_an_error_and_nothing_counts_as_reported(
    run: Run, root: Path, name: str, reported: str
) -> None:
    (root / "CONTEXT.md").write_text("# C\n")
    values = answer(run, root, "refresh", "--session", SESSION, "tidy", name, code=2)
    assert reported in values["error"]
    assert refresh(run, root)["read"] == ["CONTEXT.md"]


def test_the_text_has_a_line_for_each_kind_of_change(run: Run, root: Path) -> None:
    (root / CONVERT).write_text("x")
    (root / ".skills/greet/SKILL.md").unlink()
    (root / "USER_CONTEXT.md").write_text(context("tags: {tidy: {add: ['#run/always']}}"))
    lines = (root / CATALOG).read_text("utf-8").splitlines()[1:]
    (root / CATALOG).write_text("\n".join([*lines, "zip-files: Zips."]).replace("Signs.", "Signs off."))
    assert run("refresh", "--session", SESSION, cwd=root).out.splitlines() == [
        f"Changed: {CATALOG}, {CONVERT}",
        "New: USER_CONTEXT.md",
        "Removed: .skills/greet/SKILL.md",
        "Skills added: zip-files",
        "Skills no longer listed: check-links",
        "Skills with another description: sign-off",
        "Runs always from now on: tidy",
        f"Read now, before relying on it: USER_CONTEXT.md, {CATALOG}, {CONVERT}, .skills/tidy/SKILL.md",
    ]


HEAVY = (
    "yaml",
    "filelock",
    "skillbag.lint.checks",
    "skillbag.kernel.documents",
    "skillbag.kernel.workspace.model",
    "rich",
    "watchfiles",
)
MODULES = """
import atexit, sys
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
from skillbag.doors.cli import main
main()
"""


def imported(root: Path, *arguments: str) -> set[str]:
    """The modules that the program has imported at its end."""
    done = script(root, MODULES, *arguments)
    assert done.returncode == 0
    return set(done.stderr.split())


def test_a_refresh_that_finds_nothing_imports_next_to_nothing(root: Path) -> None:
    with_refresh = imported(root, "refresh", "--session", SESSION)
    assert not [name for name in with_refresh if name.startswith(HEAVY)]
    more = with_refresh - imported(root, "--version")
    assert len(more) <= 30, sorted(more)
