"""Natural questions to a published collection of skills: is a skill that helps among the first three matches?"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skillbag.marketplace.marketplace import search
from tests.marketplace.markets import add, update
from tests.support import Run

_QUESTIONS = {
    "how do I fill in a pdf form": "pdf",
    "make a powerpoint presentation from my notes": "pptx",
    "read numbers from an excel spreadsheet": "xlsx",
    "write a word document with tracked changes": "docx",
    "my website loads slowly, what can I do": "web-performance-optimization",
    "is my site usable for blind people": (
        "screen-reader-testing accessibility-compliance-accessibility-audit wcag-audit-patterns"
    ),
    "take payments with stripe": "stripe-integration payment-integration",
    "split a monolith into microservices": "microservices-patterns",
    "undo the last commits in git without losing work": "git-advanced-workflows conductor-revert",
    "write a commit message and push": "git-pushing commit",
    "set up a ci pipeline in gitlab": "gitlab-ci-patterns",
    "how to make my sql query faster": "sql-optimization-patterns database-optimizer",
    "generate a changelog from the git history": "changelog-automation",
    "translate my app into other languages": "i18n-localization",
    "build a bot for discord": "discord-bot-architect",
    "make an animated gif for slack": "slack-gif-creator",
    "which tests should I write for my react components": (
        "testing-patterns javascript-testing-patterns e2e-testing-patterns"
    ),
    "store passwords and api keys safely": "secrets-management",
    "what to do when production is down at night": (
        "incident-responder on-call-handoff-patterns incident-runbook-templates"
    ),
    "write a report of an outage without blaming anybody": "postmortem-writing",
    "run a container on google cloud": "gcp-cloud-run",
    "draw a sequence diagram": "mermaid-expert",
    "cold emails for sales": "sales-automator",
    "find out how big the market for my startup is": (
        "market-sizing-analysis startup-business-analyst-market-opportunity"
    ),
    "how much should my product cost": "pricing-strategy",
    "a privacy policy for my website": "legal-advisor gdpr-data-handling",
    "upgrade angularjs to angular": "angular-migration",
    "let a chatbot answer questions about my own documents": "rag-implementation rag-engineer",
    "tidy up my downloads folder": "file-organizer",
    "write a plugin for a minecraft server": "minecraft-bukkit-pro",
}
"""Each with the skills that help, of which one is enough."""

_ANSWERED = 26


def test_natural_questions_find_the_skill_that_helps(run: Run, corpus: Callable[[str], Path]) -> None:
    add(run, corpus("awesome-skills"), "awesome")
    assert update(run)[0] == 0

    first = {question: {entry.name for entry in search(question, 3).skills} for question in _QUESTIONS}
    missed = [question for question, skills in _QUESTIONS.items() if first[question].isdisjoint(skills.split())]

    assert len(_QUESTIONS) - len(missed) >= _ANSWERED, missed
