"""The hosts that `skillbag runtime hook` knows."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.agents.hosts.claude import CLAUDE
from skillbag.agents.hosts.event import Host

HOSTS: Mapping[str, Host] = {host.name: host for host in (CLAUDE,)}
"""By name. A further host is one more module with a `Host`."""
