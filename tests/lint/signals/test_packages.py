"""The packages that a command names: what stands after an option is its value, or a package, by the program."""

from __future__ import annotations

from skillbag.lint.signals.packages import packages
from skillbag.lint.signals.programs import run_of
from skillbag.lint.signals.shell_commands import commands
from tests.rows import each_row

NAMED = [
    ("uv add --group dev pytest", "pytest"),
    ("uv add pytest --group dev", "pytest"),
    ("uv add --optional plot matplotlib --extra s3 boto3", "matplotlib boto3"),
    ("uv add --dev pytest", "pytest"),
    ("uv add --script tool.py rich --index https://host.invalid/simple", "rich"),
    ("uv add --bounds exact -m win32 rich", "rich"),
    ("uv tool install --python 3.12 --with rich ruff", "ruff"),
    ("poetry add --group dev pytest", "pytest"),
    ("poetry add pytest -G dev", "pytest"),
    ("poetry add --optional pytest", "pytest"),
    ("poetry add --extras s3 boto3 --source own", "boto3"),
    ("pip install --platform linux --only-binary :all: rich", "rich"),
    ("pip install --upgrade-strategy eager --timeout 30 rich", "rich"),
    ("pip install -U rich", "rich"),
    ("npm install -f rich", "rich"),
    ("npm install -D rich -w site", "rich"),
    ("pnpm add -w rich --filter site", "rich"),
    ("bun add --cwd site rich", "rich"),
    ("yarn add -D rich", "rich"),
    ("apt-get install -f -y -t stable rich", "rich"),
    ("brew install -f rich", "rich"),
    ("cargo install --git https://host.invalid/x --rev abc rich", "rich"),
    ("gem install -v 1.2.0 rich", "rich"),
    ("conda install -c conda-forge -n own rich", "rich"),
    ("dotnet tool install --tool-path own rich", "rich"),
    ("pdm add -dG test rich", "rich"),
    ("pdm add -G test rich", "rich"),
    ("pipenv install --dev rich", "rich"),
    ("npx -p rich tool", "rich"),
    ("uvx --with more --from rich tool", "rich more"),
]


@each_row(("command", "expected"), NAMED)
def test_only_packages_are_named(command: str, expected: str) -> None:
    runs = [run_of(found) for found in commands(command)]
    assert [package.name for run in runs if run for package in packages(run)] == expected.split()
