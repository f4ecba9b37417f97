"""The scripts of its skill that a text names, before any command of it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from skillbag.kernel.workspace.text import TextFile

ENDINGS = (".py", ".sh", ".bash", ".js", ".mjs", ".cjs", ".ts")


@lru_cache(maxsize=1)
def named_scripts(text: TextFile) -> Sequence[str]:
    """The names in a Markdown text of scripts of its skill, and of modules: `scripts.x` for `scripts/x.py`."""
    if text.skill is None or text.language != "markdown":
        return ()
    return tuple(_named(text.document.text, _scripts(text.skill.names)))


def _named(source: str, scripts: Iterable[str]) -> Iterator[str]:
    for path in scripts:
        folder, _, name = path.rpartition("/")
        if name in source:
            yield name
        elif folder and "-m " in source and name.endswith(".py"):
            module = f"{folder.rpartition('/')[2]}.{name[:-3]}"
            if module in source:
                yield module


@lru_cache(maxsize=1)
def _scripts(names: str) -> Sequence[str]:
    """The scripts among the names in the folder of a skill."""
    return tuple([path for path in names.split("\n") if path.endswith(ENDINGS)])


def are_named(text: TextFile, literals: frozenset[bytes]) -> bool:
    """Whether a text names a script."""
    return bool(named_scripts(text))
