"""A change of a rule file in a checkout counts at the next check, without a command."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support import PROJECT, skill

MESSAGE = "`{target}` does not exist{detail}"
TEXT = skill("tidy") + "\nRead [it](no.md).\n\n##\n\nTODO: more.\n"


class Checkout:
    """A checkout with rules of its own, and a skill to check."""

    def __init__(self, top: Path) -> None:
        self.top, self.rules = top, top / "rules"
        for name in ("skillbag", "schemas"):
            (top / name).symlink_to(PROJECT / name)
        shutil.copytree(PROJECT / "rules", self.rules)
        made = (PROJECT / "skillbag/lint/rules/index.py").stat().st_mtime
        for path in self.rules.rglob("*.yaml"):
            os.utime(path, (made, made))
        folder = top / "work" / "tidy"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(TEXT)
        (folder / "SKILL.yaml").write_text("a: [")

    def replace(self, name: str, old: str, new: str) -> None:
        """Edit a rule file."""
        path = self.rules / name
        assert old in path.read_text("utf-8")
        path.write_text(path.read_text("utf-8").replace(old, new, 1), "utf-8")

    def run(self) -> subprocess.CompletedProcess[str]:
        """Check the skill as a new process, with the cache."""
        command = [sys.executable, "-m", "skillbag", "check", "--json", "--config=root=.", "tidy"]
        environment = {**os.environ, "PYTHONPATH": str(self.top), "XDG_CACHE_HOME": str(self.top / "cache")}
        return subprocess.run(command, cwd=self.top / "work", env=environment, capture_output=True, text=True)

    def messages(self) -> Mapping[str, str]:
        """What is found: the message of each rule."""
        found = json.loads(self.run().stdout)["findings"]
        return {finding["rule"]: finding["message"] for finding in found}


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout whose index is that of its rules."""
    return Checkout(tmp_path)


def test_changed_new_and_deleted_rules_count_at_once(checkout: Checkout) -> None:
    before = checkout.messages()
    assert before["link-broken"] == "`no.md` does not exist"
    assert "heading-empty" in before
    checkout.replace("links/link-broken.yaml", MESSAGE, "No file `{target}`{detail}")
    shutil.copy(checkout.rules / "links/link-broken.yaml", checkout.rules / "links/link-lost.yaml")
    checkout.replace("links/link-lost.yaml", "id: link-broken", "id: link-lost")
    shutil.copy(checkout.rules / "runtime/manifest-unreadable.yaml", checkout.rules / "runtime/manifest-lost.yaml")
    checkout.replace("runtime/manifest-lost.yaml", "id: manifest-unreadable", "id: manifest-lost")
    (checkout.rules / "prose/heading-empty.yaml").unlink()
    after = {rule: message for rule, message in before.items() if rule != "heading-empty"}
    new = {"link-lost": "No file `no.md`", "manifest-lost": before["manifest-unreadable"]}
    assert checkout.messages() == {**after, **new, "link-broken": "No file `no.md`"}


def test_a_rule_that_cannot_be_used_is_refused_with_its_place(checkout: Checkout) -> None:
    checkout.replace("links/link-broken.yaml", MESSAGE, "No {thing}")
    refused = checkout.run()
    assert refused.returncode == 2
    assert "links/link-broken.yaml:10:10: " in refused.stdout
    assert "link gives no value {thing}" in refused.stdout


def test_a_changed_clause_counts_at_once(checkout: Checkout) -> None:
    checkout.replace("clauses.yaml", "id: bootstrap.present", "id: bootstrap.here")
    assert "the standard has no clause 'bootstrap.present'" in checkout.run().stdout
