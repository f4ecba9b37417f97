"""Faults of the files of a skill: their names, and those that should be there or should not."""

from __future__ import annotations

from mutations.kinds import MAIN, Broken, Kind, Place, Skill, Way

_FAMILY = "files"


def _instead(name: str) -> Way:
    """`SKILL.md` under another name; empty: without it."""

    def way(skill: Skill, _random: object) -> Broken:
        other = skill.without(MAIN)
        return Broken(other.but({name or "references/steps.md": skill.files[MAIN]}), (Place(""),))

    return way


def _beside(path: str, data: str | bytes = "rows\n", text: str = "") -> Way:
    def way(skill: Skill, random: object) -> Broken:
        files: dict[str, str | bytes] = {path: data}
        return Broken(skill.but({**files, MAIN: f"{skill.text}\n{text}\n"} if text else files), (Place(""),))

    return way


def _twice(skill: Skill, _random: object) -> Broken:
    """Another folder of the same collection has a skill of the same name."""
    return Broken(skill.but({f"../../more/skills/{skill.name}/{MAIN}": skill.files[MAIN]}), (Place(""),))


def _kind(name: str, *ways: Way) -> Kind:
    return Kind(name, _FAMILY, ways)


KINDS = (
    _kind("skill-file-name", _instead("skill.md"), _instead("Skill.md"), _instead("SKILL.MD"), _instead("SKILLS.md")),
    _kind("skill-file-missing", _instead(""), _instead("README.md")),
    _kind(
        "case-collision",
        _beside("references/Rows.md", "# Rows\n", "See [rows](references/rows.md) and [Rows](references/Rows.md)."),
        _beside("References/rows.md", "# Rows\n", "See [rows](References/rows.md)."),
    ),
    _kind(
        "name-not-portable",
        _beside("references/what?.md"),
        _beside("references/aux.md"),
        _beside("references/a:b.md"),
        _beside("assets/rows .csv"),
    ),
    _kind("name-twice", _twice),
    _kind(
        "left-over",
        _beside("__pycache__/tally.cpython-311.pyc", b"\xa7\r\r\n\0\0\0\0"),
        _beside(".DS_Store", b"\0\0\0\1Bud1"),
        _beside("SKILL.md.orig"),
        _beside("references/.rows.md.swp", b"b0VIM 9.0\0"),
        _beside("node_modules/left/index.js", "module.exports = 1\n"),
        _beside("scripts/tally.py.bak", "print('done')\n"),
    ),
    _kind("env-file", _beside(".env", "REPORT_TITLE=rows\n"), _beside("scripts/.env", "REPORT_TITLE=rows\n")),
)
