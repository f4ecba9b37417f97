"""What agents read at the start: moved paths and their fix, imports, and the size that a host reads."""

from __future__ import annotations

from pathlib import Path

from tests.lint.checks.rule_runs import findings, messages, places
from tests.rows import each_row
from tests.support import Run

PATHS, IMPORTS, SIZE = "memory-path-broken", "memory-import-broken", "memory-too-long"


def _write(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return root


@each_row(
    ("name", "text"),
    [
        ("AGENTS.md", "Read `docs/guide/v1.2 notes.final.md` first.\n"),
        ("CLAUDE.md", "Read `docs/guide/Été à Paris.md` and docs/guide/Été.md.\n"),
        ("CLAUDE.local.md", "Read docs/guide/README.Old.md, then `docs/guide/CamelCase.TXT`.\n"),
        (".claude/rules/style.md", "Run `python docs/guide/check.v2.py --all`.\n"),
        (".claude/CLAUDE.md", "Read docs/guide/deep/a.md and docs/guide/deep/b.md.\n"),
        ("GEMINI.md", "Read @docs/guide/Größe.md.\n"),
    ],
)
def test_a_moved_path_is_corrected_once(name: str, text: str, tmp_path: Path, run: Run) -> None:
    """The second run changes nothing, whatever the names look like."""
    names = ["v1.2 notes.final.md", "Été à Paris.md", "Été.md", "README.Old.md", "CamelCase.TXT", "check.v2.py"]
    names += ["deep/a.md", "deep/b.md", "Größe.md"]
    _write(tmp_path, {name: text, **{f"manual/docs/guide/{file}": "x\n" for file in names}})
    assert messages(tmp_path, PATHS, IMPORTS)
    command = ("check", "--fix", "--select", f"{PATHS},{IMPORTS}", str(tmp_path))
    run(*command)
    fixed = (tmp_path / name).read_text(encoding="utf-8")
    assert fixed == text.replace("docs/guide", "manual/docs/guide")
    assert messages(tmp_path, PATHS, IMPORTS) == []
    run(*command)
    assert (tmp_path / name).read_text(encoding="utf-8") == fixed


@each_row(
    "text",
    [
        "Create docs/guide/new.md.",
        "See <https://example.com/docs/guide/style.md>.",
        "It was `docs/guide/old/style.md`.",
        "Put it in `docs/guide/$NAME.md`, docs/*/style.md or path/to/style.md.",
        "[docs/guide/style.md](manual/docs/guide/style.md)",
        "<!-- docs/guide/style.md -->",
        "The package has `guide/style.md`.",
        "Read guide/README.md.",
    ],
)
def test_a_path_that_is_no_mistake(text: str, tmp_path: Path) -> None:
    """What is made later, an address, a pattern, the title of a link, and a name that many files have."""
    _write(tmp_path, {"CLAUDE.md": f"{text}\n", "manual/docs/guide/style.md": "x", "manual/README.md": "x"})
    assert messages(tmp_path, PATHS) == []


def test_paths_that_moved_in_one_way_are_one_finding(tmp_path: Path) -> None:
    """And those whose folder moved without them are one more each."""
    files = {f"skills/tidy/scripts/{name}.py": "x\n" for name in "abc"}
    text = "Run tidy/scripts/a.py, tidy/scripts/b.py, tidy/scripts/c.py and tidy/scripts/d.py.\n"
    _write(tmp_path, {"CLAUDE.md": text, **files})
    others = "; 2 more paths of this file moved in the same way"
    assert messages(tmp_path, PATHS) == [
        "`tidy/scripts/a.py` is not there; did you mean `skills/tidy/scripts/a.py`?" + others,
        "`tidy/scripts/d.py` is not there",
    ]


def test_imports(tmp_path: Path) -> None:
    """Relative to the file; four steps are followed, and a circle is no depth."""
    chain = {f"docs/{step}.md": f"@{step + 1}.md\n" for step in range(1, 4)}
    _write(tmp_path, {"CLAUDE.md": "@docs/1.md @docs/gone.md (@docs/4.md)\n", **chain, "docs/4.md": "@1.md\n"})
    assert messages(tmp_path, IMPORTS) == ["The import `@docs/gone.md` is not there"]
    _write(tmp_path, {"docs/4.md": "@5.md\n", "docs/5.md": "End.\n"})
    assert messages(tmp_path, IMPORTS)[0] == (
        "The import `@docs/1.md` leads to an import at a depth of 5, `5.md`; Claude Code follows 4"
    )
    assert places(tmp_path, IMPORTS) == ["CLAUDE.md:1:2", "CLAUDE.md:1:13"]


@each_row(
    ("files", "faults"),
    [
        ({"CLAUDE.md": "x\n" * 250}, ["note CLAUDE.md"]),
        ({"CLAUDE.md": "x\n" * 200}, []),
        ({"AGENTS.md": "x\n" * 20000}, ["warning AGENTS.md"]),
        ({"skills/tidy/AGENTS.md": "x\n" * 20000}, []),
        ({"AGENTS.md": "é" * 17000}, ["warning AGENTS.md"]),
        ({"AGENTS.md": "x" * 20000, "web/AGENTS.md": "x" * 20000}, ["warning web/AGENTS.md"]),
        ({"AGENTS.md": "x" * 20000, "web/AGENTS.override.md": "x" * 20000}, ["warning web/AGENTS.override.md"]),
        ({"AGENTS.md": "x" * 20000, "skills/tidy/references/AGENTS.md": "x" * 20000}, []),
        ({"AGENTS.md": "x" * 40000, "web/AGENTS.md": "x" * 10}, ["warning AGENTS.md"]),
        ({"a/AGENTS.md": "x" * 20000, "b/AGENTS.md": "x" * 20000}, []),
    ],
)
def test_what_a_host_reads_as_a_whole(files: dict[str, str], faults: list[str], tmp_path: Path) -> None:
    """The files from the root down to a folder count together; copies for reference do not."""
    skill = {"skills/tidy/SKILL.md": "---\nname: tidy\ndescription: Tidy.\n---\n"}
    found = findings(_write(tmp_path, {**files, **skill}), SIZE)
    assert [f"{one.level.value} {Path(one.path).relative_to(tmp_path).as_posix()}" for one in found] == faults
