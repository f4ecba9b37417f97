"""Whether an address on a host that collects data is an inbox of somebody, or only names the service."""

from __future__ import annotations

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals import hosts
from skillbag.lint.signals.addresses import Address, AddressTrait

_CHAT_ID = late(
    r"\A/(?:api/webhooks/\d{8,}/[\w-]{16,}|(?:services|workflows|triggers)/[TE]\w{6,}/|bot\d{6,}:[\w-]{16,}"
    r"|webhook\w*/[\w@-]{20,}|open-apis/bot/v2/hook/[\w-]{8,}|robot/send\?\S*[0-9a-f]{16}|cgi-bin/webhook/send\?\S*[0-9a-f-]{16})"
)
"""The path of a hook that delivers to somebody. Without an id it is the beginning of an address, or a name."""
_SERVICE = late(
    r"\A(?:/(?:token|generate|download|manage|history|webhook|api|docs?|dashboard|register|login|search)?+)?+(?:[/?#]|\Z)"
)
"""Pages of the service itself, where inboxes are made and read."""
_LABELS = (
    r"(?:[\w-]*(?:collaborator|example|placeholder|subdomain|attacker|evil|victim|payload|canary|spoofed|unique|random"
    r"|your|my-?server|confirm|xxx|abc123|test))\w*"
)
_MADE_UP = late(rf"(?i)\A(?:[\w-]+\.)*{_LABELS}\.")
_MADE_UP_PATH = late(
    r"(?i)\A/(?:[a-z]+-)*(?:unique|your|uuid|test|example|placeholder|sample|dummy)(?:-[a-z]+)*(?:[/?]|\Z)"
)
_CAPITALS = late(r"(?:/|\A(?:https?://)?(?:[\w-]+\.)*)[A-Z][A-Z_-]{2,}(?:[/.?]|\Z)")


def is_inbox(address: Address) -> bool:
    """Whether an address delivers to somebody: a hook with its id, a bin with its path or its own name."""
    if address.kind & AddressTrait.CHAT:
        return _CHAT_ID().match(address.path) is not None
    name = next((name for name in hosts.COLLECTORS if address.host == name or address.host.endswith(f".{name}")), "")
    has_label = address.host != name and address.host.removesuffix(f".{name}") != "www"
    return bool(address.kind & AddressTrait.COLLECTOR) and (has_label or not _SERVICE().match(address.path))


def is_made_up(address: Address) -> bool:
    """Whether a text that teaches has such an address: `abc123.…`, `COLLABORATOR.…`, `…/TOKEN`, `…/unique-uuid`."""
    is_path = address.kind & AddressTrait.COLLECTOR and _MADE_UP_PATH().match(address.path)
    return bool(_MADE_UP().match(address.host) or is_path or _CAPITALS().search(address.text))
