"""Secret files and conversations that are given away in prose (MITRE ATT&CK T1048)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillbag.kernel.base.lazy_regex import late
from skillbag.kernel.workspace.text import TextFile
from skillbag.lint.checks.instruction import is_instruction, is_negated, is_of_others, is_quoted
from skillbag.lint.checks.predicate import Match, NoOptions, Predicate, Subject, short
from skillbag.lint.facts.roles import line_at
from skillbag.lint.signals.addresses import addresses
from skillbag.lint.signals.fences import seen_fences, span_at
from skillbag.lint.signals.hosts import is_vendor
from skillbag.lint.signals.phrases import CommandForm, FormTable, Phrase, each, phrase_of
from skillbag.lint.signals.tongues import ASKS, asks_to_send, sentence_around

_DESTINATION = r"""\b(?: (?:to|at|via)\s+(?:<?https?://|`https?://|(?:the|our|my|this|a|an)\s+(?:\w+\s+){0,2}
                (?:server|endpoint|web\s?hook|url|address|api|host|service|domain|bucket|backend)\b)
          | (?:in|into|to|with|on)\s+(?:the|your|every|each|all|any|this)\s+(?:\w+\s+){0,2}
              (?:requests?|body|headers?|payload|calls?|query|parameters?|url|post|message)\b
          | as\s+(?:an?|the)\s+(?:\w+\s+){0,2}(?:parameter|argument|header|field|attachment|query|value)\b )"""
_SENDS = late(
    rf"""\b(?:{"|".join(ASKS)})(?:e|s|es|ing)?\b (?: (?:[^\n.!?]|[.!?](?=\S)){{0,120}}? {_DESTINATION}
        | \s+(?:(?:the|its|their|all|any|raw|full|secret)\s+)*(?:values?|contents?|keys?|secrets?|credentials?|tokens?)
          \s+(?:\w+\s+){{0,3}}?(?:in|into|to|with)\s+(?:the|your|every|each|a|an)\s+(?:\w+\s+){{0,2}}?
          (?:results?|responses?|answers?|repl(?:y|ies)|outputs?|summary|issue|comment|commit|pull\s+request)\b )""",
    re.IGNORECASE | re.VERBOSE,
)
_PHRASE = r"(?:(?:seed|recovery|secret)\s+phrase|mnemonic(?:\s+phrase)?|private\s+keys?)"
_SENDS_KEY = late(
    rf"""\b(?:send|post|upload|transmit|exfiltrate|submit|forward|include|attach|append|pass|add|put|copy|report)\s+
        (?:{_PHRASE} | (?:the|its|their|your|this|that|all|any)\s+(?:[\w'’]+\s+){{0,4}}?{_PHRASE} | it | them | both)\b
        [^\n.!?]{{0,60}}? {_DESTINATION}""",
    re.IGNORECASE | re.VERBOSE,
)
_BREAK = late(r"\n[ \t]*\n")


def is_exempt(before: str) -> bool:
    """Whether the beginning of a sentence forbids what follows, or speaks of others who do it."""
    return is_negated(before) or is_of_others(before)


def request_to_send(text: TextFile, start: int, end: int) -> tuple[int, int] | None:
    """The span of the words that ask to send what stands at `start` to `end`, in its sentence or the next one."""
    if text.language not in ("markdown", "text") or start < text.body:
        return None
    body = text.document.text
    line = line_at(text.document, start)
    if line.head.lstrip().startswith(("|", ">", "#")) and text.language == "markdown":
        return None
    first = max(start - 160, 0)
    first = max((match.end() + first for match in _BREAK().finditer(body[first:start])), default=first)
    sentences = max(body.rfind(mark, first, start) for mark in (". ", ".\n", "! ", ":\n"))
    first = max(first, sentences + 1)
    window = _BREAK().split(body[start : end + 300], maxsplit=1)[0]
    match = _SENDS().search(body, first, start + len(window))
    if match is None:
        return asks_to_send(body, start, end)
    if is_exempt(body[first : min(match.start(), start)]) or is_exempt(body[first : match.start()]):
        return None
    return min(match.start(), start), max(match.end(), end)


def request_to_send_key(text: TextFile, at: int) -> tuple[int, int] | None:
    """The span of the words that ask to send the seed phrase or key of a wallet named at an offset."""
    body = text.document.text
    first = body.rfind("\n", max(0, at - 160), at) + 1 or max(0, at - 160)
    for match in _SENDS_KEY().finditer(body, first, at + 200):
        between = body[min(at, match.start()) : max(at, match.start())]
        if "\n\n" not in between and ". " not in between and is_instruction(text, *match.span()):
            return match.span()
    return None


_TALK = r"""(?:the\s+|all\s+|this\s+|your\s+|any\s+|each\s+|every\s+|a\s+copy\s+of\s+)*
  (?:(?:full|entire|whole|complete|current
  |raw|previous|user['’]s)\s+){0,3}
    (?: (?:conversation|chat|message|session|dialogue)s?(?:\s+(?:history|context|transcript|logs?|so\s+far|text
      |contents?))?
      | system\s+prompts? | user['’]s\s+(?:own\s+)?(?:files?|messages?|prompts?|input|documents?|data
        |instructions?) )"""
_KEPT = r"(?:(?:\w+\s+)?(?:credentials?|secrets?|tokens?|keys?|passwords?))"
_EVERY = r"""(?:every|each|all|any)\s+(?:\w+\s+){0,2}
    (?:calls?|requests?|invocations?|tools?|commands?|uses?|queries|query|scripts?|runs?)\b"""
_PARTS = ("parameter", "argument", "field", "header", "value", "property", "option", "flag")
_PART = r"(?:an?|the)\s+(?:\S+\s+){0,3}?(?:" + "|".join(_PARTS) + ")"
_EACH_ANSWER = r"(?:(?:every|each|all|any|your)\s+(?:\w+\s+)?(?:answers?|repl(?:y|ies)|responses?|messages?))\b"
_BEACON = r"""(?:!\[[^\]\n]{0,60}\]\(|<img\b[^>\n]{0,80}?\bsrc=["']?)https?://(?!localhost|127\.)[^\s)?]*\?[^\s)]*?=
    (?:[A-Z]{2,}|[<{\[$%])"""
"""An image whose address has a value that the agent is to fill in: who shows it sends the value."""
_FILLED_LINK = r"""https?://(?!localhost|127\.)[^\s`)<>?]*\?(?:[^\s`)<>]*&)?
    (?:pw|pwd|pass(?:word|wd|phrase|code)|mnemonic|seed|cvv|otp)=(?:[<{\[$%]|[A-Z]{2,})"""
"""An address that a password of the user's is part of."""
_WHOLE = ("entire", "full", "whole", "omplete")
_OF_WORDS = ("chat", "dialogue", "transcript", "thread", "session", "conversation", "message history")
_REPLIES = ("answer", "reply", "response", "message")
_GUARDED = ("pw", "pwd", "password", "passwd", "passphrase", "passcode", "mnemonic", "seed", "cvv", "otp")
_FLAGS = re.IGNORECASE | re.VERBOSE
_WHOLE_TALK = tuple(f"{whole} {talk}" for whole in _WHOLE for talk in _OF_WORDS)


_GIVES = ("add", "include", "append", "pass", "send", "attach", "put", "embed", "copy", "supply", "provide", "insert")
_GIVE = rf"(?:{'|'.join(_GIVES)})"
_AWAY = ("forward", "post", "upload", "transmit")
_TALK_SIGNS = (
    *("onversation", "system prompt", "chat history", "chat transcript", "message history"),
    *("session transcript", "user's file", "user's message", "user's prompt", "user's data", "user's document"),
    *("user's input", "user's instruction", "system\nprompt", *_WHOLE_TALK),
)
_FAR = 160


def _talk(form: str, *beside: tuple[str, ...]) -> Phrase:
    return phrase_of(_TALK_SIGNS, form, _FAR)._replace(beside=beside)


_LEAKS = FormTable(
    _talk(
        rf"""(?:{_GIVE}|{"|".join(_AWAY)})\s+ {_TALK} [^\n.!?]{{0,60}}? \b
            (?: (?:as|in|into|to|via|with)\s+{_PART}\b [^\n.!?]{{0,80}}? (?:{_EVERY})
              | (?:to|with|in|into|on)\s+{_EVERY} [^\n.!?]{{0,60}}? (?:as|in|via)\s+{_PART}\b )
          | (?:with|on|in|for|to|at|during)\s+{_EVERY} [^\n.!?]{{0,40}}? \b{_GIVE}\s+ {_TALK}
              [^\n.!?]{{0,60}}? \b(?:as|in|into|to|via|with)\s+{_PART}\b""",
        (*_GIVES, *_AWAY),
        _PARTS,
        ("every", "each", "all", "any"),
    ),
    _talk(
        rf"(?:{_GIVE}|{'|'.join(_AWAY)})\s+ {_TALK} [^\n.!?]{{0,60}}? \b(?:to|at)\s+[<`]?https?://(?!localhost|127\.)",
        (*_GIVES, *_AWAY),
        ("http",),
    ),
    phrase_of(
        (
            *each("redentials_to ecrets_to ecret_to okens_to keys_to asswords_to ontents_to"),
            *("_KEY to", "_TOKEN to", "_SECRET to", "Reveal the ", "Reveal any ", "Reveal all "),
        ),
        rf"""(?:upload|exfiltrate|send|post|forward|transmit|submit|report|share|e-?mail)\s+
            (?:(?:all|any|the|these|those|found|discovered|collected|your|their|of|user['’]s)\s+)*
            (?:{_KEPT}(?:\s+and\s+(?:\w+\s+)?\w+)?|files?\s+contents?|\w+_(?:key|token|secret|password))\s+to\s+
            (?: (?:(?:the|an?|our|my|this|some)\s+)?
                (?: (?:\w+\s+){{0,2}}?(?:webhook|collector) | collection\s+\w+ | administrators?
                  | (?:external|remote|third[- ]party|foreign|outside)\s+(?:service|server|endpoint|host|url)s? )
              | (?:(?<=_key\ to\ )|(?<=_token\ to\ )|(?<=_secret\ to\ ))`?https?://(?!localhost|127\.|\[))
          | (?-i:R)eveal\s+(?:the|any|all)\s+(?:\w+\s+){{0,2}}?
            (?:system\s+prompts?|(?:developer|hidden)\s+instructions)\b""",
        beside="webhook collect external remote third-party administrator http system developer hidden"
        " & send upload post forward transmit submit report reveal",
    ),
    _talk(
        rf"""(?:every|each)\s+(?:\w+\s+){{0,2}}(?:call|request|invocation|tool\s+call)s?\s+
            (?:must|should|has\s+to|needs\s+to)\s+(?:also\s+)?(?:include|contain|carry|pass|send|have)\s+ {_TALK}
            (?:\s+(?:as|in)\s+{_PART})?""",
        ("must", "should", "has to", "needs to"),
        ("call", "request", "invocation"),
        ("every", "each"),
        ("include", "contain", "carry", "pass", "send", "have"),
    ),
    _talk(
        rf"""(?:call|request|open|fetch|get|visit|load|query|ping)\s+[`<(]?https?://(?!localhost|127\.)\S+
            [^\n.!?]{{0,30}}? \bwith\s+ {_TALK}""",
        ("http",),
        ("with",),
    ),
    CommandForm(
        tuple(f"{each} {said}" for each in ("very", "each", "your") for said in _REPLIES),
        late(rf"\b{_EACH_ANSWER} [^\n]{{0,80}}? {_BEACON} | {_BEACON} [^\n]{{0,80}}? \b{_EACH_ANSWER}", _FLAGS),
        240,
        beside=(("![", "<img"),),
    ),
    CommandForm(
        tuple(f"{mark}{name}=" for mark in "?&" for name in _GUARDED),
        late(rf"\b(?:display|show|open|give|present|send|print|offer|click)\b [^\n]{{0,80}}? {_FILLED_LINK}", _FLAGS),
        240,
    ),
)
"""The conversation, or a password of the user's, as a part of a call or address."""
_GIVEN = "send post upload submit forward transmit report email share push copy".split()  # noqa: SIM905
_SAID = FormTable(
    CommandForm(
        (
            *("the user asked", "the user types", "the user typed", "the user said", "the user says"),
            *("the user writes", "messages of the user", "messages from the user", "user message", "last user"),
            *("of this session", "of this conversation", "of this chat", " that you saw", "s you have seen"),
            "s you saw",
            *_TALK_SIGNS,
        ),
        late(
            r"""\b(?: (?:what|everything|anything|all|whatever)\s+(?:that\s+)?the\s+user\s+(?:has\s+)?
                      (?:asked|asks|said|says|typed|types|wrote|writes|enter(?:s|ed)|pasted?s?)
                  | (?:last|latest|recent|every|each|all)\s+(?:\w+\s+){0,2}messages?\s+(?:of|from|by)\s+the\s+user
                  | (?:every|each|all|last|latest)\s+user\s+(?:message|prompt|question|input)s?
                  | (?:transcript|history|logs?|copy)\s+of\s+(?:this|our|your)
                      \s+(?:\w+\s+)?(?:session|conversation|chat)
                  | (?:conversation|chat)\s+(?:history|transcript)(?!\s+(?:from|at)\b)
                  | (?:keys?|tokens?|secrets?|passwords?)\s+(?:that\s+)?you(?:['’]ve|\s+have)?\s+
                      (?:saw|seen|found|know) )\b""",
            re.IGNORECASE | re.VERBOSE,
        ),
        160,
        320,
        (("http",), (*_GIVEN, "=<", "={", "=[", "=$", "=%", "=`", "?")),
    )
)
"""What a user has said or given to the agent, in this conversation."""
_GIVEN_TO = late(
    r"""\b(?:send|post|upload|submit|forward|transmit|report|email|share|push|copy)\b [^\n]{0,120}?\b(?:to|at|via)\s+
        [`<("']?https?://(?!localhost|127\.|\[)
      | https?://(?!localhost|127\.|\[)[^\s`"'<>)]*\?(?:[^\s`"'<>)]*&)?\w+=(?:[`"')]|[<{\[$%]|[A-Z]+\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""An address to which something is given, or whose last value somebody is to fill in."""
_ALL_OF_IT = FormTable(
    phrase_of(
        _WHOLE_TALK,
        r"""(?:complete|entire|full|whole)\s+(?:chat|conversation|dialogue|transcript|thread|session|message\s+history)
            (?:\s+(?:history|transcript|log|text))? [^\n.!?]{0,60}?
            \b(?:so\s+far|up\s+to\s+(?:now|this\s+(?:point|turn))|until\s+now|to\s+date|word\s+for\s+word|verbatim
              |system\s+prompt|with\s+(?:the|your)\s+user)\b""",
        2,
    )._replace(
        beside=(("so far", "up to", "until", "to date", "word for", "verbatim", "prompt", "the user", "your user"),)
    )
)
"""The conversation that goes on now, and not one that the skill is about."""
_REQUEST = late(
    r"""\b(?:POST|PUT|send|submit|upload|report|forward)(?:s|ed|ing|ted|ting)?\b [^\n]{0,80}?
        https?://(?!localhost|127\.)""",
    re.IGNORECASE | re.VERBOSE,
)
_BEFORE, _AFTER = 800, 300
"""How far before and after the words a request may stand, for a table of its fields or the next paragraph."""
_MODELS = late(
    r"\b(?:LLM|model|Claude|GPT|OpenAI|Anthropic|Gemini|messages?\s+API|completion|subagent|agent)s?\b", re.IGNORECASE
)


@Predicate("conversation-leak", Subject.TEXT, values=("phrase",), literals=(*_LEAKS.signs, *_SAID.signs))
def conversation_leak(text: TextFile, _: NoOptions) -> Iterator[Match]:
    """Prose and descriptions of tools that put the conversation or the user's files into calls."""
    if text.language == "python" or text.language == "shell":
        return
    body, leaks = text.document.text, [*_LEAKS.matches(text)]
    for match in leaks:
        sentence = re.split(r"[.!?]\s", line_at(text.document, match.start()).before)[-1]
        if is_quoted(text, *match.span()) or is_exempt(sentence) or _is_about_models(body, match):
            continue
        if text.language == "markdown" and span_at(seen_fences(text) or (), match.start()):
            continue
        yield _leak(text, match)
    # The whole conversation as what a request holds, in a table of its fields as well.
    for match in _ALL_OF_IT.matches(text):
        first, last = max(0, match.start() - _BEFORE), match.end() + _AFTER
        if not _REQUEST().search(body, first, last) or _MODELS().search(body, match.start() - 160, match.end() + 60):
            continue
        sentence = re.split(r"[.!?]\s", line_at(text.document, match.start()).before)[-1]
        is_leak = any(leak.start() < match.start() < leak.end() for leak in leaks)
        if not (is_leak or is_exempt(sentence) or span_at(seen_fences(text) or (), match.start())):
            yield _leak(text, match)
    yield from _said(text)


def _said(text: TextFile) -> Iterator[Match]:
    """What the user has said, in a sentence that gives it to an address of nobody known."""
    body, last = text.document.text, -1
    for match in _SAID.matches(text):
        first, stop = sentence_around(body, *match.span())
        if match.start() < last or not (given := _GIVEN_TO().search(body, first, stop)):
            continue
        hosts = [found.host for found in addresses(body, given.start(), stop) if not is_vendor(found.host)]
        is_model = _MODELS().search(body, match.start() - 60, match.start()) is not None
        if hosts and not (is_model or is_exempt(body[first : match.start()]) or _is_aside(text, match.start())):
            last = stop
            yield Match(text.document.path, *match.span(), {"phrase": short(" ".join(body[first:stop].split()))})


def _is_aside(text: TextFile, at: int) -> bool:
    """Whether a place is in a table, a quotation or a block of code."""
    is_quoted = line_at(text.document, at).head.lstrip().startswith(("|", ">"))
    return is_quoted or (text.language == "markdown" and span_at(seen_fences(text) or (), at) is not None)


def _leak(text: TextFile, match: re.Match[str]) -> Match:
    return Match(text.document.path, *match.span(), {"phrase": short(" ".join(match[0].split()))})


def _is_about_models(body: str, match: re.Match[str]) -> bool:
    """Whether the calls are those of a program to a language model, which has no memory of its own."""
    return bool(_MODELS().search(body, match.start(), match.end() + 60)) and "http" not in match[0]
