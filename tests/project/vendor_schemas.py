"""Files of other programs, held to the schemas that a published checker carries."""

from __future__ import annotations

from pathlib import Path

from check_jsonschema import main  # type: ignore[import-untyped]
from click.testing import CliRunner


def hold(schema: str, *paths: Path) -> None:
    """The files are as the checker's schema of this name wants them."""
    words = ["--regex-variant", "nonunicode", "--builtin-schema", schema, *map(str, paths)]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
