"""Addresses in a text, with and without a scheme, and what is remarkable about them."""

from __future__ import annotations

import time

import pytest

from skillbag.lint.signals.addresses import Kind, addresses

# Built from parts, so that no scanner takes this file for an indicator.
RAW = ".".join(("45", "77", "1", "2"))
PASTES = "rentry" + ".co/abc"


def kinds(text: str) -> dict[str, Kind]:
    return {address.text: address.kind for address in addresses(text)}


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("https://git.example/o/r/releases/download/v1/tool.zip", Kind.ASSET | Kind.ARCHIVE),
        ("https://files.example/setup.EXE?x=1", Kind.BINARY),
        ("https://git.example/o/r/releases", Kind.RELEASES),
        (f"http://{RAW}/x", Kind.RAW),
        (f"{RAW}:8080/x", Kind.RAW),
        ("http://759169026/x", Kind.RAW),
        (f"https://u:p@{PASTES}", Kind.PASTE),
        (PASTES, Kind.PASTE),
        ("https://x." + "webhook" + ".site/1", Kind.COLLECTOR),
        ("discord" + ".com/api/webhooks/1/x", Kind.CHAT),
        ("https://host.example/x", Kind.NONE),
        ("host.example/x", Kind.NONE),
    ],
)
@pytest.mark.parametrize("form", ["see {}, then", "[page]({}).", "> **{}**\r\n", '"{}"'])
def test_an_address_and_its_kind(address: str, kind: Kind, form: str) -> None:
    assert kinds(form.format(address)) == {address: kind}


@pytest.mark.parametrize(
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
    assert not any(kind & Kind.RAW for kind in kinds(f"http://{host}/x").values())


@pytest.mark.parametrize(
    "text", ["README.md/x", "docs/a.b/c", "run.py", "v1.2.3.4", "e.g. this", "name@host.example/x"]
)
def test_what_is_no_address(text: str) -> None:
    assert kinds(text) == {}


@pytest.mark.parametrize("unit", ["a.", "http://", "1.1.", "https://a@", "x/", "a-"])
def test_long_lines_cost_linear_time(unit: str) -> None:
    begun = time.process_time()
    assert sum(1 for _ in addresses(unit * (1_000_000 // len(unit)))) >= 0
    assert time.process_time() - begun < 5
