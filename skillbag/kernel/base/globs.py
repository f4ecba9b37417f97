"""Paths that globs match, with the syntax of `.gitignore`."""

from __future__ import annotations

from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def matches(relative: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path (with `/`) is one that the globs name; a later glob that begins with `!` takes paths out."""
    return _spec(patterns).match_file(relative)


@lru_cache(maxsize=256)
def _spec(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns)
