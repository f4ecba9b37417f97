"""One skill of a corpus: its files as text, made from its number and the shape of published skills."""

from __future__ import annotations

import math
import os
from random import Random
from typing import NamedTuple

import hints
import other_files
import programs
import prose
import words
from shape import Shape, published

_PLACES = {"skill": 2, "references": 3, "python": 5, "shell": 7, "other": 11}
"""For each figure that is drawn once per skill a prime, whose square root spreads its values evenly over the skills."""
_MAX_LINES, _MAX_CHARACTERS = 480, 19_000
"""The limits of a body: rules want 500 lines and about 5,000 tokens."""
_NAMED = 12
"""How many other files the instructions name at most."""
_LETTERS = 40
"""How many literals in a script are remarks at most, and so the lines that it needs for them."""


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


class _Subject(NamedTuple):
    """What all texts of one skill are about."""

    title: str
    description: str
    verb: str
    thing: str


def make_skill(number: int) -> Skill:
    """The skill of that number (from 1): always the same, and unlike every other one."""
    name = f"skill-{number:05}"
    shape = published()
    # A string seeds the generator in the same way on every platform, which a tuple would not.
    random = Random(f"corpus {name}")
    subject = _subject(random)
    references = _references(random, shape, subject, number)
    scripts = [*_scripts(random, shape, subject, number, "python"), *_scripts(random, shape, subject, number, "shell")]
    rest = _others(random, shape, number)
    if len(references) + len(scripts) + len(rest) > _NAMED:
        references, scripts, rest = map(_below, (references, scripts, rest))
    links = [file.path for file in (*references[:5], *scripts[:5])]
    links += [f"{file.path}#{anchor}" for file in references[:2] for anchor in _anchors(file.text)]
    others = prose.Others(links, _mentions([*references, *scripts, *rest]))
    front = _front_matter(random, name, subject.description)
    plan = prose.plan(random, shape, "skill", _place(number, "skill"))
    plan = plan._replace(length=plan.length - len(front))
    skill = File("SKILL.md", front + _short_body(random, shape, plan, subject.title, others))
    return Skill(name, subject.description, (skill, *references, *scripts, *rest))


def small_skill(number: int) -> Skill:
    """A skill of three files whatever its number: instructions, a reference, and a script of Python or the shell."""
    name = f"skill-{number:05}"
    shape = published()
    random = Random(f"small {name}")
    subject = _subject(random)
    make, suffix = (programs.python_program, ".py") if number % 2 else (programs.shell_program, ".sh")
    plan = prose.plan(random, shape, "reference", 0.3)
    reference = File(f"references/{subject.thing}.md", prose.body(random, shape, plan, subject.title, prose.Others()))
    script = File(f"scripts/{subject.verb}{suffix}", make(random, subject.title, 1500, []), executable=True)
    paths = [reference.path, script.path]
    plan = prose.plan(random, shape, "skill", 0.3)
    front = _front_matter(random, name, subject.description)
    skill = File("SKILL.md", front + _short_body(random, shape, plan, subject.title, prose.Others(paths, paths)))
    return Skill(name, subject.description, (skill, reference, script))


def _mentions(files: list[File]) -> list[str]:
    """What a text says of the other files: each path, or the folders if there are many."""
    if len(files) <= _NAMED:
        return [file.path for file in files]
    return sorted({f"{os.path.dirname(file.path)}/" for file in files})


def _below(files: list[File]) -> list[File]:
    """The files in a folder of their own, one below: many files are seldom named one by one."""
    return [file._replace(path=file.path.replace("/", "/all/")) for file in files]


def _short_body(random: Random, shape: Shape, plan: prose.Plan, title: str, others: prose.Others) -> str:
    """A body within the limits of the rules: one that is too long is made again with a tenth less."""
    while True:
        body = prose.body(random, shape, plan, title, others)
        if len(body) <= _MAX_CHARACTERS and body.count("\n") <= _MAX_LINES:
            return body
        plan = plan.shorter()


def _place(number: int, figure: str) -> float:
    """Where a skill is among all, from 0 to 1: any few of them in a row are spread evenly over it."""
    return (number * math.sqrt(_PLACES[figure])) % 1.0


def _subject(random: Random) -> _Subject:
    verb, quality, thing, other = words.verb(random), words.quality(random), words.thing(random), words.thing(random)
    title = f"{verb.capitalize()} the {quality} {thing}"
    description = (
        f"{title} and {words.verb(random)} its {other} for {words.place(random)}. "
        f"Use when a {words.quality(random)} {thing} has to be checked against a {other}, "
        f"or when somebody asks for number {random.randint(100, 99_999)}."
    )
    return _Subject(title, description, verb, thing)


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


def _references(random: Random, shape: Shape, subject: _Subject, number: int) -> list[File]:
    made = []
    for one in range(shape.number("references", _place(number, "references"), random)):
        plan = prose.plan(random, shape, "reference", random.random())
        text = prose.body(random, shape, plan, f"{subject.title}, part {one + 1}", prose.Others())
        made.append(File(f"references/{words.quality(random)}-{subject.thing}-{one + 1}.md", text))
    return made


def _scripts(random: Random, shape: Shape, subject: _Subject, number: int, kind: str) -> list[File]:
    make, suffix = {"python": (programs.python_program, ".py"), "shell": (programs.shell_program, ".sh")}[kind]
    made = []
    for one in range(shape.number(kind, _place(number, kind), random)):
        at = random.random()
        length, literals = int(shape.value(f"{kind}.bytes", at)), shape.number(f"{kind}.literals", at, random)
        remarks = [hints.code(random, "@") for _ in range(min(literals, _LETTERS))]
        text = make(random, f"{subject.title}, step {one + 1}", length, remarks)
        made.append(File(f"scripts/{subject.verb}_{words.thing(random)}_{one + 1}{suffix}", text, executable=True))
    return made


def _others(random: Random, shape: Shape, number: int) -> list[File]:
    made = []
    count = shape.number("other", _place(number, "other"), random)
    for one, sample in enumerate(shape.chosen("suffixes", random, count), start=1):
        suffix = other_files.suffix_of(sample)
        length = int(shape.value("other.bytes", random.random()))
        made.append(File(f"assets/{words.thing(random)}-{one}{suffix}", other_files.text_of(random, suffix, length)))
    return made


def _anchors(text: str) -> list[str]:
    """The anchors of the headings below the title, three of them at most. Lines in fences have fewer words."""
    found = (line.split(" ", 1) for line in text.splitlines() if line.count(" ") == 3)
    headings = [heading for mark, heading in found if mark in ("##", "###")]
    return [words.anchor(heading) for heading in headings[:3]]
