"""What a report says about rules is the same from the cache."""

from __future__ import annotations

import json

from skillbag.kernel.model.findings import Severity
from skillbag.kernel.model.result import CheckResult, RuleInfo
from skillbag.lint.cache.entry import PackedResult, pack_result, unpack_result


def test_a_cached_result_says_all_about_its_rules() -> None:
    texts = ("A title.", "A reason.", None, "A page.")
    rule = RuleInfo("a", "security", None, Severity.NOTE, *texts, tags=("external/owasp/AST01",), once=True)
    result = CheckResult((), (), (rule,))
    assert unpack_result(PackedResult(*json.loads(json.dumps(pack_result(result))))) == result
