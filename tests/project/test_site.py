"""The site that `make site` builds: no warning, complete, all links lead somewhere, and nothing is from elsewhere."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest

from skillbag import REPOSITORY
from tests.once import once
from tests.project.site import build
from tests.support import PROJECT

pytest.importorskip("zensical")
pytestmark = pytest.mark.slow

HOST = "http://site.example/"
LOADS = {("img", "src"), ("script", "src"), ("source", "src"), ("iframe", "src"), ("object", "data"), ("link", "href")}
"""Attributes whose address a browser fetches; links of a page are only followed by its reader."""


class Page(HTMLParser):
    """What a page has: its anchors, the addresses that it leads to, and those that it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag, name) == ("a", "name"):
                self.anchors.add(value or "")
            elif (tag, name) in LOADS:
                self.loads.append(value or "")
            elif (tag, name) == ("a", "href"):
                self.links.append(value or "")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(once(tmp_path_factory, "site", build))


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[str, Page]:
    """The pages by address, without the host; the address of a folder stands for its `index.html`."""
    found = (path for path in sorted(site.rglob("*.html")) if path.name != "404.html")
    return {f"/{address(path.relative_to(site))}": Page(path.read_text("utf-8")) for path in found}


def address(path: Path) -> str:
    return path.as_posix().removesuffix("index.html")


def inside(page: str, links: list[str]) -> Iterator[tuple[str, str]]:
    """The path and the anchor of each address that is on the site."""
    for link in links:
        parts = urlsplit(urljoin(f"{HOST}{page.lstrip('/')}", link))
        if f"{parts.scheme}://{parts.netloc}/" == HOST:
            yield unquote(parts.path), unquote(parts.fragment)


def test_links_and_anchors_lead_somewhere(site: Path, pages: dict[str, Page]) -> None:
    wrong = []
    for name, page in pages.items():
        for path, anchor in inside(name, page.links):
            target = pages.get(path)
            known = bool(target) or (site / path.lstrip("/")).is_file()
            if not known or (anchor and target and anchor not in target.anchors):
                wrong.append((name, path, anchor))
    assert not wrong


def test_pictures_scripts_and_styles_are_there_and_come_from_the_site(site: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        local = [path for path, _ in inside(name, page.loads)]
        elsewhere = [link for link in page.loads if urlsplit(link).netloc]
        assert not elsewhere, (name, elsewhere)
        assert all((site / path.lstrip("/")).exists() for path in local), (name, local)


def test_styles_and_scripts_name_no_other_host(site: Path) -> None:
    texts = {path.name: path.read_text("utf-8") for path in site.rglob("*") if path.suffix in (".css", ".js")}
    assert texts
    for name, text in texts.items():
        assert not re.findall(r"url\([\"']?(?:https?:)?//[^)]*\)|@import|fonts\.g\w+\.com", text), name


def test_links_to_the_repository_name_its_files(pages: dict[str, Page]) -> None:
    named = {link for page in pages.values() for link in page.links if link.startswith(f"{REPOSITORY}/blob/main/")}
    assert named
    paths = {link.removeprefix(f"{REPOSITORY}/blob/main/").partition("#")[0] for link in named}
    assert [path for path in sorted(paths) if not (PROJECT / path).exists()] == []


def test_every_page_can_be_reached_from_the_first(pages: dict[str, Page]) -> None:
    reached, open_ = {"/"}, ["/"]
    while open_:
        page = open_.pop()
        new = {path for path, _ in inside(page, pages[page].links) if path in pages} - reached
        reached |= new
        open_ += sorted(new)
    assert set(pages) - reached == set()


def test_every_page_of_docs_is_in_the_navigation(site: Path) -> None:
    settings = json.loads((site.parent / "zensical.yml").read_text("utf-8"))
    listed = list(leaves(settings["nav"]))
    written = {path.relative_to(site.parent / "docs").as_posix() for path in (site.parent / "docs").rglob("*.md")}
    assert (len(listed), set(listed)) == (len(set(listed)), written)


def leaves(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for entry in value:
            yield from leaves(entry)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))


def test_a_link_out_of_the_pages_leads_to_the_repository_or_a_page_of_the_site() -> None:
    turned = runpy.run_path(str(PROJECT / "tools/docs_site.py"))["turned"]
    staged = {"docs/how-to/a.md": "how-to/a.md", "docs/b.md": "b.md", "CHANGELOG.md": "changelog.md"}
    text = (
        "[b](../b.md#x) [log](../../CHANGELOG.md) [code](../../skillbag/py.typed) `[c](../c.md)`\n"
        f"[b]: {REPOSITORY}/blob/main/docs/b.md\n[d]: https://d.example/\n\n```markdown\n[e](../../e.md)\n```\n"
        "| `a\\|b` |\n"
    )
    assert turned(text, "docs/how-to/a.md", staged) == (
        f"[b](../b.md#x) [log](../changelog.md) [code]({REPOSITORY}/blob/main/skillbag/py.typed) `[c](../c.md)`\n"
        "[b]: ../b.md\n[d]: https://d.example/\n\n```markdown\n[e](../../e.md)\n```\n"
        "| `a|b` |\n"
    )
