"""`skillbag search`."""

from __future__ import annotations

import click

from skillbag.cli.lifecycle import Answer, Command, answer, json_option

_EXAMPLES = """\b
Examples:
  skillbag search "fill pdf forms"
  skillbag search translate --source team --limit 5
  skillbag search "release notes" --json

Nothing is fetched: skillbag marketplace update brings the index up to date.
skillbag marketplace install REF takes one of the skills that are shown.

\b
Exit codes: 0 done, whether anything was found or not, 2 bad usage or nothing to
search in, 4 the index can't be read.
"""


@click.command("search", cls=Command, epilog=_EXAMPLES)
@click.argument("words", nargs=-1, required=True, metavar="WORDS...")
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of results.")
@click.option("--source", metavar="NAME", help="Search only the skills of this source.")
@json_option
def command(words: tuple[str, ...], limit: int, source: str | None, as_json: bool) -> None:
    """Search names, descriptions and instructions of the skills of the marketplace's sources.

    Any of the words matches, in any form (convert, converting), and the last one may be the beginning of a word. An
    exact name comes first, then the best match (BM25).
    """
    from skillbag.cli.market_text import found_text, found_values
    from skillbag.marketplace.marketplace import search

    def work() -> Answer:
        query = " ".join(words)
        found = search(query, limit, source)
        return Answer(found_values(query, found), found_text(found))

    answer("search", work, as_json=as_json)
