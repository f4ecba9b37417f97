"""Renames of skills in generated workspaces: a check finds nothing that it did not find before."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.catalog import render
from skillbag.lint.symbols.index import SymbolIndex
from skillbag.lint.symbols.plan import RenameRefusedError
from skillbag.lint.symbols.rename import plan_rename
from skillbag.lint.symbols.values import Role, skill_symbol
from tests.lint.symbols.worlds import carry_out, found, index_of
from tests.supply.install.worlds import ENTRYPOINT, write

NAMES = ("a", "a-b", "a-b-c", "ab", "b", "zz-9")
NEW = ("0-0", "a-a", "c", "m-n-o", "zzz")
PLACES = (
    "Use `{name}` 😀 é.",
    "The {name} skill helps.",
    "See [it](../{name}/SKILL.md) and [more](../{name}/references/more.md#more).",
    "Then `run {identifier}`.",
    "```bash\npython3 .skills/{name}/scripts/x.py\nrun {identifier}\n```",
    "```yaml\ndependencies:\n  - name: {name}\n```",
    "Use **{name}**, `#use/{name}` and `.skills/{name}/references/more.md`.",
    "> quoted `{name}`\n\n<!-- the {name} skill -->",
)
SPELLINGS = ("{name}", "'{name}'", '"{name}"', "{other}")
TAGS = ("", " #use/{name}", " #run/last #use/{name}", " #team/x")


@st.composite
def workspaces(draw: st.DrawFn) -> dict[str, bytes]:
    """The files of a workspace whose skills name each other."""
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    descriptions = {name: f"Does {name}." + _filled(draw, TAGS, names) for name in names}
    files = {"SKILLBAG.md": ENTRYPOINT, ".skills/SKILLS.md": render(descriptions.items())}
    if draw(st.booleans()):
        files[".skills/SKILLS.md"] = "\n".join(reversed(files[".skills/SKILLS.md"].split("\n"))).strip("\n")
    if draw(st.booleans()):
        name = draw(st.sampled_from(names))
        files["CONTEXT.md"] = f"# C\n\n```yaml\nparameters: {{{name}: {{x: 1}}, '*': {{y: 2}}}}\n```\nUse `{name}`.\n"
    for name, description in descriptions.items():
        files[f".skills/{name}/SKILL.md"] = _skill(draw, name, description, names)
        files[f".skills/{name}/references/more.md"] = "# More\n\n" + _filled(draw, PLACES, names) + "\n"
        files[f".skills/{name}/scripts/x.py"] = "print('x')\n"
    newline = draw(st.sampled_from(("\n", "\r\n")))
    mark = draw(st.sampled_from((b"", b"\xef\xbb\xbf")))
    return {path: mark + text.replace("\n", newline).encode() for path, text in files.items()}


def _skill(draw: st.DrawFn, name: str, description: str, names: list[str]) -> str:
    # A cycle that another spelling hides would be found once the spelling is right.
    later = [other for other in names if other > name]
    needs = draw(st.lists(st.sampled_from(later), max_size=2, unique=True)) if later else []
    lines = [f"  - name: {_filled(draw, SPELLINGS, [need])}" for need in needs]
    dependencies = "\n".join(["dependencies:", *lines, ""]) if lines else ""
    words = "\n\n".join(_filled(draw, PLACES, names) for _ in range(draw(st.integers(0, 4))))
    return f'---\nname: {name}\ndescription: "{description}"\n{dependencies}---\n\n# {name}\n\n{words}\n'


def _filled(draw: st.DrawFn, templates: tuple[str, ...], names: list[str]) -> str:
    name = draw(st.sampled_from(names))
    other = name.upper().replace("-", "_")
    return draw(st.sampled_from(templates)).format(name=name, identifier=name.replace("-", "_"), other=other)


def certain(index: SymbolIndex, name: str) -> int:
    """How often programs read a name; of words, one without a hyphen may be no longer seen as a name."""
    return sum(each.role is not Role.MENTION for each in index.occurrences(skill_symbol(name)))


@given(workspaces(), st.integers(0, 5), st.sampled_from(NEW))
def test_a_rename_of_any_skill_makes_no_finding(files: dict[str, bytes], number: int, new: str) -> None:
    root = Path(tempfile.mkdtemp())
    try:
        write(root, dict(files))
        skills = sorted(path.name for path in (root / ".skills").iterdir() if path.is_dir())
        old = skills[number % len(skills)]
        before = found(root)
        index = index_of(root)
        count = certain(index, old)
        try:
            carry_out(plan_rename(index, skill_symbol(old), new))
        except RenameRefusedError:
            assert new in NAMES
            return
        assert not found(root, old, new) - before
        after = index_of(root)
        assert certain(after, new) == count
        assert not after.definitions(skill_symbol(old))
    finally:
        shutil.rmtree(root)
