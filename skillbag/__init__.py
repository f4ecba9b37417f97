"""SkillBag: checks agent-skill workspaces against the SkillBag standard, and sets them up."""

__version__ = "0.1.0"

STANDARD_VERSION = "v0.3.0"
"""The version of the SkillBag standard whose clauses this package checks."""
