"""Declaring in `CONTEXT.md` and taking out again, in texts of every style; nothing else in them may change."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from skillbag.base.errors import UserError
from skillbag.documents.edit.change import FileChange, HandEditError
from skillbag.fs.read import overlay
from skillbag.install.declare import declare, undeclare
from skillbag.standard.declarations import BadContextError, read_declarations
from skillbag.workspace.model import Workspace
from skillbag.workspace.target import Kind, installed

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
    found = read_declarations(Workspace(installed(Kind.WORKSPACE, root))).dependencies
    return [(one.name, one.source, one.version) for one in found]


def after(folder: Path, context: str, name: str = "new", source: str = REPO, version: str = "v2.0") -> str:
    """The text of the file once a dependency is declared."""
    return apply(workspace(folder, context.encode()), declare(str(folder), name, source, version)).decode()


def without(folder: Path, context: str, name: str) -> str:
    """The text of the file once a dependency is taken out."""
    return apply(workspace(folder, context.encode()), undeclare(str(folder), name)).decode()


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


ADDED = """- name: new
  version: "v2.0"
  source: "https://example.com/org/repo.git"
"""
FLOW = '{name: new, version: "v2.0", source: "https://example.com/org/repo.git"}'


def item(indent: str = "", gap: str = " ") -> str:
    """The lines of the new item."""
    below = f"\n{indent} {gap}"
    return indent + ADDED.replace("- ", f"-{gap}").replace("\n  ", below)


# Each text with `@` where the new item comes, and the item.
STYLES = {
    "lines": (
        """```yaml
dependencies:
  # the first
  - name: one # it
    version: v1
    source: ../one # there
@```
""",
        item("  "),
    ),
    "lines at the margin, wide, with another key": (
        """```yaml
dependencies:
-   name: one
    version: v1
    source: ../one
@
# more
tags: {}
```
""",
        item("", "   "),
    ),
    "items in flow style": (
        """```yaml
dependencies:
  - {name: one, version: v1, source: ../one}
    # of one
@  # - off
```
""",
        item("  "),
    ),
    "a list in flow style": (
        "```yaml\n{dependencies: [{name: one, version: v1, source: '../one'}@, ]}\n```\n",
        f", {FLOW}",
    ),
    "an empty list": ("```yaml\ndependencies: [@ ] # none\n```\n", FLOW),
    "nothing": (
        """- Item:
  ```yaml
  # ours
  dependencies: # none
@  tags: {}
  ```
