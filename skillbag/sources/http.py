"""Downloading an archive over HTTP(S): the limits, and the way in; the client itself is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from skillbag.sources.address import Source
from skillbag.sources.fetched import FetchError
from skillbag.sources.limits import MAX_ARCHIVE

Progress = Callable[[int, int | None], None]
"""Told the bytes so far, and how many there will be if the server says so."""

MAX_BYTES = MAX_ARCHIVE

MAX_REDIRECTS = 5
CONNECT_SECONDS = 10.0
READ_SECONDS = 30.0
"""Longest silence of a server."""

WHOLE_SECONDS = 600.0
"""Longest time for all of a download, with its redirects and repetitions."""

PAUSES = (0.5, 1.5)
"""Seconds to wait before each repetition."""

LONGEST_PAUSE = 5.0
"""Longest wait that a server may ask for; if it asks for more, the user is told."""


def download(source: Source, to: str, progress: Progress | None = None) -> None:
    """Fetch the archive of a source into the file `to`, which is there in full afterwards or not at all.

    Proxies and certificates are those of the environment. Credentials are sent to the host that the address names, and
    to no other.

    Raises:
        FetchError: it can't be had; the sentence says why and what to do, and holds no secret.
        OSError: the file can't be written.
    """
    from skillbag.sources.http_client import fetch
    from skillbag.sources.http_failures import DownloadError

    try:
        fetch(source, to, progress)
    except DownloadError as error:
        # What led to it may hold what the sentence leaves out.
        raise FetchError(source.declared, error.reason) from None
