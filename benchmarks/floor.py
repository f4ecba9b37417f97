"""The least that a checker in one process of Python has to do to read every text of a tree of skills. No rules.

    python floor.py LITERALS

It walks the working directory, reads every text, searches all literals of the rules in one pass, parses Markdown to its
events, front matter with libyaml, and scripts in Python to their symbol table. LITERALS is the file with the literals,
with a NUL between them. Prints how much it has seen, as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from _symtable import symtable  # type: ignore[import-not-found]
from collections import Counter
from collections.abc import Iterator

import yaml
from ahocorasick_rs import BytesAhoCorasick, Implementation
from pyromark import events

TEXTS = frozenset(
    (
        *(".md", ".markdown", ".sh", ".bash", ".yaml", ".yml", ".py", ".json", ".toml", ".txt", ".env", ".npmrc"),
        *(".pem", ".key", ".ini", ".cfg", ".zsh", ".fish", ".ps1", ".bat", ".cmd", ".js", ".mjs", ".cjs", ".jsx"),
        *(".ts", ".mts", ".cts", ".tsx", ".rb", ".pl", ".php", ".lua", ".star", ".applescript"),
    )
)
"""The suffixes of the texts that are read: those that skillbag reads."""
_MARKDOWN = (".md", ".markdown")


def texts(root: str) -> Iterator[tuple[str, str, bytes]]:
    """The name, the suffix and the content of every text below the folder."""
    pending = [root]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        pending.append(entry.path)
                    continue
                suffix = os.path.splitext(entry.name)[1].lower()
                if suffix in TEXTS:
                    with open(entry.path, "rb") as handle:
                        yield entry.name, suffix, handle.read()


def read_markdown(text: str, seen: Counter[str]) -> None:
    """Parse front matter, if there is any, and go through the events of the rest."""
    if text.startswith("---\n"):
        front, mark, body = text.partition("\n---\n")
        if mark:
            text = body
            try:
                seen["fields"] += len(yaml.load(front, yaml.CSafeLoader) or ())
            except yaml.YAMLError:
                seen["faults"] += 1
    for _ in events(text):
        seen["events"] += 1


def main() -> None:
    """Go through the working directory."""
    with open(sys.argv[1], "rb") as handle:
        find = BytesAhoCorasick(handle.read().split(b"\0"), implementation=Implementation.DFA).find_matches_as_indexes
    warnings.simplefilter("ignore")
    seen = Counter(dict.fromkeys(("skills", "files", "literals", "events", "fields", "scripts", "faults"), 0))
    for name, suffix, data in texts("."):
        seen["files"] += 1
        seen["skills"] += name == "SKILL.md"
        seen["literals"] += len(find(data, overlapping=True))
        text = data.decode("utf-8", "replace")
        if suffix in _MARKDOWN:
            read_markdown(text, seen)
        elif suffix == ".py":
            seen["scripts"] += 1
            try:
                symtable(text, name, "exec")
            except (SyntaxError, ValueError):
                seen["faults"] += 1
    print(json.dumps(seen))


if __name__ == "__main__":
    main()
