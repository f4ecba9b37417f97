"""Words of questions: those that say nothing about a skill, and others for the same thing.

People ask with other words than skills are described with: for the picture that a skill calls an image.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

_STOP_WORDS = """
a about above after again all also am an and any anybody anyone anything are as ask at be because been before being
below between both but by can cannot could d did do does doing don done down during each else ever every few for
from get gets getting give gives go goes going good got had has have having he help helps her here hers him his how
i if in into is isn it its itself just know let lets like ll look looks make makes making many may me might mine
more most much must my need needs never no nor not now of off on once one ones only or other others our ours out
over own per please put really s same say see she should show so some someone something such sure t take takes tell
than that the their theirs them then there these they thing things this those through till to too try under until
up upon us ve very want wants was wasn way we well went were what when where whether which while who whom whose why
will with without won would you your yours
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Without meaning for a search; used only when a query has no others."""

_GROUPS = """
accessible accessibility wcag blind disabled
picture image photo
film movie video clip
chatbot bot assistant chat conversation
website site webpage web
iphone ipad ios
phone mobile smartphone
slow slowly fast faster speed performance
crash exception error
bug broken debug
wrong error bug
hacker hack attack attacker exploit pentest
safe safely secure security
hole flaw vulnerability
insecure vulnerable vulnerability
password credential secret
login signin authentication auth
remember memory
excel spreadsheet xlsx
word docx
powerpoint slides presentation pptx
chart graph plot dashboard visualization
diagram mermaid
translate translation i18n localization
hire hiring recruiting hr
stock trading portfolio invest
past historical backtest
price pricing
cash runway financial
money revenue
boss manager stakeholder
docs documentation readme
kubernetes k8s cluster
container docker
deploy deployment release ship
mail email newsletter
google search seo
visitor user customer
old legacy modernize
upgrade update migrate migration newest
package library dependency
license licensing
log logs logging
schedule scheduled cron
morning daily
news article
similar similarity alike
scrape scraper crawl crawling download
exe binary executable
decompile disassembly reverse
lawyer law legal contract
trust authority credibility
ugly beautiful design
confusing usability ux
commit git
prove verify verification
claim fact
shop store ecommerce shopify
coupon popup discount offer
scroll scrolling parallax
animate animation
summary summarize report
bucket s3
endpoint api
rival competitor competitive
repository repo monorepo
amazon aws lambda
table schema
experiment hypothesis
ai llm
terminal shell command bash
cleaner clean refactor
job task queue
night on-call
tomorrow resume restore
office on-premises
tunnel vpn
microsoft azure windows
"""

_ENDINGS = ("ing", "ies", "es", "ed", "ly", "s")
_MIN_STEM = 3


def others(word: str) -> tuple[str, ...]:
    """Other words for what a word, in any form, may mean."""
    return tuple(other for other in _by_stem().get(_stem(word), ()) if _stem(other) != _stem(word))


@cache
def _by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for group in (line.split() for line in _GROUPS.split("\n")):
        for stem in _distinct(map(_stem, group)):
            found[stem] = _distinct((*found.get(stem, ()), *group))
    return found


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
