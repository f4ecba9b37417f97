"""For each field of a manifest, two manifests that differ in it alone, and what is seen of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from tests.agents.mcp_server.mcp_worlds import Pipe
from tests.runtime.fields import field_looks as look
from tests.runtime.fields.field_looks import Look

Fields = Mapping[str, Any]

PROCESS = {"backend": "process", "entrypoint": "bin/child"}
TOOL: Fields = {"types": ["tool"], "implementation": {"backend": "starlark", "entrypoint": "main.star"}}
PROMPT: Fields = {"types": ["prompt"], "prompt": {"system_prompt_file": "a.md"}}


class Case(NamedTuple):
    """`fields` have the key of `path` first with the one, then with the other of `given` (None: not at all); `seen` is
    what `look` sees then."""

    path: str
    fields: Fields
    given: tuple[Any, Any]
    look: Look
    seen: tuple[Any, Any]

    def manifests(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The two manifests."""
        base = {"name": "s", "version": "1.0.0", "description": "Does s.", **self.fields}
        first, second = (_with(base, self.path.split("."), value) for value in self.given)
        return first, second


def _with(node: Any, path: list[str], value: Any) -> Any:
    """The manifest with this value; lists on the path have one entry."""
    key, rest = path[0], path[1:]
    name, is_list = key.removesuffix("[]"), key.endswith("[]")
    inner = node.get(name, [{}])[0] if is_list else node.get(name, {})
    changed = _with(inner, rest, value) if rest else value
    if changed is None:
        return {other: kept for other, kept in node.items() if other != name}
    return {**node, name: [changed] if is_list else changed}


def _metadata() -> Iterator[Case]:
    """Fields about the skill."""
    plain = look.manifest_of
    yield Case("name", TOOL, ("s", "r"), look.listed(), (["s"], ["r"]))
    yield Case("version", TOOL, ("1.0.0", "2.0.0"), look.state("user"), ("blocked", "inactive"))
    yield Case("description", TOOL, ("Old.", "New."), look.index, (["- s: Old."], ["- s: New."]))
    yield Case("types", TOOL, (["tool"], ["workflow"]), look.activates, (["t", "read"], "error"))
    yield Case("author", TOOL, (None, "Ada"), lambda world: plain(world)["author"], ("", "Ada"))
    unknown = ["manifest-license-unknown"]
    yield Case("license", TOOL, ("MIT", "Apache 2.0"), lambda w: _among(look.findings(w), unknown), ([], unknown))
    invalid = ["manifest-homepage-invalid"]
    pages = ("https://example.com/", "x")
    yield Case("homepage", TOOL, pages, lambda w: _among(look.findings(w), invalid), ([], invalid))
    chosen = look.listed("--category", "security")
    yield Case("category", TOOL, ("testing", "security"), chosen, ([], ["s"]))
    yield Case("tags", TOOL, (["a"], ["a", "b"]), look.listed("--tag", "b"), ([], ["s"]))
    host = look.in_host("execution_mode")
    yield Case("execution_mode", TOOL, ("inline", "fork"), host, ("inline", "fork"))


def _among(found: list[str], wanted: list[str]) -> list[str]:
    return [rule for rule in found if rule in wanted]


def _activation() -> Iterator[Case]:
    """Fields that say when and where the skill can be active."""
    yield Case("triggers.files", TOOL, (None, ["app.*"]), look.score(), (0, 100))
    yield Case("triggers.keywords", TOOL, (["stop"], ["go"]), look.score("--message", "go"), (0, 80))
    yield Case("triggers.modes", TOOL, (["mcp"], ["wiki"]), look.score("--mode", "wiki"), (0, 40))
    yield Case("triggers.languages", TOOL, (["go"], ["python"]), look.score(), (0, 60))
    rivals = (["rival", "s"], ["s", "rival"])
    yield Case("priority", {**TOOL, "triggers": {"keywords": ["go"]}}, (0, 1), look.triggered, rivals)
    read = look.called("read")
    yield Case("permissions", TOOL, (None, ["file:read"]), read, ("is_error", "Alpha.\n"))
    writer = {**TOOL, "permissions": ["file:write"]}
    yield Case("steering_files", writer, (None, ["AGENTS.md"]), look.question_about("AGENTS.md"), (False, True))
    needs = {**TOOL, "dependencies": [{"name": "echo"}]}
    states = ("blocked", "inactive")
    yield Case("dependencies[].name", needs, ("gone", "echo"), look.started_or_blocked, ("blocked", ("echo", "s")))
    yield Case("dependencies[].version", needs, (">=2", ">=1"), look.state("s"), states)
    gone = {**TOOL, "dependencies": [{"name": "gone"}]}
    yield Case("dependencies[].optional", gone, (False, True), look.state("s"), states)
    yield Case("compatibility.agent_version", TOOL, (">=999", ">=0.1.0"), look.state("s"), states)
    yield Case("compatibility.platforms", TOOL, (_FOREIGN, [*_FOREIGN, *_OWN]), look.state("s"), states)


