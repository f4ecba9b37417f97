"""Packages that files of dependencies name, and scripts that npm runs."""

from __future__ import annotations

from pathlib import Path

from skillbag.lint.capabilities.collect import folder_facts
from skillbag.lint.capabilities.facts import Fact, FactKind
from tests.rows import each_row
from tests.support import skill

REQUIREMENTS = """# tools
rich==13.0  # fixed
httpx[http2] >= 0.27 ; python_version > "3.8"
-e git+https://code.vendor.dev/o/r
tool @ https://vendor.dev/tool.whl
-r more.txt
./local
"""
PROJECT_FILE = """[project]
name = "x"
dependencies = ["rich==13.0"]
"""
HEADER = """# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "rich==13.0",
#   "httpx",
# ]
# ///
print(1)
"""
PACKAGE = """{"dependencies": {"left": "1.2.3", "right": "^2.0.0", "own": "file:../own"},
"devDependencies": {"far": "github:o/far"},
"scripts": {"postinstall": "curl https://vendor.dev/x", "test": "jest"}}
"""


def facts(folder: Path, name: str, text: str) -> dict[tuple[FactKind, str], Fact]:
    (folder / "tidy").mkdir()
    (folder / "tidy/SKILL.md").write_text(skill("tidy"))
    (folder / "tidy" / name).write_bytes(text.encode())
    return {fact.key: fact for fact in folder_facts(str(folder / "tidy")).facts}


@each_row(
    ("name", "text", "expected"),
    [
        (
            "requirements-dev.txt",
            REQUIREMENTS,
            {
                "pypi:rich": "pinned",
                "pypi:httpx": "unpinned",
                "pypi:git+https://code.vendor.dev/o/r": "foreign unpinned",
                "pypi:tool": "foreign unpinned",
            },
        ),
        ("requirements.txt", "--index-url https://vendor.dev/simple\nrich\n", {"pypi:rich": "foreign unpinned"}),
        ("pyproject.toml", PROJECT_FILE, {"pypi:rich": "pinned"}),
        ("pyproject.toml", "[[[", {}),
        ("run.py", HEADER, {"pypi:rich": "pinned", "pypi:httpx": "unpinned"}),
        ("package.json", PACKAGE, {"npm:left": "pinned", "npm:right": "unpinned", "npm:far": "foreign unpinned"}),
        ("package.json", "{", {}),
    ],
)
@each_row("newline", ["\n", "\r\n"])
def test_packages(tmp_path: Path, name: str, text: str, expected: dict[str, str], newline: str) -> None:
    found = facts(tmp_path, name, text.replace("\n", newline))
    packages = {value: fact for (kind, value), fact in found.items() if kind is FactKind.PACKAGE}
    assert packages.keys() == expected.keys()
    for value, marks in expected.items():
        assert set(packages[value].marks) == {"script", *marks.split()}


def test_a_package_is_where_it_is_named_first(tmp_path: Path) -> None:
    fact = facts(tmp_path, "requirements.txt", "rich\nrich-click\nrich\n")[FactKind.PACKAGE, "pypi:rich"]
    assert {str(place) for place in fact.places} == {"requirements.txt:1:1"}


def test_scripts_of_an_installation_are_hooks(tmp_path: Path) -> None:
    found = facts(tmp_path, "package.json", PACKAGE)
    assert found[FactKind.HOOK, "npm postinstall"].detail == "curl https://vendor.dev/x"
    assert (FactKind.HOOK, "npm test") not in found
    assert str(found[FactKind.HOST, "vendor.dev"].places[0]) == "package.json:3:13"
    assert (FactKind.PROGRAM, "jest") in found
