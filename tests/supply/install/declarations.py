"""A workspace with declarations, before and after a change."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.standard.declarations import read_declarations
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import TargetKind, installed
from skillbag.supply.install.declare import declare, undeclare

REPO = "https://example.com/org/repo.git"
Declared = tuple[str, str | None, str | None]


def workspace(folder: Path, context: bytes | None) -> str:
    (folder / "SKILLBAG.md").write_bytes(b"# SkillBag v0.3.0\n")
    if context is not None:
        (folder / "CONTEXT.md").write_bytes(context)
    return str(folder)


def apply(root: str, change: FileChange | None) -> bytes:
    assert change is not None
    path = Path(root) / change.path
    assert change.before == (path.read_bytes() if path.exists() else None)
    path.write_bytes(change.after)
    return change.after


def declared(root: str) -> list[Declared]:
    found = read_declarations(Workspace(installed(TargetKind.WORKSPACE, root))).dependencies
    return [(item.name, item.source, item.version) for item in found]


def after(folder: Path, context: str, name: str = "new", source: str = REPO, version: str = "v2.0") -> str:
    """The text of the file once a dependency is declared."""
    return apply(workspace(folder, context.encode()), declare(str(folder), name, source, version)).decode()


def without(folder: Path, context: str, name: str) -> str:
    """The text of the file once a dependency is taken out."""
    return apply(workspace(folder, context.encode()), undeclare(str(folder), [name])).decode()


NAMES = ["a", "b", "c-d", "new"]
VALUE = st.sampled_from(["v1", '"v1"', "'1.0'", "main", "../x", "https://example.com/o/r.git"])
COMMENT = st.sampled_from(["", "", " # note", " # - name: x"])


@dataclass(frozen=True)
class Style:
    """How one block is written."""

    flow: bool
    indent: int
    gap: int
    fence: str
    nested: str


STYLE = st.builds(
    Style,
    st.booleans(),
    st.integers(0, 3),
    st.integers(1, 3),
    st.sampled_from(["```yaml", "~~~yml", "````YAML title"]),
    st.sampled_from(["", "", "  "]),
)


@st.composite
def items(draw: st.DrawFn, style: Style) -> list[str]:
    """The lines of one item of a list of lines."""
    keys = draw(st.permutations(["name", "version", "source"]))
    pairs = [f"{key}: {draw(st.sampled_from(NAMES[:3])) if key == 'name' else draw(VALUE)}" for key in keys]
    dash = " " * style.indent + "-" + " " * style.gap
    if draw(st.booleans()):
        return [f"{dash}{{{', '.join(pairs)}}}{draw(COMMENT)}"]
    lines = [dash + pairs[0] + draw(COMMENT)]
    for pair in pairs[1:]:
        lines += [" " * draw(st.integers(0, 6)) + "# between"] if draw(st.integers(0, 4)) == 0 else []
        lines.append(" " * len(dash) + pair + draw(COMMENT))
    return lines


@st.composite
def blocks(draw: st.DrawFn) -> list[str]:
    """The lines of one fenced block, with or without dependencies."""
    style = draw(STYLE)
    body = ["# top"] if draw(st.booleans()) else []
    count = draw(st.integers(0, 3))
    if draw(st.integers(0, 3)) == 0:
        body.append("notes: [x, y]")
    elif style.flow:
        mappings = [f"{{name: {draw(st.sampled_from(NAMES[:3]))}, version: v1, source: s}}" for _ in range(count)]
        gap = draw(st.sampled_from([", ", ",\n    ", " ,"]))
        tail = draw(st.sampled_from(["", ", " if mappings else " "]))
        body += f"dependencies: [{gap.join(mappings)}{tail}]{draw(COMMENT)}".split("\n")
    else:
        body.append(f"dependencies:{draw(COMMENT)}")
        for _ in range(count):
            body += draw(items(style))
            body += draw(st.sampled_from([[], [], [""], ["      # deeper"], ["# at the margin"]]))
    body += draw(st.sampled_from([[], ["prohibit: {skills: [z]}"], ["", "# end"]]))
    lead = [f"- An item\n\n{style.nested}".split("\n")[0], ""] if style.nested else []
    close = style.fence.split("y")[0].split("Y")[0]
    return [*lead, *(style.nested + line if line else line for line in [style.fence, *body, close]), ""]
