"""Edits of YAML within Markdown as edits of its text: what was not asked for stays, byte for byte."""
