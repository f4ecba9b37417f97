"""Why a download failed, as sentences: what is wrong and what to do. None holds an address, so none holds a secret."""

from __future__ import annotations

import ssl
import time
from email.utils import parsedate_to_datetime

import httpx2

BY_HAND = "download the archive yourself and give its path"

_NETRC = "; a login for this server in ~/.netrc is used, too"
_PROXY = "the proxy does not pass the request on; check HTTP_PROXY and HTTPS_PROXY"
_BUSY = frozenset({429, 502, 503, 504})


class DownloadError(Exception):
    """A download failed. `again`: a retry may help, not before `after` seconds."""

    def __init__(self, reason: str, again: bool = False, after: float = 0.0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.again = again
        self.after = after


class UnreachableError(DownloadError):
    """The server does not answer, or is not able to now."""


def status_failure(response: httpx2.Response) -> DownloadError:
    """The error for a response that is no success."""
    status = response.status_code
    if status in _BUSY:
        after = _retry_after(response)
        what = "has had too many requests" if status == 429 else "is not able to answer now"
        when = f"in {after:.0f} seconds" if after else "later"
        return DownloadError(f"the server {what} ({status}); try again {when}", again=True, after=after)
    if status == 407:
        return DownloadError(_PROXY)
    if status in (401, 403):
        return DownloadError(_refusal(status, "authorization" in response.request.headers))
    if status in (404, 410):
        reason = f"there is nothing at this address ({status}); check it"
        return DownloadError(f"{reason} (some hosts answer the same without permission)")
    if status >= 500:
        return DownloadError(f"the server failed ({status}); try again later, or {BY_HAND}")
    return DownloadError(f"the server answered {status} instead of an archive; check the address")


def _refusal(status: int, known: bool) -> str:
    if known:
        return f"the server refuses these credentials ({status}); check that they are right and allow reading"
    if status == 401:
        return (
            f"the server asks who you are (401); write https://USER:TOKEN@HOST/… as the address, or {BY_HAND}{_NETRC}"
        )
    return f"the server refuses access (403); write credentials into the address if you have any, or {BY_HAND}{_NETRC}"


def _retry_after(response: httpx2.Response) -> float:
    """The seconds of a `Retry-After`, given as such or as a date; 0 without one."""
    value = response.headers.get("retry-after", "").strip()
    if value.isdecimal() and len(value) < 10:
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


def error_failure(error: Exception, host: str) -> UnreachableError:
    """The download error for an error of the client, which contacted `host`."""
    causes: list[BaseException] = [error]
    while context := causes[-1].__context__:
        causes.append(context)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return UnreachableError(
                f"the certificate of {host} can't be verified ({cause.verify_message}); if your network has an"
                " authority of its own, set SSL_CERT_FILE to the file of its certificate"
            )
    words = next((f" ({cause.strerror})" for cause in causes if isinstance(cause, OSError) and cause.strerror), "")
    return _by_kind(error, host, words)


def _by_kind(error: Exception, host: str, words: str) -> UnreachableError:
    if isinstance(error, httpx2.ProxyError):
        return UnreachableError(_PROXY)
    if isinstance(error, httpx2.ConnectTimeout):
        return UnreachableError(f"{host} does not answer; check the address, the network and any proxy")
    if isinstance(error, httpx2.ConnectError):
        return UnreachableError(f"no connection to {host}{words}; check the address, the network and any proxy")
    if isinstance(error, httpx2.TimeoutException):
        return UnreachableError(f"{host} stopped responding; try again later, or {BY_HAND}")
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | UnicodeError):
        return UnreachableError("this is not a valid address; check it")
    return UnreachableError(
        f"{host} sent an incomplete or malformed response{words}; try again, or {BY_HAND}", again=True
    )
