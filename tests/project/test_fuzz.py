"""Hostile trees: whatever bytes lie there, a check ends, without a traceback, with findings inside the files."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skillbag.kernel.model.result import CheckResult
from skillbag.kernel.workspace.discovery import NothingToCheckError
from skillbag.lint.engine.checker import Checker
from skillbag.lint.engine.fingerprints import fingerprinted
from skillbag.lint.engine.fixes import plan_fixes
from skillbag.lint.engine.request import CheckRequest
from skillbag.report import FORMATS
from skillbag.report.options import ReportOptions
from tests.sampling import NIGHTLY
from tests.support import CORPUS

DATA = tomllib.loads((Path(__file__).parent / "hostile.toml").read_text("utf-8"))
LONG = ["[" * 500, "`" * 501, "<!--" * 100, "> " * 200 + "\n", "x" * 2000]
# Put together here so that no scanner of this repository takes it for a key.
BODIES = [*DATA["bodies"], *LONG, "AKIA" + "Q7RT3VWX9YZ2B4CD\n"]

matter = st.lists(st.tuples(st.sampled_from(DATA["keys"]), st.sampled_from([*DATA["values"], *LONG])), max_size=5).map(
    lambda pairs: "---\n" + "".join(f"{key}: {value}\n" for key, value in pairs) + "---\n"
)
text = st.builds(
    lambda head, body, ends: (head + "".join(body)).replace("\n", ends),
    st.one_of(st.just(""), st.just("---\nname: a\n"), matter),
    st.lists(st.sampled_from(BODIES), max_size=5),
    st.sampled_from(["\n", "\n", "\r\n", "\r"]),
)
content = st.one_of(text.map(lambda t: t.encode("utf-8", "surrogatepass")), st.binary(max_size=60))
path = st.one_of(
    st.sampled_from(DATA["top"]),
    st.builds(
        lambda root, name, file: f"{root}/{name}/{file}",
        st.sampled_from([".skills", "skills", ".claude/skills"]),
        st.sampled_from([*DATA["folders"], "x" * 70]),
        st.sampled_from(DATA["files"]),
    ),
)


def check(root: str, changes: Mapping[str, bytes]) -> CheckResult | None:
    """Write the files and check; None where there is nothing to check. Every format must render the result."""
    for name, data in changes.items():
        full = Path(root, name)
        if full.is_dir() or any(parent.is_file() for parent in full.parents):
            continue
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(data)
    try:
        result = Checker(CheckRequest((root,), select=("all",), root=root, today="2026-06-15")).check()
    except NothingToCheckError:
        return None
    hold_inside(result)
    plan_fixes(result.findings)
    whole = CheckResult(result.targets, tuple(fingerprinted(result.findings)), result.rules)
    for format_ in FORMATS.values():
        output = format_.render(whole, ReportOptions(cwd=root))
        assert "\x1b" not in output
        output.encode("utf-8")
    return result


def hold_inside(result: CheckResult) -> None:
    """Every finding stands within its file."""
    for finding in result.findings:
        assert finding.line >= 1
        assert finding.column >= 1
        if not os.path.isfile(finding.path):
            continue
        lines = Path(finding.path).read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
        assert finding.line <= len(lines)
        assert finding.column <= len(lines[finding.line - 1]) + 1


@settings(deadline=60_000)
@given(st.dictionaries(path, content, min_size=1, max_size=8))
def test_made_workspaces(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as root:
        check(root, files)


@pytest.mark.parametrize("name", ["skillbag-utils", "agent-skills-superpowers"])
def test_mutated_real_files(name: str, tmp_path: Path) -> None:
    archive = CORPUS / f"{name}.zip"
    if not archive.is_file():
        pytest.skip(f"the corpus {archive.name} is not beside the project (../shared/corpus)")
    with zipfile.ZipFile(archive) as packed:
        originals = {i.filename: packed.read(i) for i in packed.infolist() if not i.is_dir()}
    randomly = random.Random(name)
    checked = 0
    for _ in range(50 if NIGHTLY else 5):
        root = tmp_path / "t"
        shutil.rmtree(root, ignore_errors=True)
        mutated = dict(originals)
        for victim in randomly.sample(sorted(originals), 8):
            mutated[victim] = mutate(originals[victim], randomly)
        checked += check(str(root), mutated) is not None
    assert checked


def mutate(data: bytes, randomly: random.Random) -> bytes:
    """A few bytes changed, cut, doubled or put in, anywhere but most often near the top, where the values are."""
    changed = bytearray(data)
    for _ in range(randomly.randint(1, 6)):
        at = min(int(randomly.expovariate(1 / 200)), max(len(changed) - 1, 0))
        match randomly.randint(0, 3):
            case 0 if changed:
                changed[at] = randomly.randrange(256)
            case 1:
                del changed[at : at + randomly.randint(1, 40)]
            case 2:
                changed[at:at] = changed[at : at + 30]
            case _:
                changed[at:at] = randomly.choice(
                    [b"\n", b"\t", b"---\n", b": ", b"- ", b"#", b"`", b"'", b'"', b"\xff", b"]("]
                )
    return bytes(changed)
