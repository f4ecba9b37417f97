"""Manifests of active skills (`SKILL.yaml`): one reader and one model, for `check` and for the runtime."""
