"""Values and texts that tests share."""

from __future__ import annotations

import signal
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
CORPUS = PROJECT.parent / "shared" / "corpus"


@dataclass(frozen=True)
class Completed:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


AS_PERSON = (
    sys.executable,
    "-c",
    "from skillbag.doors.cli import main, person; person.is_present = lambda: True; main()",
)
"""`skillbag`, in a process in which a person is at the command line."""

Run = Callable[..., Completed]
Tree = Callable[[Mapping[str, str]], Path]


def writer_in(folder: Path) -> Tree:
    """What writes files (path to text) below the folder, and returns the folder."""

    def write(files: Mapping[str, str]) -> Path:
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
        return folder

    return write


@contextmanager
def ignoring(*numbers: signal.Signals) -> Iterator[None]:
    """Processes that are started within ignore these signals, as `nohup` and a shell's `&` have it."""
    before = [signal.signal(number, signal.SIG_IGN) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


SKILL = "---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\nRead the file, then say what it holds.\n"


def skill(name: str, description: str = "Tidy a folder. Use when files lie about.") -> str:
    """The text of a small sound `SKILL.md`."""
    return SKILL.format(name=name, description=description)


def documented_path(subject: str) -> list[str]:
    """The functions of the path that `docs/architecture.md` draws below `**subject**`, without their modules."""
    page = (PROJECT / "docs" / "architecture.md").read_text("utf-8")
    path = page.split(f"**{subject}**")[1].split("```")[1]
    return [step.strip().rpartition(".")[2] for step in path.split(" -> ")]


def table(test: str, name: str) -> dict[str, Any]:
    """The values of the file `name` beside a test module."""
    return tomllib.loads((Path(test).parent / name).read_text("utf-8"))
