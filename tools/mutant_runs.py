"""Runs the tests of each clause on copies of the checkout in which the clause's behaviour is switched off."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue

from mutant_patches import LINT, BadPatchError, Claim, Patch, Verdict, claims_of, read_patches
from mutant_rules import judge_examples
from rule_set import RuleSet, read_rule_set

ROOT = Path(__file__).resolve().parent.parent
_SECONDS = 900
_HELP = """\
Every test that is marked `proves(kind, clause)` must fail under one of the patches of `tools/mutants.toml` for this
clause and kind, or it proves nothing; and under each patch one of them must fail. Of rules, every failing example must
fail once the rule's predicate finds nothing. The checkout itself is not changed. Exits with 1 for tests that never
failed and patches that nothing noticed, with 2 if a patch does not fit.
"""


class Checkout:
    """A copy of the checkout's tracked files, with what Python has compiled of them."""

    def __init__(self, folder: Path) -> None:
        """Make the copy in `folder`, which is new."""
        self.root = folder / "checkout"
        # Python knows the versions of a file by the seconds of their times.
        self._now = int(time.time())
        tracked = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout
        names = [name for name in os.fsdecode(tracked).split("\0") if name and os.path.lexists(ROOT / name)]
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, self.root / name, follow_symlinks=False)
        for parent in {Path(name).parent for name in names if name.endswith(".py")}:
            if (compiled := ROOT / parent / "__pycache__").is_dir():
                shutil.copytree(compiled, self.root / parent / "__pycache__")
        if (shared := ROOT.parent / "shared").is_dir():
            (folder / "shared").symlink_to(shared)

    @contextmanager
    def patched(self, patch: Patch) -> Iterator[None]:
        """A block in which the patch is applied."""
        path = self.root / patch.file
        text = path.read_text("utf-8")
        self._write(path, patch.applied_to(text))
        try:
            yield
        finally:
            self._write(path, text)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text, "utf-8")
        self._now += 1
        os.utime(path, (self._now, self._now))

    def failures(self, tests: Collection[str], *options: str) -> dict[str, str]:
        """Which of the tests fail, each with what pytest says in short; none of no tests.

        Raises:
            BadPatchError: they do not run to their end.
        """
        if not tests:
            return {}
        usual = ("-q", "--tb=no", "-rfE", "-p", "no:cacheprovider")
        variables = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "SKILLBAG"))}
        variables |= {"PYTHONPATH": str(self.root), "COLUMNS": "300"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", *usual, *options, *tests],
                cwd=self.root,
                env=variables,
                capture_output=True,
                text=True,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise BadPatchError(f"not done after {_SECONDS} s: {' '.join(tests)}") from error
        if done.returncode not in (0, 1):
            raise BadPatchError(done.stdout + done.stderr)
        found = re.findall(r"^(?:FAILED|ERROR) ([^\s:]+::\w+)(.*)$", done.stdout, re.MULTILINE)
        return {test: said.partition(" - ")[2] for test, said in found}

    def judge(self, claim: Claim, patches: Collection[Patch]) -> Verdict:
        """Apply one patch after the other to the tests that have not failed yet, and if none of them does, to the rest.

        Raises:
            BadPatchError: the message has the patch and what pytest said.
        """
        red: dict[str, str] = {}
        unnoticed = []
        for patch in (patch for patch in patches if claim in patch.claims):
            with self.patched(patch):
                try:
                    failed = self.failures([test for test in claim.tests if test not in red])
                    failed = failed or self.failures([*red], "--exitfirst")
                except BadPatchError as error:
                    raise BadPatchError(f"{patch.file}: {patch.off}: {error}") from error
            unnoticed += [] if failed else [patch.off]
            red = failed | red
        return Verdict(claim, red, [test for test in claim.tests if test not in red], unnoticed)


def main() -> int:
    """Judge the claims of the clauses that the command line names; returns the exit code."""
    parser = argparse.ArgumentParser("tools/mutants", description=_HELP)
    parser.add_argument("clauses", nargs="*", metavar="CLAUSE", help="a clause, such as inputs.ask (default: all)")
    parser.add_argument("--jobs", type=int, default=2, help="how many run at a time (default: 2)")
    parser.add_argument("--verbose", action="store_true", help="print what each test said when it failed")
    given = parser.parse_args()
    rules = read_rule_set(ROOT / "rules")
    clauses = [clause.id for clause in rules.clauses]
    if unknown := sorted({*given.clauses}.difference(clauses)):
        parser.error(f"the standard has no clause {', '.join(unknown)}")
    claims = [claim for claim in claims_of(rules.clauses) if claim.clause in (given.clauses or clauses)]
    passed = 0
    try:
        for verdict in _verdicts(rules, claims, given.jobs):
            passed += len(verdict.green) + len(verdict.unnoticed)
            print("\n".join(_lines(verdict, given.verbose)), flush=True)
    except BadPatchError as error:
        parser.exit(2, f"{error}\n")
    print(f"{len(claims)} proofs of {len({claim.clause for claim in claims})} clauses, {passed} faults")
    return int(passed > 0)


def _lines(verdict: Verdict, verbose: bool) -> Iterator[str]:
    yield f"{verdict.claim.clause}, {verdict.claim.kind}: {len(verdict.red)} failed"
    yield from (f"  never failed: {test}" for test in verdict.green)
    yield from (f"  nothing fails when {off}" for off in verdict.unnoticed)
    yield from (f"  {test}: {said}" for test, said in verdict.red.items() if verbose)


def _verdicts(rules: RuleSet, claims: Collection[Claim], jobs: int) -> Iterator[Verdict]:
    """Those about rules first: they need no copy."""
    yield from (judge_examples(rules, claim) for claim in claims if claim.kind == LINT)
    if claims := [claim for claim in claims if claim.kind != LINT]:
        with tempfile.TemporaryDirectory(prefix="skillbag-mutants-") as folder:
            checkouts = [Checkout(Path(folder) / str(number)) for number in range(jobs)]
            tests = {test for claim in claims for test in claim.tests}
            if faulty := checkouts[0].failures(sorted(tests)):
                raise BadPatchError(f"these fail without a patch: {', '.join(faulty)}")
            yield from _judged(claims, checkouts)


def _judged(claims: Collection[Claim], checkouts: Collection[Checkout]) -> Iterator[Verdict]:
    """The verdicts in the order of the claims; each checkout has one patch at a time."""
    patches = read_patches()
    free: SimpleQueue[Checkout] = SimpleQueue()
    for checkout in checkouts:
        free.put(checkout)

    def judge(claim: Claim) -> Verdict:
        checkout = free.get()
        try:
            return checkout.judge(claim, patches)
        finally:
            free.put(checkout)

    with ThreadPoolExecutor(len(checkouts)) as workers:
        yield from workers.map(judge, claims)
