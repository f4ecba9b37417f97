"""The agents that read skills: where each looks for them, how to see that it is there, and what else it is called.

The names, folders and signs are those of the `skills` program (npm, 1.5.18). `link`, `init`, `doctor` and the lock all
take them from here; `tools/agent_tables.py` makes the page about them.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable

from skillbag.kernel.base.errors import UserError
from skillbag.kernel.base.records import NamedTuple


class Agent(NamedTuple):
    """An agent by its name, in its own spelling as `title`, and by its other names.

    `folder` is relative to a project, with `/`. `user_folders` are the user's; of several the first that exists counts,
    else the first; an agent without any has none. `signs` are paths of which one shows that the agent is used here:
    below the home (`~/`), a base in braces (`BASES`) or the project (`./`); `./FILE#NAME` is a file of packages that
    names one. `copied`: it skips links that lead out of its folder in a project.

    Of those for which `init` writes more, files in a project: `instructions` is what it reads first, `settings` names
    the commands that it runs at the steps of a session, `own_settings` those of one user alone, and `servers` its MCP
    servers.
    """

    name: str
    title: str
    folder: str
    user_folders: tuple[str, ...]
    signs: tuple[str, ...]
    aliases: tuple[str, ...] = ()
    copied: bool = False
    instructions: str = ""
    settings: str = ""
    own_settings: str = ""
    servers: str = ""


BASES = {
    "appdata": ("APPDATA", ""),
    "autohand": ("AUTOHAND_HOME", "~/.autohand"),
    "claude": ("CLAUDE_CONFIG_DIR", "~/.claude"),
    "codex": ("CODEX_HOME", "~/.codex"),
    "config": ("XDG_CONFIG_HOME", "~/.config"),
    "flatpak": ("FLATPAK_XDG_CONFIG_HOME", ""),
    "hermes": ("HERMES_HOME", "~/.hermes"),
    "vibe": ("VIBE_HOME", "~/.vibe"),
}
"""The folders that a variable can move: the variable, and the folder without it, empty for none."""


def _own(name: str, title: str, home: str, aliases: tuple[str, ...] = ()) -> Agent:
    """An agent with one folder of its own, in projects and at home."""
    return Agent(name, title, f"{home}/skills", (f"~/{home}/skills",), (f"~/{home}",), aliases)


def _shared(
    name: str, title: str, user_folder: str, *signs: str, aliases: tuple[str, ...] = (), instructions: str = ""
) -> Agent:
    """An agent that looks where many do, in a project."""
    return Agent(name, title, ".agents/skills", (user_folder,), signs, aliases, instructions=instructions)


_TABLE = (
    _own("adal", "AdaL", ".adal"),
    _own("aider-desk", "AiderDesk", ".aider-desk"),
    _shared("amp", "Amp", "{config}/agents/skills", "{config}/amp"),
    _shared("antigravity", "Antigravity", "~/.gemini/antigravity/skills", "~/.gemini/antigravity"),
    _shared("antigravity-cli", "Antigravity CLI", "~/.gemini/antigravity-cli/skills", "~/.gemini/antigravity-cli"),
    Agent("astrbot", "AstrBot", "data/skills", ("~/.astrbot/data/skills",), ("./data/skills", "~/.astrbot")),
    _own("augment", "Augment", ".augment", aliases=("augment-cli", "auggie")),
    Agent(
        "autohand-code", "Autohand Code CLI", ".autohand/skills", ("{autohand}/skills",), ("{autohand}",), ("autohand",)
    ),
    _own("bob", "IBM Bob", ".bob", aliases=("ibm-bob",)),
    Agent(
        "claude",
        "Claude Code",
        ".claude/skills",
        ("{claude}/skills",),
        ("{claude}",),
        ("claude-code", "cowork"),
        instructions="CLAUDE.md",
        settings=".claude/settings.json",
        own_settings=".claude/settings.local.json",
        servers=".mcp.json",
    ),
    _shared("cline", "Cline", "~/.agents/skills", "~/.cline"),
    _own("codearts-agent", "CodeArts Agent", ".codeartsdoer", aliases=("codearts",)),
    Agent("codebuddy", "CodeBuddy", ".codebuddy/skills", ("~/.codebuddy/skills",), ("./.codebuddy", "~/.codebuddy")),
    _own("codemaker", "Codemaker", ".codemaker"),
    _own("codestudio", "Code Studio", ".codestudio"),
    _shared(
        "codex", "Codex", "{codex}/skills", "{codex}", "/etc/codex", aliases=("codex-cli",), instructions="AGENTS.md"
    ),
    _own("command-code", "Command Code", ".commandcode", aliases=("commandcode",)),
    Agent("continue", "Continue", ".continue/skills", ("~/.continue/skills",), ("./.continue", "~/.continue")),
    _shared(
        "copilot",
        "GitHub Copilot",
        "~/.copilot/skills",
        "~/.copilot",
        aliases=("github-copilot",),
        instructions=".github/copilot-instructions.md",
    ),
    Agent(
        "cortex",
        "Cortex Code",
        ".cortex/skills",
        ("~/.snowflake/cortex/skills",),
        ("~/.snowflake/cortex",),
        ("cortex-code",),
    ),
    Agent("crush", "Crush", ".crush/skills", ("~/.config/crush/skills",), ("~/.config/crush",)),
    _shared("cursor", "Cursor", "~/.cursor/skills", "~/.cursor", aliases=("cursor-cli",), instructions=".cursorrules"),
    _shared("deepagents", "Deep Agents", "~/.deepagents/agent/skills", "~/.deepagents"),
    Agent(
        "devin",
        "Devin for Terminal",
        ".devin/skills",
        ("{config}/devin/skills",),
        ("{config}/devin",),
        ("devin-for-terminal",),
    ),
    _shared("dexto", "Dexto", "~/.agents/skills", "~/.dexto"),
    _own("droid", "Droid", ".factory", aliases=("factory",)),
    Agent("eve", "Eve", "agent/skills", (), ("./package.json#eve",)),
    _shared("firebender", "Firebender", "~/.firebender/skills", "~/.firebender"),
    _own("forgecode", "ForgeCode", ".forge", aliases=("forge",)),
    _shared("gemini", "Gemini CLI", "~/.gemini/skills", "~/.gemini", aliases=("gemini-cli",), instructions="GEMINI.md"),
    Agent("goose", "Goose", ".goose/skills", ("{config}/goose/skills",), ("{config}/goose",)),
    Agent("hermes-agent", "Hermes Agent", ".hermes/skills", ("{hermes}/skills",), ("{hermes}",), ("hermes",)),
    _own("iflow-cli", "iFlow CLI", ".iflow", aliases=("iflow",)),
    _own("inference-sh", "inference.sh", ".inferencesh", aliases=("inference", "inferencesh")),
    Agent("jazz", "Jazz", ".jazz/skills", ("~/.jazz/skills",), ("~/.jazz", "./.jazz")),
    _own("junie", "Junie", ".junie"),
    _own("kilo", "Kilo Code", ".kilocode", aliases=("kilo-code", "kilocode")),
    _shared(
        "kimi-code-cli",
        "Kimi Code CLI",
        "~/.agents/skills",
        "~/.kimi-code",
        "~/.kimi",
        aliases=("kimi", "kimi-cli", "kimi-code"),
    ),
    _own("kiro-cli", "Kiro CLI", ".kiro", aliases=("kiro",)),
    _own("kode", "Kode", ".kode"),
    _own("lingma", "Lingma", ".lingma"),
    _shared("loaf", "Loaf", "~/.agents/skills", "~/.loaf"),
    _own("mcpjam", "MCPJam", ".mcpjam"),
    Agent("mistral-vibe", "Mistral Vibe", ".vibe/skills", ("{vibe}/skills",), ("{vibe}",), ("mistral", "vibe")),
    _own("moxby", "Moxby", ".moxby"),
    _own("mux", "Mux", ".mux"),
    _own("neovate", "Neovate", ".neovate"),
    _own("ona", "Ona", ".ona"),
    Agent(
        "openclaw",
        "OpenClaw",
        "skills",
        ("~/.openclaw/skills", "~/.clawdbot/skills", "~/.moltbot/skills"),
        ("~/.openclaw", "~/.clawdbot", "~/.moltbot"),
        # Its setting skills.load.allowSymlinkTargets lifts that; of its user's folder it follows links.
        copied=True,
    ),
    _shared("opencode", "OpenCode", "{config}/opencode/skills", "{config}/opencode"),
    _own("openhands", "OpenHands", ".openhands"),
    Agent("pi", "Pi", ".pi/skills", ("~/.pi/agent/skills",), ("~/.pi/agent",)),
    _own("pochi", "Pochi", ".pochi"),
    Agent("promptscript", "PromptScript", ".agents/skills", (), ("./.promptscript", "./promptscript.yaml")),
    _own("qoder", "Qoder", ".qoder"),
    Agent("qoder-cn", "Qoder CN", ".qoder/skills", ("~/.qoder-cn/skills",), ("~/.qoder-cn",)),
    _own("qwen-code", "Qwen Code", ".qwen", aliases=("qwen",)),
    _own("reasonix", "Reasonix", ".reasonix"),
    _shared("replit", "Replit", "{config}/agents/skills", "./.replit"),
    _own("roo", "Roo Code", ".roo", aliases=("roo-code",)),
    _own("rovodev", "Rovo Dev", ".rovodev", aliases=("rovo-dev",)),
    Agent(
        "tabnine-cli",
        "Tabnine CLI",
        ".tabnine/agent/skills",
        ("~/.tabnine/agent/skills",),
        ("~/.tabnine",),
        ("tabnine",),
    ),
    _own("terramind", "Terramind", ".terramind"),
    _own("tinycloud", "Tinycloud", ".tinycloud"),
    _own("trae", "Trae", ".trae"),
    Agent("trae-cn", "Trae CN", ".trae/skills", ("~/.trae-cn/skills",), ("~/.trae-cn",)),
    _shared("universal", "Universal", "{config}/agents/skills", aliases=("agents",)),
    _shared("warp", "Warp", "~/.agents/skills", "~/.warp"),
    Agent("windsurf", "Windsurf", ".windsurf/skills", ("~/.codeium/windsurf/skills",), ("~/.codeium/windsurf",)),
    Agent("zcode", "ZCode", ".zcode/skills", ("~/.zcode/skills",), ("~/.zcode", "/Applications/ZCode.app")),
    _shared("zed", "Zed", "~/.agents/skills", "{config}/zed", "{appdata}/Zed", "{flatpak}/zed"),
    _own("zencoder", "Zencoder", ".zencoder"),
    _own("zenflow", "Zenflow", ".zencoder"),
)
AGENTS = {agent.name: agent for agent in _TABLE}
"""All agents by name, sorted."""

INSTRUCTIONS = {agent.name: agent.instructions for agent in _TABLE if agent.instructions}
"""Of the agents that `init` knows, the file that each reads first."""

SETTINGS = {agent.name: agent.settings for agent in _TABLE if agent.settings}
"""Of the agents that can run commands at the steps of a session, their settings files."""

ALL = "all"
"""Stands for all agents in a list of names."""

FOLDERS = frozenset(agent.folder for agent in _TABLE)
"""The folders of projects in which agents look for skills."""

COPIED = {agent.folder: agent.title for agent in _TABLE if agent.copied}
"""Those in which an agent skips links, with its title."""


def known_agents(words: Iterable[str], among: Collection[str] = AGENTS) -> tuple[str, ...]:
    """The names of these agents, each once; a word is a name, an alias or a title in any case, or `all`.

    Raises:
        UserError: no agent is called so, or it is not `among` those that can be named.
    """
    names: list[str] = []
    for word in words:
        names += among if _plain(word) == ALL else (_known(word, among),)
    return tuple(dict.fromkeys(names))


def _known(word: str, among: Collection[str]) -> str:
    called = {_plain(other): agent.name for agent in _TABLE for other in (agent.title, *agent.aliases, agent.name)}
    name = called.get(_plain(word))
    if name and name in among:
        return name
    if name:
        raise UserError(f"--agents: there is nothing to write for {name}; the known agents are {', '.join(among)}")
    close = (called[other] for other in difflib.get_close_matches(_plain(word), called, 9, 0.7))
    meant = [name for name in dict.fromkeys(close) if name in among][:3]
    hint = f"did you mean {' or '.join(meant)}?" if meant else f"the known agents are {_some(among)}"
    raise UserError(f"--agents: `{word[:40]}` is not known; {hint}")


def _plain(word: str) -> str:
    """A name as it is compared: in lower case, with hyphens."""
    return "-".join(word.lower().replace("_", " ").replace(".", " ").replace("-", " ").split())


def _some(among: Collection[str]) -> str:
    common = [name for name in INSTRUCTIONS if name in among]
    others = len(among) - len(common)
    more = f" and {others} more, which skillbag link --list shows" if others else ""
    return f"{', '.join(common)}{more}"
