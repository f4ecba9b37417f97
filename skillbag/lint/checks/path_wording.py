"""What the words of a line say of a path in it: run, used, supposed, or somebody else's.

Most answers are found by plain searches. An expression takes long to compile, so that each is for lines alone in which
its words occur.
"""

from __future__ import annotations

import re

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_RUNNER = (
    r"(?:sudo|time|exec|source|\.|bash|sh|zsh|python3?(?:\.\d+)?|py|uv\s+run|poetry\s+run|pipenv\s+run|node|deno\s+run"
    r"|bun(?:\s+run)?|(?:npx\s+)?tsx|npx\s+ts-node|ruby|perl|php|Rscript|pwsh|chmod\s+\+x|cat)"
)
_RUN = late(rf"(?:[$>%]\s+)?(?:[A-Z_]+=\S*\s+)*(?:{_RUNNER}\s+(?:-{{1,2}}[\w-]+\s+)*)*[\"']?\Z")
_NEXT_COMMAND = late(r"&&|\|\|?|;|\$\(")
_MARKS = "`*_\"'[("
_USES = (
    *("run", "runs", "running", "execute", "executes", "use", "using", "invoke", "call", "launch", "see", "read"),
    *("load", "open", "consult", "follow", "check", "review", "refer to", "details in", "described in"),
    *("documented in", "copy", "fill in", "rules are in", "steps are in", "details are in", "list is in"),
)
# Words of an example or a supposition, anywhere in the line, in small letters.
_SUPPOSING = late(
    r"(?<!\w)(?:e\.g|for example|for instance|such as|would|could|might|imagine|suppose"
    r"|(?:something|things?|files?|scripts?) like|if (?:it |they |one )?(?:exists?|present|available)|optional(?:ly)?"
    r"|does(?: not|n't) exist|missing|coming soon|planned|to be (?:added|written)|tbd|roadmap|no such file|is there a"
    r"|relative paths|forward slashes|not yet(?= \w))(?!\w)"
)
# Every one of them has one of these: a line without is not searched.
_SUPPOSING_STEMS_TEXT = (
    "e.g|for |such as|like|ould|might|imagine|suppose|optional|exist|present|available|missing|coming|planned|"
    "to be|tbd|roadmap|no such|is there|relative p|slashes|not yet"
)
_SUPPOSING_STEMS = tuple(_SUPPOSING_STEMS_TEXT.split("|"))
# "See `x` for more examples" and "if examples are needed, open `x`" mean a file that is there.
_EXAMPLE = late(
    r"(?<!\w)example(?![\w/])|(?<!\w)(?<!for )(?<!more )(?<!detailed )examples(?![\w/]| are | is )",
)
_SUPPOSING_SIGNS = ("❌", "✗", "✘", "→", "├", "└", "│", "例如", "比如", "（如", "例えば", "たとえば", "예를 들")
# Words before the name of a file that is yet to be created, to be left alone, or in another project.
_NOT_OURS = late(
    r"\b(?:creat\w*|add\w*|writ\w*|sav\w*|generat\w*|outputs?|stor\w*|put|plac\w*|mov\w*|export\w*|produc\w*|renam\w*"
    r"|scaffold\w*|extract\w*|append\w*|record\w*|split|new|never|don't|do not|avoid|instead of|user's"
    r"|your (?:own )?(?:project|repo\w*|code\w*)|their|repo's|repository's|project's|plugin's)\b",
    re.IGNORECASE,
)
_NOT_OURS_STEMS_TEXT = (
    "creat|add|writ|sav|generat|output|stor|put|plac|mov|export|produc|renam|scaffold|extract|append|record|"
    "split|new|never|don't|do not|avoid|instead|your |their|'s"
)
_NOT_OURS_STEMS = tuple(_NOT_OURS_STEMS_TEXT.split("|"))
# The name of another skill, in code right before the path: "`artist` references/styles.md".
_OF_ANOTHER = late(r"`/?[a-z0-9]+(?:[-:][a-z0-9]+)*`(?:['’]s|\s+skill(?:['’]s)?|\s+\([^)]*\))?[\s:]+[`*_(]*\Z")
# Words of a line about a path: it is gone, in a checkout of another project, another skill's, in a folder beside, in a
# string of code, yet to be made, or deleted. Each form has one of its stems, so that few are compiled.
_OWN = r"(?!(?:this|the|a|an|same|current|whole|entire|main|new|own|right|installed|agent|claude)\b)"
_NAMED = rf"[`*\"]*{_OWN}[a-z0-9]+(?:-[a-z0-9]+)*[`*\"]*"
_HOME = r"(?:plugin|project|repo|repository|workspace)"
_ELSEWHERE = tuple(
    (tuple(stems.split("|")), late(form, re.VERBOSE))
    for stems, form in {
        "longer": r"\bno\s+longer\b",
        "moved|dropped|deleted|replaced|retired|renamed": r"""
            \b(?:was|were|been|got)\s+(?:removed|dropped|deleted|replaced|retired|renamed|moved)\b""",
        "&&": r"\b(?:npm|pnpm|yarn|bun)\s+(?:ci|i|install|run)\b[^`\n]*&&[^`\n]*\x00",
        "upstream|clone|checked": r"""
            \b(?:upstream|cloned|checked-?out)(?:['’]s)?\s+(?:repo(?:sitory)?|checkout|project|source|tree|clone|copy)\b
          | (?:^|[.;]\s)[\s>*\-\d.)]*clone\s+(?:the|its|their|that|this)\b | \bfrom\s+upstream\b""",
        "../": r"""\A[^\n]*\x00[`"'*)]*[,\s]*(?:(?:is|are|all|both|each|lives?)\s+)*
            \(?(?:under|in|below|inside|from)\s+[`"']?\.\./
          | \x00(?:[^.\n]|\.(?=\S)){0,120}\b(?:all|both|each)\s+(?:under|in|below|inside|from)\s+[`"']?\.\./""",
        "skill| package| plugin| repo": rf"""
            \x00[`"'*)]*\s+(?:of|in|from)\s+(?:the\s+)?{_NAMED}\s+(?:skill|package|plugin|repo)\b""",
        "skill": rf"""`[a-z0-9-]+-skills?`(?:[^.\n]|\.(?=\S))*\x00
          | \bthe\s+{_NAMED}\s+skill(?:['’]s)?\b[^.\n]*\x00""",
        "-local": r"\bproject-local\b",
        "if ": r"""\bif\s+[`"']?\x00[`"']?\s+(?:exists?|is)\b""",
        "import|from |: ": r"""`[^`\n]*(?:\bimport|\bfrom|:)\s[^`\n]*["'][^`\n]*\x00""",
        "not edit|its ": r"\bdo\s+not\s+edit\b | \bits\s+(?:own\s+)?[`*]*\x00",
        "delete|remove|replace|retire|superseded": r"""
            \b(?:delete|remove|replace|retire)d?\b[*_:\s]+(?:`[^`\n]*`[,\s]*(?:and\s+)?)*`?\x00
          | \x00[`*]*\s*(?:\||[-–—:])\s*[*_]*(?:deleted|removed|replaced|retired|superseded)\b""",
        " root": rf"""\b(?:from|in|at)\s+(?:(?:the|your|its|their)\s+)?
            (?:{_HOME}(?:['’]s)?\s+root|root\s+of\s+(?:the|your|its|their)\s+{_HOME})\b""",
        " (": r"""\x00[`"'*)]*\s*\((?:to\s+)?(?:creat|generat|writ|add|git-?ignor)""",
        "your |their |'s ": r"""
            \x00[`"'*)]*\s+(?:in|into|to)\s+(?:your|their|the\s+user's)\s+(?:own\s+)?(?:project|repo|app|code)""",
    }.items()
)
_THEIRS = late(
    r"\b(?:your (?:own )?(?:project|repo\w*|code\w*)|user's|their|(?:repo|repository|project)'s"
    r"|(?:every|each|any|all|a|the)\s+(?:[\w-]+\s+){0,2}(?:project|repo|repository|app|package|workspace)"
    r"\s+(?:must|should|needs?|has|have|includes?|contains?|ships?|provides?))\b[^.:]*\Z",
    re.IGNORECASE,
)
_THEIRS_STEMS = ("your ", "their", "'s", "project", "repo", "app", "package", "workspace")
_IF = tuple(f"if {there}{article}" for there in ("", "there is ", "you have ") for article in ("", "a ", "an "))


