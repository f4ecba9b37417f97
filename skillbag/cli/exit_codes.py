"""Exit codes, as docs/architecture.md describes them."""

from __future__ import annotations

EXIT_USAGE = 2
EXIT_QUESTION = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130
EXIT_SIGNAL = 128
"""Plus the number of the signal, as in a shell."""
