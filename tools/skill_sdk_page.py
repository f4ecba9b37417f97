"""The page about the SDK of plugins, out of the signatures and docstrings of `skillbag/skill_sdk.py`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tables import table

_INTRO = """\
# SDK of Python plugins

A [plugin](runtime.md#python-plugins) is an [active skill](runtime.md) in Python. Its file has `new_skill()`, which
returns an object with the methods of `SkillPlugin`. `activate` gets a `Context`, registers what the skill brings, and
calls the functions of the host. Each function asks for its [permission](runtime.md#permissions) first. This page is
made of `skillbag/skill_sdk.py`, the one module of this package that a plugin can import.

```yaml
# .skills/longest-lines/SKILL.yaml
name: longest-lines
version: 1.0.0
description: Find the longest line of each text.
types: [tool]
permissions: [file:read]
implementation: {backend: plugin, entrypoint: skill.py}
```

```python
# .skills/longest-lines/skill.py
from skillbag.skill_sdk import Context, HostError


class LongestLines:
    def manifest(self):
        return {"name": "longest-lines"}

    def activate(self, ctx: Context):
        self.ctx = ctx
        ctx.register_tool("longest_line", "The longest line of a file", self.longest)

    def longest(self, value):
        try:
            lines = self.ctx.read_file(value["path"]).splitlines()
        except HostError as error:
            return f"It can't be read: {error}"
        return max(lines, key=len, default="")

    def deactivate(self, ctx: Context):
        pass


def new_skill():
    return LongestLines()
```
"""
_PERMISSION = re.compile(r"\s*`(\w+:\w+)`$")


def skill_sdk_page(source: Path) -> str:
    """The whole page."""
    classes = [each for each in ast.parse(source.read_text("utf-8")).body if isinstance(each, ast.ClassDef)]
    return "\n".join((_INTRO, *(part for each in classes for part in _section(each))))


def _section(found: ast.ClassDef) -> Iterator[str]:
    yield f"## `{found.name}`\n\n{_text(found)}\n"
    if fields := [each for each in found.body if isinstance(each, ast.AnnAssign)]:
        rows = ((f"`{ast.unparse(each.target)}`", f"`{ast.unparse(each.annotation)}`") for each in fields)
        yield table(("Field", "Type"), *rows)
    public = [each for each in found.body if isinstance(each, ast.FunctionDef) and not each.name.startswith("_")]
    if public:
        yield table(("Method", "Permission", "Does"), *map(_row, public))


def _row(method: ast.FunctionDef) -> tuple[str, str, str]:
    text = _text(method)
    permission = _PERMISSION.search(text)
    method.args.args = [each for each in method.args.args if each.arg != "self"]
    returns = f" -> {ast.unparse(method.returns)}" if method.returns else ""
    call = f"`{method.name}({ast.unparse(method.args)}){returns}`".replace("|", "\\|")
    return call, f"`{permission[1]}`" if permission else "–", _PERMISSION.sub("", text)


def _text(node: ast.ClassDef | ast.FunctionDef) -> str:
    return " ".join((ast.get_docstring(node) or "").split())
