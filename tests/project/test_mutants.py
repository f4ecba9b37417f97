"""`tools/mutants`: every proof of a clause has a patch that fits, and fails when what it is about is switched off."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mutant_patches import LINT, BadPatchError, Claim, claims_of, read_patches
from mutant_rules import judge_examples
from mutant_runs import Checkout
from rule_set import Entry, RuleSet

from tests.lint.checks.rule_files import CLAUSES, RULE_FILES
from tests.support import PROJECT

CLAIMS = claims_of(CLAUSES.values())
PATCHES = read_patches()


def test_each_proof_has_a_patch_and_a_test() -> None:
    of_tests = {claim for claim in CLAIMS if claim.kind != LINT}
    assert {claim for patch in PATCHES for claim in patch.claims} == of_tests
    assert [claim for claim in sorted(of_tests) if not claim.tests] == []


def test_each_patch_fits_its_file_once_and_names_only_what_is_there(tmp_path: Path) -> None:
    faults = []
    for number, patch in enumerate(PATCHES):
        try:
            changed = patch.applied_to((PROJECT / patch.file).read_text("utf-8"))
        except BadPatchError as fault:
            faults.append(str(fault))
        else:
            (tmp_path / f"_{number}{os.path.splitext(patch.file)[1]}").write_text(changed, "utf-8")
    assert faults == []
    assert [patch.off for patch in PATCHES if patch.find == patch.put] == []
    # Under a patch that breaks its module every test would fail.
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--quiet", "--select", "F821,E9", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_a_patch_whose_text_is_not_there_once_is_named() -> None:
    with pytest.raises(BadPatchError, match=r"the text of the patch `.*` stands there 2 times, not once"):
        PATCHES[0].applied_to(PATCHES[0].find * 2)


def test_each_failing_example_fails_if_its_predicate_finds_nothing() -> None:
    of_clauses = (Entry(file, file.bind(CLAUSES, set())) for file in RULE_FILES if file.written.clause)
    rules = RuleSet(tuple(CLAUSES.values()), tuple(of_clauses))
    verdicts = [judge_examples(rules, claim) for claim in CLAIMS if claim.kind == LINT]
    assert [verdict.claim.clause for verdict in verdicts if not verdict.red or verdict.green] == []


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("mutants") / "copy")


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("claim", [claim for claim in CLAIMS if claim.kind != LINT], ids="-".join)
def test_what_proves_a_clause_fails_if_the_clause_is_switched_off(claim: Claim, checkout: Checkout) -> None:
    verdict = checkout.judge(claim, PATCHES)
    assert (verdict.green, verdict.unnoticed) == ([], [])
