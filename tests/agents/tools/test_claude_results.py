"""The results of Claude Code's tools: the text that hooks see, and a changed text put back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from skillbag.agents.hosts.claude import text_of, with_text
from tests.rows import each_row

TEXT = st.text()
MORE = st.dictionaries(st.sampled_from(["interrupted", "numLines", "bytes", "code"]), st.integers())
BLOCKS = st.lists(st.builds(lambda text: {"type": "text", "text": text}, TEXT), min_size=1)
SHAPES = st.one_of(
    TEXT,
    BLOCKS,
    st.builds(lambda blocks, more: {**more, "content": blocks}, BLOCKS, MORE),
    st.builds(lambda out, err, more: {**more, "stdout": out, "stderr": err}, TEXT, TEXT, MORE),
    st.builds(lambda text, more: {**more, "content": text}, TEXT, MORE),
    st.builds(lambda text, more: {**more, "result": text}, TEXT, MORE),
    st.builds(lambda text, more: {"type": "text", "file": {**more, "content": text}}, TEXT, MORE),
)


@given(SHAPES, TEXT)
def test_a_changed_text_is_all_that_is_left_of_the_old_one(response: Any, text: str) -> None:
    changed = with_text(response, text)
    assert text_of(changed) == text
    assert type(changed) is type(response)
    if isinstance(response, dict):
        assert changed.keys() == response.keys()


@each_row("response", [None, 1, [], {}, {"a": 1}, [1], {"file": {"base64": "x"}}, {"stdout": 1}])
def test_a_result_of_another_shape_is_json_and_is_replaced_by_the_same_shape_alone(response: Any) -> None:
    assert json.loads(text_of(response)) == response
    assert with_text(response, "text") is None
    assert with_text(response, "[" * 99_999) is None
    wanted = dict.fromkeys(response, "new") if isinstance(response, dict) else None
    assert with_text(response, json.dumps(wanted)) == wanted
