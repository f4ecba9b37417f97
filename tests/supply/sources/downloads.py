"""A download from a test server, and how it fails."""

from __future__ import annotations

import socket
import struct
import traceback
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from skillbag.supply.sources.address import parse_source
from skillbag.supply.sources.fetched import FetchError
from skillbag.supply.sources.http_client import Progress, download
from tests.supply.sources.servers import Request

BODY = b"PK\3\4" + bytes(range(256)) * 1000


SECRET = "hunter2-is-secret"


VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"]


def get(url: str, folder: Path, progress: Progress | None = None) -> bytes:
    """What is downloaded from `url`."""
    to = folder / "x.zip"
    download(parse_source(url, str(folder)), str(to), progress)
    assert [path.name for path in folder.iterdir()] == ["x.zip"]
    return to.read_bytes()


def failure(url: str, folder: Path) -> str:
    """Why nothing is downloaded; nothing is left behind, and nothing secret is shown, not even in a traceback."""
    with pytest.raises(FetchError) as failed:
        download(parse_source(url, str(folder)), str(folder / "x.zip"))
    assert not list(folder.iterdir())
    reported = "".join(traceback.format_exception(failed.value)) + repr(failed.value)
    assert SECRET not in reported
    assert str(failed.value).startswith(f"{failed.value.source}: ")
    return failed.value.reason


def with_secrets(url: str) -> str:
    """The address with credentials and a secret parameter."""
    return url.replace("://", f"://user:{SECRET}-1@") + f"?token={SECRET}-2"


def reset(_: Request, handler: BaseHTTPRequestHandler) -> None:
    """The connection is broken off the hard way."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
