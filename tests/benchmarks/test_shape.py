"""The shape of skills: measured, kept as figures, and drawn from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from statistics import mean, median

import pytest

from tests.rows import each_row
from tests.support import PROJECT

_SKILL = """---
name: tidy
description: Tidy a folder. Use when files lie about.
---

# Tidy

See [the list](references/list.md), `one` and `two`; ignore nothing — never.

## Steps

```bash
curl --version
[no link](in-code.md)
```

~~~
plain
~~~
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in {
        "skills/tidy/SKILL.md": _SKILL,
        "skills/tidy/references/list.md": "# List\n\n`three`\n",
        "skills/tidy/scripts/tidy.py": "print('a@b')\n",
        "skills/tidy/scripts/tidy.sh": "echo\n",
        "skills/tidy/data.csv": "1,2\n",
        "skills/tidy/inner/SKILL.md": "# Inner\n",
        "skills/tidy/inner/data.json": "{}\n",
        "README.md": "not of a skill\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_every_figure_of_a_tree_is_measured(tree: Path) -> None:
    from shape_measure import measure_folder

    measured = measure_folder(str(tree))
    values = {name: sorted(found) for name, found in measured.values.items()}
    assert values["skill.bytes"] == [8, len(_SKILL.encode())]
    assert values["skill.headings"] == [1, 2]
    assert values["skill.links"] == [0, 1]
    assert values["skill.code spans"] == [0, 2]
    assert values["skill.fences"] == [0, 2]
    assert values["skill.literals"] == [0, 3]
    assert values["skill.non-ASCII"] == [0, 1]
    assert values["fence.bytes"] == [6, 37]
    assert [values[name] for name in ("references", "python", "shell", "other")] == [[0, 1], [0, 1], [0, 1], [1, 1]]
    assert values["python.literals"] == [1]
    assert measured.found["languages"] == {"bash": 1, "": 1}
    assert measured.found["words"] == {"gnore": 1, "```bash": 1, "curl": 1}
    assert measured.found["suffixes"] == {".csv": 1, ".json": 1}


def test_what_is_measured_is_kept_in_a_file_and_read_again(tree: Path) -> None:
    import shape
    from shape_measure import measure_folder

    measured = measure_folder(str(tree)).shape()
    assert shape.from_json(shape.as_json(measured)) == measured
    (tree / "skills/tidy/SKILL.md").write_text("# Nothing\n", "utf-8")
    with pytest.raises(ValueError, match=r"nothing to measure: .*fence\.bytes"):
        measure_folder(str(tree)).shape()


@each_row(
    ("change", "complaint"),
    [
        ({"version": 2}, "version 2"),
        ({"figures": {}}, "lacks"),
        ({"shares": {"languages": []}}, "no shape"),
        ({"together": None}, "no shape"),
    ],
)
def test_a_file_that_is_no_shape_is_refused(change: dict[str, object], complaint: str) -> None:
    import shape

    text = (PROJECT / "benchmarks/shape.json").read_text("utf-8")
    with pytest.raises(shape.ShapeError, match=complaint):
        shape.from_json(json.dumps({**json.loads(text), **change}))
    with pytest.raises(shape.ShapeError, match="no shape"):
        shape.from_json("not JSON")


def test_figures_that_fall_are_refused() -> None:
    import shape

    data = json.loads((PROJECT / "benchmarks/shape.json").read_text("utf-8"))
    data["figures"]["skill.bytes"].reverse()
    with pytest.raises(shape.ShapeError, match=r"skill\.bytes: 13 means in ascending order"):
        shape.from_json(json.dumps(data))


def test_drawn_values_have_the_median_and_the_mean_of_those_measured() -> None:
    import shape

    random = Random(1)
    values = [int(random.lognormvariate(8, 1)) for _ in range(3000)]
    figures = dict.fromkeys(shape.FIGURES, shape.bands(values))
    generated = [shape.Shape(figures, {}, {}).value("skill.bytes", number / 3000) for number in range(3000)]
    assert generated == sorted(generated)
    assert mean(generated) == pytest.approx(mean(values), rel=0.01)
    assert median(generated) == pytest.approx(median(values), rel=0.03)


def test_ranks_that_go_together_are_told() -> None:
    from shape import correlation

    assert correlation([1, 2, 3], [10, 20, 30]) == 1
    assert correlation([1, 2, 3], [30, 20, 10]) == -1
    assert correlation([1, 2, 3], [5, 5, 5]) == 0


@pytest.mark.nightly
def test_generated_skills_have_the_shape_of_published_ones(tmp_path: Path) -> None:
    import corpus
    from shape import bands, published
    from shape_measure import measure_folder

    corpus.write_corpus(str(tmp_path / "corpus"), 300)
    measured = measure_folder(str(tmp_path / "corpus"))
    for figure in ("skill.bytes", "skill.headings", "skill.fences", "skill.literals", "references"):
        wanted, found = (sum(means[:9]) for means in (published().figures[figure], bands(measured.values[figure])))
        assert found == pytest.approx(wanted, rel=0.25), figure


def test_the_floor_reads_what_the_program_reads(tree: Path) -> None:
    import floor
    import literals

    from skillbag.kernel.workspace.text import LANGUAGES

    assert frozenset(LANGUAGES) == floor.TEXTS
    literals.write_literals(str(tree / "literals"))
    command = [sys.executable, str(PROJECT / "benchmarks/floor.py"), str(tree / "literals")]
    done = subprocess.run(command, cwd=tree / "skills", check=True, capture_output=True)
    seen = json.loads(done.stdout)
    assert (seen["skills"], seen["files"], seen["scripts"], seen["fields"], seen["faults"]) == (2, 6, 1, 2, 0)
    assert seen["literals"] == 4
