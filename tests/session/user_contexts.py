"""`USER_CONTEXT.md` files of every style, and what another reader of Markdown and YAML finds in them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import yaml
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from skillbag import open_workspace
from skillbag.kernel.documents.edit.lines import flow
from skillbag.session.settings.settings_reader import read_settings
from skillbag.session.settings.value import Value
from tests.session.parameters import make
from tests.supply.install.worlds import write

SKILLS = ("*", "convert", "check-links")
NAMES = ("format", "input_path", "no", "with blank", "größe")

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(
        ["pdf", "", " leading", "true", "1.10", "a: b", "# no", 'say "hi"', "it's", "é 🎉", "[", "*", "- x"]
    )
    | st.integers(-9, 9999)
    | st.booleans()
    | st.sampled_from([0.5, 1.25, -3.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b c"]), inner, max_size=2),
    max_leaves=5,
)

_PROSE = (
    "# Me",
    "## Parameters",
    "I like short sentences.\nAnd blanks at the end.  ",
    "<!-- parameters: {convert: {format: none}} -->",
    "- a list\n\n  with `parameters`",
    "> a quote",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "\tindented: code",
    "Underlined\n----------",
    "```text\nparameters: {convert: {format: none}}\n```",
    "~~~yaml\nanything: else\nlist:\n- 1\n~~~",
    '```yaml\ntags: {convert: {add: ["#run/last"]}}\n```',
    "```yaml\nname: a test\non: {push: [broken\n```",
    "```yaml\n# parameters: nothing\n```",
    "```yaml\nparameters:\n```",
    "```yaml\nparameters: {}\ntags: {}\n```",
    "```yaml\nparameters:\n  convert:\n```",
    '```yaml\nparameters:\n  convert: {}\n  "*": {}\n```',
    "```yaml\nparameters: ['not', ours]\nfrom: another tool\n```",
)


@st.composite
def _block(draw: st.DrawFn) -> str:
    """A block that gives values, in a style of its own."""
    skills = st.dictionaries(
        st.sampled_from(SKILLS), st.dictionaries(st.sampled_from(NAMES), VALUES, min_size=1, max_size=3), min_size=1
    )
    tree = draw(skills)
    style = draw(st.integers(0, 5))
    if style == 0:
        body = flow({"parameters": tree})
    elif style == 1:
        body = f"parameters: {flow(tree)}  # all of it"
    elif style == 2:
        inner = ",\n".join(f"  {flow(key)}: {{\t{flow(one)[1:-1]}, }}" for key, one in tree.items())
        body = f"# mine\nparameters: {{\n{inner}\n}}"
    elif style == 3:
        body = f"tags: {{}}\n{yaml.safe_dump({'parameters': tree}, allow_unicode=True)}".rstrip("\n")
    else:
        body = "\n".join(["parameters:", *_lines(tree, " " * (style - 2))])
    return draw(st.sampled_from(["```yaml\n{}\n```", "~~~ YAML x\n{}\n\n~~~", "````yml\n\n{}\n````"])).format(body)


def _lines(tree: dict[str, dict[str, Any]], margin: str) -> list[str]:
    lines = ["# of them all"]
    for number, (skill, values) in enumerate(tree.items()):
        if number % 2:
            lines.append(f"{margin}{flow(skill)}: {flow(values)}")
            continue
        lines.append(f"{margin}{flow(skill)}:  # why")
        lines += [f"{margin * 2}{flow(name)}: {flow(value)}  # {name}" for name, value in values.items()]
        lines += ["", f"{margin * 3}# deeper", f"{margin}# as deep"]
    return lines


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """The bytes of a file: prose and blocks in any order, with ends of any kind."""
    parts = draw(st.lists(st.sampled_from(_PROSE) | _block() | _block(), max_size=7))
    text = draw(st.sampled_from(["\n\n", "\n\n\n", "\n \n"])).join(parts) + draw(
        st.sampled_from(["", "\n", "\n\n", " \n"])
    )
    text = text.replace("\n", "\r\n") if draw(st.booleans()) else text
    return (b"\xef\xbb\xbf" if draw(st.booleans()) else b"") + text.encode()


def make_for(root: Path, raw: bytes) -> Path:
    """A workspace with this file, whose skills have all parameters of `NAMES`."""
    make(root, "\n".join(["optional:", *(f"  - name: {name!r}" for name in NAMES)]))
    skill = (root / ".skills/convert/SKILL.md").read_bytes()
    catalog = "check-links: Checks. Use it.\nconvert: Converts. Use it.\n"
    files: dict[str, str | bytes] = {
        ".skills/SKILLS.md": catalog,
        ".skills/check-links/SKILL.md": skill,
        "USER_CONTEXT.md": raw,
    }
    return write(root, files)


def blocks_of(raw: bytes) -> list[Any]:
    """The values of the blocks of a file, as texts; of a block that is not YAML, its text."""
    tokens = MarkdownIt("commonmark").parse(raw.decode("utf-8-sig"))
    return [_loaded(token.content) for token in tokens if token.type == "fence" and _is_yaml(token.info)]


def _is_yaml(info: str) -> bool:
    return info.strip().partition(" ")[0].lower() in ("yaml", "yml")


def _loaded(text: str) -> Any:
    try:
        return yaml.load(text, yaml.CBaseLoader)  # noqa: S506 - reads texts alone
    except yaml.YAMLError:
        return text


def given_in(blocks: list[Any], skill: str, name: str) -> list[int]:
    """The numbers of the blocks that give a value for a parameter of a skill."""
    found = []
    for number, block in enumerate(blocks):
        skills = block.get("parameters") if isinstance(block, dict) else None
        values = skills.get(skill) if isinstance(skills, dict) else None
        if isinstance(values, dict) and name in values:
            found.append(number)
    return found


def value_in(workspace: Path, name: str, skill: str = "*") -> Value | None:
    """What the file gives, as every other command reads it."""
    found = read_settings(open_workspace(str(workspace))).values(skill, name)
    return found[0].value if found else None


def git(folder: Path, *arguments: str) -> str:
    """What git answers."""
    command = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.com", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def text_of(workspace: Path) -> str:
    """The file as it is."""
    return (workspace / "USER_CONTEXT.md").read_bytes().decode()
