"""What the instructions of the reserved skill leave out: the standard's own text, with a part of it gone or turned."""

from __future__ import annotations

from skillbag.supply.bootstrap.templates import template
from tests.lint.checks.rule_runs import messages
from tests.rows import each_row
from tests.support import Tree

HEAD = "---\nname: skillbag-get-skills\ndescription: Install skills.\n---\n\n## Instructions\n\n"
STANDARD = """\
- `skills`: list of `{name, source?, version?}` items.
- Prepend `CONTEXT.md` dependencies to `skills` on initial setup. At least
  one install target MUST be provided via `skills` or `CONTEXT.md`.
- If `source` is omitted, resolve by local name only; do not fetch.
- If `version` is omitted for a git source, use the default branch head.
- Validate each source: check `AGENTS.md` identifies `SKILLBAG` and defines
  extra steps; check `.skills/`, `.skills/SKILLS.md` sync, requested skill
  presence, and `SKILL.md` validity. Follow all extra steps in `AGENTS.md`.
  Any failure MUST stop the entire run and report before making changes.
- Install each skill at `.skills/<name>/`. Skip if present and `upgrade=false`.
  Do not overwrite local edits without explicit user instruction.
- After all installs, regenerate `.skills/SKILLS.md` in ascending alphabetical
  order.
- If `persist-nonsecret-parameters=true`, resolved non-secret parameters MAY
  be written to `USER_CONTEXT.md`. Secrets MUST NOT be written automatically.
"""
RULE = "bootstrap-instructions-incomplete"


def _said(tree: Tree, text: str) -> list[str]:
    root = tree({"SKILLBAG.md": "SkillBag v0.3.0\n", ".skills/skillbag-get-skills/SKILL.md": text})
    return messages(root, RULE)


@each_row(
    ("old", "new", "named"),
    [
        ("`AGENTS.md`", "its readme", "the check of a source (`AGENTS.md`)"),
        ("use the default branch head", "ask", "the default branch"),
        ("resolve by local name only; do not fetch.", "search for it.", "without a source"),
        ("resolve by local name only; do not fetch", "fetch it from the marketplace", "without a source"),
        ("regenerate `.skills/SKILLS.md` in ascending alphabetical\n  order", "stop", "written anew"),
        ("ascending alphabetical\n  order", "the order of installation", "written anew"),
        ("Follow all extra steps in `AGENTS.md`.", "", "the extra steps"),
        ("Follow all extra steps", "Ignore all extra steps", "the extra steps"),
        ("Any failure MUST stop the entire run and report before making changes.", "", "the end of the run"),
        (
            "Any failure MUST stop the entire run and report",
            "On failure, go on with the next and stop at the end",
            "run",
        ),
        ("Skip if present and `upgrade=false`.", "", "is skipped"),
        ("Skip if present and `upgrade=false`", "Replace it if present", "is skipped"),
        ("Do not overwrite local edits without explicit user instruction.", "", "the protection of local edits"),
        ("Do not overwrite local edits without explicit user instruction", "Overwrite local edits", "local edits"),
        ("  Do not overwrite", "  Overwrite local edits. Do not overwrite", "the protection of local edits"),
        ("Secrets MUST NOT be written automatically.", "", "that secrets are not written"),
        ("Secrets MUST NOT be written", "Secrets MAY be written", "that secrets are not written"),
    ],
)
def test_what_is_missing_is_named(tree: Tree, old: str, new: str, named: str) -> None:
    assert old in STANDARD
    (message,) = _said(tree, HEAD + STANDARD.replace(old, new))
    absent = message.partition(": ")[2]
    assert named in absent
    assert ", " not in absent


def test_the_text_of_the_standard_and_ours_say_all(tree: Tree) -> None:
    assert _said(tree, HEAD + STANDARD) == []
    assert _said(tree, template("get-skills.md")) == []
