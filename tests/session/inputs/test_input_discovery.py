"""The search for files that `discover` permits: within the workspace, bounded, and nothing opened."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from skillbag.session.inputs.discovery import FileSearch
from tests.rows import each_row
from tests.session.parameters import effective, hidden, make, origins, requested, resolve
from tests.session.tables import lines_of
from tests.support import Tree

_FILES = """a.md docs/a.md docs/b.txt docs/deep/c.md docs/deep/deeper/d.md docs/.hidden.md docs/.draft/e.md .github/f.md
.git/g.md node_modules/x/h.md docs/node_modules/i.md [odd]/j.md"""
_TREE = dict.fromkeys([*_FILES.split(), "schön/k é.md"], "")


@each_row("line", lines_of("patterns"))
@pytest.mark.proves("inputs", "inputs.discovery")
def test_a_pattern_finds_the_files_that_it_names(tree: Tree, line: str) -> None:
    pattern, _, found = line.partition(" |")
    assert FileSearch(str(tree(_TREE))).files([pattern.rstrip()]) == (
        tuple(filter(None, found.strip().split(" , "))),
        True,
    )


def test_several_patterns_find_each_file_once(tree: Tree) -> None:
    found = FileSearch(str(tree(_TREE))).files(["docs/*.md", "docs/*", "a.md", "nothing"])
    assert found.paths == ("a.md", "docs/a.md", "docs/b.txt")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_only_files_are_found(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "folder.md").mkdir()
    assert FileSearch(str(tmp_path)).files(["*.md", "**/*.md"]).paths == ()


@pytest.mark.proves("inputs", "inputs.discovery")
def test_links_lead_nowhere_but_within_the_workspace(tmp_path: Path, tree: Tree) -> None:
    tree({"inside/docs/a.md": "", "inside/real/r.md": "", "outside/secret.md": ""})
    root = tmp_path / "inside"
    (root / "docs" / "linked.md").symlink_to("../real/r.md")
    (root / "docs" / "escaped.md").symlink_to("../../outside/secret.md")
    (root / "docs" / "dangling.md").symlink_to("nowhere.md")
    (root / "docs" / "loop.md").symlink_to("loop.md")
    (root / "docs" / "out").symlink_to("../../outside")
    (root / "docs" / "in").symlink_to("../real")
    (root / "docs" / "round").symlink_to(".")
    search = FileSearch(str(root))
    assert search.files(["docs/*.md"]).paths == ("docs/a.md", "docs/linked.md")
    assert search.files(["docs/*/*.md"]).paths == ("docs/in/r.md", "docs/round/a.md", "docs/round/linked.md")
    assert search.files(["docs/out/*"]).paths == ()
    # `**` follows no link, so what it finds it finds once, and it ends.
    assert search.files(["**/*.md"]).paths == ("docs/a.md", "docs/linked.md", "real/r.md")


def test_a_root_that_is_a_link_is_searched(tmp_path: Path, tree: Tree) -> None:
    tree({"real/docs/a.md": ""})
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real" / "docs" / "b.md").symlink_to("a.md")
    assert FileSearch(str(tmp_path / "link")).files(["docs/*"]).paths == ("docs/a.md", "docs/b.md")


def test_folders_that_are_closed_or_gone_hold_nothing(tmp_path: Path) -> None:
    assert FileSearch(str(tmp_path / "gone")).files(["**"]) == ((), True)


def test_a_search_gives_up_rather_than_going_on_for_ever(tree: Tree) -> None:
    root = str(tree({f"docs/{number}/{number}.md": "" for number in range(50)}))
    assert FileSearch(root, 1_000).files(["**/*.md"]).complete
    ended = FileSearch(root, 60).files(["**/*.md"])
    assert not ended.complete
    assert len(ended.paths) < 50


def test_all_searches_of_a_resolution_share_what_they_may_look_at(tree: Tree) -> None:
    search = FileSearch(str(tree({f"{number}.md": "" for number in range(40)})), 100)
    assert search.files(["*.md"]).complete
    assert search.files(["*.md"]).complete
    assert not search.files(["*.md"]).complete
    patterns = iter(["0.md"] * 1_000)
    assert search.files(patterns) == ((), False)
    assert len(list(patterns)) == 999


def test_a_pattern_of_many_stars_costs_one_look_at_each_entry(tree: Tree) -> None:
    root = str(tree({"a/" * 15 + "x.md": ""}))
    pattern = "**/a/" * 12 + "*.md"
    assert FileSearch(root, 100).files([pattern]).complete
    assert FileSearch(root, 100).files(["*a" * 1_000 + "/*.md"]).complete
    assert FileSearch(root, 100).files(["*/" * 500_000 + "x"]) == ((), True)


def test_what_is_found_is_what_the_pattern_says_segment_by_segment(tmp_path: Path) -> None:
    """Against a reference that turns the pattern into one regular expression over whole paths."""
    random.seed(4)
    names = ["a", "b", "ab", "a.md", "b.md", "c"]
    for _ in range(60):
        folder = tmp_path.joinpath(*random.choices(names[:3], k=random.randint(0, 4)))
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / random.choice(names[3:])
        if not file.is_dir():
            file.write_text("")
    files = sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file())
    for _ in range(300):
        parts = random.choices(["**", "*", "a", "?", "*b", "a*", "*.md"], k=random.randint(1, 5))
        pattern = "/".join(parts)
        expected = tuple(path for path in files if re.fullmatch(_expression(parts), path))
        assert FileSearch(str(tmp_path)).files([pattern]).paths == expected, pattern


def _expression(parts: list[str]) -> str:
    written = {
        "**": "(?:[^/]+/)*",
        "*": "[^/]+/",
        "?": "[^/]/",
        "*b": "[^/]*b/",
        "a*": "a[^/]*/",
        "*.md": r"[^/]*\.md/",
    }
    parts = parts if parts[-1] != "**" else [*parts, "*"]
    return "".join(written.get(part, f"{part}/") for part in parts).removesuffix("/")


_SEARCHED = 'required:\n  - name: input-path\n    discover: "docs/*.md"\n'


@pytest.mark.proves("inputs", "inputs.discovery")
def test_the_one_file_that_matches_fills_a_missing_value(tmp_path: Path) -> None:
    root = make(tmp_path, _SEARCHED, files={"docs/a.md": "", "docs/b.txt": ""})
    resolution = resolve(root)
    assert resolution.ready
    assert effective(resolution) == {"input-path": "docs/a.md"}
    assert origins(resolution) == {"input-path": ".skills/convert/SKILL.md:12"}


@pytest.mark.proves("inputs", "inputs.discovery")
def test_without_the_permission_of_the_skill_nothing_is_searched(tmp_path: Path) -> None:
    root = make(tmp_path, "required: [{name: input-path}]\noptional: [{name: other}]", files={"docs/a.md": ""})
    assert requested(resolve(root)) == [("missing", "input-path")]
    assert effective(resolve(root)) == {}


@pytest.mark.parametrize("level", ["conversation", "user-context", "context", "entrypoint", "skill"])
@pytest.mark.proves("inputs", "inputs.no-override", "inputs.discovery")
def test_a_file_that_is_found_never_replaces_a_given_value(tmp_path: Path, level: str) -> None:
    said = "parameters: {convert: {source: said.md}}"
    default = "\n    default: said.md" if level == "skill" else ""
    root = make(
        tmp_path,
        f'optional:\n  - name: source\n    discover: "docs/*.md"{default}',
        user=said if level == "user-context" else None,
        context=said if level == "context" else None,
        entrypoint=said if level == "entrypoint" else None,
        files={"docs/a.md": ""},
    )
    resolution = resolve(root, *(["source=said.md"] if level == "conversation" else []))
    assert effective(resolution) == {"source": "said.md"}
    assert hidden(resolution, "source") == []


def test_with_a_blank_value_nothing_is_searched(tmp_path: Path) -> None:
    root = make(tmp_path, _SEARCHED.replace("required", "optional"), files={"docs/a.md": ""})
    assert effective(resolve(root, "input-path=")) == {"input-path": ""}


@pytest.mark.proves("inputs", "inputs.ask", "inputs.discovery")
def test_several_files_are_a_question_for_optional_parameters_too(tmp_path: Path) -> None:
    for kind in ("required", "optional"):
        files = {"docs/b.md": "", "docs/a.md": "", "docs/c.x": ""}
        root = make(tmp_path / kind, _SEARCHED.replace("required", kind), files=files)
        resolution = resolve(root)
        assert requested(resolution) == [("ambiguous", "input-path")]
        assert effective(resolution) == {}
        question = resolution.questions[0]
        assert [candidate.value for candidate in question.candidates] == ["docs/a.md", "docs/b.md"]
        assert question.answer == "--set input-path=VALUE"
        assert str(question.place) == ".skills/convert/SKILL.md:12"
        assert resolve(root, "input-path=docs/b.md").ready


def test_at_most_twenty_candidates_are_shown(tmp_path: Path) -> None:
    root = make(tmp_path, _SEARCHED, files={f"docs/{number:02}.md": "" for number in range(45)})
    question = resolve(root).questions[0]
    assert [candidate.value for candidate in question.candidates] == [f"docs/{number:02}.md" for number in range(20)]
    assert "45 files match docs/*.md" in question.text


@pytest.mark.proves("inputs", "inputs.discovery", "precedence.prohibition")
def test_a_prohibited_file_is_no_candidate(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        _SEARCHED,
        context='prohibit: {parameters: {"*": {input-path: [docs/b.md, docs/c.md]}}}',
        files={"docs/a.md": "", "docs/b.md": "", "docs/c.md": ""},
    )
    resolution = resolve(root)
    assert effective(resolution) == {"input-path": "docs/a.md"}
    barred = "prohibited by CONTEXT.md:4"
    assert hidden(resolution, "input-path") == [(f"docs/{name}.md", "discovered", barred) for name in "bc"]
    assert requested(resolve(root, prohibits=["input-path=docs/a.md"])) == [("missing", "input-path")]


def test_a_search_that_gave_up_is_a_question_even_with_one_file_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path, _SEARCHED.replace("docs/*.md", "**/*.md"), files={f"docs/{n}.txt": "" for n in range(50)})
    monkeypatch.setattr("skillbag.session.inputs.inputs.FileSearch", lambda root: FileSearch(root, 30))
    resolution = resolve(root)
    assert requested(resolution) == [("ambiguous", "input-path")]
    assert "the search for **/*.md ended" in resolution.questions[0].text
    assert effective(resolution) == {}


def test_names_of_files_that_are_no_text_are_found_and_harmless(tmp_path: Path) -> None:
    root = make(tmp_path, _SEARCHED, files={"docs/x": ""})
    try:
        (root / "docs" / os.fsdecode(b"\xff\n\x1b[31m.md")).write_text("")
    except OSError:
        pytest.skip("the file system holds no such name")
    assert effective(resolve(root)) == {"input-path": os.fsdecode(b"docs/\xff\n\x1b[31m.md")}
