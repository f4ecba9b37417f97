"""The graph of skills as text: JSON values, Mermaid, DOT, SVG. Names of skills are data there, never syntax."""
