"""The hosts that `skillbag runtime hook` knows."""

from __future__ import annotations

from collections.abc import Mapping

from skillbag.agents.hosts.claude import CLAUDE
from skillbag.agents.hosts.event import HookHost

HOSTS: Mapping[str, HookHost] = {each.host.name: each for each in (CLAUDE,)}
"""By name. A further host is one more module with a `HookHost`."""
