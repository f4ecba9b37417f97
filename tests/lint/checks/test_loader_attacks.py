"""No tag or key in what is checked does anything: skillbag parses YAML and constructs no objects."""

from __future__ import annotations

import re
from pathlib import Path

import skillbag
from tests.lint.checks.rule_runs import findings
from tests.supply.install.worlds import write
from tests.support import skill

_CONSTRUCTS = re.compile(
    r"\byaml\.(?:load|load_all|full_load|unsafe_load|safe_load)\(|\bget_single_data\(|\bimport Constructor\b"
)


def test_tags_are_reported_and_call_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    tag = f"!!python/object/apply:os.system ['touch {mark}']"
    block = f"## Parameters\n\n```yaml\nrequired:\n  - name: {tag}\n```\n"
    write(
        tmp_path,
        {
            "skills/tidy/SKILL.md": skill("tidy").replace("\n---\n", f"\nmetadata:\n  a: {tag}\n---\n", 1) + block,
            "skills/tidy/SKILL.yaml": f"name: tidy\nversion: {tag}\n",
            "skills/tidy/assets/a.yaml": f"a: {tag}\nb: !!python/object/new:os.system ['touch {mark}']\n",
        },
    )
    found = findings(tmp_path)
    assert {"a.yaml", "SKILL.md"} <= {Path(one.path).name for one in found if one.rule == "loader-attack"}
    assert not mark.exists()


def test_no_module_constructs_objects_from_yaml() -> None:
    package = Path(skillbag.__file__).parent
    assert [str(path) for path in package.rglob("*.py") if _CONSTRUCTS.search(path.read_text(encoding="utf-8"))] == []
