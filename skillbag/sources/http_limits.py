"""The limits of a download over HTTP(S)."""

from __future__ import annotations

from skillbag.sources.limits import MAX_ARCHIVE

MAX_BYTES = MAX_ARCHIVE

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""Longest silence of a server."""

WHOLE_SECONDS = 600.0
"""Longest time for a whole download, redirects and retries included."""

PAUSES = (0.5, 1.5)
"""Seconds to wait before each retry."""

LONGEST_PAUSE = 5.0
"""Longest `Retry-After` that is waited for; the user is shown a longer one."""