_OWN = ["linux", "darwin"]
_FOREIGN = ["windows"]


def _code() -> Iterator[Case]:
    """Fields about the code and its tools."""
    yield Case("tools_allow", TOOL, (None, ["T"]), look.activates, (["t", "read"], ["t"]))
    yield Case("tools_deny", TOOL, (None, ["T"]), look.activates, (["t", "read"], ["read"]))
    plugin = {"types": ["tool"], "implementation": {"entrypoint": "skill.py"}}
    yield Case("implementation.backend", plugin, ("starlark", "plugin"), look.activates, ([], "error"))
    entrypoints = ("main.star", "other.star")
    yield Case("implementation.entrypoint", TOOL, entrypoints, look.called(), ("main", "other"))
    process = {"types": ["tool"], "implementation": PROCESS}
    arguments = look.child("arguments")
    yield Case("implementation.args", process, (None, ["--a", "$b"]), arguments, ([], ["--a", "$b"]))
    nap = look.is_error("t", sleep=0.25)
    yield Case("implementation.timeout", process, (0.1, 10), nap, (True, False))
    limits = "implementation.limits."
    yield Case(f"{limits}memory_mb", process, (300, 400), look.child("DATA"), (300 << 20, 400 << 20))
    yield Case(f"{limits}cpu_s", process, (7, 8), look.child("CPU"), (7, 8))
    yield Case(f"{limits}processes", process, (7, 8), look.bounds, (7, 8))
    own = {**TOOL, "tools": [{"name": "t"}]}
    yield Case("tools[].name", own, ("other", "t"), look.owner, (2, 0))
    undescribed = {**TOOL, "tools": [{"name": "read"}]}
    yield Case("tools[].description", undescribed, (None, "Mine."), look.description("read"), ("", "Mine."))
    bad = ("main", "BadParametersError")
    yield Case("tools[].input_schema_file", own, (None, "strict.json"), look.called(), bad)
    requested = ("main", "NotPermittedError")
    yield Case("tools[].requires_approval", own, (False, True), look.called(), requested)


def _prompts() -> Iterator[Case]:
    """Fields that end in the prompt."""
    listed = "\nFiles to read when they are needed:\n\n- {}\n"
    known = {**PROMPT, "references": [{"path": "a.md", "when": "in doubt"}]}
    paths = (f"Alpha.\n{listed.format(f'{name}.md: in doubt')}" for name in "ab")
    yield Case("references[].path", known, ("a.md", "b.md"), look.prompt, (next(paths), next(paths)))
    times = (f"Alpha.\n{listed.format(text)}" for text in ("a.md", "a.md: always"))
    yield Case("references[].when", known, (None, "always"), look.prompt, (next(times), next(times)))
    files = ("a.md", "b.md")
    yield Case("prompt.system_prompt_file", PROMPT, files, look.prompt, ("Alpha.\n", "Beta.\n"))
    context = "Alpha.\n\nContext file b.md:\n\nBeta.\n"
    yield Case("prompt.context_files", PROMPT, (None, ["b.md"]), look.prompt, ("Alpha.\n", context))
    both = {**PROMPT, "prompt": {"system_prompt_file": "a.md", "context_files": ["b.md"]}}
    seen = (context, "Alpha.\n\nCont\n")
    yield Case("prompt.max_context_tokens", both, (0, 1), look.prompt, seen)


def _commands() -> Iterator[Case]:
    """Commands, which are prompts of the MCP server."""

    def listed(key: str) -> Look:
        return look.in_mcp(lambda server: look.mcp_prompt(server)[key])

    def argument(key: str) -> Look:
        return look.in_mcp(lambda server: look.mcp_prompt(server)["arguments"][0].get(key))

    command = {"name": "do", "description": "Does.", "arguments": [{"name": "x", "description": "X."}]}
    fields = {**PROMPT, "triggers": {"modes": ["mcp"]}, "commands": [command]}
    for key, given in (("name", ("do", "undo")), ("description", ("Does.", "Undoes."))):
        yield Case(f"commands[].{key}", fields, given, listed(key), given)
    for key, values in (("name", ("x", "y")), ("description", ("X.", "Y.")), ("required", (False, True))):
        yield Case(f"commands[].arguments[].{key}", fields, values, argument(key), values)
    missing = look.in_mcp(_error_without_arguments)
    yield Case("commands[].arguments[].required", fields, (False, True), missing, (None, "do: `x` is missing"))


