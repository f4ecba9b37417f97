"""Pages as files: what stands in them stays text, and their policy names their own scripts."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from skillbag.report import pages
from skillbag.report.pages.rendering import View, embedded, render_page
from tests.report.report_results import HOSTILE, made_finding, made_result, reported
from tests.rows import each_row

HERE = Path(str(pages.__file__)).parent


class Reader(HTMLParser):
    """The elements of a page with their attributes and, of scripts and styles, their texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.texts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem:
            self.texts[-1] += data

    def text_of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        """The attributes and the text of each such element."""
        pairs = zip(self.elements, self.texts, strict=True)
        return [(attributes, text) for (name, attributes), text in pairs if name == tag]


def data_of(page: str) -> Any:
    """The data that a page holds for its script."""
    return next(
        json.loads(text) for attributes, text in Reader(page).text_of("script") if attributes.get("id") == "data"
    )


@given(st.text(st.characters()))
def test_data_can_not_end_their_element(text: str) -> None:
    whole = embedded({"text": text})
    assert json.loads(whole) == {"text": text}
    assert not re.search("[<>&\u2028\u2029]", whole)
    assert whole.isascii()


@each_row("text", ["</script><script>x()</script>", "<!--<script>", "]]>", "<img onerror=x()>", HOSTILE])
def test_texts_of_files_become_no_elements(text: str) -> None:
    plain = Reader(reported("html", made_result(made_finding())))
    finding = made_finding(message=text, fix=text, excerpt=text * 2, path=f"/work/shop/{text}", rule=text, clause=text)
    reader = Reader(reported("html", made_result(finding)))
    assert [tag for tag, _ in reader.elements if tag in ("script", "img", "style")] == [
        tag for tag, _ in plain.elements if tag in ("script", "img", "style")
    ]


def test_the_policy_allows_the_scripts_of_the_page_and_nothing_else() -> None:
    reader = Reader(reported("html", made_result(made_finding())))
    (policy,) = (each["content"] or "" for _, each in reader.elements if each.get("http-equiv"))
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = [text for attributes, text in reader.text_of("script") if attributes.get("type") is None]
    texts = [*scripts, *(text for _, text in reader.text_of("style"))]
    assert {b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts} == allowed
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy


def test_no_markup_has_scripts_or_styles_of_its_own() -> None:
    reader = Reader(reported("html", made_result(made_finding(edits=()))))
    names = {name for _, attributes in reader.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src")}


def test_a_template_without_a_value_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render_page("check.html", title="x", data={}, scripts=("check.js",), views=(View("a", "A"),))


@each_row("path", sorted((HERE / "scripts").glob("*.js")), ids=lambda path: path.name)
def test_a_script_can_stand_in_a_page(path: Path) -> None:
    text = path.read_text("utf-8")
    assert not re.search(r"</script|<!--|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", text)


def test_libraries_are_those_of_the_list() -> None:
    lines = (HERE / "vendor/README").read_text("utf-8").partition("SHA-256\n")[2].splitlines()
    listed = {name.strip(): digest.strip() for name, *_, digest in (line.split("|") for line in lines)}
    files = {path.name: path for path in (HERE / "vendor").iterdir() if path.name != "README"}
    assert {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()} == listed
