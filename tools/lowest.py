"""Prints constraints for `tools/lock` that pin each dependency of `pyproject.toml` to the lowest version it allows.

Of the extras, those that bring a part of the plain check or of its commands; the others bring programs of their own.
"""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text("utf-8"))["project"]


SHARING = ("check-jsonschema",)
"""Tools of the tests that need some of the same libraries: their newest version may want newer ones."""


EXTRAS = ("javascript", "watch")


def main() -> None:
    """Print one `name==version` a line; requirements without a lower bound are left open."""
    tools = [name for name in PROJECT["optional-dependencies"]["test"] if name.startswith(SHARING)]
    extras = [name for extra in EXTRAS for name in PROJECT["optional-dependencies"][extra]]
    for requirement in (*PROJECT["dependencies"], *extras, *tools):
        if match := re.fullmatch(r"([A-Za-z0-9-]+)>=([0-9.]+)", requirement):
            print(f"{match[1]}=={match[2]}")


if __name__ == "__main__":
    main()
