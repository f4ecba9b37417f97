"""Declaring in `CONTEXT.md` and removing again, in texts of every style, changes nothing else."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skillbag.kernel.documents.edit.lines import FileChange
from skillbag.kernel.workspace.model import Workspace
from skillbag.kernel.workspace.target import TargetKind, installed
from skillbag.supply.install.declare import declare, undeclare
from tests.rows import each_row
from tests.supply.install.declarations import NAMES, REPO, after, apply, blocks, declared, without, workspace

NEW_SECTION = f"""## Dependencies

```yaml
dependencies:
  - name: new
    version: "v2.0"
    source: "{REPO}"
```
"""


def test_a_file_is_made_where_there_is_none(tmp_path: Path) -> None:
    root = workspace(tmp_path, None)
    change = declare(root, "new", REPO, "v2.0")
    assert change == FileChange("CONTEXT.md", None, f"# Context of this project\n\n{NEW_SECTION}".encode())
    apply(root, change)
    assert declared(root) == [("new", REPO, "v2.0")]


def test_a_section_is_added_where_no_block_declares_anything(tmp_path: Path) -> None:
    for text, gap in (
        ("# Us\n", "\n"),
        ("# Us", "\n\n"),
        ("# Us\n\n", ""),
        ("", ""),
        ("- a\n\n```yaml\na: b\n```\n", "\n"),
    ):
        title = "" if text else "# Context of this project\n\n"
        assert after(tmp_path, text) == f"{text}{gap}{title}{NEW_SECTION}"


def test_line_ends_and_byte_order_mark_stay(tmp_path: Path) -> None:
    root = workspace(tmp_path, b"\xef\xbb\xbf# Us\r\n")
    expected = b"\xef\xbb\xbf# Us\r\n\r\n" + NEW_SECTION.replace("\n", "\r\n").encode()
    assert declare(root, "new", REPO, "v2.0").after == expected


STYLES = tomllib.loads(Path(__file__).with_name("declaration_styles.toml").read_text("utf-8"))


@each_row("newline", ["\n", "\r\n"], ids=["LF", "CRLF"])
@each_row("case", STYLES)
def test_a_declaration_is_added_in_the_style_of_the_list_and_removed_again(
    case: str, newline: str, tmp_path: Path
) -> None:
    text, item = (STYLES[case][key].replace("\n", newline) for key in ("text", "item"))
    before, expected = text.replace("@", ""), text.replace("@", item)
    assert after(tmp_path, before) == expected
    assert without(tmp_path, expected, "new") == before


def test_a_declaration_is_brought_up_to_date_where_it_is(tmp_path: Path) -> None:
    text = f"""```yaml
dependencies:
  - source: >-  # odd
      {REPO}
    name: one
    version: 'v1' # old
  - {{version: v1, name: new, required: false, source: "../new"}} # it
```

```yaml
dependencies:
- name: other
  version: "v2.0"
  source: {REPO}
```
"""
    changed = text.replace('{version: v1, name: new, required: false, source: "../new"}', "{CHANGED}").replace(
        "{CHANGED}", f'{{version: "v2.0", name: new, required: false, source: "{REPO}"}}'
    )
    assert after(tmp_path, text) == changed
    assert after(tmp_path, text, "one", version="main") == text.replace("'v1' #", "main #")
    assert after(tmp_path, text, "other") == text


def test_every_declaration_of_a_skill_is_brought_up_to_date_and_taken_out(tmp_path: Path) -> None:
    one, two = '{name: a, version: "1", source: x}', '{name: a, version: "2", source: y}'
    other = "{name: b, version: c, source: d}"
    text = f"```yaml\ndependencies: [{one}, {other}, {two}]\n```\n\n```yaml\ndependencies:\n- {two}\n```\n"
    same = '{name: a, version: "3", source: z}'
    assert after(tmp_path, text, "a", "z", "3") == text.replace(one, same).replace(two, same)
    gone = f"```yaml\ndependencies: [{other}]\n```\n\n```yaml\ndependencies:\n```\n"
    assert without(tmp_path, text, "a") == gone


def test_the_last_item_goes_out_of_a_list_in_brackets_among_other_keys(tmp_path: Path) -> None:
    text = "```yaml\n{dependencies: [{name: a, version: v1, source: s}], notes: [x, y]}\n```\n"
    assert without(tmp_path, text, "a") == "```yaml\n{dependencies: [], notes: [x, y]}\n```\n"


def test_what_is_not_declared_is_not_taken_out(tmp_path: Path) -> None:
    assert undeclare(workspace(tmp_path, None), ["a"]) is None
    assert undeclare(workspace(tmp_path, STYLES["lines"]["text"].replace("@", "").encode()), ["a"]) is None


def test_comments_between_items_stay_when_one_goes(tmp_path: Path) -> None:
    text = "```yaml\ndependencies:\n# 1\n- {name: a, version: v, source: s} # gone\n# 2\n- name: b\n  version: v\n"
    text += "  # gone too\n  source: s\n# 3\n- {name: c, version: v, source: s}\n# 4\n```\n"
    without_b = text.replace("- name: b\n  version: v\n  # gone too\n  source: s\n", "")
    assert without(tmp_path, text, "b") == without_b
    assert without(tmp_path, without_b, "a") == without_b.replace("- {name: a, version: v, source: s} # gone\n", "")


@st.composite
def contexts(draw: st.DrawFn) -> bytes:
    """A whole `CONTEXT.md`."""
    lines = ["# Project", "", "Prose with `code`.", ""]
    for block in draw(st.lists(blocks(), max_size=3)):
        lines += [*block, *draw(st.sampled_from([[], ["## Notes", ""], ["More prose.", ""]]))]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join(lines)
    if draw(st.booleans()):
        text = text.rstrip()
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


def declaring_blocks(root: str) -> int:
    context = Workspace(installed(TargetKind.WORKSPACE, root)).context
    found = getattr(context, "blocks", ())
    return sum(block.value.entry("dependencies") is not None for block in found)


@given(contexts())
def test_declaring_adds_one_and_taking_it_out_gives_back_every_byte(context: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before, had_block = declared(root), declaring_blocks(root) > 0
        changed = apply(root, declare(root, "new", REPO, "v2.0"))
        assert sorted(declared(root), key=str) == sorted([*before, ("new", REPO, "v2.0")], key=str)
        assert declare(root, "new", REPO, "v2.0").after == changed
        undone = apply(root, undeclare(root, ["new"]))
        assert declared(root) == before
        assert undone == context if had_block else undone.startswith(context)


@given(contexts(), st.sampled_from(NAMES[:3]))
def test_taking_out_leaves_the_others_and_all_lines_of_theirs(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        change = undeclare(root, [name])
        if name not in [declaration[0] for declaration in before]:
            assert change is None
            return
        left = apply(root, change).splitlines()
        assert declared(root) == [declaration for declaration in before if declaration[0] != name]
        lines = iter(context.splitlines())
        # What is left is what was there, in order; only of flow lists a part of a line may be gone.
        assert all(any(line == old or (b"[" in old or b"{" in old) for old in lines) for line in left)


@given(contexts(), st.sampled_from(NAMES[:3]))
def test_bringing_up_to_date_changes_that_skill_alone(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        apply(root, declare(root, name, "../other", "v9.9"))
        expected = [(name, "../other", "v9.9") if old[0] == name else old for old in before]
        if expected == before:
            expected.append((name, "../other", "v9.9"))
        assert sorted(declared(root), key=str) == sorted(expected, key=str)
