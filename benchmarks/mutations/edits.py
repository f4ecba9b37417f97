"""The edits that mutations are made of: a sentence more, a file more, another line in the front matter."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random

from mutations.kinds import MAIN, Broken, Place, Skill, Way

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_FILES: Mapping[str, str | bytes] = {}


def says(text: str, files: Mapping[str, str | bytes] = _NO_FILES, executable: tuple[str, ...] = ()) -> Way:
    """The instructions get a paragraph more, and the skill these files."""

    def way(skill: Skill, random: Random) -> Broken:
        lines = skill.text.split("\n")
        at = random.choice(_places(lines))
        added = text.split("\n")
        lines[at:at] = ["", *added, ""]
        place = Place(MAIN, at + 2, at + 1 + len(added))
        return Broken(skill.but({**files, MAIN: "\n".join(lines)}, executable), (place,))

    return way


def _places(lines: list[str]) -> list[int]:
    """Where a paragraph can be put: before each heading of the body, and at the end."""
    places, fence = [], ""
    for number, line in enumerate(lines[body_start(lines) :], body_start(lines)):
        if mark := _FENCE.match(line):
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif not fence and line.startswith("## "):
            places.append(number)
    return places or [len(lines)]


def body_start(lines: list[str]) -> int:
    """The index of the first line after the front matter."""
    return lines.index("---", 1) + 1


def front(edit: Callable[[list[str]], list[str]]) -> Way:
    """The lines between the two rules are others; the finding has to be there."""

    def way(skill: Skill, _random: Random) -> Broken:
        lines = skill.text.split("\n")
        end = lines.index("---", 1)
        changed = edit(lines[1:end])
        text = "\n".join([lines[0], *changed, *lines[end:]])
        return Broken(skill.but({MAIN: text}), (Place(MAIN, 1, max(len(changed), end) + 2),))

    return way


def put(key: str, *lines: str) -> Way:
    """The key of the front matter becomes these lines; without any it is gone."""
    return front(lambda old: [*_without(old, key), *lines])


def add(*lines: str) -> Way:
    """The front matter gets these lines more."""
    return front(lambda old: [*old, *lines])


def _without(lines: list[str], key: str) -> list[str]:
    kept, dropping = [], False
    for line in lines:
        if not line.startswith((" ", "\t", "-", "#")) and line.strip():
            dropping = line.startswith(f"{key}:")
        if not dropping:
            kept.append(line)
    return kept


def named(form: str) -> Way:
    """The skill's name in another form; `{}` stands for the right one."""
    return lambda skill, random: put("name", f"name: {form.format(skill.name)}")(skill, random)


def whole(edit: Callable[[str], str | bytes]) -> Way:
    """All of `SKILL.md` is another text."""
    return lambda skill, _random: Broken(skill.but({MAIN: edit(skill.text)}), (Place(),))


def adds(path: str, text: str | bytes, mention: str, line: int = 0, executable: bool = False) -> Way:
    """The skill gets a file and a sentence that mentions it; the finding can be in the file or at the sentence."""

    def way(skill: Skill, random: Random) -> Broken | None:
        broken = says(mention, {path: text}, (path,) if executable else ())(skill, random)
        return broken and Broken(broken.skill, (Place(path, line, line), *broken.places))

    return way


def script(path: str, *lines: str, line: int = 0) -> Way:
    """The skill gets a script that is mentioned rightly; the finding has to be in it."""
    programs = {"py": "python3", "sh": "bash", "js": "node", "mjs": "node", "ts": "npx tsx"}
    program = programs[path.rpartition(".")[2]]
    return adds(path, "\n".join((*lines, "")), f"```bash\n{program} {path}\n```", line)


def fence(language: str, *lines: str) -> Way:
    """The instructions get a fence of that language."""
    return says("\n".join((f"```{language}", *lines, "```")))
