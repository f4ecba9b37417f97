"""A real description from a skill's name: what it is about, and when to use it."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ORDERS = _words("""
    adapt add adopt aggregate align analyse analyze annotate answer apply arrange assemble assess attach automate
    bake begin bring browse bundle calculate capture categorise categorize check choose clarify classify clean
    collect combine compare compile complete compose compress compute configure connect consolidate convert
    coordinate correct create crop curate debug decide decode decrypt define delete deliver deploy describe detect
    determine develop diagnose disable discover distribute divide download draw edit embed emit enable encode
    encrypt enforce enrich ensure enter establish evaluate examine execute expand explain explore extend extract
    fetch fill find finish fix follow forward gather generate get give handle harden help hide identify illustrate
    implement import improve include inform ingest initialise initialize insert inspect install integrate interpret
    introduce investigate invite keep launch learn let locate make manage measure merge migrate minify modernise
    modernize modify move normalise normalize notify open optimise optimize organise organize parse pick pin polish
    predict prepare preserve prevent prioritise prioritize produce propose protect prove provide publish pull push
    read rebase receive recommend recover redact reduce refactor refine refresh reload remember remind remove rename
    render reorganise reorganize repair replace reply represent reproduce resize resolve respond restore restructure
    retrieve reuse revert rewrite rotate run save scaffold scrape secure select send serve shorten show shrink
    simplify solve sort specify split start stop streamline strip submit suggest summarise summarize supervise
    synchronise synchronize tailor take teach tell think tidy trace transcribe transform translate triage trim tune
    turn uninstall unpack update upgrade upload use validate verify visualise visualize wait walk warn watch write
""")
"""Words that begin an order, whatever follows."""

_BOTH = _words("""
    archive book build cache design display document draft estimate format group lint list load log map model
    monitor plan play print process query record register release report research review schedule search share store
    test track train
""")
"""Words that begin an order (`review-plans`) or name a thing (`review-checklist`)."""

_HEADS = _words("""
    agent agents assistant builder cases checker checklist checklists conventions development engineering finder
    formatter generator generators guide guidelines guides helper helpers kit linter maker management manager mode
    notes parser patterns pipeline pipelines planner policies policy process reader reviewer rules runner server
    standards strategy style styles suite suites system systems template templates tool toolkit tools tracker viewer
    workflow workflows writer
""")
"""Last words that make the whole a thing, or several."""

_FIELDS = _words("development engineering management mode")
"""Those of them that take no article."""

_JOINTS = _words("""
    a an and as at but by for from how if in into is nor of off on onto or per so than the then to up via what when
    where which who why with
""")
"""Words that neither begin nor end a phrase."""


def describe(name: str) -> str:
    """One line for the skill of the canonical `name`; its words are the name's own."""
    words = name.split("-")
    phrase = " ".join(words)
    if not _is_phrase(words):
        return f'Carry out the skill "{name}". Use when the user asks for "{name}".'
    if _is_order(words):
        order = phrase.capitalize() if len(words) > 1 else f"Help to {phrase}"
        return f"{order}. Use when the user asks to {phrase}."
    begin = "Help" if words[0].endswith("ing") else "Work"
    thing = f"the {phrase}" if _is_single(words) else phrase
    return f"{begin} with {thing}. Use when a task involves {thing}."


def _is_phrase(words: list[str]) -> bool:
    if words[0] in _JOINTS or words[-1] in _JOINTS:
        return False
    return any(len(word) > 1 and not word.isdigit() for word in words)


def _is_order(words: list[str]) -> bool:
    if words[0] not in _BOTH:
        return words[0] in _ORDERS
    # `test-driven-development` and `report-writing` are things as well.
    return words[-1] not in _HEADS and not (len(words) > 1 and words[1].endswith(("ed", "en", "ing")))


def _is_single(words: list[str]) -> bool:
    """Whether the phrase names one thing, as far as the last word tells: `report-generator`, `review-checklist`."""
    last = words[-1]
    if len(words) == 1 or words[0].endswith("ing") or last.endswith("s") or last in _FIELDS:
        return False
    return last in _HEADS or last in ("list", "plan", "report") or last.endswith(("er", "or"))
