"""Addresses in a text, with and without a scheme, and what is remarkable about them."""

from __future__ import annotations

import time

from skillbag.lint.signals.addresses import AddressTrait, addresses
from tests.rows import each_row

# Built from parts, so that no scanner takes this file for an indicator.
RAW = ".".join(("45", "77", "1", "2"))
PASTES = "rentry" + ".co/abc"


def kinds(text: str) -> dict[str, AddressTrait]:
    return {address.text: address.kind for address in addresses(text)}


@each_row(
    ("address", "kind"),
    [
        ("https://git.example/o/r/releases/download/v1/tool.zip", AddressTrait.ASSET | AddressTrait.ARCHIVE),
        ("https://files.example/setup.EXE?x=1", AddressTrait.BINARY),
        ("https://git.example/o/r/releases", AddressTrait.RELEASES),
        (f"http://{RAW}/x", AddressTrait.RAW),
        (f"{RAW}:8080/x", AddressTrait.RAW),
        ("http://759169026/x", AddressTrait.RAW),
        (f"https://u:p@{PASTES}", AddressTrait.PASTE),
        (PASTES, AddressTrait.PASTE),
        ("https://x." + "webhook" + ".site/1", AddressTrait.COLLECTOR),
        ("discord" + ".com/api/webhooks/1/x", AddressTrait.CHAT),
        ("https://host.example/x", AddressTrait.NONE),
        ("host.example/x", AddressTrait.NONE),
    ],
)
@each_row("form", ["see {}, then", "[page]({}).", "> **{}**\r\n", '"{}"'])
def test_an_address_and_its_kind(address: str, kind: AddressTrait, form: str) -> None:
    assert kinds(form.format(address)) == {address: kind}


@each_row(
    "host",
    [
        "10.0.0.1",
        "192.168.1.1",
        "127.0.0.1",
        "169.254.1.1",
        "192.0.2.1",
        "224.0.0.1",
        "8.8.8.8",
        "1.2.3.4",
        "300.1.1.1",
    ],
)
def test_an_address_that_is_not_public(host: str) -> None:
    assert not any(kind & AddressTrait.RAW for kind in kinds(f"http://{host}/x").values())


@each_row("text", ["README.md/x", "docs/a.b/c", "run.py", "v1.2.3.4", "e.g. this", "name@host.example/x"])
def test_what_is_no_address(text: str) -> None:
    assert kinds(text) == {}


@each_row("unit", ["a.", "http://", "1.1.", "https://a@", "x/", "a-"])
def test_long_lines_cost_linear_time(unit: str) -> None:
    begun = time.process_time()
    assert sum(1 for _ in addresses(unit * (1_000_000 // len(unit)))) >= 0
    assert time.process_time() - begun < 20
