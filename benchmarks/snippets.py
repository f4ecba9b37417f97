"""The bodies of fences: lines that look like the language that the fence names, as long as is asked for."""

from __future__ import annotations

import json
from random import Random

import hints
import words

_PYTHON = (
    "def {verb}_{thing}({thing2}, limit={number}):",
    '    """Return the {quality} {thing} of {place}."""',
    '    {thing2} = [line for line in {thing2} if "{quality}" in line][:limit]',
    "    return sorted({thing2}, key=len)",
    "",
    "{thing} = {verb}_{thing}({thing2}, limit={number})",
    "for number, line in enumerate({thing}, start={number}):",
    '    print(f"{{number}}: {{line}}")',
    "",
)
_SCRIPT = (
    "import {{ {verb} }} from './{thing}';",
    "",
    "export async function {verb}{thing}(input: string[]): Promise<number> {{",
    "  const {thing} = input.filter((line) => line.length > {number});",
    "  if ({thing}.length === 0) {{",
    "    throw new Error('no {quality} {thing}');",
    "  }}",
    "  // The {quality} {thing2} of {place}.",
    "  return {thing}.length;",
    "}}",
    "",
)
_BASH = (
    "# {verb} the {quality} {thing}",
    "git log --oneline -n {number} -- {thing}",
    "npm run {verb}:{thing}",
    "grep -rn '{quality}' {thing} | sort | head -n {number}",
    "docker run --rm {thing}:{number} --{verb}",
    "",
)
_YAML = ("{thing}:", "  {quality}: {number}", "  {verb}:", "    - {thing2}", "    - {quality}-{thing2}", "")
_GRAPHQL = ("{{", "  {thing}(limit: {number}) {{", "    {quality}", "    {verb}", "  }}", "}}", "")
_SQL = ("SELECT {thing}.id, {thing}.{quality}", "FROM {thing}", "WHERE {thing}.size > {number}", "ORDER BY 1;", "")
_TREE = ("{thing}/", "├── {quality}-{thing}.txt", "│   {number} lines for {place}", "└── {verb}", "")
_PLAIN = ("{verb} {thing}: {number}", "[{quality}] {thing} -> {thing2}", "  - {thing} of {place}", "")
_MARKDOWN = ("## {thing}", "", "- **{quality}**: {verb} the {thing2}", "- {number} lines for {place}", "")
_MARKUP = ('<{thing} class="{quality}">', "  <span>{number} {thing2}</span>", "</{thing}>", "")
_BRACES = ("{thing} {verb}_{thing}(int {thing2}) {{", "    return {thing2} * {number};", "}}", "")

_LINES = {
    **dict.fromkeys(("python", "gdscript"), _PYTHON),
    **dict.fromkeys(("typescript", "javascript", "tsx", "ts", "jsx", "js"), _SCRIPT),
    **dict.fromkeys(("bash", "powershell", "dockerfile", "makefile", "env"), _BASH),
    **dict.fromkeys(("yaml", "toml", "ini"), _YAML),
    "graphql": _GRAPHQL,
    **dict.fromkeys(("sql", "promql"), _SQL),
    **dict.fromkeys(("html", "xml", "svg", "liquid"), _MARKUP),
    **dict.fromkeys(("csharp", "c", "cpp", "rust", "go", "solidity", "php", "dart", "css", "hcl"), _BRACES),
    "markdown": _MARKDOWN,
}


def fence(random: Random, language: str, length: int, literals: list[str], as_tree: bool = False) -> str:
    """A fence of about that many bytes, with a piece of code for each literal.

    `as_tree`: a fence without a language may be a drawing in characters beyond ASCII.
    """
    return f"```{language}\n{lines(random, language, length, literals, as_tree)}```"


def lines(random: Random, language: str, length: int, literals: list[str], as_tree: bool = False) -> str:
    """The same without the fence."""
    if language == "json":
        return _object(random, length, literals)
    patterns = _LINES.get(language) or (_TREE if as_tree and random.random() < 0.5 else _PLAIN)
    mark = "# " if patterns is _YAML else ""
    made = [words.filled(random, f"{mark}{{verb}} {hints.code(random, literal)}") for literal in literals]
    left = length - sum(map(len, made)) - len(made)
    number = 0
    while left > 0:
        line = words.filled(random, patterns[number % len(patterns)])
        made.append(line)
        left -= len(line) + 1
        number += 1
    return "".join(f"{line}\n" for line in made)


def _object(random: Random, length: int, literals: list[str]) -> str:
    """One value of JSON, as fences have it: an object, with the literals in strings."""
    made = {f"step {number}": hints.code(random, literal) for number, literal in enumerate(literals, 1)}
    while len(text := json.dumps(made, indent=2)) < length:
        made[words.filled(random, "{thing} {number}")] = words.filled(random, "{quality} {thing2}")
    return text + "\n"
