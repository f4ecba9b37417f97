"""Makes the source that installers are timed with: skills with documents, tables and pictures, always the same bytes.

python benchmarks/install_corpus.py FOLDER --skills 20 --files 430 --bytes 12000000
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

import words
from skill_text import Skill, small_skill

_AGENTS = """\
This repository is a `SKILLBAG` source.
The skills live under `.skills/`, with their catalog in `.skills/SKILLS.md`.
There are no extra installation steps.
"""
_PLUGIN = '{"name": "corpus", "version": "1.0.0", "description": "Skills to time installers with"}\n'
LAYOUTS = ("skillbag", "skills")
_OWN = 3
"""Files of a skill without any extra ones, as `make_skill` has them."""

_PROSE, _TABLE, _PICTURE = 1, 3, 8
"""How much of the bytes falls to one file of a kind: a picture is eight times as large as a document."""


class Shape(NamedTuple):
    """How much there is: skills, files of all skills together, and about how many bytes in them (to one in a hundred).

    Catalog and `AGENTS.md` are not counted: a plain tree of skills has none.
    """

    skills: int
    files: int
    size: int


TWENTY = Shape(20, 430, 12_000_000)
"""What the published comparison of installers used."""

THOUSAND = Shape(1000, 3000, 9_000_000)
"""Many small skills: each with its `SKILL.md`, a script and a reference."""


def write_source(root: str, shape: Shape, layout: str = "skillbag") -> None:
    """Write the skills below the new or empty folder `root`.

    `layout` is `skillbag` (`AGENTS.md`, `.skills/` and its catalog) or `skills` (`skills/*/`, where other installers
    look, beside the `plugin.json` that one of them asks for). The skills are the same in both.

    Raises:
        FileExistsError: there is something in `root` already.
        ValueError: fewer files than three for each skill.
    """
    if shape.files < _OWN * shape.skills:
        raise ValueError(f"{shape.skills} skills have at least {_OWN * shape.skills} files")
    os.makedirs(root, exist_ok=True)
    if os.listdir(root):
        raise FileExistsError(f"{root} is not empty")
    folder = os.path.join(root, ".skills" if layout == "skillbag" else "skills")
    skills = [small_skill(number) for number in range(1, shape.skills + 1)]
    extras = _extras(shape, sum(len(file.text) for skill in skills for file in skill.files))
    for skill, extra in zip(skills, extras, strict=True):
        _write_skill(os.path.join(folder, skill.name), skill, extra)
    if layout == "skillbag":
        catalog = "".join(f"{skill.name}: {skill.description}\n" for skill in skills)
        _write(os.path.join(folder, "SKILLS.md"), catalog.encode())
        _write(os.path.join(root, "AGENTS.md"), _AGENTS.encode())
    else:
        _write(os.path.join(root, "plugin.json"), _PLUGIN.encode())


def _extras(shape: Shape, used: int) -> Iterator[dict[str, bytes]]:
    """The further files of each skill by their paths, as many and as large as `shape` asks for beside `used` bytes."""
    each, rest = divmod(shape.files - _OWN * shape.skills, shape.skills)
    counts = [each + (number < rest) for number in range(shape.skills)]
    parts = sum(weight for count in counts for _, weight in _kinds(count))
    unit = max(0, shape.size - used) // parts if parts else 0
    for number, count in enumerate(counts, 1):
        random = Random(f"install corpus {number}")
        yield {
            _path(random, kind, place): _CONTENT[kind](random, round(unit * weight * random.uniform(0.97, 1.03)))
            for place, (kind, weight) in enumerate(_kinds(count), 1)
        }


def _kinds(count: int) -> list[tuple[str, int]]:
    """Half documents, the other half tables and pictures by turns."""
    cycle = [("prose", _PROSE), ("table", _TABLE), ("prose", _PROSE), ("picture", _PICTURE)]
    return [cycle[number % len(cycle)] for number in range(count)]


def _path(random: Random, kind: str, place: int) -> str:
    folder, suffix = {
        "prose": ("references", "md"), "table": ("assets/tables", "csv"), "picture": ("assets/pictures", "png"),
    }[kind]  # fmt: skip
    return f"{folder}/{place:02}-{words.quality(random)}-{words.thing(random)}.{suffix}"


def _prose(random: Random, size: int) -> bytes:
    parts = [f"# {words.headings(random, 1)[0]}", ""]
    length = 0
    while length < size:
        paragraph = " ".join(words.sentence(random) for _ in range(4))
        parts += [f"## {words.headings(random, 1)[0]} {length}", "", paragraph, ""]
        length += len(paragraph) + 40
    return "\n".join(parts).encode()


def _table(random: Random, size: int) -> bytes:
    rows = ["number,thing,place,amount"]
    length = 0
    while length < size:
        what = f"{words.quality(random)} {words.thing(random)}"
        row = f"{len(rows)},{what},{words.place(random)},{random.randint(1, 999)}"
        rows.append(row)
        length += len(row) + 1
    return "\n".join([*rows, ""]).encode()


def _picture(random: Random, size: int) -> bytes:
    """A real grey PNG of noise, which no packer makes smaller, as pictures and fonts are."""
    width = 256
    height = max(1, size // (width + 1))
    rows = b"".join(b"\0" + random.randbytes(width) for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 0)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


_CONTENT = {"prose": _prose, "table": _table, "picture": _picture}


def _write_skill(folder: str, skill: Skill, extra: dict[str, bytes]) -> None:
    for file in skill.files:
        _write(os.path.join(folder, *file.path.split("/")), file.text.encode(), 0o755 if file.executable else 0o644)
    for path, data in extra.items():
        _write(os.path.join(folder, *path.split("/")), data)


def _write(path: str, data: bytes, mode: int = 0o644) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as handle:
        handle.write(data)
    os.chmod(path, mode)


def write_repository(source: str, bare: str) -> str:
    """A packed bare repository of the tree `source`, in two commits, with its head on `main`; returns the commit.

    `source` itself gets no `.git`. The commits have fixed authors and dates, so each make gives the same ones.
    """
    index = f"{bare}.index"
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GIT_")},
        "GIT_INDEX_FILE": index,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _SIGNED.items()},
    }

    def git(*arguments: str) -> str:
        command = ("git", "--git-dir", bare, "-c", "core.bare=false", "--work-tree", source, *arguments)
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.strip()

    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=main", bare], env=environment, check=True)
    commit = ""
    for message, pattern in (("Documents", "*.md"), ("Everything", ".")):
        git("add", "--force", "--", pattern)
        parents = ("-p", commit) if commit else ()
        commit = git("commit-tree", git("write-tree"), *parents, "-m", message)
    git("update-ref", "refs/heads/main", commit)
    git("repack", "-q", "-a", "-d")
    os.unlink(index)
    return commit


_SIGNED = {"NAME": "Corpus", "EMAIL": "corpus@example.com", "DATE": "2026-01-01T00:00:00+00:00"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line and write one source."""
    parser = argparse.ArgumentParser(description="Write a source of skills into an empty folder.")
    parser.add_argument("folder")
    parser.add_argument("--skills", type=int, default=TWENTY.skills, metavar="N")
    parser.add_argument("--files", type=int, default=TWENTY.files, metavar="N", help="of all skills together")
    parser.add_argument("--bytes", type=int, default=TWENTY.size, metavar="N", help="of all skills, roughly")
    parser.add_argument("--layout", choices=LAYOUTS, default="skillbag")
    parser.add_argument("--repository", metavar="BARE", help="also as a bare git repository, new")
    options = parser.parse_args(arguments)
    try:
        write_source(options.folder, Shape(options.skills, options.files, options.bytes), options.layout)
    except (FileExistsError, ValueError) as error:
        parser.error(str(error))
    if options.repository:
        print(write_repository(options.folder, os.path.abspath(options.repository)))


if __name__ == "__main__":
    main()
