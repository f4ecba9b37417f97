"""Exit codes, as docs/architecture.md describes them."""

from __future__ import annotations

from skillbag.kernel.base.errors import NeedsPersonError

EXIT_USAGE = 2
EXIT_QUESTION = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130
EXIT_SIGNAL = 128
"""Plus the number of the signal, as in a shell."""


def exit_of(error: Exception) -> int:
    """The exit code of an error that ends a command with a sentence: of the environment, of what only a person may do,
    or of a mistake."""
    if isinstance(error, OSError):
        return EXIT_ENVIRONMENT
    return EXIT_QUESTION if isinstance(error, NeedsPersonError) else EXIT_USAGE
