"""Faults of texts: fences, left-overs, and too much or too little of it."""

from __future__ import annotations

from collections.abc import Callable

from mutations.edits import adds, body_start, says, whole
from mutations.kinds import MAIN, Broken, Kind, Place, Skill, Way

_FAMILY = "texts"
_PARAGRAPH = "Read the rows of the report, compare them with those of the last one, and write down what differs."


def _kind(name: str, *ways: Way) -> Kind:
    return Kind(name, _FAMILY, ways)


def _said(name: str, *texts: str) -> Kind:
    return _kind(name, *map(says, texts))


def _ends(*lines: str) -> Way:
    """The text ends in these lines, the first of which is wrong."""

    def way(skill: Skill, _random: object) -> Broken:
        text = skill.text.rstrip("\n")
        at = text.count("\n") + 3
        return Broken(skill.but({MAIN: "\n".join((text, "", *lines, ""))}), (Place(MAIN, at, at + len(lines)),))

    return way


def _body(make: Callable[[], str]) -> Way:
    def edit(text: str) -> str:
        lines = text.split("\n")
        return "\n".join(lines[: body_start(lines)]) + make()

    return whole(edit)


KINDS = (
    _kind(
        "fence-unclosed",
        _ends("```bash", "wc -l report.csv"),
        _ends("~~~", "wc -l report.csv", "```"),
        _ends("````markdown", "# Report", "```"),
        _ends("```json", '{"rows": 3}', "``"),
    ),
    _said(
        "fence-closed-early",
        "```markdown\n# Report\n\n```bash\nwc -l report.csv\n```\n\nThe rest of the report.\n```",
        "```md\n## Rows\n\n```json\n{}\n```\n\n## Sums\n```",
    ),
    _said(
        "merge-marker",
        "<<<<<<< HEAD\nCount the rows.\n=======\nCount the rows twice.\n>>>>>>> feature/rows",
        "<<<<<<< ours\nCount.\n||||||| base\nTally.\n=======\nSum.\n>>>>>>> theirs",
        ">>>>>>> 3f2c1ab (count the rows)",
        "<<<<<<< Updated upstream\nCount the rows.",
    ),
    _kind(
        "merge-marker-in-file",
        adds(
            "references/rows.md",
            "# Rows\n\n<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> main\n",
            "See [rows](references/rows.md).",
        ),
        adds(
            "scripts/tally.sh", "<<<<<<< HEAD\nwc -l a\n=======\nwc a\n>>>>>>> main\n", "Run `bash scripts/tally.sh`."
        ),
    ),
    _said(
        "insert-placeholder",
        "Send the report to [Insert your team's address].",
        "The report is for [Your company name].",
        "[Insert the steps here]",
        "Contact: <INSERT NAME>",
        "[Add more examples here as needed]",
        "## Examples\n\n[Replace this with examples]",
    ),
    _said(
        "todo-stub",
        "## Errors\n\nTODO",
        "## Errors\n\nTBD",
        "## Errors\n\nTODO: write this section",
        "TODO: add the steps for large reports.",
        "## Limits\n\n*Coming soon*",
        "## Limits\n\nFIXME: describe the limits",
    ),
    _said(
        "lorem-ipsum",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
        "## Notes\n\nLorem ipsum dolor sit amet.",
    ),
    _said("comment-unclosed", "<!-- The next part is for large reports.", "<!-- draft\n\nCount the rows."),
    _said("heading-empty", "##", "## \n\nCount the rows."),
    _kind(
        "body-empty",
        _body(lambda: "\n"),
        _body(lambda: "\n\n\n"),
        _body(lambda: "\n# Report\n"),
        _body(lambda: "\n<!-- -->\n"),
    ),
    _kind(
        "body-too-long",
        _body(lambda: "\n# Report\n\n" + f"- {_PARAGRAPH}\n" * 640),
        _body(lambda: "\n# Report\n\n" + f"{_PARAGRAPH} " * 420),
        _body(lambda: "\n# Report\n\n" + "Count the rows.\n\n" * 400),
        _body(lambda: "\n# Report\n\n" + f"{_PARAGRAPH * 4}\n\n" * 90),
    ),
    _kind(
        "reference-empty",
        adds("references/rows.md", "", "Read [the rows](references/rows.md) first."),
        adds("references/rows.md", "\n\n", "Read [the rows](references/rows.md) first."),
        adds("scripts/tally.py", "", "Run `python3 scripts/tally.py`."),
        adds("assets/rows.json", "", "The rows are in [rows](assets/rows.json)."),
    ),
)
