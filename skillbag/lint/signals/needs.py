"""Words that say that a program is needed and where it is to be got, as the lures of false prerequisites do."""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.signals.addresses import Address

FETCHES = (
    *("download", "instal", "get", "grab", "obtain", "setup", "set up", "set-up", "visit", "required", "fetch"),
    *("下载", "安装", "ダウンロード", "インストール", "다운로드", "설치", "descarg", "descárg", "télécharg"),
    *("herunterlad", "lade"),
    *("baixe", "baixar", "scarica", "скача", "установ"),
)
"""Verbs of fetching, in small letters; one stands before the address."""
_PROGRAM = r"[*_`\[]*(?-i:[A-Z])[\w.-]+[*_`\]]*|[*_`\[]+[\w.-]+[*_`\]]+"
_LACKS = r"(?:missing|not\s+(?:installed|running|present|found|available))"
_NEEDS = late(
    rf"""\b(?:must|has\s+to|have\s+to|needs?\s+to|should)\s+be\s+(?:installed|present|downloaded|running|set\s+up|active)\b
      | \b(?:is|are)\s+(?:required|mandatory|necessary|needed)\b
      | \b(?:requires?|depends?\s+on|relies\s+on|needs)\s+(?:that\s+)?(?:(?:the|an?|our)\s+)?(?:{_PROGRAM})
      | \bfirst\b | \bbefore\s+(?:you|using|running|start\w*|proceed\w*|any|the)\b
      | \byou(?:['’]ll|\s+will)?\s+(?:must|need(?:\s+to)?|have\s+to|should)\s+(?:first\s+)?
          (?:install|download|get|run|set)\b
      | \bprerequisites?\b | \bthe\s+required\s+[\w-]+
      | \b(?:make\s+sure|ensure)\b[^\n]{{0,60}}?\b(?:is|are)\s+(?:installed|running|present|available)\b
      | \bwithout\s+(?:the\s+)?(?:{_PROGRAM}|\w[\w.-]*(?=\s+(?:installed|running)\b))
      | \bif\s+[^\n]{{1,40}}?\b(?:is|are)\s+{_LACKS}\b
      | \b(?:tell|ask|instruct|have)\s+(?:the|your)\s+users?\s+to\s+(?:first\s+)?(?:download|install)\b
      | \bplease\s+(?:first\s+)?(?:download|install)\b
      | \bwithout\s+it\b
      | 必须|需要|请先|前提|必要|する前に|필요|먼저|해야|하기\s*전에
      | \brequis|erforderlich|benötigt|\b[Vv]oraussetzung|\bmuss\b
      | \bvor\s+(?:der|dem)\b|\bnecess?[aá]ri|\bavant\s+(?:toute?|d['’]|de\b)|\bantes\s+d[eo]\b|\bprima\s+d
      | требуется|необходим|\bперед\s""",
    re.IGNORECASE | re.VERBOSE,
)
"""A program is needed."""
_GIVES = late(
    rf"""(?:\b(?:downloads?|downloaded|gets?(?![ ]started)|(?<!no[ ])install(?:er|ed|ation)?|grab|obtain|fetch|visit
            |set-?[ ]?up|the[ ]required[ ]\w+)\b | {"|".join(FETCHES[11:])})
          (?:(?![.!?]\s)[^\n|]){{0,80}}?
          (?: \b(?:from|at|here|via|page|site|link|visit|von|unter|de|da|dal|desde|depuis|em|en|на|с)\b
            | ->|→|=>|[:：，,]|\]\(|\( | 从|を|에서)
          [\s:*_`<(\[>→⏹\]-]*(?:\[[^\]\n]{{1,60}}\]\()?\Z
      | \b(?:visit|open|go[ ]to)[\s:*_`<(\[]*(?:\[[^\]\n]{{1,60}}\]\()?\Z""",
    re.IGNORECASE | re.VERBOSE,
)
"""An address follows from which it is got."""
_GIVES_AFTER = late(r"https?://[!-~]{1,200}\s*(?:から|より|에서|で)\s*(?:ダウンロード|入手|取得|다운로드|받)")
_OTHERWISE = late(
    r"\b(?:api[ -]?)?keys?\b|\btokens?\b|\baccounts?\b|\bsign\s+up\b|\bregister\b|\bcredentials?\b|\blog\s?in\b"
    r"|\bsubscriptions?\b|\bdoc(?:s|umentation)\b|\bguides?\b|\bbrowser\b|\bhtml\b|\bpapers?\b|\bquestionnaires?\b|\bspecification\b|\bdata(?:set)?s?\b|\bmodels?\b|\breports?\b|\bimages?\b|\burls?\b",
    re.IGNORECASE,
)
"""What else is got from an address."""
_BEFORE, _AFTER = 420, 200
_LINES = 3


def _may_give(body: str, at: int) -> bool:
    """Whether what stands beside an address may say that something is got from it: all else needs no expression."""
    before = body[max(0, at - 40) : at]
    head = before.rstrip(_LEADS)
    is_led = not _SIGNS.isdisjoint(before[len(head) :]) or head.lower().endswith(_LEADING)
    return is_led or not body[at : at + _AFTER].isascii()


_LEADS, _SIGNS = " \t\r\n:*_`<([>→⏹]-", frozenset(":(→>")
_LEADING = (
    *("from", "at", "here", "via", "page", "site", "link", "visit", "von", "unter", "de", "da", "dal", "depuis", "em"),
    *("en", "на", "с", "open", "go to", "：", "，", ",", "从", "を", "에서"),
)
"""What ends before an address in `_GIVES`."""


def need_near(body: str, at: int) -> int | None:
    """Where the need is stated of which an address at an offset is the source; None without one."""
    if not _may_give(body, at):
        return None
    gives = _GIVES().search(body, max(0, at - 160, body.rfind("\n", 0, at) + 1), at)
    after = body.find("\n", at)
    sentence = min(after if after >= 0 else len(body), at + _AFTER)
    gives = gives or _GIVES_AFTER().match(body, at)
    if (
        gives is None
        or _OTHERWISE().search(body, min(gives.start(), at), at)
        or _OTHERWISE().search(body, at, sentence)
    ):
        return None
    first = max(0, at - _BEFORE)
    for need in (*reversed(list(_NEEDS().finditer(body, first, at))), *_NEEDS().finditer(body, at, at + _AFTER)):
        between = body[min(need.end(), at) : max(need.start(), at)]
        if between.count("\n") <= _LINES and not _OTHERWISE().search(between):
            return need.start()
    return None


def asks_for(body: str, at: int) -> bool:
    """Whether a verb of fetching stands before an address, within its line."""
    before = body[max(0, at - 120) : at].rpartition("\n")[2].lower()
    return any(word in before for word in FETCHES)


def is_documentation(page: Address) -> bool:
    """Whether an address is that of a text about a program."""
    hosts = page.host.startswith(("docs.", "doc.", "wiki.", "api.")) or page.host.endswith(".readthedocs.io")
    return hosts or page.path.startswith(("/doc", "/wiki", "/api"))
