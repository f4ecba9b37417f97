"""Paths that the globs of others match, with the syntax of `.gitignore`, in linear time."""

from __future__ import annotations

from functools import lru_cache

from pathspec import GitIgnoreSpec

from skillbag.kernel.base.linear_nodes import BadExpressionError
from skillbag.kernel.base.linear_regex import Expression

_LONGEST = 200


class BadGlobError(ValueError):
    """A glob that can't be read; the message says why."""


def matches(relative: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path (with `/`) is one that the globs name; a later glob that begins with `!` takes paths out.

    Raises:
        BadGlobError: one of them can't be read.
    """
    found = False
    for pattern in patterns:
        is_wanted, expression = read_glob(pattern)
        if is_wanted is not found and expression.matches(relative):
            found = is_wanted
    return found


@lru_cache(maxsize=256)
def read_glob(pattern: str) -> tuple[bool, Expression]:
    """Whether a glob adds paths or takes them out, and its expression.

    Raises:
        BadGlobError: it can't be read.
    """
    if len(pattern) > _LONGEST:
        raise BadGlobError(f"it is longer than {_LONGEST} characters")
    try:
        # Its own search goes back and tries again, for ever where many stars stand in one name.
        (read,) = GitIgnoreSpec.from_lines([pattern]).patterns
        if read.include is None or read.regex is None:
            raise BadGlobError("it names no paths; write such as `*.md` or `/references/`")
        return read.include, Expression(read.regex.pattern)
    except BadExpressionError as error:
        raise BadGlobError(str(error)) from error
    except ValueError as error:
        raise BadGlobError("it is no glob; write such as `*.md` or `/references/`") from error
