"""Texts of checked files in a browser: they stay text, and even a script among them would not run."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Error, Page, expect

from tests.browser.check_pages import RULES, check_page, finding
from tests.browser.looks import assert_fits
from tests.browser.opening import OpenPage
from tests.report.report_results import HOSTILE, TOKEN

OWNED = "document.title='owned'"
MARKUP = (
    f"</script><script>{OWNED}</script>",
    f"<img src=x onerror={OWNED}>",
    f"<!--<script>{OWNED}",
    f"]]><svg onload={OWNED}>",
    f"</noscript></textarea></style><b onclick={OWNED}>x</b>",
    f"{{{{ {OWNED} }}}}{{% raw %}}",
    "&lt;b&gt; &amp; \u05d0\u05d1\u05d2 (a) \u0639\u0631\u0628",
)


def hostile_page(open_page: OpenPage, root: Path, text: str, **options: bool) -> Page:
    """A page in which the text is wherever a text of a file can be."""
    wrong = finding(
        0,
        root,
        message=text,
        fix=text,
        excerpt=text * 3,
        clause=text,
        rule=text,
        path=f"{root}/{text.replace('/', '')}",
    )
    rule = RULES[0]._replace(id=text, title=text, why=text, fix=text, family=text, clause=text)
    return open_page(check_page(root, wrong, finding(1, root), rules=(rule, RULES[1])), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("scripts", [True, False])
@pytest.mark.parametrize("text", MARKUP)
def test_markup_is_shown_as_it_is_written(open_page: OpenPage, tmp_path: Path, text: str, scripts: bool) -> None:
    page = hostile_page(open_page, tmp_path, text, scripts=scripts)
    assert page.title() == f"1 error, 1 warning in the skills of {tmp_path.name}"
    expect(page.locator("img, b, textarea, iframe, svg:not(.share)")).to_have_count(0)
    expect(page.locator(".card-title" if scripts else ".plain > li").first).to_contain_text(text)
    if scripts:
        expect(page.locator(".card .excerpt").first).to_contain_text(text)
        page.get_by_label("Group by").select_option("rule")
        expect(page.locator(".group h3").filter(has_text=text)).to_be_visible()
        page.get_by_role("link", name="Rules", exact=True).click()
        expect(page.locator(".rule code").first).to_have_text(text)
    assert page.title() != "owned"


def test_controls_are_escaped_and_secrets_masked(open_page: OpenPage, tmp_path: Path) -> None:
    page = hostile_page(open_page, tmp_path, f"{HOSTILE.replace(chr(0xD800), '')} {TOKEN}".replace("\x7f", ""))
    text = page.locator("body").inner_text()
    assert "a\\x1b[31m\\r\\nb::error::c\\x07" in text
    assert not {"\x1b", "\u202e", "\u200b"} & set(text)
    assert TOKEN[8:] not in page.content()


def test_huge_words_stay_within_the_window(open_page: OpenPage, tmp_path: Path) -> None:
    long = "x" * 300_000
    wrong = finding(
        0, tmp_path, message=long[:5_000], excerpt=long, column=100_000, end_column=200_000, rule=long[:500]
    )
    page = open_page(check_page(tmp_path, wrong, finding(1, tmp_path)), width=400)
    assert_fits(page)
    assert len(page.locator(".excerpt").first.inner_text()) < 500


@pytest.mark.parametrize("url", ["javascript:document.title='owned'", "data:text/html,x", "file:///etc/hostname"])
def test_other_addresses_are_no_links(open_page: OpenPage, tmp_path: Path, url: str) -> None:
    page = open_page(check_page(tmp_path, finding(0, tmp_path), rules=(RULES[0]._replace(url=url),)))
    expect(page.locator(".card-title")).to_have_count(1)
    addresses = page.locator("a").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    assert all(address.startswith("#") for address in addresses)


@pytest.mark.parametrize("markup", [*MARKUP[:2], f'<p style="x">a</p><a href="javascript:{OWNED}" id="bad">x</a>'])
def test_a_script_that_got_in_would_not_run(
    open_page: OpenPage, faults: list[str], tmp_path: Path, markup: str
) -> None:
    file = check_page(tmp_path, finding(0, tmp_path))
    file.write_text(file.read_text("utf-8").replace("<h1", markup.replace("</script>", "", 1) + "<h1"), "utf-8")
    page = open_page(file)
    if page.locator("#bad").count():
        page.locator("#bad").click()
    expect(page.get_by_role("status")).to_have_text("1 finding")
    assert page.title() != "owned"
    assert any("Content Security Policy" in fault for fault in faults)
    faults.clear()


@pytest.mark.parametrize(
    "code", ["document.body.innerHTML = '<b>x</b>'", "document.createElement('script').text = 'x'"]
)
def test_no_script_makes_markup_or_code_of_texts(
    open_page: OpenPage, faults: list[str], tmp_path: Path, code: str
) -> None:
    page = open_page(check_page(tmp_path, finding(0, tmp_path)))
    with pytest.raises(Error, match="Trusted"):
        page.evaluate(f"() => {{ {code} }}")
    faults.clear()
