"""Names and paths that must get nobody anywhere, and a workspace with links in every position to try them on."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from tests.install.worlds import write
from tests.lifecycle.bags import bag

SECRET = "words-that-nobody-may-see"
"""Stands in every file that is out of reach, and in no other."""

SKILLS = ("aa", "aab", "linked", "slipped")
"""The catalog's skills in `hostile_world`; `linked` leaves the workspace, and so does the `SKILL.md` of `slipped`."""

NAMES: Mapping[str, str] = {
    "empty": "",
    "blank": " ",
    "dot": ".",
    "parent": "..",
    "grandparent": "../..",
    "trailing-slash": "aa/",
    "leading-slash": "/aa",
    "absolute": "/etc",
    "root": "/",
    "home": "~",
    "variable": "$HOME",
    "sibling": "../aab",
    "through-itself": "aa/../aab",
    "into-itself": "aa/references",
    "current": "./aa",
    "skills-root": ".skills/aa",
    "backslash": "aa\\..\\aab",
    "backslash-at-the-end": "aa\\",
    "drive": "C:\\aa",
    "share": "\\\\server\\share",
    "nul": "aa\0",
    "nul-first": "\0aa",
    "nul-inside": "a\0a",
    "newline-at-the-end": "aa\n",
    "newline-first": "\naa",
    "carriage-return": "aa\r",
    "line-separator": "aa\u2028",
    "next-line": "aa\x85",
    "tab": "aa\t",
    "blank-at-the-end": "aa ",
    "blank-first": " aa",
    "no-break-space": "aa\u00a0",
    "upper": "AA",
    "mixed-case": "Aa",
    "underscore": "a_a",
    "double-hyphen": "a--a",
    "hyphen-first": "-aa",
    "hyphen-at-the-end": "aa-",
    "option": "--help",
    "hidden": ".aa",
    "dot-at-the-end": "aa.",
    "extension": "aa.md",
    "too-long": "a" * 65,
    "far-too-long": "a" * 100_000,
    "fullwidth": "\uff41\uff41",
    "fullwidth-hyphen": "a\uff0da",
    "kelvin": "\u212aey",
    "long-s": "\u017fkill",
    "dotless-i": "sk\u0131ll",
    "cyrillic": "\u0430\u0430",
    "combining": "aa\u0301",
    "composed": "\u00e1a",
    "ligature": "\ufb01le",
    "roman-numeral": "\u2170",
    "arabic-digit": "a\u0661",
    "superscript-digit": "a\u00b2",
    "non-breaking-hyphen": "a\u2011a",
    "right-to-left": "a\u202ea",
    "zero-width-space": "a\u200ba",
    "zero-width-joiner": "aa\u200d",
    "byte-order-mark": "\ufeffaa",
    "tag-character": "aa\U000e0061",
    "lone-surrogate": "aa\udc80",
    "high-surrogate": "\ud800",
    "escape": "\x1b[2Jaa",
    "bell": "aa\x07",
    "percent": "%2e%2e",
    "address": "file:///etc",
    "at": "aa@main",
    "hash": "aa#aab",
    "colon": "aa:aab",
    "star": "*",
    "glob": "a?",
    "semicolon": "aa;id",
    "substitution": "$(id)",
    "backticks": "`id`",
    "quote": "aa'",
    "double-quote": 'aa"',
    "json": '{"a": 1}',
    "markup": "<aa>",
}
"""What no skill can be called, by what is wrong with it. None is to reach a file system, a catalog or a shell."""

