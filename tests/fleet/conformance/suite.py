"""The suite as it is generated."""

from __future__ import annotations

from skillbag.fleet.conformance.kit import load_suite
from tests.support import PROJECT

SUITE = load_suite(str(PROJECT / "conformance" / "cases.json"))
