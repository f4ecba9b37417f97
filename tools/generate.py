"""Makes what is derived from `rules/`: the package's index of rules, and the pages and tables of `docs/`.

python tools/generate.py           write what is stale
python tools/generate.py --check   name what is stale and exit with 1
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from skillbag.documents.nodes import Mapping, Sequence, YamlError, core_value, parse_yaml
from skillbag.rule_files import read_folder

ROOT = Path(__file__).resolve().parent.parent


def clauses() -> list[dict[str, Any]]:
    """The entries of `rules/clauses.yaml`, in order."""
    node = parse_yaml((ROOT / "rules/clauses.yaml").read_text("utf-8"))
    if node is None or isinstance(node, YamlError | Mapping) or not isinstance(node, Sequence):
        raise SystemExit(f"rules/clauses.yaml: {node}")
    value = core_value(node)
    return cast(list[dict[str, Any]], value)


def rules() -> list[dict[str, Any]]:
    """The data of every rule file, examples included, by family and id."""
    return sorted(
        (dict(file.data) for file in read_folder(str(ROOT / "rules"))), key=lambda rule: (rule["family"], rule["id"])
    )


def index() -> str:
    """The index that the package loads instead of the rule files."""
    bare = [{key: value for key, value in rule.items() if key != "examples"} for rule in rules()]
    return json.dumps({"clauses": clauses(), "rules": bare}, indent=1, ensure_ascii=False) + "\n"


def outputs() -> Iterator[tuple[Path, str]]:
    """Every generated file with the text that it should have."""
    yield ROOT / "skillbag/data/rules.json", index()


def main(arguments: list[str]) -> int:
    """Write, or with `--check` only name, the files that are stale."""
    stale = [(path, text) for path, text in outputs() if not path.is_file() or path.read_text("utf-8") != text]
    for path, text in stale:
        if "--check" in arguments:
            print(f"stale: {path.relative_to(ROOT)}; run `python tools/generate.py`")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
            print(f"written: {path.relative_to(ROOT)}")
    return int(bool(stale) and "--check" in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
