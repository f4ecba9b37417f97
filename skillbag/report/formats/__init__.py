"""Findings in the formats of other programs, a module each."""
