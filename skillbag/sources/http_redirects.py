"""Redirects, followed by hand: never to another scheme, and never with the user's credentials to another host."""

from __future__ import annotations

from urllib.parse import parse_qsl, unquote

import httpx

from skillbag.sources.address import Source
from skillbag.sources.http_failures import DownloadError

STATUSES = frozenset({301, 302, 303, 307, 308})

_SURELY_SECRET = 8
"""Characters from which a value is not found in an address by chance."""


def origin(url: httpx.URL) -> tuple[str, str, int | None]:
    """Scheme, host and port: whom credentials are meant for."""
    return url.scheme, url.host, url.port


def following(response: httpx.Response, start: httpx.URL, source: Source) -> httpx.URL:
    """The address that a redirect leads to; `start` is the one that the download began with.

    Raises:
        DownloadError: it may not be followed.
        httpx.InvalidURL: it is none.
    """
    location = response.headers.get("location", "")
    url = response.request.url.join(location)
    if url.scheme != start.scheme:
        raise DownloadError(
            f"the server redirects from {start.scheme} to {url.scheme[:20]}, and no redirect to another scheme is"
            " followed; write the address at which the archive is now"
        )
    if not location:
        raise DownloadError("the server redirects to nowhere; check the address")
    url = url.copy_with(fragment=None)
    if origin(url) != origin(start) and _carries_secrets(source, url):
        raise DownloadError(f"the server redirects to {url.host} and would send it your credentials; that is refused")
    # Credentials in it would be used, and are not the user's.
    return url.copy_with(userinfo=b"")


def _carries_secrets(source: Source, url: httpx.URL) -> bool:
    """Whether a secret of the user's address has come into the address of a redirect."""
    parameters = parse_qsl(source.query, keep_blank_values=True)
    secrets = [value for _, value in parameters] + ([source.credentials.password] if source.credentials else [])
    plain = unquote(str(url))
    found = any(secret in plain for secret in secrets if len(secret) >= _SURELY_SECRET)
    return found or any(pair in url.params.multi_items() for pair in parameters)
