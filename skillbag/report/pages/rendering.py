"""A page out of its template, data, scripts and styles; the policy in it lets the browser run these scripts only."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from skillbag import STANDARD_VERSION, __version__
from skillbag.report.encoding import encoded
from skillbag.report.sanitize import shown

_HERE = Path(__file__).parent
_FIRST = ("dom.js", "address.js", "theme.js", "views.js", "keys.js")
_LAST = ("start.js",)
_IN_SCRIPTS = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}


class View(NamedTuple):
    """A view of a page: the name that it has in the address, and the text of its link."""

    id: str
    title: str


def render_page(
    template: str,
    *,
    title: str,
    data: object,
    scripts: Sequence[str],
    views: Sequence[View] = (),
    libraries: Sequence[str] = (),
    context: Mapping[str, Any] | None = None,
) -> str:
    """The page; the package's docstring says what the parts are. `context` is for the template."""
    bundle = _bundle((*_FIRST, *scripts, *_LAST))
    sources = [_library(name) for name in libraries]
    style, early = _text("styles/page.css"), _text("scripts/early.js")
    return (
        _environment()
        .get_template(template)
        .render(
            {
                **(context or {}),
                "title": title,
                "views": views,
                "version": __version__,
                "standard": STANDARD_VERSION,
                "policy": _policy(style, (early, *sources, bundle)),
                "style": Markup(style),  # noqa: S704 - our own file
                "early": Markup(early),  # noqa: S704
                "libraries": [Markup(source) for source in sources],  # noqa: S704
                "bundle": Markup(bundle),  # noqa: S704
                "data": embedded(data),
            }
        )
    )


def embedded(data: object) -> Markup:
    """JSON that may stand in a `<script>`: none of its characters can end the element, or a line of a script."""
    return Markup(encoded(data).translate(_IN_SCRIPTS))  # noqa: S704 - escaped just now


def _policy(style: str, scripts: Iterable[str]) -> str:
    """The Content-Security-Policy: our style and scripts, by their hashes, and nothing else, from nowhere."""
    hashes = " ".join(map(_hash, scripts))
    return (
        f"default-src 'none'; script-src {hashes}; style-src {_hash(style)}; img-src data:; base-uri 'none'; "
        "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["shown"] = shown
    environment.filters["code"] = _with_code
    environment.filters["number"] = lambda number: f"{number:,}"
    return environment


def _with_code(text: str) -> Markup:
    """Text in which what stands between backticks is code."""
    parts = re.split("`([^`]+)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    )


@cache
def _text(name: str) -> str:
    return (_HERE / name).read_text("utf-8")


def _bundle(scripts: Iterable[str]) -> str:
    """The scripts as one, in a scope of its own."""
    parts = [_text(f"scripts/{name}") for name in scripts]
    return "\n".join(['(() => {\n"use strict";', *parts, "})();"])


def _library(name: str) -> str:
    """The script of a library, below its licence."""
    licence = _text(f"vendor/{name}.LICENSE").replace("*/", "* /")
    return f"/*! {licence.strip()}\n*/\n{_text(f'vendor/{name}.js')}"
