"""Labelled mutations: no rule loses what it found, and verdicts are given for the right reason."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mutations.kinds import Skill
    from verdicts_ground import Labelled
    from verdicts_tools import Finding

_TEXT = "---\nname: rows\ndescription: Counts rows. Use when rows are there.\n---\n\n# Rows\n\n## Steps\n\nCount.\n"


@pytest.fixture
def skill() -> Skill:
    from mutations.kinds import Skill

    return Skill("rows", {"SKILL.md": _TEXT.encode()})


@pytest.fixture
def labelled(skill: Skill) -> Labelled:
    """The skill with a broken link in line 9."""
    from mutations.edits import says
    from verdicts_ground import Labelled

    broken = says("See [more](references/more.md).")(skill, Random(1))
    assert broken is not None
    return Labelled("link.1", "link", "links", False, skill, broken)


def _finding(line: int = 9, level: str = "error", path: str = "SKILL.md") -> Finding:
    from verdicts_tools import Finding

    return Finding("rows", path, line, level, "link-broken", "There is no file 17")


@pytest.mark.slow
def test_no_rule_loses_what_it_found(tmp_path: Path) -> None:
    from verdicts_floor import found_now, lost, recorded

    gone = lost(recorded(), found_now(str(tmp_path)))
    assert not gone, "`benchmarks/verdicts --accept` records a loss that is meant:\n" + "\n".join(gone)


def test_a_loss_names_the_mutation_and_the_rule() -> None:
    from verdicts_floor import lost

    before = {"mutations": {"a.1": ["one", "two"], "b.1": ["one"], "c.1": ["one"]}}
    now = {"mutations": {"a.1": ["two"], "c.1": ["one", "three"], "d.1": ["one"]}}
    assert lost(before, now) == ["a.1: one", "b.1: nothing finds it, it was one"]


def test_the_mutations_are_many_alike_each_time_and_half_of_them_held_out() -> None:
    from mutations import KINDS, MALICE
    from verdicts_ground import generated, mutations

    good = generated(10)
    some, again, other = (mutations(KINDS, good, seed) for seed in (1, 1, 2))
    assert len(some) >= 300
    assert len(mutations(MALICE, good, 1)) >= 100
    assert some == again
    assert some != other
    assert len({one.name for one in some}) == len(some)
    assert abs(sum(one.held_out for one in some) * 2 - len(some)) < len(some) / 20


def test_a_mutation_changes_its_skill_and_nothing_else() -> None:
    from mutations import KINDS, MALICE
    from verdicts_ground import generated, mutations

    for one in mutations([*KINDS, *MALICE], generated(10), 1):
        good, broken = one.good, one.broken.skill
        assert (good.files, good.executable, good.links) != (broken.files, broken.executable, broken.links), one.id
        assert one.broken.places, one.id


@pytest.mark.parametrize(
    ("after", "level"),
    [
        ((9, "error", "SKILL.md"), "error"),
        ((11, "warning", "SKILL.md"), "warning"),
        ((12, "error", "SKILL.md"), ""),
        ((0, "error", "SKILL.md"), "error"),
        ((0, "error", ""), "error"),
        ((9, "note", "SKILL.md"), "note"),
        ((9, "error", "README.md"), ""),
    ],
)
def test_a_finding_counts_near_its_place(labelled: Labelled, after: tuple[int, str, str], level: str) -> None:
    from verdicts_judge import judge

    (verdict,) = judge([labelled], [], [_finding(*after)])
    assert verdict.level == level
    assert verdict.found == (level in ("warning", "error"))


def test_a_finding_that_was_there_before_does_not_count(labelled: Labelled) -> None:
    from verdicts_judge import judge

    moved = _finding(11)._replace(message="There is no file 19")
    (verdict,) = judge([labelled], [_finding(9)], [moved])
    assert verdict.level == ""


def test_what_stops_a_tool_is_missed_and_the_rest_is_judged(tmp_path: Path, skill: Skill, labelled: Labelled) -> None:
    from mutations.kinds import Broken, Place
    from verdicts_ground import Labelled
    from verdicts_measure import MUTATIONS, measure
    from verdicts_tools import Tool

    names = ("rows-v001", "rows-v002", "rows-v003")
    goods = [skill._replace(name=name) for name in names]
    bad = [labelled.broken.skill._replace(name=names[0]), goods[1].but({"stop": ""}), goods[2].but({"x.md": ""})]
    ground = [
        Labelled(f"a.{number}", "a", "a", False, good, Broken(broken, (Place(),)))
        for number, (good, broken) in enumerate(zip(goods, bad, strict=True))
    ]
    script = (
        "import glob, json\n"
        "assert not glob.glob('skills/*/stop')\n"
        "print(json.dumps([{'file': p, 'rule': 'r', 'severity': 'warn', 'message': 'm'}"
        " for p in glob.glob('skills/*/SKILL.md') if 'references/more' in open(p).read()]))\n"
    )
    result = measure(Tool("toy", (sys.executable, "-c", script), {}), {MUTATIONS: ground}, str(tmp_path))
    assert [verdict.level for verdict in result.verdicts[MUTATIONS]] == ["warning", "", ""]
    assert result.share(MUTATIONS) == (1, 3)


def test_a_label_stays_with_its_finding_when_lines_and_words_change(tmp_path: Path) -> None:
    from verdicts_labels import counted, read

    (tmp_path / "SKILL.md").write_text(_TEXT, "utf-8")
    (first,) = read([(str(tmp_path), _finding(10))], {})
    labels = {"link-broken": {first.key: "true"}}
    (tmp_path / "SKILL.md").write_text(_TEXT.replace("# Rows", "# Rows\n\nMore."), "utf-8")
    moved = _finding(12)._replace(message="Other words", level="warning")
    (second, other) = read([(str(tmp_path), moved), (str(tmp_path), _finding(6))], labels)
    assert (second.label, other.label) == ("true", "")
    assert counted([second, other])["warning"] == {"true": 1}


def test_the_picture_has_a_bar_for_each_tool_and_ground() -> None:
    from verdicts_picture import as_svg

    families = {"links": [3, 4], "security: theft": [1, 4]}
    tool = {"mutations": {"families": families}, "malice": {"families": {"campaign": [9, 9]}}}
    svg = as_svg({"tools": {"skillbag": tool, "other": tool}}, "skillbag")
    bars = re.findall(r'<rect class="(bar.*?)".*? width="(.*?)"', svg)
    assert [float(width) for _, width in bars] == [360, 360, 120, 120, 480, 480]
    assert [shade for shade, _ in bars].count("bar ours") == 3
