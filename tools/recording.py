"""A recording of the program in a terminal, for the README and the first page of the documentation.

The commands really run, in a copy of an example. What takes time is set here, so that the same output makes the same
recording: `tools/generate.py --check` notices when it is stale.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from terminal import Terminal
from terminal_svg import Frame, drawing

EXAMPLE = Path("examples/draft")
COLUMNS, LINES = 88, 32
COMMANDS = (
    ("skillbag check", 4.0),
    ("skillbag check --fix", 3.5),
    ("mkdir skills/translate-page/references", 0.3),
    ("echo '# Glossary' > skills/translate-page/references/glossary.md", 0.3),
    ("sed -i 's/(#what-stays)/(#what-stays-as-it-is)/' skills/translate-page/SKILL.md", 0.3),
    ("skillbag check", 5.0),
)
"""What is typed, and the seconds for which the result stays."""
TITLE = (
    "A terminal: skillbag check finds four faults in a skill, --fix corrects two of them, the others are corrected by "
    "hand, and skillbag check finds nothing more"
)
_PROMPT = "\x1b[32m$\x1b[m "
_CHUNK, _KEY, _START = 4, 0.05, 0.6
"""Characters that are drawn together, seconds for each, and seconds before the first."""


def recording(root: Path) -> str:
    """The SVG of the commands in a copy of the example."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "draft")
        shutil.copytree(root / EXAMPLE, folder)
        program = Path(temporary, "bin/skillbag")
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m skillbag "$@"\n', "utf-8")
        program.chmod(0o755)
        env = {"PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(root), "HOME": temporary}
        env |= {"LC_ALL": "C.UTF-8", "COLUMNS": str(COLUMNS)}
        return drawing([*_frames(folder, env)], COLUMNS, TITLE)


def _frames(folder: Path, env: dict[str, str]) -> Iterator[Frame]:
    terminal = Terminal(COLUMNS, LINES)
    for command, pause in COMMANDS:
        terminal.show(_PROMPT)
        yield Frame(terminal.rows(), _START)
        for place in range(0, len(command), _CHUNK):
            chunk = command[place : place + _CHUNK]
            terminal.show(chunk)
            yield Frame(terminal.rows(), _KEY * len(chunk))
        terminal.show("\r\n")
        terminal.start(["sh", "-c", command], folder, env)
        if code := terminal.finish():
            raise SystemExit(f"{command} ended with {code}: the recording shows runs that pass")
        yield Frame(terminal.rows(), pause)


if __name__ == "__main__":
    sys.stdout.write(recording(Path(__file__).resolve().parent.parent))