""",
        item("    "),
    ),
    "an open fence without a last line end": (
        "```yaml\ndependencies:\n- {name: one, version: v1, source: ../one}@",
        f"\n{item()}".rstrip(),
    ),
    "the last of several blocks": (
        "```yaml\ndependencies: []\n```\n\nA\n\n~~~yml\ndependencies: [@]\n~~~\n\n```yaml\na: b\n```\n",
        FLOW,
    ),
    "beside a package file": (
        "```yaml\ndependencies: [@]\ntags: {}\n```\n\n```yaml\nchannels: [a]\ndependencies: [numpy]\n```\n",
        FLOW,
    ),
}


@pytest.mark.parametrize("case", STYLES)
def test_one_is_added_in_the_style_of_the_list_and_taken_out_again(case: str, tmp_path: Path) -> None:
    before, expected = STYLES[case][0].replace("@", ""), STYLES[case][0].replace("@", STYLES[case][1])
    assert after(tmp_path, before) == expected
    assert without(tmp_path, expected, "new") == before


@pytest.mark.parametrize("case", STYLES)
def test_the_same_with_other_line_ends(case: str, tmp_path: Path) -> None:
    marked, added = (text.replace("\n", "\r\n") for text in STYLES[case])
    before, expected = marked.replace("@", ""), marked.replace("@", added)
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


def test_what_is_not_declared_is_not_taken_out(tmp_path: Path) -> None:
    assert undeclare(workspace(tmp_path, None), "a") is None
    assert undeclare(workspace(tmp_path, STYLES["lines"][0].replace("@", "").encode()), "a") is None


def test_comments_between_items_stay_when_one_goes(tmp_path: Path) -> None:
    text = "```yaml\ndependencies:\n# 1\n- {name: a, version: v, source: s} # gone\n# 2\n- name: b\n  version: v\n"
    text += "  # gone too\n  source: s\n# 3\n- {name: c, version: v, source: s}\n# 4\n```\n"
    without_b = text.replace("- name: b\n  version: v\n  # gone too\n  source: s\n", "")
    assert without(tmp_path, text, "b") == without_b
    assert without(tmp_path, without_b, "a") == without_b.replace("- {name: a, version: v, source: s} # gone\n", "")


def test_what_cannot_be_edited_safely_is_left_with_the_lines_to_write(tmp_path: Path) -> None:
    context = "# Us\n\n```yaml\n{dependencies: }\n```\n"
    with pytest.raises(HandEditError) as error:
        after(tmp_path, context)
    assert str(error.value) == (
        "CONTEXT.md:4: `dependencies` does not stand on a line of its own; write this by hand:\n"
        f'```yaml\ndependencies:\n  - name: new\n    version: "v2.0"\n    source: "{REPO}"\n```'
    )
    assert (tmp_path / "CONTEXT.md").read_text() == context


@pytest.mark.parametrize("context", ["# Us\n\n```text\nopen\n", "# Us\n\n<!-- open\n"])
def test_a_text_that_would_swallow_the_new_section_is_left(context: str, tmp_path: Path) -> None:
    with pytest.raises(HandEditError, match=r"CONTEXT.md:1: .*too unusually.*write this by hand:\n```yaml"):
        after(tmp_path, context)


def test_a_value_in_a_block_of_lines_is_left(tmp_path: Path) -> None:
    context = "```yaml\ndependencies:\n- name: new\n  version: v1\n  source: |-\n    ../a\n```\n"
    assert after(tmp_path, context, source="../a") == context.replace("v1", '"v2.0"')
    with pytest.raises(HandEditError, match=r"CONTEXT.md:2: .*block of lines"):
        after(tmp_path, context)


def test_a_comment_beside_an_item_of_a_flow_list_is_not_taken_along(tmp_path: Path) -> None:
    item = "{name: %s, version: v, source: s}"
    context = f"```yaml\ndependencies: [{item % 'a'}, # of a\n  {item % 'b'}]\n```\n"
    with pytest.raises(HandEditError, match=r"CONTEXT.md:2: .*comment beside.*take the dependency `b` out by hand"):
        without(tmp_path, context, "b")
    assert declare(str(tmp_path), "new", "s", "v").after.decode() == context.replace(
        "}]", "}, {name: new, version: v, source: s}]"
    )


def test_items_may_begin_below_their_dash(tmp_path: Path) -> None:
    context = "```yaml\ndependencies:\n  - # - a\n    name: a\n    version: v\n    source: s\n  -\n    name: b\n"
    context += "    version: v\n    source: s\n```\n"
    expected = context.replace("s\n```", "s\n  - name: new\n    version: v\n    source: s\n```")
    assert after(tmp_path, context, "new", "s", "v") == expected
    assert without(tmp_path, context, "b") == context[: context.index("  -\n")] + "```\n"
    assert without(tmp_path, context, "a") == f"```yaml\ndependencies:\n{context[context.index('  -' + chr(10)) :]}"


def test_what_is_malformed_is_refused_before_it_is_edited(tmp_path: Path) -> None:
    with pytest.raises(BadContextError, match=r"CONTEXT.md:2: `dependencies` is text"):
        after(tmp_path, "```yaml\ndependencies: ~\n```\n")
    with pytest.raises(BadContextError, match=r"CONTEXT.md:2: a dependency has no `version`"):
        undeclare(workspace(tmp_path, b"```yaml\ndependencies: [{name: a, source: b}]\n```\n"), "a")


@pytest.mark.parametrize(
    ("name", "source", "version", "words"),
    [
        ("New", REPO, "v1", "not a skill's name"),
        ("../a", REPO, "v1", "not a skill's name"),
        ("new", REPO, " ", "declares a version"),
        ("new", REPO, "v\n1", "declares a version"),
        ("new", "https://me:geheim@example.com/org/repo.git", "v1", "holds credentials"),
        ("new", "https://example.com/a.zip?token=geheim", "v1", "holds credentials"),
        ("new", "--upload-pack=x", "v1", "--upload-pack"),
    ],
)
def test_what_should_not_be_declared_is_refused(
    name: str, source: str, version: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=words) as error:
        after(tmp_path, "", name, source, version)
    assert "geheim" not in str(error.value)


@pytest.mark.parametrize("name", ["new", "123", "1e5", "null", "true", "on", "y", "2024-01-01", "0x1f"])
@pytest.mark.parametrize(
    "version", ["main", "1.0", "1_000", "~", "2024-01-01", "yes", "a: b", "a #b", "'\"\\", "ünï", "{}"]
)
def test_every_reader_of_yaml_sees_text(name: str, version: str, tmp_path: Path) -> None:
    for context in ("", "```yaml\ndependencies: []\n```\n"):
        text = after(tmp_path, context, name, "../a b#c", version)
        block = text.split("```yaml\n")[1].split("```")[0]
        assert yaml.safe_load(block) == {"dependencies": [{"name": name, "version": version, "source": "../a b#c"}]}


def test_a_word_that_some_reader_takes_for_a_boolean_is_quoted(tmp_path: Path) -> None:
    assert 'name: "y"' in after(tmp_path, "", "y")
    assert 'name: "n"' in after(tmp_path, "", "n")


def test_new_lines_end_as_those_around_them(tmp_path: Path) -> None:
    context = "# Us\n\n```yaml\ndependencies:\n- {name: a, version: v, source: s}\r\n```\r\n"
    expected = context.replace("```\r\n", "- name: new\r\n  version: v\r\n  source: s\r\n```\r\n")
    assert after(tmp_path, context, "new", "s", "v") == expected
    assert without(tmp_path, expected, "new") == context


def test_changes_can_be_made_on_top_of_each_other(tmp_path: Path) -> None:
    root = workspace(tmp_path, None)
    one = declare(root, "one", REPO, "v1")
    with overlay({os.path.join(root, "CONTEXT.md"): one.after}):
        two = declare(root, "two", REPO, "v1")
    assert two.before == one.after
    (tmp_path / "CONTEXT.md").write_bytes(two.after)
    assert declared(root) == [("one", REPO, "v1"), ("two", REPO, "v1")]


def test_an_empty_file_is_not_an_absent_one(tmp_path: Path) -> None:
    assert declare(workspace(tmp_path, b""), "a", "s", "v").before == b""


# Texts of every style, drawn at random.

NAMES = ["a", "b", "c-d", "new"]
VALUE = st.sampled_from(["v1", '"v1"', "'1.0'", "main", "../x", "https://example.com/o/r.git"])
COMMENT = st.sampled_from(["", "", " # said", " # - name: x"])


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
    context = Workspace(installed(Kind.WORKSPACE, root)).context
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
        undone = apply(root, undeclare(root, "new"))
        assert declared(root) == before
        assert undone == context if had_block else undone.startswith(context)


@given(contexts(), st.sampled_from(NAMES[:3]))
def test_taking_out_leaves_the_others_and_all_lines_of_theirs(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        change = undeclare(root, name)
        if name not in [one for one, _, _ in before]:
            assert change is None
            return
        left = apply(root, change).splitlines()
        assert declared(root) == [one for one in before if one[0] != name]
        lines = iter(context.splitlines())
        # What is left is what was there, in order; only of flow lists a part of a line may be gone.
        assert all(any(line == old or (b"[" in old or b"{" in old) for old in lines) for line in left)


@given(contexts(), st.sampled_from(NAMES[:3]))
def test_bringing_up_to_date_changes_that_skill_alone(context: bytes, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = workspace(Path(folder), context)
        before = declared(root)
        apply(root, declare(root, name, "../other", "v9.9"))
        expected = [(name, "../other", "v9.9") if one[0] == name else one for one in before]
        if expected == before:
            expected.append((name, "../other", "v9.9"))
        assert sorted(declared(root), key=str) == sorted(expected, key=str)
