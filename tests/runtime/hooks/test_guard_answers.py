"""A guard whose answer can't be understood lets no call pass."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from skillbag.kernel.manifest.names import Phase
from skillbag.runtime.hooks.hook_results import read_result
from skillbag.runtime.phases import PHASES
from skillbag.runtime.sessions.runtime import Runtime
from skillbag.runtime.skill import Json
from tests.rows import each_row
from tests.runtime.children import CHILD
from tests.runtime.worlds_active import active, opened

WRITES_ITS_INPUT = """
answer(read(), {"hooks": ["OnBeforeToolCall"]})
while True:
    request = read()
    if request["method"] == "shutdown":
        sys.exit()
    text = json.loads(request["params"]["data"]["input"])
    os.write(1, text.replace("@", str(request["id"])).encode())
"""
"""A guard that answers what is the input of the call."""

REFUSED = [
    *("[]", "true", '"cancel"', "0", "[[]]", '{"cancel":1}', '{"cancel":0}', '{"cancel":"false"}', '{"cancel":null}'),
    *('{"cancel":[]}', '{"cancel":true}', '{"modified":[]}', '{"modified":{"input":1}}', '{"reason":3}'),
    *('{"block":true}', '{"decision":"deny"}', '{"Cancel":true}', '{"cancel":true,"more":1}'),
    *('{"block":true,"reason":"no"}', '{"decision":"block","reason":"no"}', '{"modified":{},"deny":true}'),
    '{"reason":"no"}',
]
LINES = [
    '{"jsonrpc":"2.0","id":@,"result":{"cancel":true,"cancel":false}}\n',
    '{"jsonrpc":"2.0","id":@,"result":{"cancel":true},"result":{}}\n',
    '{"jsonrpc":"2.0","id":@,"result":{"cancel":NaN}}\n',
    '{"jsonrpc":"2.0","id":@@,"result":{}}\n',
    '{"jsonrpc":"2.0","id":"@","result":{}}\n',
    '{"jsonrpc":"2.0","id":@,"result":{}}\n{"jsonrpc":"2.0","id":@,"result":{"cancel":true}}\n',
    '{"jsonrpc":"2.0","id":@,"error":{"code":1,"message":"x"}}\n',
    '{"jsonrpc":"2.0","id":@,"result":' + "[" * 200 + "]" * 200 + "}\n",
    '{"jsonrpc":"2.0","id":@,"result":{}}',
]


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Runtime]:
    """A runtime with the guard, which has little time."""
    monkeypatch.setattr("skillbag.runtime.hooks.hook_dispatch.SECONDS", 0.2)
    monkeypatch.setattr("skillbag.runtime.backends.connection.CANCEL_GRACE", 0.01)
    fields = {"permissions": '["hook:observe"]', "implementation": "{backend: process, entrypoint: child}"}
    folder = active(tmp_path / "workspace", "guard", **fields)
    (folder / "child").write_text(CHILD % sys.executable + WRITES_ITS_INPUT)
    (folder / "child").chmod(0o755)
    with opened(tmp_path / "workspace") as made:
        made.activate("guard")
        yield made


def passes(runtime: Runtime, lines: str) -> bool:
    return runtime.before_tool("Bash", lines).cancelled_by is None


def test_a_result_that_is_none_cancels(runtime: Runtime) -> None:
    lines = '{"jsonrpc":"2.0","id":@,"result":%s}\n'
    assert [each for each in REFUSED if passes(runtime, lines % each)] == []
    allowed = ["null", "{}", '{"cancel":false}', '{"modified":null}', '{"cancel":false,"more":1}']
    assert [each for each in allowed if not passes(runtime, lines % each)] == []


@pytest.mark.parametrize("lines", LINES, ids=range(len(LINES)))
def test_a_line_that_is_no_answer_cancels(runtime: Runtime, lines: str) -> None:
    assert not passes(runtime, lines)
    assert passes(runtime, '{"jsonrpc":"2.0","id":@,"result":null}\n')


@each_row("cancel", [None, 0, "", [], 1])
def test_a_cancel_that_is_no_boolean_is_no_result(cancel: Json) -> None:
    with pytest.raises(Exception, match="`cancel` as true or false"):
        read_result({"cancel": cancel}, PHASES[Phase.BEFORE_TOOL_CALL], trusted=True)


@each_row("answer", [{"block": True, "reason": "no"}, {"reason": "no"}, {"modified": {}, "deny": True}])
def test_a_denial_in_other_words_is_no_result(answer: Json) -> None:
    with pytest.raises(Exception, match="what it meant is not known"):
        read_result(answer, PHASES[Phase.BEFORE_TOOL_CALL], trusted=True)
    assert read_result(answer, PHASES[Phase.AFTER_TOOL_RESULT], trusted=True).cancel is False


def test_a_key_that_nothing_reads_is_noted_of_what_is_no_guard() -> None:
    result = read_result({"cancel": False, "more": 1}, PHASES[Phase.AFTER_TOOL_RESULT], trusted=True)
    assert (result.cancel, result.dropped) == (False, ("'more' is no part of a result",))
