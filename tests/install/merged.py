"""Three folders to be merged."""

from __future__ import annotations

from pathlib import Path

from skillbag.install.merge import Conflict, merge_folders
from tests.install.sides import Content, Side, put, taken

LINES = "".join(f"line {number}\n" for number in range(1, 21))


def changed(*numbers: int, by: str = "changed", text: str = LINES) -> str:
    for number in numbers:
        text = text.replace(f"line {number}\n", f"line {number} {by}\n")
    return text


class Merger:
    """Merges sides that are given as mappings, below `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.to = root / "merged"

    def __call__(
        self, base: Side, ours: Side, theirs: Side, markers: bool = False, upstream: str = "upstream"
    ) -> tuple[Conflict, ...]:
        names = (("base", base), ("ours", ours), ("theirs", theirs))
        first, second, third = folders = [put(self.root / name, side) for name, side in names]
        before = [taken(folder) for folder in folders]
        merged = merge_folders(first, second, third, str(self.to), markers=markers, upstream=upstream)
        assert [taken(folder) for folder in folders] == before
        return merged

    def result(self) -> dict[str, Content]:
        return taken(self.to)
