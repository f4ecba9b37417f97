"""One skill of a corpus: its three files as text, made from its number and nothing else."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import words
from programs import python_program, shell_program

LINKS = 40
"""Links in the body of each `SKILL.md`."""

_STEPS = 8


class File(NamedTuple):
    """A file of a skill; `path` is relative to the skill, with `/`."""

    path: str
    text: str
    executable: bool = False


class Skill(NamedTuple):
    """A skill's name, its description and its files, `SKILL.md` first."""

    name: str
    description: str
    files: tuple[File, ...]


class _Plan(NamedTuple):
    """What the files of one skill have to agree on."""

    title: str
    description: str
    script: str
    reference: str
    own_headings: list[str]
    reference_headings: list[str]


def make_skill(number: int) -> Skill:
    """The skill of that number (from 1): always the same, and unlike every other one."""
    name = f"skill-{number:05}"
    # A string seeds the generator in the same way on every platform, which a tuple would not.
    random = Random(f"corpus {name}")
    in_python = number % 2 == 1
    plan = _plan(random, ".py" if in_python else ".sh")
    program = (python_program if in_python else shell_program)(random, plan.title)
    files = (
        File("SKILL.md", _front_matter(random, name, plan.description) + _body(random, plan)),
        File(plan.script, program, executable=True),
        File(plan.reference, _reference(random, plan)),
    )
    return Skill(name, plan.description, files)


def _plan(random: Random, suffix: str) -> _Plan:
    verb, quality, thing, other = words.verb(random), words.quality(random), words.thing(random), words.thing(random)
    title = f"{verb.capitalize()} the {quality} {thing}"
    description = (
        f"{title} and {words.verb(random)} its {other} for {words.place(random)}. "
        f"Use when a {words.quality(random)} {thing} has to be checked against a {other}, "
        f"or when somebody asks for number {random.randint(100, 99_999)}."
    )
    headings = words.headings(random, 6)
    script, reference = f"scripts/{verb}_{thing}{suffix}", f"references/{quality}-{other}.md"
    return _Plan(title, description, script, reference, ["Steps", "Checks", "Examples"], headings)


def _front_matter(random: Random, name: str, description: str) -> str:
    lines = [
        "---",
        f"name: {name}",
        f'description: "{description}"' if random.random() < 0.3 else f"description: {description}",
    ]
    if random.random() < 0.5:
        lines.append("license: MIT")
    if random.random() < 0.5:
        lines += ["metadata:", f'  edition: "{random.randint(1, 9)}.{random.randint(0, 20)}"']
    return "\n".join([*lines, "---", "", ""])


def _body(random: Random, plan: _Plan) -> str:
    links = iter(_links(random, plan))
    interpreter = "python3" if plan.script.endswith(".py") else "sh"
    parts = [f"# {plan.title}", "", f"{words.sentence(random)} {next(links)} says more, {next(links)} does it.", ""]
    parts += ["## Steps", ""]
    for number in range(1, _STEPS + 1):
        parts.append(f"{number}. {words.sentence(random)} See {next(links)} and {next(links)}.")
    parts += ["", "```sh", f"{interpreter} {plan.script} --help", "```", "", "## Checks", ""]
    for _ in range(_STEPS):
        parts.append(f"- [ ] {words.sentence(random)} ({next(links)})")
    parts += ["", "## Examples", "", "| Case | Do | Read |", "| --- | --- | --- |"]
    for _ in range(4):
        parts.append(f"| {words.quality(random)} {words.thing(random)} | {next(links)} | {next(links)} |")
    parts.append("")
    parts += [f"{words.sentence(random)} {words.sentence(random)} Also {link}." for link in links]
    return "\n".join([*parts, ""])


def _links(random: Random, plan: _Plan) -> list[str]:
    anchors = [f"{plan.reference}#{words.anchor(heading)}" for heading in plan.reference_headings]
    targets = [plan.script] * 8 + [plan.reference] * 6 + anchors * 2
    targets += [f"#{words.anchor(heading)}" for heading in plan.own_headings] * 3
    pages = LINKS - len(targets)
    targets += [f"https://example.com/{words.thing(random)}/{random.randint(1, 9999)}" for _ in range(pages)]
    random.shuffle(targets)
    return [f"[{words.quality(random)} {words.thing(random)}]({target})" for target in targets]


def _reference(random: Random, plan: _Plan) -> str:
    parts = [f"# {plan.title} in detail", "", words.sentence(random), ""]
    for heading in plan.reference_headings:
        parts += [f"## {heading}", "", *(words.sentence(random) for _ in range(random.randint(3, 4))), ""]
    return "\n".join(parts)
