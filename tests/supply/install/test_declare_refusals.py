"""Declarations that are refused, and texts that are left to the user."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.documents.edit.lines import HandEditError
from skillbag.kernel.fs.read import overlay
from skillbag.kernel.standard.declarations import BadContextError
from skillbag.supply.install.declare import declare, undeclare
from tests.rows import each_row
from tests.supply.install.declarations import REPO, after, declared, without, workspace


def test_what_cannot_be_edited_safely_is_left_with_the_lines_to_write(tmp_path: Path) -> None:
    context = "# Us\n\n```yaml\n{dependencies: }\n```\n"
    with pytest.raises(HandEditError) as error:
        after(tmp_path, context)
    assert str(error.value) == (
        "CONTEXT.md:4: `dependencies` does not stand on a line of its own; write this yourself:\n"
        f'```yaml\ndependencies:\n  - name: new\n    version: "v2.0"\n    source: "{REPO}"\n```'
    )
    assert (tmp_path / "CONTEXT.md").read_text() == context


@pytest.mark.parametrize("context", ["# Us\n\n```text\nopen\n", "# Us\n\n<!-- open\n"])
def test_a_text_that_would_swallow_the_new_section_is_left(context: str, tmp_path: Path) -> None:
    with pytest.raises(HandEditError, match=r"CONTEXT.md:1: .*edited safely.*write this yourself:\n```yaml"):
        after(tmp_path, context)


def test_a_value_in_a_block_of_lines_is_left(tmp_path: Path) -> None:
    context = "```yaml\ndependencies:\n- name: new\n  version: v1\n  source: |-\n    ../a\n```\n"
    assert after(tmp_path, context, source="../a") == context.replace("v1", '"v2.0"')
    with pytest.raises(HandEditError, match=r"CONTEXT.md:2: .*block of lines"):
        after(tmp_path, context)


def test_a_comment_beside_an_item_of_a_flow_list_is_not_taken_along(tmp_path: Path) -> None:
    item = "{name: %s, version: v, source: s}"
    context = f"```yaml\ndependencies: [{item % 'a'}, # of a\n  {item % 'b'}]\n```\n"
    with pytest.raises(HandEditError, match=r"CONTEXT.md:2: .*comment beside.*remove these dependencies yourself: `b`"):
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
        undeclare(workspace(tmp_path, b"```yaml\ndependencies: [{name: a, source: b}]\n```\n"), ["a"])


@each_row(
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
def test_invalid_declarations_are_refused(name: str, source: str, version: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=words) as error:
        after(tmp_path, "", name, source, version)
    assert "geheim" not in str(error.value)


@each_row("name", ["new", "123", "1e5", "null", "true", "on", "y", "2024-01-01", "0x1f"])
@each_row("version", ["main", "1.0", "1_000", "~", "2024-01-01", "yes", "a: b", "a #b", "'\"\\", "ünï", "{}"])
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