def _error_without_arguments(server: Pipe) -> Any:
    return server.ask("prompts/get", {"name": "do"}).get("error", {}).get("message")


def _agents() -> Iterator[Case]:
    """Agents, which are data for hosts."""
    fields = {**PROMPT, "agents": [{"name": "helper"}]}
    for key in ("name", "description", "system_prompt", "model"):
        yield Case(f"agents[].{key}", fields, ("one", "two"), look.agent(key), ("one", "two"))
    for key in ("tools", "extra_skills", "disable_skills"):
        yield Case(f"agents[].{key}", fields, (None, ["x"]), look.agent(key), ([], ["x"]))
    for key in ("max_turns", "max_depth"):
        yield Case(f"agents[].{key}", fields, (None, 3), look.agent(key), (0, 3))
    yield Case("agents[].inherit_skills", fields, (None, True), look.agent("inherit_skills"), (False, True))


def _scans() -> Iterator[Case]:
    """Fields for `runtime scan`."""
    code = {"backend": "starlark", "entrypoint": "wiki.star"}
    fields = {"types": ["security-rule", "workflow"], "permissions": ["file:read"], "implementation": code}
    where = "security_rules."
    found, rules = look.scanned, {**fields, "security_rules": {"sast_rules_file": "rules.yaml"}}
    yield Case(f"{where}sast_rules_file", fields, (None, "rules.yaml"), found, ([], ["One [high]"]))
    yield Case(f"{where}overrides_file", rules, (None, "over.yaml"), found, (["One [high]"], ["One [low]"]))
    missing = 'it declares the scanner "y", and its code does not register it'
    named = {**fields, "security_rules": {"scanners": [{"entrypoint": "scan.star"}]}}
    seen = (["Seen [medium]"], ["Seen [medium]", missing])
    yield Case(f"{where}scanners[].name", named, ("x", "y"), found, seen)
    written = {**fields, "security_rules": {"scanners": [{"name": "x"}]}}
    entrypoints = ("scan.star", "scan2.star")
    seen = (["Seen [medium]"], ["Seen too [medium]"])
    yield Case(f"{where}scanners[].entrypoint", written, entrypoints, found, seen)


def _pages() -> Iterator[Case]:
    """Fields for `runtime wiki`."""
    fields = {"types": ["workflow"], "implementation": {"backend": "starlark", "entrypoint": "wiki.star"}}

    def section(**given: str) -> Fields:
        return {**fields, "wiki": {"sections": [given]}}

    def generated(**given: str) -> Fields:
        return {**fields, "wiki": {"diagrams": [given]}}

    paths = ["s/one.md # One\n\nPods.\n"], ["s/two.md # Two\n\nPods.\n"]
    yield Case("wiki.sections[].title", section(analyzer="pods"), ("One", "Two"), look.pages, paths)
    texts = [[f"s/p.md # P\n\n{text}.\n"] for text in ("Pods", "Alpha", "Nodes")]
    template = (texts[0], texts[1])
    yield Case("wiki.sections[].template", section(title="P", analyzer="pods"), (None, "a.md"), look.pages, template)
    analyzed = (texts[0], texts[2])
    yield Case("wiki.sections[].analyzer", section(title="P"), ("pods", "nodes"), look.pages, analyzed)
    page = "s/diagrams.md # Diagrams\n\n```{}\n{}.\n```\n"
    kinds = ([page.format(kind, "Alpha")] for kind in ("dot", "mermaid"))
    drawings = (next(kinds), next(kinds))
    yield Case("wiki.diagrams[].type", generated(template="a.md"), ("dot", "mermaid"), look.pages, drawings)
    files = ([page.format("dot", "Alpha")], [page.format("dot", "Beta")])
    yield Case("wiki.diagrams[].template", generated(type="dot"), ("a.md", "b.md"), look.pages, files)


CASES = (*_metadata(), *_activation(), *_code(), *_prompts(), *_commands(), *_agents(), *_scans(), *_pages())
