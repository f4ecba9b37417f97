"""Draws a terminal's screens as an SVG: one picture, or several that follow one another without a script.

Each row is drawn once for each stretch of time in which it stays the same; all of one stretch share an animation. Who
prefers reduced motion sees the last screen. Text stays text: it can be selected and read aloud.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

from terminal import Row, Rows, Run, Style, width_of

from skillbag.report.sanitize import shown

SIZE = 14
WIDTH, HEIGHT = 8.4, 18
MARGIN, BAR = 14, 30
_FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_NAMES = ("paper", "ink", "edge", "black", "red", "green", "brown", "blue", "magenta", "cyan", "white", "brightblack")
_LIGHT = "#ffffff #24292f #d0d7de #24292f #cf222e #116329 #7d4e00 #0550ae #8250df #1b7c83 #57606a #57606a"
_DARK = "#0d1117 #e6edf3 #30363d #484f58 #ff7b72 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #b1bac4 #8b949e"
LIGHT, DARK = (dict(zip(_NAMES, colours.split(), strict=True)) for colours in (_LIGHT, _DARK))
"""Colours for the names that pyte gives; `brown` is the terminal's yellow. The contrast to `paper` is at least 4.5."""


class Frame(NamedTuple):
    """A screen and the seconds for which it is shown."""

    rows: Rows
    seconds: float


class _Stretch(NamedTuple):
    """A row of the screen that stays the same from one frame (number) until before another."""

    line: int
    row: Row
    first: int
    end: int


def drawing(frames: Sequence[Frame], columns: int, title: str) -> str:
    """The SVG of these screens, which all have the same size; `title` says what is seen."""
    lines = len(frames[0].rows)
    width, height = round(columns * WIDTH + 2 * MARGIN), lines * HEIGHT + 2 * MARGIN + BAR
    stretches = sorted(_stretches(frames), key=lambda each: (each.first, each.end, each.line))
    styles, parts = [_page_style({run.style for frame in frames for row in frame.rows for run in row})], []
    for (first, end), group in groupby(stretches, key=lambda each: (each.first, each.end)):
        name = f"a{first}-{end}"
        if (first, end) != (0, len(frames)):
            styles.append(_animation(name, frames, first, end))
        body = "".join(_row(each.line, each.row) for each in group)
        kind = "s" if end == len(frames) else "s p"
        parts.append(f'<g class="{kind} {name}">{body}</g>')
    dots = "".join(f'<circle class="e" cx="{20 + 18 * number}" cy="16" r="5"/>' for number in range(3))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label={quoteattr(title)} xml:space="preserve">\n'
        f"<title>{escape(title)}</title>\n<style>\n{''.join(styles)}</style>\n"
        f'<rect class="w" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>{dots}\n'
        f'<g transform="translate({MARGIN} {MARGIN + BAR})">\n{chr(10).join(parts)}\n</g>\n</svg>\n'
    )


def _stretches(frames: Sequence[Frame]) -> Iterator[_Stretch]:
    for line in range(len(frames[0].rows)):
        number = 0
        for row, group in groupby(frame.rows[line] for frame in frames):
            count = len([*group])
            if row:
                yield _Stretch(line, row, number, number + count)
            number += count


def _animation(name: str, frames: Sequence[Frame], first: int, end: int) -> str:
    total = sum(frame.seconds for frame in frames)
    begin, stop = (100 * sum(frame.seconds for frame in frames[:number]) / total for number in (first, end))
    steps = [*([] if first == 0 else ["0%{visibility:hidden}"]), f"{begin:.2f}%{{visibility:visible}}"]
    steps += [f"{stop:.2f}%{{visibility:hidden}}"] if end < len(frames) else ["to{visibility:visible}"]
    return f"@keyframes {name}{{{''.join(steps)}}}\n.{name}{{animation:{name} {total:.1f}s step-end infinite}}\n"


def _page_style(used: set[Style]) -> str:
    named = {name for style in used for name in (style.ink, style.paper)} | {"paper", "ink", "edge", "brightblack"}
    names = sorted(named & DARK.keys())

    def variables(palette: dict[str, str]) -> str:
        return ";".join(f"--{name}:{palette[name]}" for name in names)

    rules = [f".{_class(style)}{{{_rule(style)}}}" for style in sorted(used) if _rule(style)]
    papers = [f".b{name}{{fill:{_colour(name)}}}" for name in sorted({style.paper for style in used} - {"default"})]
    return "\n".join(
        (
            f"svg{{{variables(LIGHT)};font:{SIZE}px {_FONT}}}",
            f"@media (prefers-color-scheme:dark){{svg{{{variables(DARK)}}}}}",
            ".w{fill:var(--paper);stroke:var(--edge)}.e{fill:var(--edge)}",
            "text{fill:var(--ink);white-space:pre}.p{visibility:hidden}",
            *rules,
            *papers,
            "@media (prefers-reduced-motion:reduce){.s{animation:none!important}}\n",
        )
    )


def _class(style: Style) -> str:
    return "t" + "-".join((style.ink, "b" * style.bold + "i" * style.italic + "u" * style.underlined))


def _rule(style: Style) -> str:
    looks = (
        ("" if style.ink == "default" else f"fill:{_colour(style.ink)}", True),
        ("font-weight:600", style.bold),
        ("font-style:italic", style.italic),
        ("text-decoration:underline", style.underlined),
    )
    return ";".join(text for text, holds in looks if holds and text)


def _colour(name: str) -> str:
    name = "brightblack" if name.startswith("bright") and name not in DARK else name
    return f"var(--{name})" if name in DARK else f"#{name}"


def _row(line: int, row: Row) -> str:
    top = line * HEIGHT
    papers = "".join(_paper(top, run) for run in row if run.style.paper != "default")
    texts = "".join(_text(run) for run in row if run.text.strip())
    return papers + (f'<text y="{top + 13}">{texts}</text>' if texts else "")


def _paper(top: int, run: Run) -> str:
    left, right = run.column * WIDTH, (run.column + run.width) * WIDTH
    return f'<path class="b{run.style.paper}" d="M{left:g} {top}H{right:g}v{HEIGHT}H{left:g}z"/>'


def _text(run: Run) -> str:
    """The width is given, since fonts differ."""
    text = run.text.rstrip()
    left = len(text) - len(text.lstrip())
    kind = f' class="{_class(run.style)}"' if _rule(run.style) else ""
    place = f'x="{(run.column + left) * WIDTH:g}" textLength="{width_of(text[left:]) * WIDTH:g}"'
    return f"<tspan{kind} {place}>{escape(shown(text[left:]))}</tspan>"