PATHS: Mapping[str, str] = {
    "empty": "",
    "blank": " ",
    "dot": ".",
    "dot-slash": "./",
    "parent": "..",
    "parent-slash": "../",
    "grandparent": "../..",
    "sibling": "../aab/secret.txt",
    "sibling-by-dots": "./../aab/secret.txt",
    "sibling-from-within": "references/../../aab/secret.txt",
    "sibling-by-double-slash": "references//..//..//aab//secret.txt",
    "sibling-past-a-missing-folder": "gone/../../aab/secret.txt",
    "sibling-past-a-file": "SKILL.md/../../aab/secret.txt",
    "sibling-of-a-shared-prefix": "../aa/../aab/secret.txt",
    "workspace-file": "../../SKILLBAG.md",
    "outside": "../../../outside/secret.txt",
    "far-up": "../" * 50 + "etc/passwd",
    "more-dots": ".../aab/secret.txt",
    "dots-and-slashes": "....//....//aab/secret.txt",
    "absolute": "/etc/passwd",
    "absolute-root": "/",
    "double-slash-first": "//etc/passwd",
    "process": "/proc/self/environ",
    "device": "/dev/zero",
    "standard-input": "/dev/stdin",
    "home": "~",
    "home-file": "~/.bashrc",
    "variable": "$HOME/.bashrc",
    "folder": "references",
    "folder-slash": "references/",
    "file-slash": "references/a.md/",
    "file-dot": "references/a.md/.",
    "below-a-file": "references/a.md/b",
    "missing": "references/gone.md",
    "newline-at-the-end": "references/a.md\n",
    "newline-first": "\nreferences/a.md",
    "carriage-return": "references/a.md\r",
    "line-separator": "references/a.md\u2028",
    "blank-at-the-end": "references/a.md ",
    "nul": "\0",
    "nul-at-the-end": "references/a.md\0",
    "nul-and-extension": "../aab/secret.txt\0.md",
    "backslash": "references\\a.md",
    "backslash-parent": "..\\aab\\secret.txt",
    "mixed-slashes": "references/..\\..\\aab/secret.txt",
    "drive": "C:\\Windows\\win.ini",
    "drive-slash": "C:/Windows/win.ini",
    "share": "\\\\server\\share\\secret.txt",
    "device-name": "con",
    "stream": "references/a.md::$DATA",
    "upper": "REFERENCES/A.MD",
    "percent": "%2e%2e/aab/secret.txt",
    "percent-slash": "..%2faab%2fsecret.txt",
    "overlong": "..\u00c0\u00afaab/secret.txt",
    "file-address": "file:///etc/passwd",
    "skill-address": "skill://aab/secret.txt",
    "fullwidth": "\uff0e\uff0e\uff0faab\uff0fsecret.txt",
    "fullwidth-dots": "\uff0e\uff0e/aab/secret.txt",
    "two-dot-leader": "\u2025/aab/secret.txt",
    "division-slash": "..\u2215aab\u2215secret.txt",
    "fraction-slash": "..\u2044aab\u2044secret.txt",
    "combining": "references/a\u0301.md",
    "kelvin": "\u212a.md",
    "right-to-left": "references/\u202edm.a",
    "zero-width-space": "references/a\u200b.md",
    "byte-order-mark": "\ufeffreferences/a.md",
    "lone-surrogate": "references/\udc80",
    "high-surrogate": "\ud800",
    "option": "-rf",
    "long-option": "--help",
    "substitution": "$(cat ../aab/secret.txt)",
    "backticks": "`cat ../aab/secret.txt`",
    "pipe-sign": "|cat",
    "semicolon": "scripts/run.sh;id",
    "with-argument": "scripts/run.sh ../aab",
    "glob": "references/*.md",
    "braces": "{references,scripts}/a.md",
    "too-long-a-name": "a" * 300,
    "too-long": "a" * 5_000,
    "far-too-long": "a" * 2_000_000,
    "too-deep": "a/" * 2_000 + "a",
    "link-to-a-file-outside": "out.txt",
    "link-to-a-folder-outside": "out/secret.txt",
    "link-to-a-folder-outside-itself": "out",
    "link-in-a-folder": "references/out.txt",
    "absolute-link": "absolute.txt",
    "absolute-link-to-a-folder": "absolute/passwd",
    "link-to-the-parent": "up/aab/secret.txt",
    "link-to-the-sibling": "sibling/secret.txt",
    "link-to-a-file-of-the-sibling": "sibling.txt",
    "link-to-a-link": "chain",
    "link-through-a-link": "chained/secret.txt",
    "link-and-back": "out/../aab/secret.txt",
    "circle": "circle",
    "circle-of-two": "round",
    "dangling": "dangling",
    "pipe": "pipe",
    "below-a-pipe": "pipe/a",
}
"""What no tool may read or run within the skill `aa` of `hostile_world`, by what is wrong with it."""


def hostile_world(folder: Path) -> Path:
    """A workspace below `folder` with the skills `SKILLS`, and secrets all around `aa`, to which its links lead."""
    outside = write(folder / "outside", {"secret.txt": SECRET, "SKILL.md": f"---\nname: linked\n---\n{SECRET}\n"})
    files = {
        ".skills/aa/references/a.md": "What anybody may read.\n",
        ".skills/aa/scripts/run.sh": "#!/bin/sh\necho done\n",
        ".skills/aab/secret.txt": SECRET,
    }
    root = bag(folder / "w", SKILLS, files)
    _link_skills(root / ".skills", outside)
    _link_files(root / ".skills/aa", outside)
    return root


def _link_skills(skills: Path, outside: Path) -> None:
    (skills / "linked/SKILL.md").unlink()
    (skills / "linked").rmdir()
    (skills / "linked").symlink_to(outside, target_is_directory=True)
    (skills / "slipped/SKILL.md").unlink()
    (skills / "slipped/SKILL.md").symlink_to("../../../outside/SKILL.md")


def _link_files(skill: Path, outside: Path) -> None:
    links = {
        "out.txt": "../../../outside/secret.txt",
        "references/out.txt": "../../../../outside/secret.txt",
        "out": "../../../outside",
        "absolute.txt": str(outside / "secret.txt"),
        "absolute": "/etc",
        "up": "..",
        "sibling": "../aab",
        "sibling.txt": "../aab/secret.txt",
        "chain": "out.txt",
        "chained": "out",
        "circle": "circle",
        "round": "round-again",
        "round-again": "round",
        "dangling": "gone",
    }
    for name, target in links.items():
        (skill / name).symlink_to(target)
    os.mkfifo(skill / "pipe")
