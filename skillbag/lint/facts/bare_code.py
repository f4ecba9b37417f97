"""Commands and calls that stand alone in lines of prose, without a fence: an agent runs them as well."""

from __future__ import annotations

from functools import lru_cache

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.base.records import NamedTuple

_LINE = late(
    r"[ \t]*(?P<mark>(?:[-*+]|\d{1,2}[.)])[ \t]+)?(?:[$%][ \t]+)?(?P<code>[A-Za-z_$(/.~][^\r\n]{5,2000})\r?(?=\n|\Z)"
)
_COMMAND = late(
    r"[({ \t]*(?:(?:sudo|nohup|env|[A-Z_]+=\S*)[ \t]+(?:-\w+[ \t]+)*){0,3}(?:/[\w/]+/)?(?P<name>[a-z][\w.-]*)[ \t]"
)
_SIGN = late(r"[|<>$&;~]|://|[ \t]--?\w")
"""What a line of prose rarely has."""
_PROGRAM_WORDS = """
    aws base64 bash bun cat chmod cloudflared cp crontab curl deno dig docker echo env eval export find gcloud git
    grep iex irm iwr kubectl launchctl mv nc ncat ngrok node nohup npm npx nslookup open openssl osascript perl pip
    pip3 pipx pnpm powershell printenv printf pwsh python python3 rm rsync ruby scp sh source ssh sudo systemctl
    tailscale tar tee uv uvx wget xargs yarn zip zsh"""
_PROGRAMS = frozenset(_PROGRAM_WORDS.split())
_QUOTED = late(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_PROSE = late(
    r"(?<![\w./=-])(?:is|are|was|be|the|an?|this|that|its?|will|would|should|can|may|must|and|or|to|for|of|with|in|into"
    r"|on|from|by|as|not|when|you|your|without|before|after)(?=[ \t,.;:!?]|\Z)"
)
"""What the words of a command do not have outside of quotes."""
_CALL = late(
    r"(?:(?:const|let|var)[ \t]+)?(?:[\w$.]+[ \t]*=[ \t]*)?(?:await[ \t]+)?(?:new[ \t]+)?[A-Za-z_$][\w.$]*"
    r"\(.*[)\]][\w.]*;?\Z"
    r"|import[ \t]+\w[\w.]*(?:[ \t]+as[ \t]+\w+)?\Z|from[ \t]+\w[\w.]*[ \t]+import[ \t]+\w"
)
_JAVASCRIPT = late(r"(?:const|let|var|await)[ \t]|\b(?:require|fetch|execSync|atob)\(|=>|;\Z")
_CODE_SIGNS = ("(", "| ", "://", "> ", "$", "~/", "&", " --")
_MARKS, _MAX_LINES = " \t-*+0123456789.)$%(/~{", 20


class BareCode(NamedTuple):
    """Lines of code in prose: their language, and where they begin; marks of lists are blanks in `text`."""

    language: str
    start: int
    text: str


class _Line(NamedTuple):
    language: str
    start: int
    end: int
    code: int
    is_item: bool


def bare_code(text: str, offset: int) -> BareCode | None:
    """The lines of code around an offset of prose: a paragraph or items of a list that hold nothing else."""
    start = text.rfind("\n", 0, offset) + 1
    head = text[start : start + 40].lstrip(_MARKS)
    # Most lines of prose begin with a capital letter, or have no such sign.
    if not (head[:1].islower() or "=" in head):
        return None
    near = text[max(0, offset - 100) : offset + 200]
    return _bare_code(text, start) if any(sign in near for sign in _CODE_SIGNS) else None


# A line may have many places that are asked for.
@lru_cache(maxsize=16)
def _bare_code(text: str, start: int) -> BareCode | None:
    own = _line_at(text, start)
    if own is None:
        return None
    lines = [own]
    while len(lines) < _MAX_LINES and (at := lines[0].start):
        above = _line_at(text, text.rfind("\n", 0, at - 1) + 1)
        if above is None or above.language != own.language:
            break
        lines.insert(0, above)
    # Before it is a blank line, a heading, or a line that leads to it.
    lead = (
        text[max(0, lines[0].start - 300) : lines[0].start].rstrip(" \t").removesuffix("\n").rpartition("\n")[2].strip()
    )
    if lead and not (lines[0].is_item or lead.startswith(("#", "```", "-->", "<!--")) or lead.endswith((":", "："))):
        return None
    while len(lines) < _MAX_LINES and (below := _line_at(text, lines[-1].end + 1)) and below.language == own.language:
        lines.append(below)
    code = "\n".join([" " * (line.code - line.start) + text[line.code : line.end] for line in lines])
    return BareCode(own.language, lines[0].code, code.lstrip(" "))


@lru_cache(maxsize=64)
def _line_at(text: str, start: int) -> _Line | None:
    """The line that begins at an offset if it is code."""
    match = _LINE().match(text, start)
    language = _language(match["code"].rstrip()) if match else ""
    return _Line(language, start, match.end(), match.start("code"), bool(match["mark"])) if match and language else None


def _language(code: str) -> str:
    if ("(" in code or code.startswith(("import ", "from "))) and _CALL().match(code):
        return "javascript" if _JAVASCRIPT().search(code) else "python"
    command = _COMMAND().match(code)
    if command is None or command["name"] not in _PROGRAMS or code.endswith((":", "?", "!")):
        return ""
    return "shell" if _SIGN().search(code) and not _PROSE().search(_QUOTED().sub('""', code)) else ""
