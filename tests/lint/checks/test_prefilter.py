"""A first look spares a text the exact one, and hides nothing from it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from skillbag.kernel.documents.catalog import collapse
from skillbag.kernel.documents.markdown_fences import plain_fences
from skillbag.kernel.workspace.skill import read_skill
from skillbag.kernel.workspace.text import TextFile, language_of, text_files
from skillbag.lint.checks import executables, links, path_references
from skillbag.lint.checks.executables import Lacking, run_without_bit
from skillbag.lint.checks.fences import unclosed_fence
from skillbag.lint.checks.lazy_predicate import NEEDS
from skillbag.lint.checks.links import LinkFaults, link
from skillbag.lint.checks.path_references import path_missing
from skillbag.lint.checks.predicate import Match, NoOptions
from skillbag.lint.checks.prefilter import LinkPrefilter, glance_at
from skillbag.lint.signals import fences
from tests.rows import each_row

KINDS = LinkFaults(("missing", "wrong-case", "leaves-skill", "leaves-target", "no-anchor"))
PIECES = (
    "\n## First steps\n", "\n# run\n", "[a](references/page.md)", "[b](references/page.md#first-part)", "[c](#run)",
    "[d](#first-steps)", "[e](#gone)", "[f](references/page.md#gone)", "[g](scripts/gone.sh)", "](#run](x)", "](", ")",
    "[h](a;./scripts/run.sh)", "[i](x scripts/run.sh)", "[j]:#scripts/gone.sh)", "[k]: references/gone.md", "\n", " ",
    "\n```sh\n", "\n```\n", "```", "`", "A=1 ", "./", "scripts/run.sh", "`scripts/run.sh --all`",
    "python scripts/gone.sh", "references/page.md", "See references/gone.md.", "assets/logo.png", "<!-- ", " -->",
    "~~~\n", "[l](https://a.b/c?d=e)", "\n- item\n  ", "\n  ```\n", "\n   ```sh\n", "\n> ", "\n1. ", "\n    ", "\n\n",
    '<a href="references/gone.md">', "<img\nsrc=references/gone.png>", "<a class='x' id=g\n> href=references/gone.md>",
    "\n<div>\n", "</div>", "\n<pre>\n", "\n[m]: references/gone.md", "\n[m\nn]:\nreferences/gone.md", "[^1]: a.md ",
    "[n](<references/gone.md>)", "[n](<references/page.md>)", '[o](references/gone.md "title")', "[o]( a/gone.md )",
    "[o](references/gone.md title)", "[p](references/go\\ne.md)", "[q](references/a(b).md)", "\n# *Run* `it`\n",
    "[r](#run-it)", "[r](#RUN--it)", "[r](references/page.md#page)", "\n# A [b](c.md)\n", "[r](#a-b)", "&amp;", "\\",
    "<", ">", '"', "(", "]: ", "[", "]", "\r\n", "\r", "\t", "[s](\nreferences/gone.md)", "[t](%72eferences/page.md)",
    "[u](references/gone.md](references/page.md)", "[v]({baseDir}/references/gone.md)", "````\n", "\n``` `x`\n",
    "\n[w\\[x]: references/gone.md", "[y](#setup)", "<Img src=references/gone.png>", "`list[str]: x`",
    "`references/gone.md`",
)  # fmt: skip


@pytest.fixture(scope="module")
def skills_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a skill with a script and a reference."""
    root = tmp_path_factory.mktemp("prefilter") / "skills" / "tidy"
    for name in ("references", "scripts"):
        (root / name).mkdir(parents=True)
    (root / "references" / "page.md").write_text("# Page\n\n## First part\n\nText.\n")
    (root / "scripts" / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    return root.parent


def text_of(body: str, skills_root: Path) -> TextFile:
    root = skills_root / "tidy"
    (root / "SKILL.md").write_text(f"---\nname: tidy\n# Setup\ndescription: Tidies.\n---\n\n{body}")
    text = next(iter(text_files(read_skill(str(root), str(skills_root), str(skills_root.parent)))))
    assert isinstance(text, TextFile)
    return text


def hits(text: TextFile) -> list[Match]:
    options = NoOptions()
    found = (
        link(text, KINDS),
        path_missing(text, options),
        run_without_bit(text, Lacking()),
        unclosed_fence(text, options) if NEEDS["odd-fences"](text) else (),
    )
    return [match for matches in found for match in matches]


def without_leaving_out(text: TextFile) -> LinkPrefilter:
    return glance_at(text)._replace(rest=text.document.text, paths=True)


@given(st.lists(st.sampled_from(PIECES), max_size=12))
@example(["[e](#gone)", "](#run](x)"])
@example(["\n```sh\n", "A=1](b scripts/run.sh)", "\n```\n"])
@example(["x](a;./scripts/run.sh)\n"])
@example(["[1:3]:#scripts/gone.sh)"])
@example(["Options [a]: see ", "`references/gone.md`"])
@example(["`list[str]: x`", "\n\n", "`references/gone.md`"])
@example(["\n[w\\[x]: references/gone.md"])
@example(["See ", "[y](#setup)"])
@example(["<Img src=references/gone.png>"])
def test_a_first_look_hides_nothing(skills_root: Path, pieces: Sequence[str]) -> None:
    quick = hits(text_of("".join(pieces), skills_root))
    with (
        patch.object(links, "_is_suspect", lambda *_: True),
        patch.object(links, "plain_fences", lambda _: None),
        patch.object(fences, "plain_fences", lambda *_: None),
        patch.dict(NEEDS, {"odd-fences": lambda _: True}),
        patch.object(path_references, "_named", lambda _: {"scripts/none.sh"}),
        patch.object(executables, "glance_at", without_leaving_out),
        patch.object(path_references, "glance_at", without_leaving_out),
        patch.object(executables, "_may_run", lambda *_: True),
    ):
        exact = hits(text := text_of("".join(pieces), skills_root))
    assert plain_fences(text.document.text, text.body) in (None, [*text.markdown.fences])
    assert [(hit.start, hit.end, hit.values) for hit in quick] == [(hit.start, hit.end, hit.values) for hit in exact]


@each_row(
    ("relative", "language"),
    [
        ("a/B.MD", "markdown"),
        (".env", "text"),
        ("x/.env", "text"),
        ("..md", None),
        ("scripts/..md", "script"),
        ("scripts/tool", "script"),
        ("scripts/tool.", None),
        ("other/tool", None),
        ("a.md/tool", None),
        ("logo.png", None),
    ],
)
def test_the_language_of_a_name(relative: str, language: str | None) -> None:
    assert language_of(relative) == language


@given(st.text(st.sampled_from("a \t\n\u00a0\u2028\u200b\u00ad\u3000é")))
def test_a_description_on_one_line_has_single_blanks(text: str) -> None:
    assert collapse(text) == " ".join(text.split())