class Mention(NamedTuple):
    """A path that a text names: `path` relative, its offsets, and the text of its line on both sides."""

    path: str
    start: int
    end: int
    before: str
    after: str


def is_command(before: str) -> bool:
    """Whether the text before a path in a line of commands makes the path a command, or an interpreter's script."""
    return bool(_RUN().match(_NEXT_COMMAND().split(before)[-1].lstrip()))


def span_is_command(before: str) -> bool:
    """Whether a path is in a code span after an interpreter, by the text before it in the line."""
    span = before.rpartition("`")[2]
    return before.count("`") % 2 == 1 and bool(span.strip()) and is_command(span)


def is_used(before: str) -> bool:
    """Whether the words right before a path tell to run, read or open it: "Run the script `"."""
    text = before.rstrip().rstrip(_MARKS)
    words = text.casefold().split()[-5:]
    # "the" and "script" are words of their own, and no part of the path.
    if text[-1:].isspace() or before[len(text) : len(text) + 1].isspace():
        for filler in (("script", "file"), ("the",)):
            if words and words[-1] in filler:
                words.pop()
    said = " ".join(words).removesuffix(":").rstrip()
    return any(said.endswith(use) and not _is_word(said[: -len(use)][-1:]) for use in _USES)


def is_of_others(before: str) -> bool:
    """Whether the words before a path say that the file is yet to be made, is to be left alone, or is another's."""
    near = before[-80:]
    folded = near.casefold()
    if any(stem in folded for stem in _NOT_OURS_STEMS) and _NOT_OURS().search(near):
        return True
    return near.count("`") > 1 and _OF_ANOTHER().search(near) is not None


