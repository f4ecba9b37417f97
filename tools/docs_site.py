"""The pages of `docs/` as a site: staged with their links turned, then built by Zensical.

python tools/docs_site.py                build it in build/site/pages
python tools/docs_site.py build FOLDER   build it in FOLDER/pages
python tools/docs_site.py serve          show it at http://localhost:8000, and again after each change of a page
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath
from typing import Any

from skillbag import REPOSITORY
from skillbag.doors.cli.app import SECTIONS
from skillbag.lint.rules.builtin import load_rules

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build/site"
BESIDE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "conformance/PROTOCOL.md": "conformance.md",
}
"""Pages of the site that are not in `docs/`."""

_IMAGES = (".png", ".svg")
_OURS = re.compile(rf"{re.escape(REPOSITORY)}/(?:blob|raw)/main/")
_LINKS = re.compile(
    r"(?P<code>^ *(?P<fence>`{3,}).*?^ *(?P=fence)$|(?P<ticks>`+)[^\n]*?(?P=ticks))"
    r"|(?P<before>\]\(|^\[[^\]\n]+\]: )(?P<target>[^)\s#]+)",
    re.DOTALL | re.MULTILINE,
)

Nav = list[dict[str, Any]]


def stage(root: Path, work: Path) -> None:
    """Write the pages and the configuration that Zensical takes to `work`; its output will be in `work/pages`."""
    shutil.rmtree(work / "docs", ignore_errors=True)
    staged = sources(root)
    for source, name in staged.items():
        target = work / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.suffix == ".md":
            target.write_text(turned((root / source).read_text("utf-8"), source, staged), "utf-8")
        else:
            shutil.copyfile(root / source, target)
    settings = tomllib.loads((root / "docs/site.toml").read_text("utf-8"))
    settings |= {"docs_dir": "docs", "site_dir": "pages", "nav": list(_expanded(settings["nav"]))}
    # Zensical reads YAML, of which JSON is a part.
    (work / "zensical.yml").write_text(json.dumps(settings, indent=1), "utf-8")


def sources(root: Path) -> dict[str, str]:
    """Each file that is part of the site, from the root, with its name there."""
    own = (path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*")) if path.is_file())
    return {name: name.removeprefix("docs/") for name in own if not name.endswith(".toml")} | BESIDE | _images(root)


def _images(root: Path) -> dict[str, str]:
    """Pictures beside `docs/`, which its pages would otherwise fetch from the code host."""
    found = (root / "benchmarks/results").glob("*.svg")
    return {name: f"images/{name}" for name in sorted(path.relative_to(root).as_posix() for path in found)}


def turned(text: str, source: str, staged: Mapping[str, str]) -> str:
    """The text of a page with its links as they work on the site; what is no part of it is on the code host."""

    def link(found: re.Match[str]) -> str:
        if found["code"]:
            # In a table, Markdown of code hosts escapes the bars of code, and Python's does not.
            row = text.startswith("|", text.rfind("\n", 0, found.start()) + 1)
            return found[0].replace(r"\|", "|") if row else found[0]
        target, inside = found["target"], bool(_OURS.match(found["target"]))
        if ":" in target and not inside:
            return found[0]
        path = _OURS.sub("", target) if inside else os.path.normpath(PurePosixPath(source).parent / target)
        if path in staged or path.startswith("docs/"):
            # A page that does not exist stays as it is: the build warns of it.
            return found["before"] + os.path.relpath(staged.get(path, path), PurePosixPath(staged[source]).parent)
        return f"{found['before']}{REPOSITORY}/{'raw' if path.endswith(_IMAGES) else 'blob'}/main/{path}"

    return _LINKS.sub(link, text)


def _expanded(nav: Nav) -> Iterator[dict[str, Any]]:
    """The navigation with the generated pages in the places of their folders."""
    for entry in nav:
        for title, value in entry.items():
            if isinstance(value, list):
                yield {title: list(_expanded(value))}
            else:
                yield {title: _GENERATED[value]() if value in _GENERATED else value}


def _commands() -> list[Any]:
    groups = ({title: [{name: f"commands/{name}.md"} for name in rows]} for title, rows in SECTIONS.items())
    return ["commands/index.md", *groups]


def _rules() -> list[Any]:
    families = groupby(sorted((rule.family, rule.id) for rule in load_rules()), lambda row: row[0])
    pages = ({family: [{rule: f"rules/{rule}.md"} for _, rule in rows]} for family, rows in families)
    return [{"All rules": "rules.md"}, *pages]


def _hosts() -> list[Any]:
    return ["hosts.md", *(f"hosts/{path.stem}.md" for path in sorted((ROOT / "hosts").glob("*.yaml")))]


_GENERATED = {"commands/": _commands, "rules/": _rules, "hosts/": _hosts}


def build(root: Path = ROOT, work: Path = WORK) -> None:
    """Build the site; a warning fails it.

    Raises:
        subprocess.CalledProcessError: it failed, and said why.
    """
    work.mkdir(parents=True, exist_ok=True)
    stage(root, work)
    subprocess.run([*_ZENSICAL, "build", "--strict", "--clean", "-f", work / "zensical.yml"], check=True)


def serve(root: Path = ROOT, work: Path = WORK) -> None:
    """Show the site until Ctrl-C."""
    import watchfiles

    work.mkdir(parents=True, exist_ok=True)
    stage(root, work)

    def follow() -> None:
        for _ in watchfiles.watch(root / "docs"):
            stage(root, work)

    threading.Thread(target=follow, daemon=True).start()
    subprocess.run([*_ZENSICAL, "serve", "-f", work / "zensical.yml"], check=True)


_ZENSICAL = (sys.executable, "-m", "zensical")


def main(arguments: Sequence[str]) -> int:
    """Build or show the site; returns the exit code."""
    try:
        match arguments:
            case []:
                build()
            case ["build", folder]:
                build(work=Path(folder).resolve())
            case ["serve"]:
                serve()
            case _:
                print(__doc__, file=sys.stderr)
                return 2
    except subprocess.CalledProcessError as error:
        return error.returncode
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
