"""Manifests that tests begin with, written as YAML."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from skillbag.kernel.manifest.reader import ManifestFile, read_manifest

PLAIN: Mapping[str, Any] = {"name": "tidy", "version": "1.0.0", "description": "Tidies up.", "types": ["prompt"]}
"""The least that a manifest holds."""

FULL: Mapping[str, Any] = {
    "name": "kubernetes",
    "version": "1.0.0-rc.1+build.5",
    "description": "Kubernetes operations",
    "types": ["tool", "prompt", "workflow", "security-rule", "transform"],
    "author": "Ada",
    "license": "MIT",
    "homepage": "https://example.com/",
    "category": "development",
    "tags": ["cluster"],
    "triggers": {
        "files": ["*.k8s.yaml", "k8s/"],
        "keywords": ["pod"],
        "modes": ["interactive"],
        "languages": ["dockerfile"],
    },
    "permissions": ["shell:exec", "env:read"],
    "steering_files": ["AGENTS.md", ".vscode/tasks.json", ".planning/"],
    "dependencies": [{"name": "docker", "version": ">=1.0.0, <3", "optional": True}],
    "priority": -3,
    "tools_allow": ["get"],
    "tools_deny": ["drop"],
    "execution_mode": "inline",
    "references": [{"path": "a.md", "when": "in doubt"}],
    "implementation": {
        "backend": "starlark",
        "entrypoint": "skill.star",
        "args": ["--stdio", ""],
        "timeout": 2.5,
        "limits": {"memory_mb": 64, "cpu_s": 2, "processes": 1},
    },
    "prompt": {"system_prompt_file": "a.md", "context_files": ["b/c.md"], "max_context_tokens": 10},
    "tools": [{"name": "get", "description": "Gets", "input_schema_file": "get.json", "requires_approval": True}],
    "commands": [
        {"name": "do", "description": "Does", "arguments": [{"name": "x", "description": "X", "required": True}]}
    ],
    "agents": [
        {
            "name": "helper",
            "description": "Helps",
            "system_prompt": "Help.",
            "tools": ["get"],
            "max_turns": 3,
            "max_depth": 1,
            "model": "any",
            "inherit_skills": True,
            "extra_skills": ["a"],
            "disable_skills": ["b"],
        }
    ],
    "security_rules": {
        "sast_rules_file": "rules.yaml",
        "scanners": [{"name": "phi", "entrypoint": "skill.star"}],
        "overrides_file": "rules.yaml",
    },
    "wiki": {
        "sections": [{"title": "Pods", "template": "a.md", "analyzer": "pods"}],
        "diagrams": [{"type": "graph", "template": "a.md"}],
    },
    "compatibility": {"agent_version": ">=0.5.0", "platforms": ["linux", "darwin"]},
}
"""A manifest with every field."""

FILES = ("a.md", "b/c.md", "get.json", "skill.star", "rules.yaml")
"""The files that `FULL` names."""


def write_skill(folder: Path, manifest: Mapping[str, Any] | str | bytes, *files: str) -> Path:
    """A skill in `folder` with this manifest (JSON is YAML), and files with a line of text."""
    folder.mkdir(parents=True, exist_ok=True)
    text = manifest if isinstance(manifest, str | bytes) else json.dumps(manifest, ensure_ascii=False)
    (folder / "SKILL.yaml").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    for name in files:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}\n", "utf-8")
    return folder


def read(folder: Path, manifest: Mapping[str, Any] | str | bytes, *files: str) -> ManifestFile:
    """What the reader says of this manifest in a folder with these files."""
    write_skill(folder, manifest, *files)
    return read_manifest(str(folder), str(folder))


def messages(read: ManifestFile) -> list[str]:
    """The messages of all faults, those of remarks behind `remark: `."""
    return [fault.text if fault.is_error else f"remark: {fault.text}" for fault in read.faults]
