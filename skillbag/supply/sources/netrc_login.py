"""The user's login for a server in `~/.netrc`, or in the file that `NETRC` names, as git and curl find it there.

An entry `default` is not used: a skill may name any server as the source of another one.
"""

from __future__ import annotations

import os
from urllib.parse import urlsplit

from skillbag.kernel.base.ownership import is_ours
from skillbag.kernel.base.verbose import log_step
from skillbag.supply.sources.registry_address import is_loopback
from skillbag.supply.sources.source import Credentials


def login_for(address: str) -> Credentials | None:
    """The login for the server of an HTTP(S) address; None if there is none, or it would be sent unencrypted.

    A file that can't be used is as good as none, since most archives need no login; `--verbose` says so.
    """
    from netrc import NetrcParseError, netrc

    parts = urlsplit(address)
    host = parts.hostname or ""
    path = os.environ.get("NETRC") or os.path.join(os.path.expanduser("~"), ".netrc")
    if parts.scheme != "https" and not is_loopback(host):
        return None
    try:
        if not is_ours(os.stat(path)):
            log_step("does not use {}, which others can write", path)
            return None
        login, _, password = netrc(path).hosts.get(host, ("", "", ""))
    except FileNotFoundError:
        return None
    except NetrcParseError as error:
        # Its message may hold a password.
        log_step("does not use {}, which is malformed in line {}", path, str(error.lineno))
        return None
    except (OSError, ValueError) as error:
        log_step("does not use {}: {}", path, getattr(error, "strerror", None) or "it is no text")
        return None
    return Credentials(login, password or "") if login or password else None