def is_elsewhere(before: str, after: str, skill: str) -> bool:
    """Whether the words of a line of `skill` around a path say that the file is gone, another skill's, or elsewhere."""
    line = f"{before[-200:]}\0{after[:160]}".replace(f"{skill} skill", "this skill").replace(f"`{skill}`", "this")
    folded = line.casefold()
    return any(
        any(stem in folded for stem in stems) and form().search(folded) is not None for stems, form in _ELSEWHERE
    )


def is_theirs(before: str) -> bool:
    """Whether the words before a path give it to the project that the skill is used in: "your project has"."""
    folded = before[-80:].casefold()
    ending = folded.rstrip("`\"'*")
    if any(ending.endswith(words) and not _is_word(ending[: -len(words)][-1:]) for words in _IF):
        return True
    return any(stem in folded for stem in _THEIRS_STEMS) and _THEIRS().search(folded) is not None


def is_supposed(line: str) -> bool:
    """Whether a line gives an example, or supposes something."""
    folded = line.casefold()
    return supposes(folded) or ("exampl" in folded and _EXAMPLE().search(folded) is not None)


def supposes(folded: str) -> bool:
    """Whether a line in small letters supposes something, or gives an example by other words than "example"."""
    if any(stem in folded for stem in _SUPPOSING_STEMS) and _SUPPOSING().search(folded):
        return True
    return not folded.isascii() and any(sign in folded for sign in _SUPPOSING_SIGNS)


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
