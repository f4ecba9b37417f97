"""Skills and parameters that a text names: in code spans, in paths, in invocations, and in words.

Whether a name is that of a skill is only known when all files were read. So every word that may be one is added, and
the index leaves out those that nothing defines.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.documents.markdown import CodeSpan
from skillbag.kernel.workspace.summary import TAG
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.symbols.collector import Collector
from skillbag.lint.symbols.values import Form, Role, parameter_symbol, skill_symbol

_HYPHENATED = r"[a-z0-9]+(?:-[a-z0-9]+)+"
_NAME = r"[a-z0-9]+(?:-[a-z0-9]+)*"
_NO_MORE = r"(?![\w-])"

_BELOW_SKILLS = late(rf"skills/({_NAME}){_NO_MORE}(?!\.\w)")
_BESIDE = late(rf"\.\./({_NAME})(?=/|[\s`\"')\]>]|\Z)")
_TOKEN_END = frozenset(" \t\r\n`\"'()[]<>,;")
_CLIMB = late(r"(?:\./)*(?:\.\./)+\Z")

_RUN = late(r"run ([a-z0-9]+(?:[_-][a-z0-9]+)*)(?![\w-])")
_RUN_LINE = late(r"run ([a-z0-9]+(?:_[a-z0-9]+)+)(?![\w-])")
_PROMPT = late(r"[ \t>]*(?:\$ )?\Z")
_WHOLE = late(rf"(?:[@/$]|[a-z0-9-]+:)?({_HYPHENATED})\Z")
_WORD = late(rf"(?:[@/$]|[a-z0-9-]+:)?({_NAME})\Z")
_PARAMETER = late(r"(?:--|\$\{?|\{|<)?([A-Za-z][\w-]*)(?:[}>]|=[^\s=].*)?\Z")

_FIELD = late(r"`[*_]*\s+(?:fields?|keys?|propert(?:y|ies))\b")
# What begins with a literal is searched many times faster.
_SKILL = late(r"skill(?<!\wskill)s?\b")
_MAY_NAME = late(r"`\s?(?:run |#|(?:[@/$]|[a-z0-9-]+:)?[a-z0-9]+-[a-z0-9-]*\s?`)|[sS]kill[* ]*`|`[* ]*[sS]kill")
_BEFORE = late(rf"(?<![\w/.:-])({_HYPHENATED})(?:\*\*|\")?[ \t]\Z")
_AFTER = late(rf"[ \t](?:\*\*|\")?({_HYPHENATED})(?![\w/:-]|\.\w)")
_BOLD = late(rf"\*\*({_HYPHENATED})\*\*")
_PREFIXED = late(rf":({_HYPHENATED})(?![\w/:-]|\.\w)")
_PREFIX = late(r"(?<![\w/.:`-])[a-z][a-z0-9-]+\Z")
_LONGEST = 70


def collect_text(found: Collector, text: TextFile, parameters: Collection[str] = (), owner: str = "") -> None:
    """Add what a text names; `parameters` are those of its skill `owner`."""
    _collect_paths(found, text)
    if text.language != "markdown":
        return
    # Reading Markdown takes longer than all else.
    may_name = parameters or _MAY_NAME().search(found.document.text)
    for span in text.markdown.code_spans if may_name else ():
        _collect_span(found, span, parameters, owner)
    _collect_invocations(found, text)
    for start, end in _words(text):
        if not (text.markdown.in_code(start) or text.markdown.in_comment(start)):
            found.add(skill_symbol(found.document.text[start:end]), Role.MENTION, start, end)


def _collect_paths(found: Collector, text: TextFile) -> None:
    """Paths to the folder of a skill: `.skills/NAME`, `skills/NAME`, or `../NAME` from the folder of another one."""
    source = text.document.text
    for match in _BELOW_SKILLS().finditer(source) if "skills/" in source else ():
        if "://" not in _token_before(source, match.start()):
            found.add(skill_symbol(match[1]), Role.REFERENCE, *match.span(1))
    if text.skill is None or "../" not in source:
        return
    depth = text.relative.count("/") + 1
    for match in _BESIDE().finditer(source):
        climb = _token_before(source, match.start(1))
        if _CLIMB().fullmatch(climb) and climb.count("../") in (1, depth):
            found.add(skill_symbol(match[1]), Role.REFERENCE, *match.span(1))


def _token_before(source: str, end: int) -> str:
    """What is written before an offset without a blank, quote or bracket in between."""
    start = end
    while start > 0 and source[start - 1] not in _TOKEN_END and end - start < 200:
        start -= 1
    return source[start:end]


def _collect_span(found: Collector, span: CodeSpan, parameters: Collection[str], owner: str) -> None:
    """A code span that is a parameter, an invocation, a tag, or a name."""
    code, start = found.document.text[span.start : span.end], span.start
    if parameters and (match := _PARAMETER().match(code)) and match[1] in parameters and not _is_key(found, span):
        found.add(parameter_symbol(match[1], owner), Role.MENTION, start + match.start(1), start + match.end(1))
    elif match := _RUN().match(code):
        form = Form.NAME if "-" in match[1] else Form.IDENTIFIER
        found.add(skill_symbol(match[1]), Role.REFERENCE, start + match.start(1), start + match.end(1), form)
    elif match := TAG.match(code):
        found.add_tag(match[1], match[2], start)
    elif match := (_WORD() if _beside_skill(found.document.text, span) else _WHOLE()).match(code):
        found.add(skill_symbol(match[1]), Role.MENTION, start + match.start(1), start + match.end(1))


def _is_key(found: Collector, span: CodeSpan) -> bool:
    """Whether a code span is called a key or a field: that of a file, which may have the name of a parameter."""
    return _FIELD().match(found.document.text, span.end) is not None


def _beside_skill(source: str, span: CodeSpan) -> bool:
    """Whether the word "skill" is before or after a code span."""
    before, after = source[max(span.start - 8, 0) : span.start - 1], source[span.end + 1 : span.end + 8]
    return before.rstrip("* ").endswith(("skill", "Skill")) or after.lstrip("* ").startswith(("skill", "Skill"))


def _collect_invocations(found: Collector, text: TextFile) -> None:
    """Lines `run NAME` in fences."""
    source = text.document.text
    for match in _RUN_LINE().finditer(source) if "run " in source else ():
        at = match.start()
        start = source.rfind("\n", 0, at) + 1
        if _PROMPT().match(source, start, at) and _is_in_fence(text, at):
            found.add(skill_symbol(match[1]), Role.MENTION, *match.span(1), Form.IDENTIFIER)


def _is_in_fence(text: TextFile, offset: int) -> bool:
    return any(fence.body_start <= offset < fence.body_end for fence in text.markdown.fences)


def _words(text: TextFile) -> Iterator[tuple[int, int]]:
    """The spans of names with hyphens that are bold, after a plugin's name, or beside the word "skill"."""
    source, begin = text.document.text, text.body
    for match in _SKILL().finditer(source, begin):
        lead = max(match.start() - _LONGEST, begin)
        if before := _BEFORE().search(source[lead : match.start()]):
            yield lead + before.start(1), lead + before.end(1)
        if after := _AFTER().match(source, match.end()):
            yield after.span(1)
    for match in _BOLD().finditer(source, begin):
        yield match.span(1)
    for match in _PREFIXED().finditer(source, begin):
        if _PREFIX().search(source, max(match.start() - _LONGEST, begin), match.start()):
            yield match.span(1)
