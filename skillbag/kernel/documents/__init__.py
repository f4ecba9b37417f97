"""Text read as structure: positions, YAML, front matter, Markdown, the catalog."""
