"""Facts of JavaScript and TypeScript code, read from its calls; nothing is parsed."""

from __future__ import annotations

from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.lint.capabilities.facts import FactKind, FoundFact
from skillbag.lint.capabilities.from_shell import called
from skillbag.lint.capabilities.hosts import UNKNOWN, host_of
from skillbag.lint.capabilities.places import contacted, found_at
from skillbag.lint.facts.units import Unit
from skillbag.lint.signals.variables import ORDINARY, is_secret

_CALL = late(
    r"(?<![\w.$])(?:(?P<fetch>(?:await[ \t]+)?(?:globalThis\.|window\.)?fetch|got|ky|axios|undici\.(?:fetch|request))"
    r"|(?:axios|got|ky|superagent|https?|needle)\.(?P<verb>get|post|put|patch|delete|head|request|stream)"
    r"|(?P<browser>(?:[\w$]{1,40}\.){1,3}(?:goto|gotoAndWait))"
    r"|new[ ](?P<socket>WebSocket|EventSource))\([ \t\n]{0,40}"
)
_TEXT = late(r"(?P<quote>[\"'`])(?P<text>[^\"'`\n]{0,300})")
_NAME = late(r"(?:this\.)?([A-Za-z_$][\w$.]{0,60})[ \t\n]*[,)+]")
_IN_TEXT = late(r"\$\{(?:this\.)?([\w$.]{1,60})\}")
_DEFINED = late(r"[\w$, :.|<>\[\]]{0,80}\)[ \t]*(?::[^{\n]{0,60})?\{")
"""The rest of a method of that name, which is defined and not called."""
_SENDS = late(r"(?i)\bmethod[\"']?[ \t]*:[ \t]*[\"'`](?:post|put|patch|delete)")
_NO_COMMENT = late(r"^[ \t]*(?://|\*|/\*)")
_ENVIRONMENT = late(
    r"\bprocess\.env(?:\.([A-Za-z_]\w*)|\[[ \t]*[\"'`](\w+)[\"'`])"
    r"|\bDeno\.env\.get\([\"'`](\w+)|\bimport\.meta\.env\.(\w+)"
)
_STARTED = late(
    r"(?<![\w$])(?P<holder>[\w$]+\.)?(?P<call>exec|execSync|spawn|spawnSync|execFile|execFileSync)\([ \t\n]{0,40}"
    r"(?:(?P<quote>[\"'`])(?P<text>[^\"'`\n]{1,300})|(?P<other>[^\s)]))"
)
_HOLDERS = ("", "cp.", "child_process.", "childProcess.", "execa.", "shell.", "child.")
_WORD = late(r"[\w./@+-]+")


def javascript_facts(unit: Unit) -> Iterator[FoundFact]:
    """The facts of a script or a code block."""
    text = unit.text
    if any(word in text for word in ("fetch", "http", "WebSocket", ".goto(")):
        yield from _hosts(unit)
    if ".env" in text:
        for match in _ENVIRONMENT().finditer(text):
            name = match[1] or match[2] or match[3] or match[4]
            if name not in ORDINARY and not _commented(text, match.start()):
                yield found_at(unit, FactKind.VARIABLE, name, match.start(), "secret" if is_secret(name) else "")
    if "child_process" in text or "execa" in text:
        yield from _programs(unit)


def _commented(text: str, at: int) -> bool:
    start = text.rfind("\n", 0, at) + 1
    return bool(_NO_COMMENT().match(text, start)) or "// " in text[max(start, at - 200) : at]


def _hosts(unit: Unit) -> Iterator[FoundFact]:
    text = unit.text
    for call in _CALL().finditer(text):
        if _commented(text, call.start()):
            continue
        verb, after = call["verb"] or "", text[call.end() : call.end() + 600]
        limit = after.find(";")
        sends = verb in ("post", "put", "patch", "delete") or bool(
            _SENDS().search(after[: limit if limit > 0 else 400])
        )
        address = _address(text, call.end())
        if address is None or _DEFINED().match(text, call.end()):
            continue
        host = host_of(address)
        mark = "sends" if sends else ""
        if host is None and address.startswith("${"):
            host = UNKNOWN
        if host is not None:
            yield contacted(unit, host, address, call.start(), mark)


def _address(text: str, at: int) -> str | None:
    """The text of a call's first argument; a name is replaced by the text that the code assigns to it."""
    if match := _TEXT().match(text, at):
        if match["quote"] == "`" and match["text"].startswith("${"):
            name = _IN_TEXT().match(match["text"])
            known = _assigned(text, name[1]) if name else None
            return known + match["text"][name.end() :] if known and name else match["text"]
        return match["text"]
    if name := _NAME().match(text, at):
        return _assigned(text, name[1]) or "${" + name[1] + "}"
    return None


def _assigned(text: str, name: str) -> str | None:
    """The first address that is assigned to the last part of a dotted name; of a constant also a path."""
    last, at = name.rpartition(".")[2], 0
    for _ in range(50):
        at = text.find(last, at)
        if at < 0:
            return None
        end = at + len(last)
        rest = text[end : end + 8]
        if rest.lstrip(" ")[:1] in ("=", ":") and (at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_$")):
            skipped = end + len(rest) - len(rest.lstrip(" =:"))
            is_constant = text[max(0, at - 6) : at] == "const "
            match = _TEXT().match(text, skipped)
            if match and ("://" in match["text"] or (is_constant and match["text"].startswith("/"))):
                return match["text"]
        at = end
    return None


def _programs(unit: Unit) -> Iterator[FoundFact]:
    for match in _STARTED().finditer(unit.text):
        if (match["holder"] or "") not in _HOLDERS or _commented(unit.text, match.start()):
            continue
        before = unit.text[max(0, match.start() - 12) : match.start()]
        if before.rstrip().endswith("function"):
            continue
        shell = match["call"] in ("exec", "execSync")
        if not match["text"]:
            yield found_at(
                unit, FactKind.PROGRAM, "(decided at run time)", match.start(), "shell" if shell else "", "run-time"
            )
        elif shell:
            line = match["text"].replace("${", "$_{")
            yield from called(unit, line, found_at(unit, FactKind.PROGRAM, "", match.start()).place, "shell")
        elif (word := _WORD().match(match["text"])) is not None:
            yield found_at(unit, FactKind.PROGRAM, word[0], match.start())
