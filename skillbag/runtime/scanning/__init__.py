"""Scans of a workspace by `security-rule` skills (skill runtime, section 8)."""
