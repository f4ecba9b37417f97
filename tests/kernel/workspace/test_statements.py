"""What an `AGENTS.md` states of a source, and what only mentions the same words."""

from __future__ import annotations

import pytest

from skillbag.kernel.workspace.statements import states_identity, states_location, states_steps
from tests.rows import each_row

IDENTITIES = """
This repository is a `SKILLBAG` source.
SKILLBAG UTILS v0.2.1
# Our SKILLBAG
`SKILLBAG`
Identity: SKILLBAG
A SKILLBAG source; its skills live under `.skills/`.
This repository is a [SKILLBAG](https://example.com) source.
This repository identifies itself as `SKILLBAG`.
> This is a public SKILLBAG v0.3.0 source.
This is a SKILLBAG source, not a plugin.
This is not only a plugin but also a SKILLBAG source.
This is no plugin and is a SKILLBAG source.
No installation steps are needed for this SKILLBAG source.
Our SKILLBAG has nine skills.
If you are an agent, this repository is a SKILLBAG source.
Treat this repository as a SKILLBAG source.
Welcome to the SKILLBAG of the docs team.
This repository is a “SKILLBAG” source.
This repository distributes SKILLBAG skills.
Dieses Repository ist eine `SKILLBAG` Quelle.
Este repositorio es una fuente `SKILLBAG`.
""".strip().splitlines()

MENTIONS = """
This is not a SKILLBAG source.
This repository isn’t a **SKILLBAG** source.
This repository is no longer a SKILLBAG source.
This repository does not identify itself as SKILLBAG.
This is not, and never was, a SKILLBAG source.
This is neither a plugin nor a SKILLBAG source.
This used to be a SKILLBAG source.
# Not a SKILLBAG source
SKILLBAG: no
Is this a SKILLBAG source?
Do not use this repository as a SKILLBAG source.
If this were a SKILLBAG source, it would have a catalog.
TODO: make this a SKILLBAG source.
<!-- SKILLBAG -->
~~This is a SKILLBAG source.~~
For example, “This repository is a SKILLBAG source.”
Write `This repository is a SKILLBAG source.` first.
Install skills with SKILLBAG tools
We use SKILLBAG for our skills.
Compatible with SKILLBAG.
See the SKILLBAG documentation.
SKILLBAG is a standard for agent skills.
SKILLBAG sources must have an AGENTS.md.
Skills come from a SKILLBAG source.
How to create a SKILLBAG source
See https://example.com/SKILLBAG and docs/SKILLBAG/ and SKILLBAG.md.
A SKILLBAG-like repository, rather than a SKILLBAG source.
Dies ist keine SKILLBAG Quelle.
""".strip().splitlines()

_FENCED = "Our skills.\n\n{0}md\nThis repository is a SKILLBAG source.\n{0}\n"


@pytest.mark.proves("install", "source.identity")
@each_row("text", IDENTITIES)
def test_a_sentence_that_says_what_the_repository_is(text: str) -> None:
    assert states_identity(f"# Skills\n\n{text}\n\nThey live under `.skills/`.\n")


@pytest.mark.proves("install", "source.identity")
@each_row("text", [*MENTIONS, *map(_FENCED.format, ("```", "~~~")), "Text:\n\n    A SKILLBAG source.\n"])
def test_other_sentences_with_the_word_are_no_identification(text: str) -> None:
    assert not states_identity(f"# Skills\n\n{text}\n\nThey live under `.skills/`.\n")


@pytest.mark.proves("install", "source.location")
@each_row(
    ("text", "stated"),
    [
        ("Skills live under `.skills/`.", True),
        ("Do not edit `.skills/` by hand.", True),
        ("```\n├── .skills/   # all of them\n```", True),
        ("The skills do not live under `.skills/`.", False),
        ("Skills are no longer in .skills/.", False),
        ("<!-- .skills/ -->", False),
        ("```\nThe skills live under `.skills/`.\n```", False),
    ],
)
def test_where_the_skills_are(text: str, stated: bool) -> None:
    assert states_location(f"A SKILLBAG source.\n\n{text}\n") is stated


@pytest.mark.proves("install", "source.extra-steps")
@each_row(
    ("text", "stated"),
    [
        ("## Installation steps\n\nRun it.", True),
        ("## Installation\n\n```sh\nmake\n```", True),
        ("## Installation\n\n### Linux\n\nRun it.", True),
        ("Installation\n---\n\nRun it.", True),
        ("Extra steps:\n- make", True),
        ("## Installation steps", False),
        ("## Installation steps\n\n## Other\n\nText.", False),
        ("Installation\n------------\n", False),
        ("**Extra steps:**", False),
        ("<!-- No installation steps. -->", False),
    ],
)
def test_a_title_alone_defines_no_steps(text: str, stated: bool) -> None:
    assert states_steps(f"A SKILLBAG source.\n\n{text}\n") is stated


@each_row("filler", ["SKILLBAG ", "“", "`", '"', "# step\n", "\n", "```\n", "<!--", "no SKILLBAG ", "instal:\n", " │"])
def test_a_long_text_is_judged_quickly(filler: str) -> None:
    text = "not SKILLBAG " + filler * (200_000 // len(filler))
    assert (states_identity(text), states_location(text), states_steps(text)) is not None
